"""Problems that people and models name with their places, and those of which they say that they are gone.

A place is a problem in a list of findings, or where its own line says that something is wrong there. A mention, a
question, a plan and what somebody did about it are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from context_kit.harness.ticks._located import MOST, READ, TEXT, Place
from context_kit.harness.ticks._spots import Spotted, spot_of

__all__ = ["ITEM", "amiss", "claimed", "said_of", "well", "written"]

ITEM = re.compile(
    r"\s{0,12}(?:[-*•+]|#{2,6}(?= )|\d{1,3}[.)、]|\[[ x]\])\s*(?:\d{1,3}[.)、]\s*)?(?:\[[^\]\n]{1,12}\]\s*)?"
)
HEADING = re.compile(r"\s{0,3}(?:#{1,6} |\*\*)|[^\n]{1,120}[:：]\s*$")
LISTS = re.compile(
    r"\b(?:(?:code )?review(?:er)?(?:'s)?|findings?|concerns?|defects?|bugs?|issues?|problems?)\b|"
    r"审查|评审|问题|缺陷|隐患",
    re.IGNORECASE,
)
"""What a heading says over a list of problems."""
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
"""Words that say that one is no more ..."""
DENIED = re.compile(
    r"(?:\b(?:not|never|no longer|hardly|isn't|wasn't|aren't|hasn't|haven't|cannot|can't|needs? to|must|should|to|yet "
    r"to|"
    r"partly|half|wrongly|incorrectly)\b|n't\b|没|未|不)[^.;。；\n]{0,24}$",
    re.IGNORECASE,
)
"""... unless this stands before them, or this behind."""
OTHERWISE = re.compile(
    r"[- ](?:size|width|point|length|window|rate|wrong|incorrect|in(?:to)? the wrong|to the wrong)", re.IGNORECASE
)
WELL = re.compile(
    r"\b(?:no|not an?|isn't an?|without(?: any)?) (?:bugs?|issues?|problems?|errors?|findings?)\b"
    r"(?! (?:messages?|handl\w+|checks?|codes?|logs?|paths?)\b| (?:is|are) (?:raised|thrown|reported|shown|logged))"
    r"(?: (?:was|were|are|is)? ?found)?|"
    r"\b(?:misses|missing|lacks?) nothing\b|\bnothing (?:is )?(?:wrong|missing|broken|amiss)\b|"
    r"\b(?:never|no longer|not|\w+n't)\s(?:really |actually )?(?:an? |any )?"
    r"(?:bugs?|problems?|issues?|defects?|wrong|broken|incorrect|unsafe|missing)\b(?! (?:handled|checked))|"
    r"\b(?:looks?|is|are|works?) (?:good|fine|correct|ok|right|well)\b|没有问题|无问题|没问题|正确无误",
    re.IGNORECASE,
)
WISH = re.compile(
    r"\b(?:maybe|perhaps|possibly|eventually|some ?day|later on|nice[- ]to[- ]have|"
    r"optional(?:ly)?|(?:could|should|might|may) also|later[.!]?$)|以后再|也许|或许|可选|最好也",
    re.IGNORECASE,
)
"""What somebody would like, and nobody misses."""
DOING = re.compile(
    r"\b(?:I|we)(?:'ve|'ll|'d| have| will| should| can| must|"
    r" need to| am going to|'m going to)?\s(?:just |now |also |then |have )?"
    r"(?:edit|chang|add|updat|"
    r"refactor|mov|remov|replac|rewr|wrap|guard|adjust|modif|put|made|mak|set|renam|insert|clean|look|check|read|open|"
    r"inspect|run|ran|fix|mend|repair|tr(?:y|ied))\w*\b|\b(?:let me|let's|to (?:avoid|prevent))\b|"
    r"我(?:已|来|先|会|将)?(?:修改|添加|检查|看|更新|编辑)|让我",
    re.IGNORECASE,
)
"""What somebody does or did about it."""
TAG = re.compile(
    r"[\[(*_\s#]*(?:(?:critical|blocker|high|medium|low|major|minor|warning|error|info|nit|bug|issue|severity|problem|"
    r"finding|P[0-4]|严重|高|中|低|问题)(?:\s?#?\d{1,3})?[\])*_:：.\s–—\[(#-]*)+",
    re.IGNORECASE,
)
"""How severe it is, or its number."""
LEAD = re.compile(r"^[(\[](?:critical|high|medium|low|major|minor|warning|nit|P[0-4])[)\]][\s:：–—-]*", re.IGNORECASE)
PREPOSITION = re.compile(
    r"(?:\b(?:in|at|on|of|from|near|see|inside|within|under|by|to|for|with)|在|于)\s*[`(\[*]*\s*$", re.IGNORECASE
)
SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
BETWEEN = " \t:：-–—·,，;；|*`"
RULE = frozenset(" \t:|-")
"""What the line under a table's head is made of."""
NUMBER = re.compile(r"\W*(?:L|lines?\s|#)?(\d{1,6})(?:[-–](\d{1,6}))?\W*$", re.IGNORECASE)
PATH = re.compile(r"[`*]*((?:[\w.@+~-]{1,80}/){0,16}[\w@+-][\w.@+-]{0,120}\.[A-Za-z]\w{0,7})[`*]*$")


def written(text: str) -> list[Place]:
    """Problems that a text names with their places; places that it only mentions are none."""
    return list(dict.fromkeys(place for place, fixed in _spots(text) if not fixed))[:MOST]


def claimed(text: str) -> list[Place]:
    """Places of which a text says that their problem is fixed."""
    return list(dict.fromkeys(place for place, fixed in _spots(text) if fixed))[:MOST]


def amiss(text: str) -> bool:
    """Whether a text says that something is wrong."""
    return WRONG.search(text) is not None and not well(text)


def well(text: str) -> bool:
    """Whether a text says that nothing is wrong, and nothing else."""
    return WELL.search(text) is not None and WRONG.search(WELL.sub(" ", text)) is None


def gone(text: str) -> bool:
    """Whether a text says that a problem is no more."""
    return any(
        DENIED.search(text[max(0, found.start() - 40) : found.start()]) is None
        and not OTHERWISE.match(text, found.end())
        for found in CLAIMS.finditer(text)
    )


def said_of(line: str, spot: Spotted | None) -> str:
    """What a line says of a place: without the place, where a sentence is left; else all of it."""
    if spot is None:
        return _plain(line)
    before, after = line[: spot.start], line[spot.end :]
    told = _plain(after)
    lead = TAG.fullmatch(before.strip()) is not None or not before.strip(BETWEEN + "[](")
    if lead:
        return told
    short = PREPOSITION.sub("", before)
    if TAG.fullmatch(short.strip()) is not None or (short.rstrip(" *`").endswith((":", "：")) and told):
        return told
    if any(map(str.isalnum, told)) and (
        after.lstrip(" `*)")[:1] in (":", "：", "—", "–", ",", "，") or " - " in after[:4]
    ):
        return told
    return _plain(short) if not any(map(str.isalnum, told)) else _plain(line)


def _plain(text: str) -> str:
    return " ".join(text.strip(BETWEEN).split())[:TEXT]


@dataclass(slots=True)
class _Text:
    """What was read of a text so far."""

    heading: str = ""
    columns: str = ""
    """The head of the table that is being read."""
    above: str = ""
    waiting: tuple[Spotted, bool] | None = None
    """A place whose line says no more, and whether it stands in a list of problems."""

    @property
    def listing(self) -> bool:
        """Whether what is listed here are problems."""
        return WRONG.search(self.heading) is not None or LISTS.search(self.heading) is not None


def _spots(text: str) -> Iterator[tuple[Place, bool]]:
    """Every problem with its place, and whether it is said to be gone."""
    reading = _Text()
    for line in text[: 2 * READ].splitlines():
        if line.count("|") > 1:
            yield from _row(reading, line[:1_000])
        elif line.strip():
            yield from _line(reading, line[:1_000])
        if line.strip():
            reading.above = line


def _line(reading: _Text, line: str) -> Iterator[tuple[Place, bool]]:
    reading.columns = ""
    item = ITEM.match(line)
    bare = line[item.end() :] if item else line
    spot = spot_of(bare)
    if spot is None:
        if reading.waiting is not None:
            (waiting, listed), reading.waiting = reading.waiting, None
            yield from _problem(waiting, _plain(bare), bare, listed=listed, heading=reading.heading)
        elif HEADING.match(line) and (item is None or line.lstrip().startswith("#")):
            reading.heading = line
        return
    reading.waiting = None
    listed = (item is not None or TAG.match(bare) is not None) and reading.listing
    said = said_of(bare, spot)
    if not said:
        reading.waiting = (spot, listed)
    yield from _problem(spot, said, bare, listed=listed, heading=reading.heading if item else "")


def _problem(spot: Spotted, said: str, line: str, *, listed: bool, heading: str) -> Iterator[tuple[Place, bool]]:
    if not said or (well(line) if listed else WELL.search(line) is not None):
        return
    fixed = gone(line) or gone(heading)
    own = next((each for each in SENTENCE.split(line) if spot_of(each)), line)
    asked = own.rstrip(" *`").endswith(("?", "？"))
    if fixed or (listed and not asked) or (WRONG.search(own) and not asked and not _idle(own)):
        told = " ".join(each for each in SENTENCE.split(said) if not DOING.search(each))
        yield Place(spot.file, spot.line, LEAD.sub("", told or said, count=1) or said, last=spot.last), fixed


def _idle(sentence: str) -> bool:
    """Whether a sentence tells what somebody does or would like."""
    return DOING.search(sentence) is not None or WISH.search(sentence.rstrip(" *`")) is not None


def _row(reading: _Text, line: str) -> Iterator[tuple[Place, bool]]:
    """A row of a table: the place in one cell, or its file in one and its line in another."""
    if RULE.issuperset(line):
        reading.columns = reading.above
        return
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    at = next((at for at, cell in enumerate(cells) if spot_of(cell)), -1)
    spot = spot_of(cells[at]) if at >= 0 else None
    rest = [cell for place, cell in enumerate(cells) if place != at]
    if spot is None:
        file = next((found[1] for cell in cells if (found := PATH.match(cell))), "")
        # the column of a line number is named so, where there are several numbers
        names = [name.strip().lower() for name in reading.columns.strip().strip("|").split("|")]
        numbers = [(place, found.groups("0")) for place, cell in enumerate(cells) if (found := NUMBER.match(cell))]
        named = [
            number
            for place, number in numbers
            if place < len(names) and names[place] in ("line", "lines", "行", "行号")
        ]
        number = (named or [number for _, number in numbers][-1:] or [()])[0]
        if not file or not number:
            return
        first, last = map(int, number)
        spot = Spotted(file.removeprefix("./"), first, 0, 0, last if last > first else 0)
        rest = [cell for cell in cells if not PATH.match(cell)]
    words = [cell for cell in rest if cell and not NUMBER.match(cell) and not TAG.fullmatch(cell)]
    listed = reading.listing or LISTS.search(reading.columns) is not None or WRONG.search(reading.columns) is not None
    yield from _problem(spot, _plain(" ".join(words)), " ".join(words), listed=listed, heading="")
