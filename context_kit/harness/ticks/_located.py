"""Places of problems in what tools print: `file:line`, what is wrong there, and the test that says so.

One pass over the lines, each looked at by anchored patterns; what a tool prints in another form gives no place.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["MOST", "READ", "TEXT", "Place", "printed"]

MOST = 50
"""Findings of one output; a broken build prints thousands."""
TEXT = 200
"""Characters of a message."""
READ = 65_536
"""Characters of an output that are read at its beginning, and as many at its end."""

_FILE = r"(?:[A-Za-z]:[\\/])?(?:[^\s:()'\"`<>|,;*]{1,200})\.[A-Za-z]\w{0,7}"
LINE = re.compile(
    rf"\s{{0,8}}({_FILE}):(\d{{1,7}})(?:-(\d{{1,7}}))?(?::\d{{1,5}}(?:-\d{{1,7}}(?::\d{{1,5}})?)?)?"
    r"(?:: ?| - |\s+)(?=\S)(.{1,400})"
)
"""ruff, mypy, pyright, gcc, go, pytest's last line of a traceback."""
ARROW = re.compile(rf"\s{{0,8}}--> ({_FILE}):(\d{{1,7}})")
"""rustc and ruff: the message stands above."""
BRACKETS = re.compile(rf"({_FILE})\((\d{{1,7}}),\d{{1,5}}(?:,(\d{{1,7}}),\d{{1,5}})?\): (.{{1,400}})")
"""tsc, msbuild."""
FRAME = re.compile(r"\s{0,8}File \"([^\"]{1,300})\", line (\d{1,7})")
"""Python."""
RAISED = re.compile(r"(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception|Warning|Exit|Interrupt|Failure)\b")
CALLER = re.compile(
    rf"\s{{2,12}}at (?:[^\n(]{{0,200}}\()?(?:file://)?({_FILE}):(\d{{1,7}}):\d{{1,5}}\)?\s*$"
    rf"|\s{{0,8}}❯ (?:[^\s/]{{1,80}} )?({_FILE}):(\d{{1,7}}):\d{{1,5}}\s*$"
)
"""Node and jest; vitest."""
ROW = re.compile(r"\s{1,8}(\d{1,7}):\d{1,5}\s{1,8}(?:error|warning|✖)\s{1,8}(.{1,400})")
"""eslint, under a line with the file's path."""
ALONE = re.compile(rf"({_FILE})\s*$")
ASSERTED = re.compile(r"E {2,7}(\S.{0,400})")
"""pytest's own words for what went wrong; the place stands below."""
NAMED = re.compile(r"(?:FAILED|ERROR) ([^\s:]{1,200})::(\S{1,200})(?: - (.{1,300}))?")
"""pytest's closing lines; they have no line number."""
TITLE = re.compile(
    r"_{3,} (?P<pytest>\S[^\n]{0,200}?) _{3,}\s*$|\s{0,4}● (?P<jest>\S.{0,200})|\s{0,16}--- FAIL: (?P<go>\S{1,200})"
    r"|(?:FAIL|ERROR): (?P<case>\w{1,200}) \((?P<of>[\w.]{1,300})\)"
)
"""What the runners print above the failure of a test: pytest, jest, go, unittest."""
CLOSED = re.compile(r"={3,}|_{3,}\s*$")
PANIC = re.compile(
    rf"thread '([^'\n]{{1,200}})'[^\n]{{0,40}}? panicked at (?:'(.{{1,400}})', )?({_FILE}):(\d{{1,7}}):\d{{1,5}}:?\s*$"
)
"""Rust; newer ones say why in the next line."""
FOREIGN = ("site-packages", "/lib/python", "node_modules", "node:internal", "<frozen", "<string>")
BESIDE = ("note:", "help:", "hint:", "in ", "info:")
"""How lines begin that explain the one above."""


class Place(NamedTuple):
    """A problem and where it is."""

    file: str
    line: int
    text: str
    test: str = ""
    """The test that failed there, as its runner names it."""
    last: int = 0
    """The last line, where it is a range; 0 where it is one line."""


class _Reading:
    """What was seen so far of one output."""

    def __init__(self) -> None:
        self.found: dict[Place, None] = {}
        self.names: list[tuple[str, str, str]] = []
        """Of each test that pytest's closing lines name: its file, its name, what went wrong."""
        self.above = ""
        self.asserted = ""
        self.frame: tuple[str, int] | None = None
        self.under = ""
        self.error = ""
        self.test = ""
        self.asked = False
        """The next line says what went wrong in jest's test."""
        self.panic: tuple[str, str] | None = None
        """A place whose message is the next line."""

    def add(self, file: str, line: str | int, text: str, last: str | None = None) -> None:
        end = int(last or 0) if int(last or 0) > int(line) else 0
        place = Place(file.removeprefix("./"), int(line), " ".join(text.split())[:TEXT], self.test, end)
        if place.text and not any(name in file for name in FOREIGN):
            self.found.setdefault(place)

    def read(self, line: str) -> None:
        if not line.strip():
            return
        readers = (self._told, self._titled, self._panicked, self._asserted, self._python, self._node, self._row)
        if not any(reads(line) for reads in (*readers, self._plain)) and (found := NAMED.match(line)):
            self.names.append((found[1], found[2], found[3] or ""))
        self.above = line.strip()

    def _told(self, line: str) -> bool:
        """The line after a heading that says nothing itself."""
        if self.panic is not None:
            self.add(*self.panic, line)
            self.panic = None
            return True
        if self.asked:
            self.error, self.asked = f"{self.test}: {line.strip()}", False
        return False

    def _titled(self, line: str) -> bool:
        found = TITLE.match(line)
        if found is None:
            self.test = "" if CLOSED.match(line) else self.test
            return False
        self.test = next(filter(None, (found["pytest"], found["jest"], found["go"], found["case"])))
        if found["of"]:
            self.test = found["of"] if found["of"].endswith(f".{self.test}") else f"{found['of']}.{self.test}"
        self.asked = bool(found["jest"])
        return True

    def _panicked(self, line: str) -> bool:
        found = PANIC.match(line)
        if found is not None:
            self.test = found[1]
            if found[2]:
                self.add(found[3], found[4], found[2])
            else:
                self.panic = found[3], found[4]
        return found is not None

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
            self.add(found[1] or found[3], found[2] or found[4], self.error)
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
        if found is None or found[4].startswith(BESIDE):
            return found is not None
        bare = RAISED.fullmatch(found[4].strip()) is not None
        self.add(found[1], found[2], self.asserted if bare and self.asserted else found[4], found[3])
        self.asserted = "" if bare else self.asserted
        return True

    def places(self) -> list[Place]:
        """Every problem with the test that failed with it; a test whose traceback isn't shown stands for itself."""
        found = list(self.found)
        for file, name, why in self.names:
            title = name.replace("::", ".")
            at = next((at for at, place in enumerate(found) if place.test == title), -1)
            at = at if at >= 0 else self._untold(found, file, why)
            test = f"{file}::{name}"
            if at >= 0:
                text = why if _bare(found[at].text, why) else found[at].text
                found[at] = found[at]._replace(test=test, text=text)
            elif not any("::" in place.test and _says(place, why) for place in found) or not why:
                found.append(Place(file.removeprefix("./"), 0, f"{name}: {why}"[:TEXT] if why else name, test))
            else:
                same = next(place for place in found if "::" in place.test and _says(place, why))
                found.append(same._replace(test=test))
        titles = {name.replace("::", ".") for _, name, _ in self.names}
        return list(dict.fromkeys(place._replace(test="") if place.test in titles else place for place in found))[:MOST]

    def _untold(self, found: list[Place], file: str, why: str) -> int:
        """A place of which no test is told yet, and that says the same or lies in the test's own file."""
        free = [(at, place) for at, place in enumerate(found) if not place.test]
        said = (at for at, place in free if _says(place, why))
        return next(said, next((at for at, place in free if place.file == file.removeprefix("./")), -1))


def _says(place: Place, why: str) -> bool:
    words = why.rstrip(".… ")
    return bool(words) and place.text.startswith(words)


def _bare(text: str, why: str) -> bool:
    """Whether a place names nothing but the exception, and the test's line says what it was."""
    return bool(why) and not why.endswith(("...", "…")) and RAISED.fullmatch(text) is not None


def printed(output: str) -> list[Place]:
    """What a failed check says is wrong, place by place; at most 50."""
    text = output if len(output) <= 2 * READ else f"{output[:READ]}\n{output[-READ:]}"
    reading = _Reading()
    for line in text.splitlines():
        reading.read(line[:1_000])
        if len(reading.found) + len(reading.names) >= 2 * MOST:
            break
    return reading.places()
