"""The probes of a transcript: made at each compaction of its replay, shown, and written for other tools.

The invariant guarded here: what is written is what was shown, each probe once, as it was when it was first made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.table import Table

from context_kit.cli._replay import manager, replay
from context_kit.cli._tables import made_row, made_table
from context_kit.cli._text import count
from context_kit.harness.transcripts import Transcript
from context_kit.probes import Probe, Stand

if TYPE_CHECKING:
    from context_kit._manager import ContextManager

__all__ = ["Probed", "probe_records", "probe_rows", "probe_table", "probed", "stood"]

QUESTION, ANSWER = 300, 130
"""Characters of a question and of an answer in a table."""
COLOURS = {"lost": "red", "recoverable": "yellow", "window": "", "none": "dim"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """The probes of one compaction."""

    compaction: str
    """Its id."""
    removed: int
    """Messages that it took out of the window."""
    upto: int
    """So many messages of the transcript had been given: the questions are to be asked before the next one."""
    window: int
    """Tokens of the window that was replayed."""
    probes: Mapping[Probe, Stand]
    """Those that no earlier compaction had, in the order in which they would be asked; where each answer stands."""
    again: Mapping[Probe, Stand] = field(default_factory=dict[Probe, Stand])
    """Those that an earlier compaction had as well."""


def probed(transcript: Transcript, window: int | None, *, model: str | None = None, most: int) -> list[Probed]:
    """Replay a transcript; the probes of each compaction, at most so many of each; each is listed at its first one.

    Raises:
        TranscriptError: a message that no provider would accept.
        BudgetError: no window, or one that is out of range.
    """
    ctx = manager(transcript, window, model=model)
    found: list[Probed] = []
    seen = 0

    def sent(index: int, _window: Sequence[Any]) -> None:
        nonlocal seen
        for receipt in ctx.compactions[seen:]:
            seen += 1
            if receipt.outcome == "applied":
                asked, before = _first(ctx, most), {probe for each in found for probe in each.probes}
                found.append(
                    Probed(
                        compaction=receipt.id,
                        removed=len(receipt.summarised),
                        upto=index,
                        window=ctx.usage.window,
                        probes={probe: stand for probe, stand in asked.items() if probe not in before},
                        again={probe: stand for probe, stand in asked.items() if probe in before},
                    )
                )

    replay(ctx, transcript, sent=sent)
    return found


def _first(ctx: ContextManager, most: int) -> Mapping[Probe, Stand]:
    return dict(list(ctx.standing.items())[:most])


def stood(found: Sequence[Probed]) -> str:
    """How many answers stand where, in one line."""
    stands = Counter(stand for each in found for stand in each.probes.values())
    lures = f", {count(stands['none'], 'distractor')}" if stands["none"] else ""
    return f"{stands['window']:,} in the window, {stands['recoverable']:,} recoverable, {stands['lost']:,} lost{lures}"


def probe_table(each: Probed) -> Table:
    """One compaction's probes."""
    title = f"Compaction {each.compaction} · {count(each.removed, 'message')} left · {count(len(each.probes), 'probe')}"
    title += f" and {len(each.again):,} as before" if each.again else ""
    table = made_table(title, "kind", "difficulty", "address", "stands", "question → answer")
    for probe, stand in each.probes.items():
        asked = f"{probe.question[:QUESTION]} → {probe.answer[:ANSWER]}"
        kind = "distractor" if probe.distractor else probe.kind
        made_row(
            table, kind, probe.difficulty, probe.address, stand, asked, style=COLOURS[stand], most=QUESTION + ANSWER
        )
    return table


def probe_rows(found: Sequence[Probed]) -> list[dict[str, Any]]:
    """The probes of every compaction as plain objects, for `--json`; `again` where an earlier one had it as well."""
    return [
        {
            "kind": probe.kind,
            "question": probe.question,
            "answer": probe.answer,
            "address": probe.address,
            "difficulty": probe.difficulty,
            "also": list(probe.also),
            "stands": stand,
            "compaction": each.compaction,
            "upto": each.upto,
            "window": each.window,
            "again": probe in each.again,
        }
        for each in found
        for probe, stand in (*each.probes.items(), *each.again.items())
    ]


def _when(found: Sequence[Probed], each: Probed, probe: Probe) -> dict[str, Any]:
    """At which points of the transcript to ask it: its first compaction, and the later ones that have it as well."""
    again = [other.compaction for other in found if probe in other.again]
    return {"compaction": each.compaction, "upto": each.upto, "window": each.window, "again": again}


def probe_records(found: Sequence[Probed], source: str) -> Iterator[dict[str, Any]]:
    """All probes as records of an evaluation set, for `--jsonl`: each by itself, with an id."""
    for each in found:
        for number, probe in enumerate(each.probes, 1):
            yield {
                "id": f"{each.compaction}-{number:02}",
                "question": probe.question,
                "answer": probe.answer,
                "also": list(probe.also),
                "kind": probe.kind,
                "address": probe.address,
                "difficulty": probe.difficulty,
                "distractor": probe.distractor,
                "source": source,
                **_when(found, each, probe),
            }
