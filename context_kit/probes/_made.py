"""The probes of a compaction: made by rule from what left the window, with answers that the log has word for word.

Nothing is composed but the question. An answer stands at its address as it is, can't be read off its question, and
is the only one that the log gives up to the moment that is asked about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from types import MappingProxyType

from context_kit._log import Log
from context_kit._records import Compacted
from context_kit.engrams import Trail
from context_kit.probes import _edits, _files, _order, _results, _runs, _said
from context_kit.probes._distractors import Distractors
from context_kit.probes._gone import Gone
from context_kit.probes._telling import OTHER, telling
from context_kit.probes._turns import rounds
from context_kit.probes._types import Probe
from context_kit.types import Compaction
from context_kit.typing import Redact

__all__ = ["MOST", "made", "still"]

MOST = 48
"""Probes of one compaction."""
EVERY = 8
"""One probe in so many is a distractor."""
TWICE = 2
"""So many questions may have the same answer."""

Maker = Callable[[Gone], Iterable[Probe]]
FIRST: tuple[Maker, Maker] = (_files.contents, _files.where)
"""The first article's own check: the current file's content, and where a key function stands."""
TURNS: Mapping[str, tuple[Maker, ...]] = MappingProxyType(
    {
        "recall": (_runs.errors, _results.results, _edits.values, _runs.outcomes, _runs.searches),
        "artifact": (_edits.changes, _edits.edited, _files.contents, _files.where),
        "continuation": (_runs.plans, _runs.open_checks, _said.intents, _said.commands, _order.next_runs),
        "decision": (_said.reasons, _said.grounds),
        "constraint": (_said.rules,),
        "told": (_said.statements, _results.outputs, _said.asked, _results.documents, _results.given),
    }
)
"""Who makes probes of each kind; `told` is whatever was said or printed."""

MORE: tuple[Maker, ...] = (
    _order.next_calls,
    _files.more,
    _results.lines,
    _results.edges,
    _order.next_reads,
    _said.halves,
)
"""Who makes more where these had too little to ask."""


def made(
    log: Log,
    trail: Trail,
    compaction: Compaction | None = None,
    *,
    redact: Redact,
    beside: Sequence[str] = (),
    most: int = MOST,
) -> tuple[Probe, ...]:
    """The probes of what left the window; none where nothing left it.

    The first two ask for lines of the current file and for the place of one of its functions, where there is one;
    then the kinds take turns, and about one in eight asks for what the session never had.

    Args:
        log: the session's log.
        trail: its trail, which has followed the log.
        compaction: the receipt of an applied compaction: then the log counts as it was when that one was made. None:
            the log as it is, with what the newest compaction left out of the window.
        redact: takes the secrets out; nothing that it changes is asked for.
        beside: what the model sees beside the log, such as a system prompt: no distractor takes a name of it.
        most: at most so many.
    """
    moment = _moment(log, compaction)
    if moment is None:
        return ()
    cut, upto = moment
    if upto < log.newest:
        trail = _as_of(log, trail, upto)
    gone = Gone(log, trail, redact, cut=cut, upto=upto, beside=beside)
    return tuple(_mixed(gone, most))


def still(
    log: Log, trail: Trail, probes: Iterable[Probe], *, redact: Redact, beside: Sequence[str] = ()
) -> tuple[Probe, ...]:
    """Those of these probes that would be made of the log as it is now: what was said since changes nothing of them.

    Args:
        log: the session's log, which may have grown since they were made.
        trail: its trail, which has followed the log.
        probes: what was asked, no distractor among it.
        redact: as in `made`.
        beside: as in `made`.
    """
    asked, moment = tuple(probes), _moment(log, None)
    if moment is None or not asked:
        return ()
    gone = Gone(log, trail, redact, cut=moment[0], upto=moment[1], beside=beside)
    wanted = {(probe.question, probe.answer) for probe in asked}
    found: set[tuple[str, str]] = set()
    makers = dict.fromkeys([*FIRST, *chain.from_iterable(TURNS.values()), *MORE])
    for probe in chain.from_iterable(make(gone) for make in makers):
        if (again := (probe.question, probe.answer)) in wanted:
            found.add(again)
            if found == wanted:
                break
    return tuple(probe for probe in asked if (probe.question, probe.answer) in found)


def _moment(log: Log, compaction: Compaction | None) -> tuple[int, int] | None:
    """Where the window began, and the newest message that counts."""
    if compaction is None:
        return (log.last.cut, log.newest) if log.last is not None and log.last.bridge else None
    found = (each for each in log.records if isinstance(each, Compacted) and each.receipt.id == compaction.id)
    record = next(found, None)
    return (record.cut, record.upto) if record is not None and record.bridge else None


def _as_of(log: Log, trail: Trail, upto: int) -> Trail:
    """The trail as it was."""
    before = Trail(semantics=trail.semantics, redact=trail.redact)
    before.follow([entry for entry in log.entries if entry.position <= upto])
    return before


def _mixed(gone: Gone, most: int) -> Iterator[Probe]:
    """The kept ones in their order."""
    kept = _Kept(gone)
    lures = Distractors(gone)
    asked: list[Probe] = []
    number = 0
    for probe in _ordered(kept):
        if number == most:
            return
        yield probe
        asked.append(probe)
        number += 1
        if number % EVERY == EVERY - 1 and number < most and (lure := _lure(kept, lures, asked)) is not None:
            yield lure
            number += 1


def _lure(kept: _Kept, lures: Distractors, asked: Sequence[Probe]) -> Probe | None:
    """A distractor after the model of one of the newest questions, else of any."""
    newest, older = asked[1 - EVERY :], asked[: 1 - EVERY]
    return next(kept.of(chain(lures.of(newest), lures.of(older))), None)


def _ordered(kept: _Kept) -> Iterator[Probe]:
    """The article's two, then one of each kind in turn."""
    gone = kept.gone
    for make in FIRST:
        yield from islice(kept.of(make(gone)), 1)
    yield from rounds(kept.of(rounds(make(gone) for make in makers)) for makers in TURNS.values())
    yield from kept.of(rounds(make(gone) for make in MORE))


class _Kept:
    """Which probes are good, each once."""

    def __init__(self, gone: Gone) -> None:
        self.gone = gone
        self._asked: set[str] = set()
        self._answers: Counter[str] = Counter()

    def of(self, found: Iterable[Probe]) -> Iterator[Probe]:
        """Those of these that may be asked."""
        return (probe for probe in found if self._takes(probe))

    def _takes(self, probe: Probe) -> bool:
        answer = " ".join(probe.answer.lower().split())
        if probe.question in self._asked or (not probe.distractor and self._answers[answer] >= TWICE):
            return False
        if not probe.distractor and not self._stands(probe):
            return False
        self._asked.add(probe.question)
        self._answers[answer] += 1
        return True

    def _stands(self, probe: Probe) -> bool:
        """Whether the log has the answer at its address, and neither it nor the question touches a secret."""
        position = int(probe.address[1:])
        if probe.answer.strip("`()") in self.gone.tools or self.gone.redact(probe.question) != probe.question:
            return False
        return telling(probe.answer, probe.question, share=OTHER) and self.gone.says(position, probe.answer)
