"""Questions about edits and what files set: what took a line's place, which file a line went into, which value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from context_kit.engrams import Deed
from context_kit.probes._files import LOADS, NAME, SHORTEST, artifact, holds, shown_at, stated, text_of, views_of
from context_kit.probes._gone import Gone, spread
from context_kit.probes._telling import apart, concrete, novel, often, telling
from context_kit.probes._types import Difficulty, Probe
from context_kit.tools import FileView, same_file

__all__ = ["LOOSE", "changes", "edited", "values"]

CHANGED = 2
"""Words of a new line that the old one and the path must not have."""
VALUE = 5
"""Letters of a text that a name is set to, which its question must not have."""
LOOSE = (
    ".html",
    ".css",
    ".scss",
    ".tsx",
    ".jsx",
    ".vue",
    ".svelte",
    ".md",
    ".txt",
    ".patch",
    ".diff",
    ".json",
    ".jsonl",
    ".csv",
)
"""Ends of files in which `name: value` gives no name a value."""
ASSIGNS = re.compile(
    r"^(?:export |const |let |var |static |final |readonly |self\.|this\.)*"
    r"([A-Za-z_][\w.-]{3,40})(?:: ?[\w\[\]. |]{1,40})?"
    r"\s*(?:=|:|:=)\s*(?:[\"'`]([^\"'`]{3,100})[\"'`]|(\d[\w.]{1,30}))\s*[,;]?\s*(?:[#/].*)?$"
)
"""A line that gives a name a plain value."""


def changes(gone: Gone) -> Iterator[Probe]:
    """What edits put in the place of single lines, newest first, where it still stands."""
    made: dict[tuple[str, str], list[tuple[Deed, str]]] = {}
    for deed in gone.trail.deeds:
        if deed.act.kind == "edit" and not deed.act.failed:
            for old, new in _changed_lines(deed.act.replacements):
                made.setdefault((deed.act.path, old), []).append((deed, new))
    for (path, old), found in reversed(made.items()):
        deed, new = found[0]
        view = gone.trail.files.find(path)
        if view is None or len(found) > 1 or deed.until >= gone.cut or len(old) < SHORTEST:
            continue
        question = gone.ask("changed", path=view.path, line=old)
        if gone.doubts.unseen(path, new) or gone.doubts.otherwise(path, new, deed.until):
            continue
        if _stands(view, deed, new) and len(novel(new, question)) >= CHANGED and telling(new, question):
            position = next((at for at in (deed.position, deed.until) if gone.says(at, new)), 0)
            yield artifact(question, new, position, "hard")


def _changed_lines(replacements: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Each line that was changed into exactly one other."""
    for old, new in replacements:
        before, after = old.split("\n"), new.split("\n")
        gone = [line.strip() for line in before if line not in after and line.strip()]
        come = [line.strip() for line in after if line not in before and line.strip()]
        if len(gone) == len(come) == 1:
            yield gone[0], come[0]


def _stands(view: FileView, deed: Deed, line: str) -> bool:
    if view.gone:
        return False
    return line in view.text if view.text is not None else view.last_edit == deed.until


def edited(gone: Gone) -> Iterator[Probe]:
    """Which files were edited: the last one, the one after another, the one that a line was put into."""
    edits = [deed for deed in gone.trail.deeds if deed.act.kind == "edit" and not deed.act.failed and deed.act.path]
    if edits and edits[-1].until < gone.cut and not gone.doubts.after(edits[-1].until):
        last = edits[-1]
        yield _path_probe(gone, gone.ask("edited"), last, "easy")
    yield from _put_into(gone, edits)
    yield from _next_edits(gone, edits)


def _next_edits(gone: Gone, edits: Sequence[Deed]) -> Iterator[Probe]:
    last = {deed.act.path: at for at, deed in enumerate(edits)}
    for path, at in last.items():
        after = edits[at + 1 : at + 2]
        if after and after[0].until < gone.cut and _lasts(gone, after[0]) and not same_file(after[0].act.path, path):
            question = gone.ask("edited_after", path=path)
            if apart(after[0].act.path, question):
                yield _path_probe(gone, question, after[0], "hard")


def _put_into(gone: Gone, edits: Sequence[Deed]) -> Iterator[Probe]:
    """Lines that one edit put into one file."""
    homes: dict[str, set[str]] = {}
    for deed in edits:
        for line in _new_lines(deed):
            homes.setdefault(line, set()).add(deed.act.path)
    for deed in spread([deed for deed in edits if deed.until < gone.cut and _lasts(gone, deed)]):
        lines = (line for line in _new_lines(deed) if homes[line] == {deed.act.path} and _is_in(gone, deed, line))
        best = sorted(lines, key=_worth)
        for line in best[:2]:
            question = gone.ask("into", line=line)
            if apart(deed.act.path, question):
                yield _path_probe(gone, question, deed, "medium")
                break


def _lasts(gone: Gone, deed: Deed) -> bool:
    """Whether an edit was not undone since, as far as the log tells, nor its file taken away."""
    return not gone.doubts.elsewhere(deed.act.path, deed.until)


def _is_in(gone: Gone, deed: Deed, line: str) -> bool:
    """Whether a line that an edit put into a file stands there still."""
    view = gone.trail.files.find(deed.act.path)
    if gone.doubts.replaced(line, deed.until):
        return False
    return view is None or not view.whole or view.text is None or line in view.text


def _worth(line: str) -> tuple[int, str]:
    """Lines that name most come first."""
    return -len(set(NAME.findall(line))), line


def _new_lines(deed: Deed) -> set[str]:
    """Lines that an edit wrote; what it only repeats of the old text was there before."""
    texts = [new for _, new in deed.act.replacements] or [deed.act.content or ""]
    before = {line.strip() for old, _ in deed.act.replacements for line in old.split("\n")}
    lines = {line.strip() for text in texts for line in text.split("\n")} - before
    return {line for line in lines if 24 <= len(line) <= 100 and not LOADS.match(line) and len(NAME.findall(line)) > 1}


def _path_probe(gone: Gone, question: str, deed: Deed, difficulty: Difficulty) -> Probe:
    path = deed.act.path
    base = path.rpartition("/")[2]
    return artifact(question, path, stated(gone, deed, path), difficulty, also=(base,) if base != path else ())


def values(gone: Gone) -> Iterator[Probe]:
    """Names in files and the plain values that they are given."""
    for view in views_of(gone):
        if view.path.lower().endswith(LOOSE):
            continue
        text = text_of(gone, view)
        lines = [line.strip() for line in text.split("\n")]
        found = [(line, each) for line in lines if len(line) <= 160 and (each := ASSIGNS.match(line))]
        names = [each[1] for _, each in found]
        for line, each in found:
            answer = each[2] or each[3]
            question = gone.ask("value", name=each[1], path=view.path)
            if names.count(each[1]) > 1 or _times_set(each[1], text) != 1:
                continue
            told = sum(map(len, novel(answer, question)))
            plain = often(answer) if each[2] is None else told < VALUE
            position = shown_at(gone, view, line)
            if not holds(gone, view, position, line) or gone.revised(line, answer, position):
                continue
            if len(each[1]) > 4 and concrete(answer) and not plain and telling(answer, question):
                yield Probe(kind="recall", question=question, answer=answer, address=f"m{position}", difficulty="hard")


def _times_set(name: str, text: str) -> int:
    return len(re.findall(rf"\b{re.escape(name)}\b\s*(?:=(?!=)|:)", text))
