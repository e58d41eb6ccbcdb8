"""Texts of a session made to fit: their beginning, their end, or both, and a person's words with what binds marked."""

from __future__ import annotations

from collections.abc import Iterable

from context_kit._lazily import regex
from context_kit.harness.hooks._facts import Words

__all__ = ["cut", "end", "indented", "told"]

DRAWN = regex(r"[\s\u2500-\u259f]*[\u2500-\u259f][\s\u2500-\u259f]*")
"""A line of a frame."""
BOTH = 600
"""Characters from which on a text that is cut shows its end, too."""


def told(mark: str, said: Words, most: int, asked: str) -> str:
    """A text of the user's: whole where it isn't longer, else what fits of it, and every constraint in it.

    Args:
        mark: what stands before it.
        said: the text.
        most: characters of it; 0 for its constraints only.
        asked: what stands before the question that it answers.
    """
    text = said.text.strip()
    shown = text if len(text) <= most else _ends(text, most) if most >= BOTH else cut(text, most) if most else ""
    begin = f"- {mark} {indented(_marked(shown, said.rules))}".rstrip()
    begin += f" ({asked} {said.asked})" if said.asked and most else ""
    rules = [rule for rule in said.rules if rule not in shown]
    return "\n".join([begin, *(f"  ! {indented(rule, 4)}" for rule in rules)])


def _marked(text: str, rules: Iterable[str]) -> str:
    """A text with a mark before each constraint in it."""
    for rule in rules:
        at = text.find(rule)
        if at >= 0 and text[max(0, at - 2) : at] != "! ":
            text = f"{text[:at]}! {text[at:]}"
    return text


def _ends(text: str, most: int) -> str:
    """The beginning and the end of a text, where people say what they want."""
    return f"{cut(text, most - most // 3)}\n{end(text, most // 3)}"


def cut(text: str, most: int) -> str:
    """The beginning of a text."""
    text = text.strip()
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def end(text: str, most: int) -> str:
    """The end of a text, from the beginning of a line where one is near."""
    if len(text) <= most:
        return text
    ending = text[-most + 1 :]
    newline = ending.find("\n")
    return f"…{ending[newline + 1 :].lstrip() if 0 <= newline < most // 2 else ending}"


def indented(text: str, by: int = 2) -> str:
    """A text whose later lines stand under its first one, without lines that are only drawn."""
    lines: Iterable[str] = (line.rstrip() for line in text.splitlines() if not DRAWN.fullmatch(line))
    return f"\n{' ' * by}".join(line for line in lines if line)
