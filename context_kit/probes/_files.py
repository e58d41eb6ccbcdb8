"""Questions about files: lines of their content, where a function stands, what edits changed.

The first two are the first article's own (5.1): the current file's content, and the place of a key function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from context_kit.engrams import Contract, Deed, current_file
from context_kit.probes._gone import Gone, spread
from context_kit.probes._telling import apart, concrete, novel, telling
from context_kit.probes._turns import rounds
from context_kit.probes._types import Difficulty, Probe
from context_kit.tools import FileView, same_file

__all__ = ["changes", "contents", "edited", "more", "values", "where"]

FILES = 12
"""So many files, the ones in work first, are asked about."""
SHORTEST = 14
"""Characters of a line that is asked for or asked about."""
NAME = re.compile(r"[A-Za-z_]\w{4,}")
DECLARES = re.compile(r"^(?:async def|def|class|function|func|fn|interface|struct|type|const|export)\b")
LOADS = re.compile(
    r"^(?:import|from|#include|use|require|package|using|export \{|} from)\b|^#!|^//|^#|^\*|^<!|"
    r"^/\*|^</?(?:meta|link|html|head|body|script)\b"
)
"""Lines that many files have: what they load, what they remark, what a page begins with."""
NAMELESS = re.compile(r"test|__|.*#|constructor$|render$|setup$|default$", re.IGNORECASE)
"""Names that many files declare."""
LOOSE = (".html", ".css", ".scss", ".tsx", ".jsx", ".vue", ".svelte", ".md", ".txt", ".patch", ".diff")
"""Ends of files in which `name: value` gives no name a value."""
ASSIGNS = re.compile(
    r"^(?:export |const |let |var |static |final |readonly |self\.|this\.)*"
    r"([A-Za-z_][\w.-]{3,40})(?:: ?[\w\[\]. |]{1,40})?"
    r"\s*(?:=|:|:=)\s*(?:[\"'`]([^\"'`]{3,100})[\"'`]|(\d[\w.]{1,30}))\s*[,;]?\s*(?:[#/].*)?$"
)
"""A line that gives a name a plain value."""
DECLARED = 60
"""So many declarations of one file are looked at."""
BLOCK = 24
"""Candidates of one file that are looked at."""


def contents(gone: Gone) -> Iterator[Probe]:
    """Lines of files, each by the line beside it: three of the current file, one of each other."""
    current = current_file(gone.trail)
    for view in _views(gone):
        yield from islice(_lines(gone, view), 3 if view is current else 1)


def more(gone: Gone) -> Iterator[Probe]:
    """The same, of each file in turn as many as it has: where little else can be asked."""
    return rounds(_lines(gone, view) for view in _views(gone))


def _lines(gone: Gone, view: FileView) -> Iterator[Probe]:
    for before, line, after in _triples(_text(gone, view)):
        probe = _beside(gone, view, "after", before, line) or _beside(gone, view, "before", after, line)
        if probe is not None:
            yield probe


def _views(gone: Gone) -> list[FileView]:
    """The current file, then edited ones, then read ones, the newest first."""
    current = current_file(gone.trail)
    views = [view for view in gone.trail.files.views.values() if view.path and not view.gone]
    views.sort(key=lambda view: (view is current, view.edited, view.as_of), reverse=True)
    return views[:FILES]


def _text(gone: Gone, view: FileView) -> str:
    """What is known of a file, without its secrets."""
    return gone.redact(view.text if view.text is not None else "\n\n".join(view.regions[-1:]))


def _triples(text: str) -> list[tuple[str, str, str]]:
    """Telling lines with their neighbours, the ones that say most first; each line stands once in the text."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    times = {line: lines.count(line) for line in set(lines)} if len(lines) <= 400 else _times(lines)
    found = [
        (lines[at - 1] if at else "", line, lines[at + 1] if at + 1 < len(lines) else "")
        for at, line in enumerate(lines)
        if len(line) >= SHORTEST and times[line] == 1 and not LOADS.match(line)
    ]
    found = [(b if times.get(b) == 1 else "", line, a if times.get(a) == 1 else "") for b, line, a in found]
    return sorted(found, key=lambda each: -len(set(NAME.findall(each[1]))))[:BLOCK]


def _times(lines: Sequence[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in lines:
        found[line] = found.get(line, 0) + 1
    return found


def _beside(gone: Gone, view: FileView, form: str, near: str, line: str) -> Probe | None:
    """The line that stands beside another one."""
    if len(near) < SHORTEST or LOADS.match(near) or len(near) > 200:
        return None
    question = gone.ask(form, path=view.path, line=near)
    if not telling(line, question) or len(novel(line, question)) < 3:
        return None
    return _probe(question, line, gone.newest(line, near), "hard" if form == "before" else "medium")


def where(gone: Gone) -> Iterator[Probe]:
    """Functions and classes whose file is asked for, those of the current file first; what follows them, where the
    file's name says it.
    """
    views = [view for view in _views(gone) if view.text]
    places: dict[str, list[str]] = {}
    for view in gone.trail.files.views.values():
        for contract in gone.trail.declared(view) if view.text else ():
            places.setdefault(contract.name, []).append(view.path)
    for view in views:
        found = 0
        declared = gone.trail.declared(view)
        for at, contract in sorted(enumerate(declared[:DECLARED]), key=lambda each: -_named(gone, each[1])):
            probe = _where(gone, view, contract, places) or _follows(gone, view, declared, at)
            if probe is not None:
                yield probe
                found += 1
            if found == 2:
                break


def _named(gone: Gone, contract: Contract) -> int:
    """How often the session names it: a key function often."""
    return gone.whole.count(_name(contract))


def _name(contract: Contract) -> str:
    return contract.name.rpartition(".")[2]


def _where(gone: Gone, view: FileView, contract: Contract, places: dict[str, list[str]]) -> Probe | None:
    name = contract.name
    if len(name) < 5 or contract.kind == "section" or len(places[name]) > 1 or NAMELESS.match(_name(contract)):
        return None
    question = gone.ask("where", name=name)
    if not apart(view.path, question) or _shown_elsewhere(gone, view.path, name):
        return None
    position = max((_stated(gone, deed, view.path) for deed in gone.deeds if _touches(deed, view)), default=0)
    base = view.path.rpartition("/")[2]
    also = (f"{view.path}:{contract.line}", base, f"{base}:{contract.line}") if view.whole else (base,)
    return _probe(question, view.path, position, "easy", also=tuple(dict.fromkeys(also)))


def _shown_elsewhere(gone: Gone, path: str, name: str) -> bool:
    """Whether a search showed a declaration of this name in another file."""
    if "." in name:
        return False
    words = "def|class|function|func|fn|interface|struct|type|const"
    told = re.compile(rf"(\S+?\.\w+)[:-]\d+[:-].*\b(?:{words})\s+{re.escape(name)}\b")
    return any(found and not same_file(found[1], path) for found in map(told.match, gone.having(name)))


def _touches(deed: Deed, view: FileView) -> bool:
    act = deed.act
    return act.kind in ("edit", "read") and not act.failed and same_file(act.path, view.path)


def _stated(gone: Gone, deed: Deed, path: str) -> int:
    """Where a deed's messages name a path; 0 where they don't, or it stands in the window."""
    return next((at for at in (deed.position, deed.until) if gone.says(at, path)), 0)


def _follows(gone: Gone, view: FileView, declared: Sequence[Contract], at: int) -> Probe | None:
    """What is declared after something, in a file that is known whole."""
    if not view.whole or at + 1 >= len(declared) or declared[at + 1].kind == "section":
        return None
    one, other = declared[at], declared[at + 1]
    names = [contract.name for contract in declared]
    if "#" in one.name + other.name or other.name.startswith(one.name + ".") or names.count(one.name) > 1:
        return None
    if other.line < one.line + one.text.count("\n"):
        return None
    question = gone.ask("follows", path=view.path, name=one.name)
    answer = _name(other)
    if not NAME.fullmatch(answer) or not telling(answer, question):
        return None
    return _probe(question, answer, gone.newest(answer), "hard", also=(other.name,) if other.name != answer else ())


def changes(gone: Gone) -> Iterator[Probe]:
    """What edits put in the place of single lines, newest first, where it still stands."""
    seen: set[tuple[str, str]] = set()
    for deed in reversed(gone.trail.deeds):
        act = deed.act
        if act.kind != "edit" or act.failed:
            continue
        view = gone.trail.files.find(act.path)
        for old, new in _changed_lines(act.replacements):
            if (act.path, old) in seen or view is None:
                continue
            seen.add((act.path, old))
            if deed.until >= gone.cut or not _stands(view, deed, new) or len(old) < SHORTEST:
                continue
            question = gone.ask("changed", path=view.path, line=old)
            if len(novel(new, question)) >= 2 and telling(new, question):
                position = next((at for at in (deed.position, deed.until) if gone.says(at, new)), 0)
                yield _probe(question, new, position, "hard")


def _changed_lines(replacements: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Each line that was changed into exactly one other."""
    for old, new in replacements:
        before, after = old.split("\n"), new.split("\n")
        gone = [line.strip() for line in before if line not in after and line.strip()]
        come = [line.strip() for line in after if line not in before and line.strip()]
        if len(gone) == len(come) == 1:
            yield gone[0], come[0]


def _stands(view: FileView, deed: Deed, line: str) -> bool:
    return line in view.text if view.text is not None else view.last_edit == deed.until


def edited(gone: Gone) -> Iterator[Probe]:
    """Which files were edited: the last one, the one after another, the one that a line was put into."""
    edits = [deed for deed in gone.trail.deeds if deed.act.kind == "edit" and not deed.act.failed and deed.act.path]
    if edits and edits[-1].until < gone.cut:
        last = edits[-1]
        yield _path_probe(gone, gone.ask("edited"), last, "easy")
    yield from _put_into(gone, edits)
    yield from _next_edits(gone, edits)


def _next_edits(gone: Gone, edits: Sequence[Deed]) -> Iterator[Probe]:
    last = {deed.act.path: at for at, deed in enumerate(edits)}
    for path, at in last.items():
        after = edits[at + 1 : at + 2]
        if after and after[0].until < gone.cut and not same_file(after[0].act.path, path):
            question = gone.ask("edited_after", path=path)
            if apart(after[0].act.path, question):
                yield _path_probe(gone, question, after[0], "hard")


def _put_into(gone: Gone, edits: Sequence[Deed]) -> Iterator[Probe]:
    """Lines that one edit put into one file."""
    homes: dict[str, set[str]] = {}
    for deed in edits:
        for line in _new_lines(deed):
            homes.setdefault(line, set()).add(deed.act.path)
    for deed in spread([deed for deed in edits if deed.until < gone.cut]):
        best = sorted((line for line in _new_lines(deed) if homes[line] == {deed.act.path}), key=_worth, reverse=True)
        for line in best[:2]:
            question = gone.ask("into", line=line)
            if apart(deed.act.path, question):
                yield _path_probe(gone, question, deed, "medium")
                break


def _worth(line: str) -> int:
    return len(set(NAME.findall(line)))


def _new_lines(deed: Deed) -> set[str]:
    texts = [new for _, new in deed.act.replacements] or [deed.act.content or ""]
    lines = {line.strip() for text in texts for line in text.split("\n")}
    return {line for line in lines if 24 <= len(line) <= 100 and not LOADS.match(line) and _worth(line) > 1}


def _path_probe(gone: Gone, question: str, deed: Deed, difficulty: Difficulty) -> Probe:
    path = deed.act.path
    base = path.rpartition("/")[2]
    return _probe(question, path, _stated(gone, deed, path), difficulty, also=(base,) if base != path else ())


def values(gone: Gone) -> Iterator[Probe]:
    """Names in files and the plain values that they are given."""
    for view in _views(gone):
        if view.path.lower().endswith(LOOSE):
            continue
        text = _text(gone, view)
        lines = [line.strip() for line in text.split("\n")]
        found = [(line, each) for line in lines if len(line) <= 160 and (each := ASSIGNS.match(line))]
        names = [each[1] for _, each in found]
        for line, each in found:
            answer = each[2] or each[3]
            question = gone.ask("value", name=each[1], path=view.path)
            if names.count(each[1]) > 1 or _times_set(each[1], text) != 1:
                continue
            if len(each[1]) > 4 and concrete(answer) and telling(answer, question):
                yield Probe(
                    kind="recall", question=question, answer=answer, address=f"m{gone.newest(line)}", difficulty="hard"
                )


def _times_set(name: str, text: str) -> int:
    return len(re.findall(rf"\b{re.escape(name)}\b\s*(?:=(?!=)|:)", text))


def _probe(question: str, answer: str, position: int, difficulty: Difficulty, *, also: tuple[str, ...] = ()) -> Probe:
    return Probe(
        kind="artifact",
        question=question,
        answer=answer,
        address=f"m{position}",
        difficulty=difficulty,
        also=also,
    )
