"""Places of problems in what tools print and in what people and models write: `file:line` and what is wrong there.

One pass over the lines, each looked at by anchored patterns; what a tool prints in another form gives no place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["CLAIMS", "MOST", "Place", "claimed", "printed", "written"]

MOST = 50
"""Findings of one output; a broken build prints thousands."""
TEXT = 200
"""Characters of a message."""
READ = 65_536
"""Characters of an output that are read at its beginning, and as many at its end."""

_FILE = r"(?:[A-Za-z]:[\\/])?(?:[^\s:()'\"`<>|,;*]{1,200})\.[A-Za-z]\w{0,7}"
LINE = re.compile(rf"\s{{0,8}}({_FILE}):(\d{{1,7}})(?::\d{{1,5}})?(?:: ?| - |\s+)(?=\S)(.{{1,400}})")
"""ruff, mypy, pyright, gcc, go, pytest's last line of a traceback."""
ARROW = re.compile(rf"\s{{0,8}}--> ({_FILE}):(\d{{1,7}})")
"""rustc and ruff: the message stands above."""
BRACKETS = re.compile(rf"({_FILE})\((\d{{1,7}}),\d{{1,5}}\): (.{{1,400}})")
"""tsc, msbuild."""
FRAME = re.compile(r"\s{0,8}File \"([^\"]{1,300})\", line (\d{1,7})")
"""Python."""
RAISED = re.compile(r"(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception|Warning|Exit|Interrupt|Failure)\b")
CALLER = re.compile(rf"\s{{2,12}}at (?:[^\n(]{{0,200}}\()?(?:file://)?({_FILE}):(\d{{1,7}}):\d{{1,5}}\)?\s*$")
"""Node."""
ROW = re.compile(r"\s{1,8}(\d{1,7}):\d{1,5}\s{1,8}(?:error|warning|✖)\s{1,8}(.{1,400})")
"""eslint, under a line with the file's path."""
ALONE = re.compile(rf"({_FILE})\s*$")
ASSERTED = re.compile(r"E {2,7}(\S.{0,400})")
"""pytest's own words for what went wrong; the place stands below."""
NAMED = re.compile(r"(?:FAILED|ERROR) ([^\s:]{1,200})::(\S{1,200})(?: - (.{1,300}))?")
"""pytest's closing lines; they have no line number."""
FOREIGN = ("site-packages", "/lib/python", "node_modules", "node:internal", "<frozen", "<string>")
BESIDE = ("note:", "help:", "hint:", "in ", "info:")
"""How lines begin that explain the one above."""


class Place(NamedTuple):
    """A problem and where it is."""

    file: str
    line: int
    text: str


class _Reading:
    """What was seen so far of one output."""

    def __init__(self) -> None:
        self.found: dict[Place, None] = {}
        self.above = ""
        self.asserted = ""
        self.frame: tuple[str, int] | None = None
        self.under = ""
        self.error = ""

    def add(self, file: str, line: str | int, text: str) -> None:
        place = Place(file.removeprefix("./"), int(line), " ".join(text.split())[:TEXT])
        if place.text and not any(name in file for name in FOREIGN):
            self.found.setdefault(place)

    def read(self, line: str) -> None:
        if not any(reads(line) for reads in (self._asserted, self._python, self._node, self._row, self._plain)):
            self._named(line)
        if line.strip():
            self.above = line.strip()

    def _asserted(self, line: str) -> bool:
        found = ASSERTED.match(line)
        if found is not None:
            self.asserted = self.asserted or found[1]
        return found is not None

    def _python(self, line: str) -> bool:
        if found := FRAME.match(line):
            if self.frame is None or not any(name in found[1] for name in FOREIGN):
                self.frame = (found[1], int(found[2]))
            return True
        if self.frame is not None and RAISED.match(line):
            self.add(*self.frame, line)
            self.frame = None
            return True
        return False

    def _node(self, line: str) -> bool:
        found = CALLER.match(line)
        if found is None:
            if RAISED.match(line.strip()):
                self.error = line.strip()
            return False
        if self.error and not any(name in line for name in FOREIGN):
            self.add(found[1], found[2], self.error)
            self.error = ""
        return True

    def _row(self, line: str) -> bool:
        if self.under and (found := ROW.match(line)):
            self.add(self.under, found[1], found[2])
            return True
        alone = ALONE.match(line)
        if alone is not None:
            self.under = alone[1]
        return alone is not None

    def _plain(self, line: str) -> bool:
        if found := ARROW.match(line):
            self.add(found[1], found[2], self.above)
            return True
        found = LINE.match(line) or BRACKETS.match(line)
        if found is None or found[3].startswith(BESIDE):
            return found is not None
        bare = RAISED.fullmatch(found[3].strip()) is not None
        self.add(found[1], found[2], self.asserted if bare and self.asserted else found[3])
        self.asserted = "" if bare else self.asserted
        return True

    def _named(self, line: str) -> None:
        found = NAMED.match(line)
        if found is None or any(self._said(place, found) for place in self.found):
            return
        self.add(found[1], 0, f"{found[2]}: {found[3]}" if found[3] else found[2])

    def _said(self, place: Place, found: re.Match[str]) -> bool:
        """Whether the traceback above told it already, with its line."""
        words = (found[3] or "").rstrip(".… ")
        return place.file == found[1] or (bool(words) and place.text.startswith(words))


def printed(output: str) -> list[Place]:
    """What a failed check says is wrong, place by place; at most 50."""
    text = output if len(output) <= 2 * READ else f"{output[:READ]}\n{output[-READ:]}"
    reading = _Reading()
    for line in text.splitlines():
        reading.read(line[:1_000])
        if len(reading.found) >= MOST:
            break
    return list(reading.found)


# -- prose -------------------------------------------------------------------------

SPOT = re.compile(
    r"[`(\[*]{0,4}((?<![\w/:.])(?:[\w.@+~-]{1,80}/){0,16}[\w@+-][\w.@+-]{0,120}\.([A-Za-z]\w{0,7})):(\d{1,6})"
    r"(?:[-–]\d{1,6})?(?::\d{1,5})?[`)\]*]{0,4}"
)
HOSTS = frozenset("com org net io dev app local internal cn".split())
ITEM = re.compile(r"\s{0,12}(?:[-*•+]|\d{1,3}[.)、]|\[[ x]\])\s*(?:\[[^\]\n]{1,12}\]\s*)?")
HEADING = re.compile(r"\s{0,3}(?:#{1,6} |\*\*)|[^\n]{1,120}[:：]\s*$")
WRONG = re.compile(
    r"\b(?:bugs?|issues?|problems?|findings?|defects?|errors?|missing|misses|incomplete|wrong(?:ly)?|incorrect\w*|"
    r"fail(?:s|ed|ing|ures?)?|leak\w*|races?|unhandled|uncaught|unsafe|vulnerab\w+|broken|breaks|crash\w*|never|"
    r"forgot\w*|ignor(?:es|ed)|swallow\w*|off[- ]by[- ]one|overflow\w*|undefined|unused|duplicat\w+|deadlock\w*|"
    r"not (?:checked|handled|closed|validated|escaped|released|awaited)|lacks?|should)\b|"
    r"问题|缺陷|错误|不完整|缺少|缺失|遗漏|漏|未处理|没有处理|不正确|失败|泄漏|竞态|崩溃|隐患|应该|应当",
    re.IGNORECASE,
)
"""Words that make a place a problem."""
CLAIMS = re.compile(
    r"\b(?:fixed|resolved|addressed|corrected|solved|repaired|fixes)\b|已经?(?:修|解决|处理|改)|修复了|修好|修正了",
    re.IGNORECASE,
)
"""Words that say that one is no more."""
WELL = re.compile(
    r"\b(?:no|not an?|isn't an?|without(?: any)?) (?:bugs?|issues?|problems?|errors?|findings?)\b|"
    r"\b(?:looks?|is|are) (?:good|fine|correct|ok)\b|没有问题|无问题|没问题|正确无误",
    re.IGNORECASE,
)


def written(text: str) -> list[Place]:
    """Problems that a text names with their places; places that it only mentions are none."""
    return list(dict.fromkeys(place for place, fixed in _spots(text) if not fixed))[:MOST]


def claimed(text: str) -> list[Place]:
    """Places of which a text says that their problem is fixed."""
    return list(dict.fromkeys(place for place, fixed in _spots(text) if fixed))[:MOST]


def _spots(text: str) -> Iterator[tuple[Place, bool]]:
    """Every problem with its place, and whether it is said to be gone."""
    heading = ""
    for line in text[: 2 * READ].splitlines():
        item = ITEM.match(line)
        spot = next((found for found in SPOT.finditer(line[:1_000]) if found[2].lower() not in HOSTS), None)
        if spot is None:
            if line.strip() and item is None and HEADING.match(line):
                heading = line
            continue
        rest = _rest(line[item.end() if item else 0 :], spot[0])
        listed = item is not None and WRONG.search(heading) is not None
        fixed = CLAIMS.search(line) is not None or (item is not None and CLAIMS.search(heading) is not None)
        if rest and not WELL.search(line) and (fixed or listed or WRONG.search(rest)):
            yield Place(spot[1].removeprefix("./"), int(spot[3]), rest), fixed


def _rest(line: str, spot: str) -> str:
    """What a line says beside the place."""
    before, _, after = line.partition(spot)
    said = f"{before.strip()} {after.strip()}".strip().strip("*").lstrip(" :：-–—·,，")
    return " ".join(said.split())[:TEXT]
