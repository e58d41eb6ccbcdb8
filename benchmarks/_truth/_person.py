"""What a person wrote in a session, and which of its sentences bind what may be done."""

from __future__ import annotations

import re
from typing import Any

from benchmarks._truth._calls import content_text
from benchmarks._truth._failures import squeezed

__all__ = ["constraints_in", "goal_in", "person_texts"]

_NOT_A_PERSON = re.compile(
    r"\A\s*(?:This session is being continued from a previous conversation|Another language model started to solve"
    r"|Your task is to create a detailed summary|Here is a demonstration|Base directory for this skill:"
    r"|<state_snapshot>"
    r"|<session_context>|# AGENTS\.md instructions|<environment_context>|Caveat: The messages below|<local-command"
    r"|<command-|<system-reminder>|\[Request interrupted|\[File: |Your proposed edit has introduced|Found \d+ matches"
    r"|Traceback \(most|Ran `|<image>|IT IS CRITICAL THAT YOU FOLLOW|Invoke the \S+ skill|<file path=)"
)
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_PUT_AROUND = re.compile(
    r"<system-reminder>.*?</system-reminder>|<file path=[^>]*>.*?</file>|```.*?(?:```|\Z)"
    r"|<pr_description>.*?</pr_description>"
    r"|<issue_description>.*?</issue_description>|\AWe're currently solving the following issue.*?\nINSTRUCTIONS:"
    r"|If you need specific details from before exiting plan mode.*\Z|^(?:App metadata: )?\{\"[^\n]*$",
    re.DOTALL | re.MULTILINE,
)
_OBSERVED = re.compile(r"\(Open file: (?!n/a)[^\n]*\)\n\(Current directory:[^\n]*\)\nbash-\$\s*\Z")
_SENTENCES = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[\"'(\[`A-Z0-9])|(?<=[。！？；])|\n+")
_BULLET = re.compile(r"^\s*(?:[-*•>]|\d+[.)]|\w\)|#+)\s+")
_BINDS = re.compile(
    r"\b(?:never|must|mustn't|always|only|avoid|cannot|do not|don't|dont|shouldn't|should not|no longer|not acceptable"
    r"|remember to|keep each|please stop|let's not|no micro)\b"
    r"|不要|必须|只能|禁止|不得|不准|不能|务必|先.{1,30}再|别(?!的|人|名)|只做",
    re.IGNORECASE,
)
_TELLS_ONLY = re.compile(
    r"\b(?:they|it|he|she|that|this|which|who|there|command|code|users?|function|fields?|path|block|test cases?)"
    r"(?:'\w+)?\s+(?:\w+ly\s+)?(?:do not|don't|doesn't|does not|cannot|can't|never|always|only)\b"
    r"|\b(?:block|they|it|this|that) (?:must|should not) have\b"
    r"|\b(?:I|we)\s+(?:do not|don't|cannot|can't|never|always|must have|should not have)\b"
    r"|\b(?:if it|when it|even though|you don't know|you do not need|not only|the only)\b"
    r"|\b(?:only when|only if it|is only|are only)\b"
    r"|\?\s*$",
    re.IGNORECASE,
)

_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>|<file path=[^>]*>.*?</file>", re.DOTALL)
OPENING = 200
"""Characters of a goal's opening."""
LEAST = 8


def person_texts(document: dict[str, Any]) -> list[tuple[int, str]]:
    """Each text that a person wrote, with its message's position, whole blocks by others left out."""
    found: list[tuple[int, str]] = []
    for index, message in enumerate(document["messages"]):
        if message.get("role") != "user":
            continue
        content = message.get("content")
        blocks = (
            [content] if isinstance(content, str) else [each for each in content or [] if each.get("type") == "text"]
        )
        texts = [block if isinstance(block, str) else content_text([block]) for block in blocks]
        for text in texts:
            found += [(index, arguments.strip()) for arguments in _ARGUMENTS.findall(text) if arguments.strip()]
        kept = [text for text in texts if text.strip() and not _NOT_A_PERSON.match(text) and not _OBSERVED.search(text)]
        if kept:
            found.append((index, "\n".join(kept)))
    return found


def constraints_in(text: str) -> list[str]:
    """The sentences of a person's text that bind: what must, must not, or may only be done."""
    found: list[str] = []
    for piece in _SENTENCES.split(_PUT_AROUND.sub("\n", text)):
        sentence = squeezed(_BULLET.sub("", piece))
        if len(sentence) >= 6 and _BINDS.search(sentence) and not _TELLS_ONLY.search(sentence):
            found.append(sentence)
    return list(dict.fromkeys(found))


def goal_in(text: str) -> str:
    """The opening of the first text that a person wrote: what is to be done, as far as no reminder breaks it."""
    pieces = [squeezed(piece) for piece in _REMINDER.split(text)]
    return next((piece for piece in pieces if len(piece) >= LEAST), squeezed(text))[:OPENING]
