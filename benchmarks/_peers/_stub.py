"""The summariser that stands in for a model, the same for everybody: it picks what a careful reader would.

It invents nothing and drops nothing that has room: the opening of what it is shown, for that states the goal, the
files that are named, the lines that bind the agent, tell an error, run a test or declare something, and the last
lines. Each kind takes its turn; of each the newest comes first, by turns with what an earlier summary held. It is
blind to nothing but what it isn't shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest

__all__ = ["HEADINGS", "sections", "written"]

HEADINGS = ("Goal", "Constraints", "Errors", "Files", "Commands", "Signatures", "Latest")
LONGEST = 240
"""Characters of a line."""
OPENING = 6
"""Lines of the goal."""
LAST = 6
_PATH = re.compile(
    r"[\w@~.-]*/[\w@./-]*\w\.\w{1,5}\b"
    r"|\b[\w-]+\.(?:py|js|ts|tsx|go|rs|ex|c|h|md|json|toml|sh|html|css)\b"
)
_KINDS: Mapping[str, re.Pattern[str]] = {
    "Constraints": re.compile(
        r"\b(?:never|must|always|only|avoid|do not|don't|should not|cannot)\b|不要|必须|只能|禁止|不得|务必",
        re.IGNORECASE,
    ),
    "Errors": re.compile(
        r"error|exception|failed|failure|fatal|cannot|not found|no such|denied|错误|失败", re.IGNORECASE
    ),
    "Commands": re.compile(
        r"\b(?:pytest|unittest|tox|(?:go|cargo|npm|yarn|pnpm|bun|make|mvn|mix) (?:run )?test|vitest|jest|ctest"
        r"|runtests)\b"
    ),
    "Signatures": re.compile(
        r"^\W*(?:\d+\W+)?(?:export |async |pub |public |static |default )*"
        r"(?:def|class|func|function|interface|type|struct|enum|fn)\s+\w+"
    ),
}
_BREAKS = re.compile(r"\\n|\n")
"""Arguments of calls hold their newlines escaped."""
_HEADING = re.compile(rf"^(?:.*\W)?({'|'.join(HEADINGS)}):$")
_FRAME = re.compile(r"^(?:</?\w[^<>]*>|\[\w+ \w+(?:, \w+ \d+)?\]|```\w*|\w+:)$")
"""Lines that only frame what is shown: tags, heads of turns, fences; a model doesn't repeat them."""


def written(found: Mapping[str, list[str]]) -> str:
    """The picked lines as a text."""
    told = ([f"{name}:", *(f"- {line}" for line in lines)] for name, lines in found.items() if lines)
    return "\n".join(line for lines in told for line in lines)


def sections(text: str, most: int) -> dict[str, list[str]]:
    """The picked lines by heading, together at most so many characters."""
    lines = [line for raw in _BREAKS.split(text) if (line := " ".join(raw.split()))]
    before, rest = _told_before(lines)
    rest = list(dict.fromkeys(line[:LONGEST] for line in rest if not _FRAME.match(line)))
    goal = before.pop("Goal", None) or rest[:OPENING]
    picks: dict[str, Iterator[str]] = {"Goal": iter(goal), "Latest": iter(rest[: -LAST - 1 : -1])}
    for name, new in {"Files": _paths(rest), **{name: _matching(rest, kind) for name, kind in _KINDS.items()}}.items():
        picks[name] = _by_turns(new, before.get(name, ()))
    return _filled(picks, most)


def _told_before(lines: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Lines of an earlier summary by heading, as far as one is shown, and all others."""
    found: dict[str, list[str]] = {}
    rest: list[str] = []
    name = ""
    for line in lines:
        if match := _HEADING.match(line):
            name = match[1]
        elif name and line.startswith("- "):
            found.setdefault(name, []).append(line[2:])
        else:
            name = ""
            rest.append(line)
    found.pop("Latest", None)
    return found, rest


def _filled(picks: Mapping[str, Iterator[str]], most: int) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in HEADINGS}
    left, taken, open_ = most, set[str](), dict(picks)
    while open_:
        for name in list(open_):
            line = next((each for each in open_[name] if each not in taken), None)
            if line is None or len(line) + 3 > left:
                del open_[name]
                continue
            taken.add(line)
            left -= len(line) + 3
            found[name].append(line)
    for name in HEADINGS[1:]:
        found[name].reverse()
    return found


def _matching(lines: Sequence[str], kind: re.Pattern[str]) -> Iterator[str]:
    return (line for line in reversed(lines) if kind.search(line))


def _paths(lines: Sequence[str]) -> Iterator[str]:
    return (path for line in reversed(lines) for path in _PATH.findall(line))


def _by_turns(new: Iterator[str], old: Sequence[str]) -> Iterator[str]:
    pairs = zip_longest(new, reversed(old))
    return (each for each in chain.from_iterable(pairs) if each is not None)
