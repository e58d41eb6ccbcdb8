"""What tick files say as things stand now: what was fixed since is told as open nowhere, and nothing is told twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from context_kit.bridge import TickText
from context_kit.harness.ticks._findings import Finding, first_of
from context_kit.harness.ticks._page import Page, findings_of
from context_kit.harness.ticks._words import WORDS, Section, TickWords, words_of

__all__ = ["Present", "tick_text"]

SHOWN: tuple[Section, ...] = ("next", "open", "fixed", "found", "done")
"""The sections by what they are worth to the next tick."""
SETTLED: tuple[Section, ...] = ("open", "fixed")
"""The sections that say what became of a problem."""
FAR = 400
"""Lines by which a problem may have moved from one file to a later one."""


@dataclass(frozen=True, slots=True)
class Present:
    """What holds now."""

    open: Mapping[str, Sequence[Finding]]
    """The problems that are, by the file's own name."""
    criteria: set[str]
    """The names of all criteria: how they stand is told with the state."""
    words: TickWords

    def texts(self, pages: Sequence[Page]) -> list[TickText]:
        """Tick files as the next request is told of them, the newest first; of older ones what no newer one says.

        Args:
            pages: the newest, oldest first.
        """
        told: set[str] = set()
        found: list[TickText] = []
        for page in reversed(pages):
            kept: dict[Section, tuple[str, ...]] = {
                name: self._kept(page, name, told) for name in SHOWN if name in page.sections
            }
            said = {**page.sections, **kept} if not found else {name: lines for name, lines in kept.items() if lines}
            said = said if not found else {name: lines for name, lines in said.items() if name != "next"}
            dropped: set[Section] = {name for name, lines in kept.items() if page.sections[name] and not lines}
            found.append(tick_text(replace(page, sections=said), every=not found, dropped=dropped))
        return found

    def _kept(self, page: Page, name: Section, told: set[str]) -> tuple[str, ...]:
        lines = page.sections.get(name) or ()
        settled = {each.told for part in SETTLED for each in findings_of(page, part)} if name == "found" else set[str]()
        if name == "next":
            return tuple(line for line in lines if not self._told_elsewhere(line))
        if name not in ("open", "found"):
            return tuple(lines)
        kept: list[str] = []
        for line in lines:
            finding = next(iter(findings_of(replace(page, sections={name: (line,)}), name)), None)
            if finding is None:
                kept.append(line)
            elif name == "open" and finding.told not in told and self._holds(finding):
                told.add(finding.told)
                kept.append(line)
            elif name == "found" and finding.told not in settled:
                kept.append(line)
        return tuple(kept)

    def _holds(self, finding: Finding) -> bool:
        return first_of(self.open.get(finding.name, ()), finding, lambda _: FAR) is not None

    def _told_elsewhere(self, line: str) -> bool:
        """A problem, a criterion or a way: each has its own line."""
        bare = line.strip().lstrip("-*• ")
        starts = [word for words in WORDS.values() for word in (f"{words['fix']} ", f"{words['node_next']}:")]
        return bare.startswith(tuple(starts)) or bare.split(" ")[0] in self.criteria


def tick_text(page: Page, *, every: bool = True, dropped: Collection[Section] = ()) -> TickText:
    """A tick file as the next ticks are told of it: what is next and what is open first.

    Args:
        page: the file.
        every: sections that say nothing are told as well ...
        dropped: ... but for these, whose lines are told elsewhere.
    """
    words = words_of(page.language)
    state = words[page.state] + (f" ({page.reason})" if page.reason else "")
    return TickText(
        number=page.number, head=f"{page.title} · {state}", lines=tuple(_lines(page, words, every, dropped))
    )


def _lines(page: Page, words: TickWords, every: bool, dropped: Collection[Section]) -> Iterator[str]:
    names: list[Section] = [name for name in SHOWN if name not in dropped]
    for name in names:
        found = page.sections.get(name)
        if found is None:
            yield from _when(every, f"- {words[name]}: {words['undecided']}")
            continue
        bare = [line.strip().lstrip("-*• ") for line in found] or ([words["none"]] if every else [])
        yield from (f"- {words[name]}: {line}" for line in bare)


def _when(told: bool, line: str) -> Iterable[str]:
    return (line,) if told else ()
