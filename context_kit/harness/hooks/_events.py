"""One event of a coding agent, answered: what to print, and nothing that could stop or steer the agent.

The invariant guarded here: whatever comes in, the answer is a text that the agent's protocol allows, mostly none.
What needs the engine loads it when it needs it: most events end before.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from context_kit._lazily import regex
from context_kit.harness.hooks._agents import AGENTS, LEFT_ALONE, ROLES, Agent, Role, told_by
from context_kit.harness.hooks._keep import Keep, store_of

__all__ = ["Event", "answer", "event_of", "printed"]

GROWN = 64 * 1024
"""Bytes that a transcript has gained when a tool's end is worth a look: a compaction then finds little left to read."""
SESSION = regex(r"[0-9A-Za-z-]{8,64}")
TAIL = 4 * 1024 * 1024
QUIET = (b'"isCompactSummary":true', b'"compact_boundary"', b'"type":"compacted"', b'"type":"progress"')
"""What a line holds that a compaction adds to a transcript, or that nobody said."""
SPEAKS = (b'"role"', b'"response_item"', b'"toolCalls"', b'"parts"', b'"type":"user"', b'"type":"gemini"')
"""What a line holds that may be a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event as it came, its fields checked."""

    name: str
    """The event's name, as the agent writes it."""
    agent: Agent
    session: str
    transcript: str
    """Path of the agent's own transcript; empty where it told none."""
    cwd: str
    source: str
    """What a context begins after: `startup`, `resume`, `clear`, `compact`."""
    project: str
    store: Path
    note: Callable[[str], None]
    """Hears what goes wrong without being the end of it."""
    wish: str | None = None
    """What the user asks of a compaction that comes, empty for nothing; None where none comes."""

    @property
    def keep(self) -> Keep:
        """The files of its session."""
        return Keep(self.store, self.agent.name, self.session or "unnamed")

    def give_back(self, text: str) -> None:
        """A text that nobody could read waits for the next event that can inject, where an agent has such."""
        if text and self.agent.marker:
            self.keep.mark(text)

    @property
    def folder(self) -> str:
        """The directory from which paths are shown."""
        return self.project or self.cwd


def event_of(
    name: str,
    fields: Mapping[str, Any],
    *,
    agent: str = "",
    store: str = "",
    note: Callable[[str], None] = lambda _: None,
) -> Event:
    """An event from its fields; unknown ones are ignored, wrong ones count as missing.

    Args:
        name: the event, as the command line has it; in any spelling that has the same letters.
        fields: what came on standard input.
        agent: the agent's name; without it the event's own fields tell it.
        store: where the files stand, if not in the project.
        note: hears what goes wrong without being the end of it.
    """

    def text(key: str) -> str:
        value = fields.get(key)
        return value if isinstance(value, str) and "\0" not in value else ""

    spoken = name or text("hook_event_name")
    plain = _plain(spoken)
    known = next((each for each in (*ROLES, *LEFT_ALONE) if _plain(each) == plain), spoken)
    if agent and agent not in AGENTS:
        note(f"agent {agent!r} is unknown: it is told from the event itself (known: {', '.join(AGENTS)})")
    if known not in ROLES and known not in LEFT_ALONE:
        note(f"event {spoken!r} is unknown, and nothing is done (known: {', '.join(ROLES)})")
    who = AGENTS[agent if agent in AGENTS else told_by(known, text("transcript_path"), os.environ)]
    project = os.environ.get(who.project, "") if who.project else ""
    given = store or os.environ.get("CONTEXT_KIT_HOOK_STORE", "")
    return Event(
        name=known,
        agent=who,
        session=text("session_id"),
        transcript=os.path.expanduser(text("transcript_path")) or _rollout(who, text("session_id")),  # noqa: PTH111
        cwd=text("cwd"),
        source=text("source"),
        project=project,
        store=store_of(given, project, text("cwd")),
        note=note,
        wish=text("custom_instructions").strip() if ROLES.get(known) == "before" else None,
    )


def _rollout(agent: Agent, session: str) -> str:
    """The log of a Codex session, which its events may leave out; empty where there is none."""
    if agent.name != "codex" or not SESSION.fullmatch(session):
        return ""
    home = Path(os.environ.get(agent.home) or os.path.expanduser("~/.codex"))  # noqa: PTH111 (never raises)
    found = sorted(home.glob(f"sessions/*/*/*/rollout-*{session}.jsonl"))
    return str(found[-1]) if found else ""


def _plain(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower()


def answer(event: Event) -> str:
    """Do what an event asks for; the text to inject, or nothing.

    Raises:
        Exception: whatever went wrong; the caller tells it and goes on.
    """
    role = ROLES.get(event.name)
    return ACTS[role](event) if role is not None else ""


def printed(event: Event, text: str) -> str:
    """What goes to standard output: one JSON object in the agent's shape, or nothing at all."""
    if not text:
        return ""
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return json.dumps({"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": clean}}) + "\n"


# -- acts ------------------------------------------------------------------------


def _before(event: Event) -> str:
    """A compaction comes: write the checkpoint, and leave a marker where nothing will tell of the start after it."""
    text = _told(event, _caught_up(event))
    if event.agent.marker and text:
        event.keep.mark(text)
    return ""


def _told(event: Event, text: str) -> str:
    """A record; that there is none of a transcript which holds something is noted."""
    if not text and Path(event.transcript).stat().st_size:
        event.note(f"{event.name}: {event.transcript}: no message that is known stands in it, so there is no record")
    return text


def _start(event: Event) -> str:
    if event.source not in ("compact", "resume"):
        return ""
    text = _record(event)
    if text and event.agent.marker:
        with event.keep.taken():  # what begins anew is told here: the marker has served
            pass
    return text


def _record(event: Event) -> str:
    """The record as of now; the one that was kept where the transcript can't be read any more."""
    state = event.keep.state()
    if state.get("transcript") == event.transcript and _nothing_new(event.transcript, state.get("size")):
        return _kept(state)
    try:
        return _told(event, _caught_up(event) or _kept(state))
    except Exception as error:
        text = _kept(state)
        if not text:
            raise
        event.note(f"{event.name}: {type(error).__name__}: {error}")
        return text


def _kept(state: Mapping[str, Any]) -> str:
    text = state.get("text")
    return text if isinstance(text, str) else ""


def _after(event: Event) -> str:
    """A compaction was: the checkpoint stands since it was announced; where it doesn't, it is written now."""
    return "" if event.keep.state() else _quietly(event)


def _turn(event: Event) -> str:
    return _quietly(event) if _gained(event) > 0 else ""


def _tool(event: Event) -> str:
    if event.agent.marker and event.keep.marked():
        return _marker(event)
    return _quietly(event) if _gained(event) >= GROWN else ""


def _prompt(event: Event) -> str:
    return _marker(event) if event.agent.marker and event.keep.marked() else ""


def _marker(event: Event) -> str:
    with event.keep.taken() as text:
        return text


def _quietly(event: Event) -> str:
    _caught_up(event)
    return ""


def _caught_up(event: Event) -> str:
    if not event.transcript:
        msg = f"{event.name}: no transcript_path was given"
        raise ValueError(msg)
    state = event.keep.state()
    if _unchanged(event, state):
        return _kept(state)
    from context_kit.harness.hooks._work import catch_up

    return catch_up(event.keep, event.agent, event.transcript, event.folder, event.note, event.wish)


ACTS: Mapping[Role, Callable[[Event], str]] = {
    "before": _before,
    "start": _start,
    "after": _after,
    "turn": _turn,
    "tool": _tool,
    "prompt": _prompt,
    "end": _turn,
}


# -- looks that cost nothing -------------------------------------------------------


def _unchanged(event: Event, state: Mapping[str, Any]) -> bool:
    """Whether the transcript is as it was read, to the nanosecond, and the record still stands."""
    try:
        now = Path(event.transcript).stat()
    except OSError:
        return False
    facts = state.get("facts")
    if event.wish is not None and (facts.get("wish") if isinstance(facts, dict) else "") != event.wish:
        return False
    told = (state.get("transcript"), state.get("size"), state.get("modified"), state.get("folder"))
    return told == (event.transcript, now.st_size, now.st_mtime_ns, event.folder) and event.keep.checkpoint.exists()


def _gained(event: Event) -> int:
    """Bytes that the transcript has gained since it was read; the whole of one that wasn't read yet."""
    if not event.transcript:
        return 0
    try:
        size = Path(event.transcript).stat().st_size
    except OSError:
        return 0
    known = event.keep.state().get("size")
    return size - known if isinstance(known, int) and known <= size else size


def _nothing_new(transcript: str, known: Any) -> bool:
    """Whether nobody said or did anything since the transcript was read, as far as its bytes tell."""
    if not isinstance(known, int) or not transcript:
        return False
    with suppress(OSError), Path(transcript).open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not known <= size <= known + TAIL:
            return False
        file.seek(known)
        lines = file.read().split(b"\n")
        return not any(_speaks(line) for line in lines)
    return False


def _speaks(line: bytes) -> bool:
    squeezed = line.replace(b'": ', b'":')
    return any(sign in squeezed for sign in SPEAKS) and not any(sign in squeezed for sign in QUIET)
