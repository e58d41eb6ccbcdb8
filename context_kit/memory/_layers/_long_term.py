"""The long-term layer: what other sessions of the store know of the step in hand, and what they changed.

Only what still holds: of a declaration the newest record, of decisions and the user's rules those that no later
one takes back. Each is told with its session and its age, as data; nothing of the session's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from context_kit._topic import Remembered, Topic
from context_kit.engrams import PROMOTED, Later, taken_back, terms
from context_kit.memory._journal._book import REFERENCE
from context_kit.memory._journal._care import as_record
from context_kit.memory._journal._foreign import foreign
from context_kit.memory._journal._memory import record_line
from context_kit.memory._layers._shared import Line, after, base_name, newest, recent, related
from context_kit.memory._layers._showing import declares, shown
from context_kit.memory._layers._twins import Twins
from context_kit.types import Record
from context_kit.typing import IndexedStore, Redact, Store

__all__ = ["LongTerm"]

KNOWN: Final = ("decide", "contract", "pitfall", "constraint")
"""What is told before steps."""
NOTED: Final = "noted"
"""A contract that a caller wrote down in words of its own."""
FILL: Final = {"constraint": 8, NOTED: 3, "decide": 3, "pitfall": 2, "contract": 10}
"""What is told at a session's start whatever its task is, and how many of the newest."""
FEW: Final = 4
"""Lines that are looked at for the one with an id."""
JUDGED: Final = ("decide", "constraint", "revise")
"""What may take a decision or a rule back."""
SAYING: Final = ("decide", "constraint")
"""What says something that may be taken back."""
STEPS: Final = ("edit", "run", "fail", "steps")
"""What was done, of use only where it was done to the same file; `steps` stands for several."""
UNTOLD: Final = ("revise", REFERENCE, "tidied")
"""What is kept for the program's own use."""
LIMIT: Final = 60
"""Records that are looked at for what is told."""
NEWER: Final = 120
"""Records that are looked at for what takes an older one back."""
NEWEST: Final = 480
"""Records of declarations that are looked at for the newest of each."""
RECENT: Final = 400
"""Newest records of the store that a session's start looks at."""
MOST: Final = 40
"""Records that are handed on; what has no room is left out."""
LONGEST: Final = 8_000
"""Characters of one field that are looked at and told; recall has the rest."""
SHARED: Final = 2
"""Words that a record shares with the step in hand, at least, where it is not about one of its files."""


@dataclass(slots=True)
class LongTerm:
    """Every session's journal, as one session looks at it."""

    store: Store
    session: str
    redact: Redact
    began: int = 0
    """Position in the journal when it began: older records of its name are those of another one, which has ended."""
    looked: int = 0
    """Position of the newest line that this object looked at."""
    _older: bool | None = None

    def stirred(self) -> bool:
        """Whether anything may have been written since the last look; as cheap as a look at a file's size."""
        return not isinstance(self.store, IndexedStore) or newest(self.store) != self.looked

    def since(self, position: int) -> tuple[int, tuple[Record, ...]]:
        """How far the journal reaches, and the contracts that others wrote after a position, each as it is last."""
        if self._cut(position):
            position = 0 if self._cut(self.looked) else self.looked
        found = list(after(self.store, position))
        upto = found[-1][0] if found else position
        declared = [line for _, line in found if line.get("action") == "contract"]
        newest = {(line.get("file"), line.get("name")): line for line in declared}
        return upto, tuple(self._record(line) for line in newest.values() if self._others(line))

    def _cut(self, position: int) -> bool:
        """Whether somebody took lines out of the journal: it ends before a position that it had reached."""
        return newest(self.store) < position

    def remembered(self, topic: Topic, *, told: Sequence[str] | None = None) -> tuple[Remembered, ...]:
        """What others know of a topic: the user's rules, then what is related, then what isn't.

        Args:
            topic: the step in hand.
            told: ids of what was told at the session's start, which stays told; None at that start, where a few
                of the newest are told whatever the topic is.
        """
        self.began = 0 if self._cut(self.began) else self.began
        without = "" if self._namesake() else self.session
        lines = [
            *related(self.store, topic.words, files=topic.files, without=without, limit=LIMIT),
            *related(self.store, topic.words, files=topic.files, without=without, actions=KNOWN, limit=LIMIT),
        ]
        wanted = terms(topic.words)
        found = [record for record in self._records(lines) if _concerns(record, topic, wanted)]
        found.sort(key=lambda record: record.action not in KNOWN)
        newest_lines = recent(self.store, RECENT) if told is None else []
        standing = _newest(self._records(newest_lines)) if told is None else self._again(told, lines)
        once: dict[str, Record] = {}
        for record in (*found[:LIMIT], *standing):
            once.setdefault(record.id or record_line(record), record)
        kept = self._current([*once.values()])
        hits = self._references(kept, newest_lines)
        kept.sort(key=lambda record: (hits[record.id] < PROMOTED, record.action != "constraint"))
        brief = {record.id for record in standing} - {record.id for record in found[:LIMIT]}
        return shown(kept[:MOST], topic.language, brief=brief if told is None else ())

    def _again(self, told: Iterable[str], lines: Iterable[Line]) -> list[Record]:
        """The records with these ids; decisions first."""
        known = {str(line.get("id", "")): line for line in lines}
        for name in told:
            if name not in known:
                found = self.store.search(name, limit=FEW)
                known[name] = next((line for line in found if line.get("id") == name), {})
        records = self._records(known[name] for name in told if known[name])
        return sorted(records, key=lambda record: record.action == "contract")

    def _references(self, found: Sequence[Record], lines: Iterable[Mapping[str, Any]]) -> Counter[str]:
        """How often sessions fetched each record, this one's own times too."""
        asked = related(self.store, " ".join(record.id for record in found), actions=(REFERENCE,), limit=NEWER)
        told = {line.get("id"): line for line in (*lines, *asked) if line.get("action") == REFERENCE}
        return Counter(str(line.get("name", "")) for line in told.values())

    def _namesake(self) -> bool:
        """Whether an older session had this one's name."""
        if self.began and self._older is None:
            oldest = next(iter(after(self.store, 0, self.session)), None)
            self._older = oldest is not None and oldest[0] <= self.began
        return bool(self._older)

    def _record(self, line: Mapping[str, Any]) -> Record:
        return as_record({key: self._clean(value) if isinstance(value, str) else value for key, value in line.items()})

    def _clean(self, text: str) -> str:
        """A field without secrets, also one that the cut would halve; what follows is not looked at."""
        clean = self.redact(text[: 2 * LONGEST])
        return clean if len(text) <= LONGEST else f"{clean[:LONGEST]}…"

    def _records(self, lines: Iterable[Mapping[str, Any]]) -> list[Record]:
        return [foreign(self._record(line)) for line in lines if self._others(line)]

    def _others(self, line: Mapping[str, Any]) -> bool:
        return line.get("session") != self.session or 0 < int(line.get("at", 0)) <= self.began

    # -- what still holds ----------------------------------------------------------------

    def _current(self, found: Sequence[Record]) -> list[Record]:
        """Without declarations that were made anew or are gone, and words that later ones took back."""
        ids, words = self._outdated_words(found)
        stands = self._declarations(found)
        return [
            replace(record, reason="") if record.action not in SAYING and _tells(record.reason, words) else record
            for record in found
            if record.id not in ids
            and (not declares(record) or (stands.get((record.file, record.name)) == record.id and record.result))
        ]

    def _declarations(self, found: Sequence[Record]) -> dict[tuple[str, str], str]:
        """Id of the newest record of each declaration, whoever wrote it and in whichever folder."""
        wanted = [record for record in found if declares(record)]
        if not wanted:
            return {}
        stands: dict[tuple[str, str], tuple[_Place, str]] = {}
        names, files = (dict.fromkeys(getattr(r, field) for r in wanted) for field in ("name", "file"))
        lines = related(self.store, " ".join(names), files=[*files], actions=("contract",), limit=NEWEST)
        for line in lines:
            key = (str(line.get("file", "")), str(line.get("name", "")))
            stands[key] = max(stands.get(key, (_Place(), "")), (_place(line), str(line.get("id", ""))))
        twins = Twins(lines)
        return {
            (file, name): max(at for key, at in stands.items() if key[1] == name and twins.same(key[0], file))[1]
            for file, name in {(record.file, record.name) for record in wanted} & stands.keys()
        }

    def _outdated_words(self, found: Sequence[Record]) -> tuple[set[str], list[str]]:
        """Ids and words of the decisions and rules that a later record, of any session, takes back."""
        lines = {line.get("id"): line for line in self._judges(found)}
        placed = sorted(((_place(line), self._record(line)) for line in lines.values()), key=lambda pair: pair[0])
        later, at = Later(), dict[str, int]()
        for number, (_, record) in enumerate(placed):
            at[record.id] = 2 * number + 1
            later.add(2 * number + 1, [record.reason])
            later.add(2 * number + 2, ())  # what another session says next answers nothing
        words = {record.id: record for _, record in placed if record.action in SAYING}
        words |= {record.id: record for record in found if record.action in SAYING}
        named = {record.name for record in words.values() if record.was}
        gone = [
            each for each in words.values() if each.id in named or taken_back(each.reason, at.get(each.id, 0), later)
        ]
        return {record.id for record in gone}, [record.reason for record in gone if record.reason]

    def _judges(self, found: Sequence[Record]) -> Iterator[Mapping[str, Any]]:
        """What may take these words back, or gives the words of a step: what speaks of the same, or names a record."""
        words = [record for record in found if record.action in SAYING]
        reasons = "\n".join(record.reason for record in words)
        steps = "\n".join({record.reason: None for record in found if record.action not in SAYING})
        for query in (reasons, " ".join(record.id for record in words), steps):
            yield from related(self.store, query, actions=JUDGED, limit=NEWER) if query.strip() else ()


def _tells(reason: str, words: Iterable[str]) -> bool:
    """Whether a reason is one of these words, or a sentence of them."""
    return bool(reason) and any(reason in told or told in reason for told in words)


class _Place(NamedTuple):
    """Where a record stands among all of them; positions only grow, and clocks differ."""

    at: int = 0
    ts: str = ""


def _place(line: Mapping[str, Any]) -> _Place:
    return _Place(int(line.get("at", 0)), str(line.get("ts", "")))


def _newest(oldest_first: Sequence[Record]) -> list[Record]:
    """What holds whatever the task is: the newest rules of the user, a few noted contracts and decisions."""
    by_kind = ([record for record in oldest_first[::-1] if _kind(record) == kind][:most] for kind, most in FILL.items())
    return [record for kind in by_kind for record in kind]


def _kind(record: Record) -> str:
    return NOTED if record.action == "contract" and not declares(record) else record.action


def _concerns(record: Record, topic: Topic, wanted: frozenset[str]) -> bool:
    """Whether a record is about one of the files, or shares words that say something."""
    if record.action in UNTOLD:
        return False
    here = bool(record.file) and base_name(record.file) in {base_name(path) for path in topic.files}
    if here or record.action in STEPS:
        return here
    told = terms(f"{record.file} {record.name} {record.cmd} {record.reason} {record.result} {record.error}")
    shared = told & wanted
    return len(shared) >= SHARED or any(_telling(term) for term in shared)


def _telling(term: str) -> bool:
    """A word that is plainly a name: one is enough."""
    return any(mark in term for mark in "_./") or (term.isascii() and any(char.isdigit() for char in term))
