"""What the summary has no room for, as lines for the board: open errors, decisions, commands, files by name.

In a small window the summary's few tokens don't hold all that code knows for sure. The board may: a line
each, small beside its giants, with the address of the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest

from context_kit.engrams import Fragment
from context_kit.summary._deeds import deed
from context_kit.summary._fold import fold, lines, short_paths
from context_kit.summary._phrases import PHRASES
from context_kit.tools import verifies
from context_kit.types import Decision, FailedAttempt, Step, TaskSummary
from context_kit.typing import Count

__all__ = ["FILE_LISTS", "LISTS", "spill", "without"]

FILE_LISTS = frozenset(name for words in PHRASES.values() for name in (words.edits, words.reads))
"""Labels of the lists that hold names of files, in both languages."""
LISTS = FILE_LISTS | {
    name
    for words in PHRASES.values()
    for name in (
        words.errors,
        words.commands,
        words.failing_commands,
        words.decided,
        words.whys,
        words.solved_ones,
        words.values,
    )
}
"""Labels of all lists."""
ADDRESS = re.compile(r"m([0-9]+)[^()]*\)(?:: |$)")
"""Of an entry that code wrote."""
ENDED = re.compile(r"\((?:[0-9]+×, )?m[0-9]+: [^()]+\)$")
"""Of a failed check whose result is told."""


def spill(
    known: TaskSummary,
    limit: int,
    *,
    cut: int,
    language: str,
    count: Count,
    values: Sequence[tuple[str, str, int]] = (),
) -> tuple[Fragment, ...]:
    """The lines that a summary of `limit` tokens leaves out, of each list the newest first, the lists in turn, what was
    solved and why attempts failed last.

    Args:
        known: the extractive summary.
        limit: tokens that its five fields have.
        cut: position of the tail's first message; what stands from there on is no candidate.
        language: `en` or `zh`, for the labels.
        count: tokens of a text.
        values: lines that edits changed: path, line, position, the newest last.
    """
    kept = fold(known, limit, count)
    text = "\n".join(_told(kept))
    lists = [
        [piece for piece, name in reversed(found) if name not in text and 0 < piece.position < cut]
        for found in (_values(values, language), *(_lists(known, language) if kept is not known else ()))
    ]
    if kept is known:
        return tuple(lists[0])
    *lists, solved, reasons = lists
    turns = chain(chain.from_iterable(zip_longest(*lists)), solved, reasons)
    return tuple({piece.text: piece for piece in turns if piece is not None}.values())


def _values(values: Sequence[tuple[str, str, int]], language: str) -> list[tuple[Fragment, str]]:
    """Settings as they stand now, each with its file; the summary names a line by itself."""
    label = PHRASES[language].values
    return [(_line(label, f"{path}: {line}", f"(m{at})"), line) for path, line, at in values]


def _told(summary: TaskSummary) -> Iterator[str]:
    for name in TaskSummary.model_fields:
        entries = getattr(summary, name)
        if isinstance(entries, list):
            yield from map(lines, entries)


def _lists(known: TaskSummary, language: str) -> Iterator[list[tuple[Fragment, str]]]:
    """Each list, oldest first, with the words by which the summary would name each."""
    words = PHRASES[language]
    steps = known.completed_steps
    failed = [each for each in known.failed_attempts if each.error]
    solved = [each for each in failed if f"; {words.solved} " in each.attempt]
    open_ones = [each for each in failed if each not in solved]
    commands = [step for step in steps if step.text.startswith("`") and "→" in step.text and not deed(step)]
    among = {path for step in steps for path in step.files}
    yield _files(words.edits, [step for step in steps if step.text.startswith(words.edited)], among)
    yield _named([_line(words.errors, each.error, each.attempt, key="open") for each in open_ones])
    yield _named([_line(words.decided, _bare(each.decision), each.decision) for each in known.key_decisions])
    yield _named([_line(words.commands, _command(step), step.text) for step in commands])
    yield _named([_line(words.failing_commands, name, each.attempt) for each in open_ones if (name := _check(each))])
    yield _files(words.reads, [step for step in steps if step.text.startswith(words.read)], among)
    yield _named([_line(words.solved_ones, each.error, each.attempt) for each in solved])
    reasons = [each for each in known.failed_attempts if not each.error]
    yield _named([_line(words.whys, _bare(each.attempt), each.attempt) for each in reasons])


def _check(attempt: FailedAttempt) -> str:
    """The checking command that failed; empty where the attempt was another one."""
    name = attempt.attempt.rpartition(" (")[0]
    command = name[1:-1] if name[:1] == name[-1:] == "`" else ""
    return command if command and verifies(command) else ""


def _named(found: list[Fragment]) -> list[tuple[Fragment, str]]:
    return [(piece, piece.text) for piece in found]


def _files(label: str, steps: Sequence[Step], among: Iterable[str]) -> list[tuple[Fragment, str]]:
    """Files by their paths, which the summary may have shortened."""
    found = [_line(label, path, step.text) for step in steps for path in step.files]
    return list(zip(found, short_paths([piece.text for piece in found], among), strict=True))


def _line(label: str, text: str, entry: str, *, key: str = "line") -> Fragment:
    found = ADDRESS.search(entry)
    position = int(found[1]) if found else 0
    return Fragment(
        key=f"{key} {label} {text}",
        kind="promoted",
        text=" ".join(text.split()),
        label=label,
        source=f"m{position}",
        position=position,
        line=True,
    )


def _command(step: Step) -> str:
    return step.text.partition(" → ")[0].rpartition("`")[0].lstrip("`")


def _bare(text: str) -> str:
    """A sentence without the address behind it."""
    return text.rpartition(" (")[0] if ADDRESS.search(text) else text


def without(summary: TaskSummary, board: Sequence[str]) -> TaskSummary:
    """The summary without the entries whose matter stands on the board as a line."""
    there = frozenset(board)

    def stays(entry: Step | Decision | FailedAttempt) -> bool:
        if isinstance(entry, FailedAttempt):
            told = " ".join((entry.error or _bare(entry.attempt)).split()) in there
            return not told or (bool(entry.error) and (ENDED.search(entry.attempt) is not None or unnamed(entry)))
        if isinstance(entry, Decision):
            return " ".join(_bare(entry.decision).split()) not in there
        return _command(entry) not in there and (len(entry.files) != 1 or entry.files[0] not in there)

    def unnamed(attempt: FailedAttempt) -> bool:
        """Whether the command of a failed check stands nowhere else."""
        return bool(command := _check(attempt)) and command not in there

    def left(entry: Step | Decision | FailedAttempt) -> Step | Decision | FailedAttempt:
        """Of a failed check whose error stands there, how it ended."""
        told = isinstance(entry, FailedAttempt) and entry.error and " ".join(entry.error.split()) in there
        return entry.model_copy(update={"error": ""}) if told else entry

    return summary.model_copy(
        update={
            name: [left(entry) for entry in getattr(summary, name) if stays(entry)]
            for name in ("completed_steps", "key_decisions", "failed_attempts")
        }
    )
