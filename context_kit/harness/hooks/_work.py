"""Brings a session's record up to date with its transcript.

The invariant guarded here: what was kept is never made poorer; a transcript that can't be read leaves it as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from context_kit._lazily import regex
from context_kit.harness.hooks._agents import Agent
from context_kit.harness.hooks._facts import Facts, facts_from, facts_to
from context_kit.harness.hooks._fold import fold, wished
from context_kit.harness.hooks._keep import Keep, UnwritableError
from context_kit.harness.hooks._text import compose
from context_kit.harness.transcripts import grown

__all__ = ["catch_up", "measure"]

PIECE = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|\n+|[ \t]{2,}|[^\sa-z0-9]")
LETTERS, DIGITS, RARE = 5, 3, 3
"""Letters and digits of one token; tokens of a sign beyond the common ones, such as an emoji."""
WHOLE = 400_000
"""Characters of the whole record."""


def catch_up(
    keep: Keep, agent: Agent, transcript: str, folder: str, note: Callable[[str], None], wish: str | None = None
) -> str:
    """Read what is new, keep the record, and give the text to inject.

    Args:
        keep: the session's files.
        agent: whose session it is.
        transcript: its transcript.
        folder: the project's directory.
        note: hears why the record couldn't be kept; the text is given all the same.
        wish: what the user asks of the compaction that comes, empty for nothing; None where none comes.

    Raises:
        OSError, TranscriptError: the transcript can't be read.
    """
    try:
        with keep.lock() as held:
            state, text, record = _brought_up(keep, agent, transcript, folder, note, wish)
            if held and text:
                keep.save(state, record)
            elif text:
                note("another hook holds the session: the checkpoint is left to it")
            return text
    except UnwritableError as failure:
        note(str(failure))
        return _brought_up(keep, agent, transcript, folder, note, wish)[1]


def _brought_up(
    keep: Keep, agent: Agent, transcript: str, folder: str, note: Callable[[str], None], wish: str | None
) -> tuple[dict[str, Any], str, str]:
    """The state, the text to inject and the whole record, as of now."""
    facts = facts_from(keep.state().get("facts"))
    growth = grown(transcript, agent=agent.name, mark=facts.mark, head=facts.head)
    if growth.damaged:
        note(f"{transcript}: {growth.damaged} damaged lines were left out")
    start = Facts() if growth.fresh else facts
    facts = replace(fold(start, growth.settled), mark=growth.mark, head=growth.head)
    facts = facts if wish is None else wished(facts, wish)
    now = fold(facts, growth.rest)
    if not now.at:
        return {}, "", ""
    text = _injected(now, agent, folder, _absolute(keep.checkpoint))
    state = {
        "facts": facts_to(facts),
        "text": text,
        "transcript": transcript,
        "size": growth.size,
        "modified": growth.modified,
        "folder": folder,
    }
    return state, text, compose(now, limit=WHOLE, folder=folder) + "\n"


def _injected(facts: Facts, agent: Agent, folder: str, whole: str) -> str:
    """The record within an agent's limit, of tokens too where those count."""
    limit = agent.limit
    while True:
        text = compose(facts, limit=limit, size=measure(agent), folder=folder, whole=whole)
        tokens = _tokens(text) if agent.tokens else 0
        if tokens <= agent.tokens:
            return text
        limit = min(limit * agent.tokens // tokens, limit - 200)


def _tokens(text: str) -> int:
    """Tokens of a text, estimated from above: pieces of words, three digits at a time, signs one by one."""
    return sum(_weight(found) for found in PIECE.findall(text))


def _weight(piece: str) -> int:
    if piece > "\uffff":
        return RARE
    if piece[0].isalpha():
        return -(-len(piece) // LETTERS)
    return -(-len(piece) // DIGITS) if piece[0].isdecimal() else 1


def measure(agent: Agent) -> Callable[[str], int]:
    """How an agent measures a text, without its tokeniser."""
    return _in_bytes if agent.in_bytes else _in_characters


def _in_bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _in_characters(text: str) -> int:
    """UTF-16 units, as JavaScript counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "replace")) // 2


def _absolute(path: Path) -> str:
    """A path that holds wherever the agent's shell stands."""
    try:
        return str(path.resolve())
    except OSError:
        return str(path)
