"""Questions about what tools answered: the value of a key, the word that a line of output lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from context_kit.probes._gone import Answer, Gone, spread
from context_kit.probes._lines import DATA, LEAST, gaps, half
from context_kit.probes._strings import DEEPEST, as_json
from context_kit.probes._telling import FILE, OTHER, concrete, telling, words_of
from context_kit.probes._turns import rounds
from context_kit.probes._types import Difficulty, Probe

__all__ = ["documents", "edges", "given", "lines", "outputs", "results"]

KEYS = ("id", "name", "number", "key", "path", "title", "code", "date")
"""How the key ends by which an entry of a list is told from the others."""
MEASURES = re.compile(
    r"bytes|time_ms|duration|elapsed|latency|tokens|usage|timestamp|seconds|_ms$|cost|exit_?code|cwd", re.IGNORECASE
)
"""Keys of what a harness measures: nobody needs to remember it."""
MUTE = ("edit", "plan", "refused")
"""What was done by calls whose answers say nothing but that."""
MOST = 6
"""So many values or lines of one answer are asked for."""
LOOKED = 24
"""Lines of one answer that are looked at."""
FEW = 3
"""Lines of an output, at least, of which the first and the last are asked for."""
LONGEST_VALUE = 80
PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc", ".csv", ".json", ".yml", ".yaml", ".toml", ".cfg", ".ini", ".log")
"""Ends of files whose lines are no code: of a line of code a word can often be guessed."""
NUMBERED = re.compile(r"\d{1,6}(?:→|\t|: |\s?\|)\s?")
"""What viewers put before a line of a file."""
SHOWN = re.compile(r"[\w./@-]+\.\w{1,8}[:-]\d+[:-]")
"""What searches put before it."""


def results(gone: Gone) -> Iterator[Probe]:
    """Values of results that are JSON: by their key, and in lists by the entry's own."""
    found = (each for each in spread(gone.answers) if each.alone and each.kind not in MUTE)
    return rounds(islice(_values(gone, each), MOST) for each in found)


class Leaf(NamedTuple):
    """A plain value of a result."""

    key: str
    """With the keys above it, joined by dots."""
    value: str
    beside: dict[str, str]
    """The plain values that stand beside it or above."""


def _leaves(node: object, above: str, beside: dict[str, str], deep: int) -> Iterator[Leaf]:
    if not deep:
        return
    if isinstance(node, dict):
        around = {**beside, **{str(key): str(value) for key, value in node.items() if _plain(value)}}
        for key, value in node.items():
            name = f"{above}.{key}" if above else str(key)
            if _plain(value):
                yield Leaf(name, str(value), around)
            else:
                yield from _leaves(value, name, around, deep - 1)
    elif isinstance(node, list):
        for each in node:
            yield from _leaves(each, "", beside, deep - 1)


def _plain(value: object) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= LONGEST_VALUE and "\n" not in value
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _values(gone: Gone, answer: Answer) -> Iterator[Probe]:
    """Keys that stand once in a result, then those of entries that one of their values tells apart."""
    found = list(_leaves(as_json(answer.text), "", {}, DEEPEST))
    keys = Counter(leaf.key for leaf in found)
    entries = Counter((leaf.key, by, value) for leaf in found for by, value in leaf.beside.items() if _tells(by, value))
    difficulty: Difficulty
    for leaf in _rarest(found):
        if MEASURES.search(leaf.key) or not _concrete(leaf.value):
            continue
        if keys[leaf.key] == 1:
            question, difficulty = gone.ask("result", label=answer.label, key=leaf.key), "medium"
        elif by := _teller(leaf, entries):
            question = gone.ask("result_of", label=answer.label, key=leaf.key, by=by, which=leaf.beside[by])
            difficulty = "hard"
        else:
            continue
        if telling(leaf.value, question):
            address = f"m{answer.position}"
            yield Probe(kind="recall", question=question, answer=leaf.value, address=address, difficulty=difficulty)


def _rarest(found: Sequence[Leaf]) -> list[Leaf]:
    """Those whose value stands once first."""
    values = Counter(leaf.value for leaf in found)
    return sorted(found, key=lambda leaf: values[leaf.value] > 1)


def _tells(by: str, value: str) -> bool:
    return by.lower().endswith(KEYS) and len(value) >= 3


def _teller(leaf: Leaf, entries: Counter[tuple[str, str, str]]) -> str:
    """The key by which an entry is told from all others that have the same key."""
    own = leaf.key.rpartition(".")[2]
    for by, value in leaf.beside.items():
        if by != own and _tells(by, value) and entries[leaf.key, by, value] == 1:
            return by
    return ""


def _concrete(value: str) -> bool:
    """A number, an id, a date, a name: no word of a closed list such as a state."""
    return bool(re.search(r"\d\d|[A-Z]\w+|[\w-]+[./@]\w|\w+ \w+|[\u4e00-\u9fff]{3}", value))


def outputs(gone: Gone) -> Iterator[Probe]:
    """Lines of what commands and tools printed, each with a gap for its number, name or path."""
    found = (each for each in spread(gone.answers) if each.kind in ("run", "search", "other") and not _bare(each))
    return rounds(islice(_gapped(gone, each, "output", label=each.label), MOST) for each in found)


def _bare(answer: Answer) -> bool:
    """Whether a call was given nothing: what it says is the tool's own text, such as that of a mode."""
    return answer.label.endswith("()`")


def documents(gone: Gone) -> Iterator[Probe]:
    """Lines of files that were read, each with such a gap."""
    found = (each for each in spread(gone.answers) if each.kind == "read" and each.path.lower().endswith(PROSE))
    return rounds(islice(_gapped(gone, each, "document", path=each.path), MOST) for each in found)


def given(gone: Gone) -> Iterator[Probe]:
    """Lines of what stands in the user's role and no person wrote: instructions, reminders."""
    spoken = {said.position for said in gone.trail.words} | {answer.position for answer in gone.answers}
    found = [each for each in gone.entries if each.message.role == "user" and each.position not in spoken]
    for entry in found:
        text = Answer(entry.position, "", entry.message.text, "other", "")
        yield from islice(_gapped(gone, text, "given"), MOST)


def lines(gone: Gone) -> Iterator[Probe]:
    """Lines of what was printed and read, their second half: where little else can be asked."""
    found = (each for each in spread(gone.answers) if each.kind not in MUTE and not _is_code(each) and not _bare(each))
    return rounds(islice(_halves(gone, each), MOST) for each in found)


def edges(gone: Gone) -> Iterator[Probe]:
    """The first and the last line that a call printed, where no other call reads the same."""
    kinds = ("run", "search", "other")
    found = [each for each in spread(gone.answers) if each.alone and each.kind in kinds and not _bare(each)]
    shapes: dict[str, list[Answer]] = {}
    for each in found:  # of calls that differ in a number, such as those of a loop, one comes first
        shapes.setdefault(re.sub(r"\d+", "#", each.label), []).append(each)
    return rounds((probe for each in alike for probe in _edges(gone, each)) for alike in shapes.values())


def _edges(gone: Gone, answer: Answer) -> Iterator[Probe]:
    lines = [line for line in answer.text.split("\n") if line.strip()]
    if len(lines) < FEW or as_json(answer.text) is not None:
        return
    for form, line in (("first_line", lines[0].strip()), ("last_line", lines[-1].strip())):
        question = gone.ask(form, label=answer.label)
        if len(line) < LEAST or DATA.search(line) or not _unsaid(line, question):
            continue
        if telling(line, question) and concrete(line):
            address = f"m{answer.position}"
            yield Probe(kind="recall", question=question, answer=line, address=address, difficulty="hard")


def _unsaid(line: str, question: str) -> bool:
    """Whether enough of a line is in words that its question doesn't have: a page's title is often its query."""
    told, asked = words_of(line), set(words_of(question))
    new = sum(len(word) for word in told if word not in asked)
    return FILE.fullmatch(line) is not None or new >= OTHER * sum(map(len, told))


def _is_code(answer: Answer) -> bool:
    return answer.kind == "read" and not answer.path.lower().endswith(PROSE)


def _halves(gone: Gone, answer: Answer) -> Iterator[Probe]:
    form, words = ("read_on", {"path": answer.path}) if answer.kind == "read" else ("goes_on", {"label": answer.label})
    for line in sorted(map(_unnumbered, gone.lines(answer)), key=lambda line: (-len(line), line))[:LOOKED]:
        if _holds(gone, answer, line):
            yield from half(gone, form, line, answer.position, **words)


def _holds(gone: Gone, answer: Answer, line: str) -> bool:
    """Whether a line that was read or found stands in its file still, as far as the log tells."""
    doubts, position = gone.doubts, answer.position
    bare = line[found.end() :].strip() if (found := SHOWN.match(line)) else line
    if doubts.replaced(bare, position) or doubts.otherwise(answer.path, bare, position):
        return False
    if answer.kind != "read":
        return True
    view = gone.trail.files.find(answer.path)
    text = view.text if view is not None and view.whole and not view.gone else None
    if text is not None and bare not in text:
        return False
    return not doubts.elsewhere(answer.path, position) or (text is not None and not doubts.unseen(answer.path, bare))


def _gapped(gone: Gone, answer: Answer, form: str, **words: str) -> Iterator[Probe]:
    lines = sorted({_unnumbered(line) for line in gone.lines(answer)}, key=lambda line: (-len(line), line))
    for line in lines[:LOOKED]:
        if (form == "output" or not SHOWN.match(line)) and _holds(gone, answer, line):
            yield from _first(gaps(gone, form, "recall", line, answer.position, **words))


def _first(found: Iterable[Probe]) -> Iterable[Probe]:
    return islice(found, 1)


def _unnumbered(line: str) -> str:
    found = NUMBERED.match(line)
    return line[found.end() :].strip() if found else line
