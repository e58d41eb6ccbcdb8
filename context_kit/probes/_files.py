"""Questions about files: lines of their content, where a function stands, what follows it.

The first two are the first article's own (5.1): the current file's content, and the place of a key function.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from context_kit.engrams import Contract, Deed, current_file
from context_kit.probes._gone import Gone
from context_kit.probes._telling import NOVEL, apart, novel, telling
from context_kit.probes._turns import rounds
from context_kit.probes._types import Difficulty, Probe
from context_kit.tools import FileView, same_file

__all__ = [
    "LOADS",
    "NAME",
    "SHORTEST",
    "artifact",
    "contents",
    "holds",
    "more",
    "shown_at",
    "stated",
    "text_of",
    "views_of",
    "where",
]

FILES = 12
"""So many files, the ones in work first, are asked about."""
SHORTEST = 14
"""Characters of a line that is asked about ..."""
TELLING = 40
"""... and of one that is asked for, ..."""
SHORT = 28
"""... where little else can be asked for."""
WORDS = (6, 4)
"""Words of a line, and of a short one, that the line beside it and the path must not have."""
OWN = 0.65
"""Share of a line's letters that the line beside it and the path must not have."""
NAME = re.compile(r"[A-Za-z_]\w{4,}")
LOADS = re.compile(
    r"^(?:import|from|#include|use|require|package|using|export \{|} from)\b|^#!|^//|^#|^\*|^<!|"
    r"^/\*|^</?(?:meta|link|html|head|body|script)\b"
)
"""Lines that many files have: what they load, what they remark, what a page begins with."""
FORMS = re.compile(
    r"\bsuper\(|err != nil \{$|\buse(?:State|Ref|Effect|Memo|Callback)\b|\bif __name__\b|\bcatch\b|\bexcept\b|"
    r"\bon[A-Z]\w+=\{|\.replace\("
)
"""Forms of a language or a framework: who knows these can guess the line."""
COMPOUND = re.compile(r"\w_\w|[a-z][A-Z]|[A-Z]{2}[a-z]|\d|\.")
"""A name of several words; one of a single word says nothing of the session's own."""
NAMELESS = re.compile(
    r"test|__|.*#|(?:constructor|render|setup|teardown|default|main|init|perform|run|start|stop|call|execute|mount|update|"
    r"process|create|delete|load|save|close|open|new|build|parse|validate|apply|handle_?\w{0,8}|on[A-Z]\w{0,7}|"
    r"to_?(?:string|json|dict))$",
    re.IGNORECASE,
)
"""Names that many files declare, and that frameworks ask for."""
DECLARED = 60
"""So many declarations of one file are looked at."""
BLOCK = 24
"""Candidates of one file that are looked at."""


def contents(gone: Gone) -> Iterator[Probe]:
    """Lines of files, each by the line beside it: three of the current file, one of each other."""
    current = current_file(gone.trail)
    for view in views_of(gone):
        if view is current:
            yield from islice(chain(_lines(gone, view), _lines(gone, view, SHORT)), 3)
        else:
            yield from islice(_lines(gone, view), 1)


def more(gone: Gone) -> Iterator[Probe]:
    """The same, of each file in turn as many as it has: where little else can be asked."""
    return rounds(_lines(gone, view, SHORT) for view in views_of(gone))


def _lines(gone: Gone, view: FileView, least: int = TELLING) -> Iterator[Probe]:
    words = WORDS[least == SHORT]
    for before, line, after in _triples(text_of(gone, view), least):
        probe = _beside(gone, view, "after", before, line, words) or _beside(gone, view, "before", after, line, words)
        if probe is not None:
            yield probe


def views_of(gone: Gone) -> list[FileView]:
    """The current file, then edited ones, then read ones, the newest first."""
    current = current_file(gone.trail)
    views = [view for view in gone.trail.files.views.values() if view.path and not view.gone]
    views.sort(key=lambda view: (view is current, view.edited, view.as_of), reverse=True)
    return views[:FILES]


def text_of(gone: Gone, view: FileView) -> str:
    """What is known of a file, without its secrets."""
    return gone.redact(view.text if view.text is not None else "\n\n".join(view.regions[-1:]))


def _triples(text: str, least: int) -> list[tuple[str, str, str]]:
    """Telling lines with their neighbours, the ones that say most first; each line stands once in the text."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    times = Counter(lines)
    found = [
        (lines[at - 1] if at else "", line, lines[at + 1] if at + 1 < len(lines) else "")
        for at, line in enumerate(lines)
        if len(line) >= least and times[line] == 1 and not LOADS.match(line)
    ]
    found = [(b if times[b] == 1 else "", line, a if times[a] == 1 else "") for b, line, a in found]
    return sorted(found, key=lambda each: -len(set(NAME.findall(each[1]))))[:BLOCK]


def _beside(gone: Gone, view: FileView, form: str, near: str, line: str, words: int) -> Probe | None:
    """The line that stands beside another one."""
    if len(near) < SHORTEST or LOADS.match(near) or len(near) > 200:
        return None
    if FORMS.search(line) or (form == "after" and FORMS.search(near)):
        return None
    question = gone.ask(form, path=view.path, line=near)
    if (
        not telling(line, question, share=OWN if words == WORDS[0] else NOVEL)
        or len({word for word in novel(line, question) if len(word) > 1}) < words
    ):
        return None
    position = shown_at(gone, view, line, near)
    if not holds(gone, view, position, line, near):
        return None
    return artifact(question, line, position, "hard" if form == "before" else "medium")


def shown_at(gone: Gone, view: FileView, *lines: str) -> int:
    """The newest message that left in which an act on this file shows these lines; 0 where none does.

    Another file may have the same lines: a message that shows that one is no proof.
    """
    looks = gone.doubts.looks(view.path)
    places = (at for deed in reversed(looks) for at in (deed.until, deed.position))
    if not looks:  # moved since it was seen: its acts have another name
        return gone.newest(*lines)
    return next((at for at in places if all(gone.says(at, line) for line in lines)), 0)


def holds(gone: Gone, view: FileView, position: int, *lines: str) -> bool:
    """Whether lines of a file, which stand in a message that left, are its own still, as far as the log tells."""
    doubts = gone.doubts
    return not doubts.unseen(view.path, *lines) and not any(
        doubts.otherwise(view.path, line, position) for line in lines
    )


def where(gone: Gone) -> Iterator[Probe]:
    """Functions and classes whose file is asked for, those of the current file first; what follows them, where the
    file's name says it.
    """
    views = [view for view in views_of(gone) if view.text]
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
    loose = contract.text[:1].isspace() and "." not in name  # a member whose class was not seen
    if loose or not COMPOUND.search(name):
        return None
    question = gone.ask("where", name=name)
    if not apart(view.path, question) or _shown_elsewhere(gone, view.path, name):
        return None
    if gone.doubts.unseen(view.path, contract.text.split("\n")[0].strip()):
        return None
    position = max((stated(gone, deed, view.path) for deed in gone.deeds if _touches(deed, view)), default=0)
    base = view.path.rpartition("/")[2]
    also = (f"{view.path}:{contract.line}", base, f"{base}:{contract.line}") if view.whole else (base,)
    return artifact(question, view.path, position, "easy", also=tuple(dict.fromkeys(also)))


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


def stated(gone: Gone, deed: Deed, path: str) -> int:
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
    if not NAME.fullmatch(answer) or NAMELESS.match(answer.removeprefix("Test")) or not telling(answer, question):
        return None
    lines = [contract.text.strip().split("\n")[0] for contract in (one, other)]
    position = shown_at(gone, view, *lines) or shown_at(gone, view, lines[1])
    if gone.doubts.unseen(view.path, lines[1]):
        return None
    return artifact(question, answer, position, "hard", also=(other.name,) if other.name != answer else ())


def artifact(question: str, answer: str, position: int, difficulty: Difficulty, *, also: tuple[str, ...] = ()) -> Probe:
    """A question about a file."""
    return Probe(
        kind="artifact",
        question=question,
        answer=answer,
        address=f"m{position}",
        difficulty=difficulty,
        also=also,
    )
