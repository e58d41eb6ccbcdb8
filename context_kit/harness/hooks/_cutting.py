"""Texts of a session made to fit: their beginning, their end, or both, and a person's words with what binds marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from context_kit._lazily import regex
from context_kit.harness.hooks._facts import Facts, Failed, Words
from context_kit.harness.hooks._phrases import Phrases

__all__ = [
    "ANSWER",
    "cut",
    "end",
    "first_text",
    "in_hand",
    "indented",
    "stepped",
    "told",
    "undone",
]

DRAWN = regex(r"[\s\u2500-\u259f]*[\u2500-\u259f][\s\u2500-\u259f]*")
"""A line of a frame."""
FRAME = frozenset("\u2502\u2503\u2551")
FILLED = regex(r" {4,}")
"""What fills a line up to its frame."""
ANSWER = 24
"""Characters of a text that says nothing without the question before it."""
OPENS = 400
"""Characters of the opening of what a slash command expanded to."""
LINE = 240
"""Characters of the line that says why a step failed which has passed since."""
STEP = 80
"""Characters of a step of a line."""
BOTH = 600
"""Characters from which on a text that is cut shows its end, too."""


def told(mark: str, said: Words, most: int, words: Phrases) -> str:
    """A text of the user's: whole where it isn't longer, else what fits of it, and every constraint in it.

    Args:
        mark: what stands before it.
        said: the text.
        most: characters of it; 0 for its constraints only.
        words: what stands before the question that it answers, and before what it expanded to.
    """
    text = said.text.strip()
    shown = text if len(text) <= most else _ends(text, most) if most >= BOTH else cut(text, most) if most else ""
    begin = f"- {mark} {indented(_marked(shown, said.rules))}".rstrip()
    begin += f" ({words.asked} {said.asked})" if said.asked and most else ""
    begin += f"\n  ({words.opens} {opening(said, most)})" if said.opened and most else ""
    rules = [rule for rule in said.rules if rule not in shown]
    return "\n".join([begin, *(f"  ! {indented(rule, 4)}" for rule in rules)])


def opening(said: Words, most: int) -> str:
    """How what a slash command expanded to begins, in one line."""
    return cut(" ".join(said.opened.split()), min(most - most // 3, OPENS))


def in_hand(facts: Facts, words: Phrases, most: int) -> Iterator[str]:
    """What the user asked last, and the newest call: what was under way when the compaction struck."""
    if task := _task(facts):
        opens = f" ({words.opens} {opening(task, most)})" if task.opened else ""
        yield f"{words.unanswered if task.at > facts.said_at else words.task} {cut(indented(task.text), most)}{opens}"
    if facts.called or facts.acted:
        yield f"{words.called} {facts.called}" if facts.called else f"{words.acted} {facts.acted}"


def _task(facts: Facts) -> Words | None:
    """What the user asked last and nobody has answered; else what is under way, where it isn't the newest text anyway.

    That is a slash command, or what came before the answers to the assistant's questions.
    """
    said = [each for each in facts.words if each.text != facts.wish]
    if said and said[-1].at > facts.said_at:
        return said[-1]
    at = next((at for at in reversed(range(len(said))) if is_task(said[at])), len(said))
    return said[at] if at < len(said) and (said[at].opened or 0 < at < len(said) - 1) else None


def is_task(said: Words) -> bool:
    """Whether a text is more than an answer."""
    return bool(said.opened) or not (said.asked or len(said.text) <= ANSWER)


def first_text(said: Sequence[Words]) -> int:
    """Which text says first what is wanted: no bare slash command, where a text of the user's own follows it."""
    if not said or not said[0].text.startswith("/") or " " in said[0].text:
        return 0
    return next((at for at, each in enumerate(said) if is_task(each) and " " in each.text), 0)


def listed(steps: Iterable[str]) -> str:
    """Steps of a line, each as it would be typed."""
    return ", ".join(f"`{cut(step, STEP)}`" for step in steps)


def undone(each: Failed, words: Phrases) -> str:
    """What a line was to do after a step that failed then and has passed since."""
    told = " … ".join(filter(None, (cut(each.line, LINE), each.closing)))
    return f"{listed(each.unrun)} ({words.failed_at} {listed(each.steps or each.done[-1:])}: {told})"


def stepped(failure: Failed, words: Phrases) -> str:
    """Of a line of several steps which one failed, which were done and which never run; a line, where that is known."""
    if not (failure.done or failure.unrun):
        return ""
    parts = ((words.failed_at, failure.steps), (words.done_steps, failure.done), (words.unrun, failure.unrun))
    return "\n    " + "; ".join(f"{word} {listed(steps)}" for word, steps in parts if steps)


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
    lines: Iterable[str] = (_unframed(line.rstrip()) for line in text.splitlines() if not DRAWN.fullmatch(line))
    return f"\n{' ' * by}".join(line for line in lines if line)


def _unframed(line: str) -> str:
    """A line without the width of the frame that it stands in."""
    return FILLED.sub("  ", line) if line.lstrip(" …")[:1] in FRAME else line
