"""How far the work is, by what the window shows: the list, what is done, what is in hand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from benchmarks._refactoring import _wording as words
from benchmarks._refactoring._sight import Call, Sight

__all__ = ["InHand", "done", "in_hand", "knows", "listed", "next_module", "said"]

ALONE: Final = re.compile(r"\W*(\w+/\w+/(?!__)\w+\.py)\W*")
"""A module's path that stands alone in its line."""
TESTED: Final = re.compile(r"python -m unittest tests\.test_(\w+)")
BROKEN: Final = re.compile(r"^(?:ERROR|FAIL): test_\w+ \(tests\.test_(\w+)\.", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class InHand:
    """The module that is being worked on."""

    stem: str
    path: str
    """Empty where the window doesn't show it."""
    state: Literal["written", "failed", "passed"]
    output: str = ""
    """Of its last test run."""


def listed(sight: Sight) -> tuple[str, ...]:
    """The modules to convert: the user's list, else whatever files a list in the window names."""
    for at, line in enumerate(sight.lines):
        if any(heading in line for heading in words.LISTED.values()):
            found: list[str] = []
            for below in sight.lines[at + 1 :]:
                if (alone := ALONE.fullmatch(below)) is None:
                    break
                found.append(alone[1])
            if found:
                return tuple(found)
    names = [alone[1] for line in sight.lines if (alone := ALONE.fullmatch(line)) is not None]
    return tuple(dict.fromkeys(names)) if len(set(names)) > 1 else ()


def done(sight: Sight, path: str) -> bool:
    """Whether the window shows that it was converted: said beside its path, or seen in its code."""
    stem = path.rpartition("/")[2].removesuffix(".py")
    return path in sight.changed or re.search(rf"async def \w+_{stem}\(", sight.text) is not None


def next_module(sight: Sight) -> str:
    """The first of the list that isn't done; empty where all are."""
    return next((path for path in listed(sight) if not done(sight, path)), "")


def knows(sight: Sight, name: str) -> bool:
    """Whether the window warns of an approach: its error, the signature, or the agent's own words."""
    if name == "cache" and sight.shows(words.CACHE_NOTE):
        return True
    for looks in (words.FAILED, words.SIGNATURES):
        if name in looks and looks[name].search(sight.text):
            return True
    return said(sight, name)


def said(sight: Sight, name: str) -> bool:
    """Whether the agent's own words of giving an approach up are there."""
    return any(sight.shows(choice) for choice, _ in words.LESSONS.get(name, ()))


def in_hand(sight: Sight) -> InHand | None:
    """What the newest calls were about, else a failure that the text tells of; None once it is committed."""
    for call in reversed(sight.calls):
        if call.command.startswith("git commit"):
            return None
        if call.name == "write_file" or (call.name == "edit_file" and call.path.startswith("tests/")):
            return _written(sight, call)
        if (tested := TESTED.match(call.command)) is not None:
            return _judged(sight, tested[1], call.result)
        if " discover " in call.command:
            broken = BROKEN.search(call.result)
            return _judged(sight, broken[1], call.result) if broken else None
    return _left_broken(sight)


def _left_broken(sight: Sight) -> InHand | None:
    """No call tells, but a test's failure still stands in the text, and nothing that it was committed since."""
    broken = sight.find(BROKEN)
    if broken is None or re.search(rf"Converted \w+/\w+/{broken[1]}\.py", sight.text):
        return None
    return _judged(sight, broken[1], sight.text[broken.start() : broken.start() + 4_000])


def _written(sight: Sight, call: Call) -> InHand:
    stem = call.path.rpartition("/")[2].removesuffix(".py").removeprefix("test_")
    return InHand(stem=stem, path=_path(sight, stem), state="written")


def _judged(sight: Sight, stem: str, output: str) -> InHand:
    state: Literal["passed", "failed"] = "passed" if re.search(r"^OK\b", output, re.MULTILINE) else "failed"
    return InHand(stem=stem, path=_path(sight, stem), state=state, output=output)


def _path(sight: Sight, stem: str) -> str:
    """The module's path, as the window names it."""
    found = re.search(rf"\b\w+/\w+/{stem}\.py\b", sight.text)
    return found[0] if found else ""
