"""Questions about the order of what was done: what was run, read or called next. Nobody guesses it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from context_kit.probes._gone import Gone, spread
from context_kit.probes._telling import FILE, LONGEST, OTHER, apart, novel, telling, unforeseen
from context_kit.probes._types import Probe
from context_kit.tools import normal_command, same_file
from context_kit.wire import Part

__all__ = ["next_calls", "next_reads", "next_runs"]

CONSTANT = 2
"""What more calls than these are given is a setting of the session, such as its folder."""


def next_reads(gone: Gone) -> Iterator[Probe]:
    """Which file was read after another one, where that was read once."""
    reads = [deed for deed in gone.trail.deeds if deed.act.kind == "read" and deed.act.path and not deed.act.failed]
    times = Counter(deed.act.path for deed in reads)
    for one, other in pairwise(reads):
        question = gone.ask("read_after", path=one.act.path)
        path = other.act.path
        if times[one.act.path] == 1 and other.until < gone.cut and apart(path, question):
            base = path.rpartition("/")[2]
            yield Probe(
                kind="artifact",
                question=question,
                answer=path,
                address=f"m{other.position}",
                difficulty="hard",
                also=(base,) if base != path else (),
            )


def next_runs(gone: Gone) -> Iterator[Probe]:
    """What ran first after the last edit of a file."""
    deeds = [deed for deed in gone.trail.deeds if deed.act.kind in ("edit", "run") and deed.act.path + deed.act.command]
    last = {
        deed.act.path: at
        for at, deed in enumerate(deeds)
        if deed.act.kind == "edit" and not deed.act.failed and deed.act.path and not deed.act.command
    }
    for path, at in reversed(list(last.items())):
        following = next((deed for deed in deeds[at + 1 :] if deed.act.kind == "run"), None)
        if following is None or following.until >= gone.cut or following.position == deeds[at].position:
            continue
        if any(same_file(deed.act.path, path) for deed in deeds[at + 1 :] if deed.act.kind == "edit"):
            continue
        command, question = following.act.command.strip(), gone.ask("ran_after", path=path)
        if len(command) <= LONGEST and unforeseen(normal_command(command), question):
            yield Probe(
                kind="continuation",
                question=question,
                answer=command,
                address=f"m{following.position}",
                difficulty="hard",
            )


def next_calls(gone: Gone) -> Iterator[Probe]:
    """What the assistant gave to the call that followed another one, where no other call reads like that one."""
    calls = [(entry.position, call) for entry in gone.entries for call in entry.message.calls]
    times = Counter(gone.label(call) for entry in gone.all for call in entry.message.calls)
    values = Counter(_given(call) for entry in gone.all for call in entry.message.calls)
    written = {(deed.position, deed.act.id) for deed in gone.trail.deeds if deed.act.kind == "edit"}
    for (_, one), (position, other) in spread(list(pairwise(calls))):
        label, (key, value) = gone.label(one), _given(other)
        question = gone.ask("next_call", label=label, name=other.name, key=key)
        if not value or values[key, value] > CONSTANT or times[label] > 1 or not telling(value, question, share=OTHER):
            continue
        if (position, other.id) in written and not FILE.fullmatch(value):
            continue  # a text that an edit wrote may be another one by now
        if FILE.fullmatch(value) or len(novel(normal_command(value), question)) > 1:
            yield Probe(kind="continuation", question=question, answer=value, address=f"m{position}", difficulty="hard")


def _given(call: Part) -> tuple[str, str]:
    """The longest argument of a call that is one short line, with its name."""
    given = [
        (key, value.strip())
        for key, value in call.arguments.items()
        if isinstance(value, str) and len(value) <= LONGEST and "\n" not in value.strip() and key != "description"
    ]
    return max(given, key=lambda each: len(each[1]), default=("", ""))
