"""The text of the bridge: deterministic, plainly a record, quoting untrusted text as data.

Order: checkpoint, goal, engrams by rank, the other five fields, ticks, journal lines,
live state, what is brought back, records from other sessions.
What doesn't fit its share is clipped with its address; nothing is composed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from context_kit.bridge._attempts import attempt_lines, other_tasks
from context_kit.bridge._checkpoint import shared
from context_kit.bridge._fitting import fitting
from context_kit.bridge._lines import Line, listed
from context_kit.bridge._ticks import TickNotes, fit_ticks
from context_kit.bridge._words import BridgeWords
from context_kit.engrams import neutral, one_line, placed, quote, where
from context_kit.summary import FILE_LISTS, LISTS, lines
from context_kit.tokens import clip
from context_kit.types import Engram, TaskSummary
from context_kit.typing import Count

__all__ = ["NO_TICKS", "BridgeParts", "compose", "frame_cost"]

STALE = re.compile(r"m\d+(?:, m\d+)*")
"""What a text of the user is labelled with where later ones take something of it back: their addresses."""
CHECKPOINT_SHARE = 0.45
"""Of the notes left beside the frame; live state and journal get the rest."""
SYSTEM_SHARE = 0.6
"""For system messages that can't stand in front: an operator's words come before what code found."""
TICKS_SHARE = 0.5
"""Of what the checkpoint leaves; live state and journal share the rest."""
LIVE_SHARE = 0.6
"""Of what checkpoint and ticks leave; the journal gets the rest."""
JOURNAL_SHARE = 0.4
"""Of what live state leaves, where something is brought back; that gets the rest."""
BACK_SHARE = 0.5
"""Of that, for this session's own texts, where other sessions left records; those get the rest."""

SENTENCE = 24
"""Characters of a sentence that is not told twice."""

NO_TICKS = TickNotes()


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeParts:
    """What a bridge is made of."""

    id: str
    first: int
    """Position of the first message that it stands for."""
    last: int
    """Position of the last one."""
    checkpoint: Sequence[str] = ()
    """Its lines, most important first."""
    goal: str = ""
    goal_at: str = ""
    """Address of the goal; with an empty `goal` it stands in the tail."""
    goal_stale: str = ""
    """Addresses of the texts that took a part of the goal back."""
    engrams: Sequence[Engram] = ()
    summary: TaskSummary
    systems: Sequence[tuple[str, str]] = ()
    """System messages that can't stand in front of the bridge (Anthropic)."""
    ticks: TickNotes = NO_TICKS
    """Where a long job stands, and its newest tick files."""
    journal: Sequence[str] = ()
    """Journal lines, oldest first."""
    live: Sequence[tuple[str, str]] = ()
    """Name and text of each provided state."""
    back: Sequence[str] = ()
    """Texts of this session that had left the window, most related first."""
    others: Sequence[Line] = ()
    """Records of other sessions, most important first."""


def compose(parts: BridgeParts, *, words: BridgeWords, notes: int, count: Count) -> str:
    """The bridge's text; everything that counts as notes within `notes` tokens, where that can be."""
    room = max(notes - frame_cost(parts, words, count), 0)
    sections = [words.title.format(id=parts.id, first=parts.first, last=parts.last)]
    systems = _systems(parts.systems, words, int(room * SYSTEM_SHARE), count)
    room -= sum(count(text) for text in systems)
    checkpoint = shared(parts.checkpoint, words, int(room * _share(parts)), count)
    room -= sum(count(line) + 1 for line in checkpoint)
    sections += _section(words.in_hand, checkpoint)
    sections += _section(words.system, systems)
    if parts.goal or parts.goal_at:
        goal = quote(parts.goal) if parts.goal else words.goal_below.format(address=parts.goal_at)
        goal += f"\n({words.superseded.format(by=parts.goal_stale)})" if parts.goal_stale else ""
        sections += _section(words.goal, [goal])
    sections += _section(words.kept, list(_engrams(parts.engrams, words)))
    sections += _fields(parts.summary, words)
    ticks = fit_ticks(parts.ticks, int(room * TICKS_SHARE), count)
    room -= sum(count(line) + 3 for line in ticks)
    sections += _section(words.ticks, ticks)
    live = _live(parts.live, int(room * (LIVE_SHARE if parts.journal else 1)), count)
    room -= sum(count(text) for text in live)
    again = parts.back or parts.others
    said = _said(parts)
    journal = fitting(
        [_unsaid(line, said) for line in reversed(parts.journal)], int(room * (JOURNAL_SHARE if again else 1)), count
    )
    room -= sum(count(line) + 3 for line in journal)
    sections += _section(words.journal, [f"- {neutral(line)}" for line in reversed(journal)])
    sections += _section(words.live.format(last=parts.last), live)
    back = fitting(parts.back, int(room * (BACK_SHARE if parts.others else 1)), count)
    sections += _section(words.back, back)
    room -= sum(count(line) + 3 for line in back)
    sections += _section(words.others, listed(parts.others, room, count, more=words.more))
    return "\n\n".join(sections)


def frame_cost(parts: BridgeParts, words: BridgeWords, count: Count) -> int:
    """Tokens of the title and of the headings that will stand."""
    summary = parts.summary
    headings = [
        words.title.format(id=parts.id, first=parts.first, last=parts.last),
        *([words.in_hand] if parts.checkpoint else []),
        *([words.system] if parts.systems else []),
        *([words.goal] if parts.goal or parts.goal_at else []),
        *([words.kept] if parts.engrams else []),
        *([words.steps] if summary.completed_steps else []),
        *([words.files] if summary.current_files else []),
        *([words.decisions] if summary.key_decisions else []),
        *([words.failed] if summary.failed_attempts else []),
        *([words.todo] if summary.todo else []),
        *([words.ticks] if parts.ticks.now or parts.ticks.pages else []),
        *([words.journal] if parts.journal else []),
        *([words.live.format(last=parts.last)] if parts.live else []),
        *([words.back] if parts.back else []),
        *([words.others] if parts.others else []),
    ]
    return sum(count(heading) + 2 for heading in headings)


def _share(parts: BridgeParts) -> float:
    """What the checkpoint may have of the notes: all of it where nothing else wants any."""
    others = (parts.live, parts.journal, parts.back, parts.others, parts.ticks.now, parts.ticks.pages)
    return CHECKPOINT_SHARE if any(others) else 1.0


def _said(parts: BridgeParts) -> list[str]:
    """The decisions and the reasons for a failure that the record tells in their own place."""
    told = [each.text for each in parts.engrams if each.kind == "promoted" and each.label in LISTS]
    told += [made.decision.rpartition(" (m")[0] for made in parts.summary.key_decisions]
    told += [made.attempt.rpartition(" (m")[0] for made in parts.summary.failed_attempts if not made.error]
    return [text for text in told if len(text) >= SENTENCE]


def _unsaid(line: str, said: Sequence[str]) -> str:
    """A journal line without the sentences that stand in the record already."""
    for text in said:
        if text in line:
            line = " ".join(line.replace(text, "").split())
    return line


def _section(heading: str, body: Sequence[str]) -> list[str]:
    return [f"{heading}\n" + "\n".join(body)] if body else []


def _fields(summary: TaskSummary, words: BridgeWords) -> Iterator[str]:
    for heading, entries in (
        (words.steps, summary.completed_steps),
        (words.files, summary.current_files),
        (words.decisions, summary.key_decisions),
        (words.failed, summary.failed_attempts),
        (words.todo, other_tasks(summary.todo, summary.failed_attempts)),
    ):
        if entries is summary.failed_attempts:
            yield from _section(heading, attempt_lines(summary.failed_attempts))
            continue
        yield from _section(heading, [f"- {neutral(' '.join(lines(entry).split()))}" for entry in entries])


def _engrams(engrams: Sequence[Engram], words: BridgeWords) -> Iterator[str]:
    """Each engram; contracts of one file share a block, lines of one list their heading, oldest first."""
    blocks: dict[str, list[Engram]] = {}
    for engram in engrams:
        listed = engram.label in LISTS and engram.kind == "promoted"
        block = engram.label if listed else engram.source if engram.kind == "contract" else engram.id
        blocks.setdefault(block, []).append(engram)
    for block, found in blocks.items():
        if block in LISTS:
            yield _list(block, found)
        else:
            yield _contracts(found, words) if found[0].kind == "contract" else _engram(found[0], words)


def _list(label: str, found: Sequence[Engram]) -> str:
    """Lines that share a heading, oldest first; names of files behind it."""
    told = [f"{neutral(each.text)} ({each.source})" for each in reversed(found)]
    return f"[{label}] {', '.join(told)}" if label in FILE_LISTS else "\n- ".join([f"[{label}]", *told])


def _contracts(found: Sequence[Engram], words: BridgeWords) -> str:
    source = found[0].source
    head = f'{words.whole} recall("{source}")'  # the address names the file
    if not source.startswith("f:"):
        head = f"{_label(found[0].label)} · {words.elsewhere} · {source}"
    order = sorted((*where(engram.label), engram.text) for engram in found)
    path = source.removeprefix("f:").rpartition("@")[0] if source.startswith("f:") else found[0].label.partition(" ")[0]
    body = quote("\n".join(placed([(name, text) for _, name, text in order], path)), always=True)
    return f"[{words.contract} · {head}]\n{body}"


def _engram(engram: Engram, words: BridgeWords) -> str:
    """What it is, from where, its address; then the words themselves."""
    kind = {
        "user": words.user,
        "file": words.file,
        "error": words.error,
        "contract": words.contract,
        "promoted": words.promoted,
        "note": words.note,
    }.get(engram.kind, engram.kind)
    label = f" · {_label(engram.label)}" if engram.label else ""
    if engram.kind == "user" and STALE.fullmatch(engram.label):
        label = f" · {words.superseded.format(by=engram.label)}"
    if engram.kind == "promoted" and STALE.fullmatch(engram.label):
        kind, label = words.offered.format(by=engram.label), ""
    source = f" · {engram.source}" if engram.source else ""
    more = f' · {words.whole} recall("{engram.source}")' if engram.clipped and engram.source else source
    head = f"[{kind}{label}{more}]"
    body = quote(engram.text)
    return f"{head}\n{body}" if "\n" in body else f"{head} {body}"


def _label(text: str) -> str:
    """A name in a heading: one line."""
    return neutral(text if one_line(text) else " ".join(text.split()))


def _systems(systems: Sequence[tuple[str, str]], words: BridgeWords, room: int, count: Count) -> list[str]:
    """Every system message that left its place, the newest with the most room; a clipped one names its address."""
    kept: list[str] = []
    for number, (address, text) in enumerate(reversed(systems)):
        mark = f'… {words.whole} recall("{address}")'
        share = room if number == len(systems) - 1 else max(room // 2, count(mark) + 8)
        whole = quote(text)
        kept.append(whole if count(whole) <= share else clip(whole, share, count=count, mark=mark))
        room = max(room - count(kept[-1]), 0)
    return [text for text in reversed(kept) if text]


def _live(live: Sequence[tuple[str, str]], room: int, count: Count) -> list[str]:
    """Each provided state word for word; the largest ones clipped where they must be."""
    texts = [
        f"{_label(name)}: {neutral(text)}" if one_line(text) else f"{_label(name)}:\n{quote(text)}"
        for name, text in live
    ]
    sizes = [count(text) for text in texts]
    if sum(sizes) <= room:
        return texts
    level = max(room // max(len(texts), 1), 16)
    short = [
        text if size <= level else clip(text, level, count=count, mark="…")
        for text, size in zip(texts, sizes, strict=True)
    ]
    return fitting(short, room, count)
