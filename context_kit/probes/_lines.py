"""A line with a gap: its number, name or path is asked for, where the log has no other line that differs only there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from context_kit.probes._gone import Gone
from context_kit.probes._telling import LONGEST, closed, concrete, novel, often, telling, words_of
from context_kit.probes._types import Probe, ProbeKind
from context_kit.probes._words import GAP

__all__ = ["DATA", "LEAST", "gaps", "half"]

LEAST, MOST = 24, 260
"""Characters of a line that is asked about."""
TOKEN = re.compile(
    r"(?P<url>https?://[^\s\"'`)>\]]+[\w/])|`(?P<ticked>[^`\n]{3,80})`|(?<![\w=(])\"(?P<quoted>[^\"\n]{3,60})\"(?!\w)"
    r"|\*\*(?P<bold>[^*\n]{3,60})\*\*|“(?P<said>[^”\n]{3,60})”"
    r"|(?P<path>(?<![\w:/$}])(?:[\w~.@-]+)?(?:/[\w.@-]+){2,}|(?<![\w:/$}])[\w@-]+(?:/[\w.@-]+)+\.\w{1,6}|"
    r"[\w-]{3,}\.(?:py|js|ts|tsx|go|rs|md|json|sh|c|h|yml|toml)\b)"
    r"|(?P<name>\b[A-Za-z]+(?:_\w+)+\b|\b[a-z]+[A-Z]\w+\b|\b[A-Z][a-z]+[A-Z]\w+\b)"
    r"|(?P<id>\b(?=\w*\d)(?=\w*[A-Za-z])\w{5,}\b)"
    r"|(?P<number>(?<![\w.-])\$?\d[\d,.:-]*\d%?(?![\w.-]))"
)
"""What a gap may stand for, the most telling first."""
DATA = re.compile(
    r"\{\"|\{'|</\w|<\w+>|\\n|\s{4,}|[│┌└├─━═]{2}|│|^[-dlbcps][rwxsStT-]{9}|"
    r"^(?:File \"|at (?:async )?\S|(?:WARNING|warning|hint|Hint|npm|\[notice\])\b)"
)
"""Signs of a line that is data or markup, a drawing, a stack frame, a folder's listing."""
CODE = re.compile(
    r"[;{(\[,]$|% \(|\b(?:self|this)\.\w|\w\([^)]*\)|\w\.\w+\(|"
    r"(?:^|[:-]\s*)(?:import|from|const|let|var|def|class|func|function|fn|if|return|for|export|private|public|type|"
    r"interface|@\w+)\b"
)
"""Signs of a line of code: a name in it can often be guessed from the others."""
MEASURE = re.compile(r"\b\d+(?:\.\d+)?\s?(?:(?:ms|s|secs?|seconds|µs|us|ns|[KMG]i?B?|kB)\b|%)")
"""What was measured: nobody tells a line by it."""
SHOWN = ("output", "document")
"""Questions about what tools showed."""
NEW = 5
"""Words of half a line that its question must not have."""


def gaps(
    gone: Gone,
    form: str,
    kind: ProbeKind,
    line: str,
    position: int,
    **words: str,
) -> Iterator[Probe]:
    """Questions about one line, each with another of its words left out, the most telling first.

    Args:
        gone: the session.
        form: which question.
        kind: of the probe.
        line: a whole line or sentence of the message.
        position: of the message.
        words: what else the question says.
    """
    if not LEAST <= len(line) <= MOST or "\n" in line or DATA.search(line):
        return
    plain = form not in SHOWN or CODE.search(line) is None
    found = [token for token in TOKEN.finditer(line) if plain or token.lastgroup not in NAMES]
    for token in sorted(found, key=lambda each: RANK[each.lastgroup or ""]):
        group = token.lastgroup or ""
        answer = token[group]
        before, after = line[: token.start(group)], line[token.end(group) :]
        question = gone.ask(form, line=f"{before}{GAP}{after}", **words)
        if len(words_of(before + after)) < 3 or not telling(answer, question) or _guessed(answer, group):
            continue
        if KEYED.match(after) or OPENED.search(before) or (not plain and group == "path" and "/" not in answer):
            continue
        if not _told_apart(gone, before, after, answer) or gone.revised(line, answer, position):
            continue
        if group in LOOSE and not (concrete(answer) and answer == answer.strip()):
            continue
        if (group in LOOSE or (form in SHOWN and group in ("url", "path"))) and not _met(gone, line, answer):
            continue
        alike = sum(each.lastgroup == group for each in found)
        yield Probe(
            kind=kind,
            question=question,
            answer=answer,
            address=f"m{position}",
            difficulty=("hard" if alike > 1 or group == "number" else "medium"),
        )


def _told_apart(gone: Gone, before: str, after: str, answer: str) -> bool:
    """Whether no other line has another word there; nor one that differs in what was measured as well."""
    if not gone.once(before, after, answer):
        return False
    if not MEASURE.search(before) and not MEASURE.search(after):
        return True
    return gone.once(MEASURE.split(before)[-1], MEASURE.split(after)[0], answer)


def half(gone: Gone, form: str, line: str, position: int, **words: str) -> Iterator[Probe]:
    """The question how a line goes on, where its second half names something and no other line begins so."""
    at = line.find(" ", len(line) // 2)
    start, rest = line[:at], line[at:].strip()
    if at < 0 or not closed(start) or not LEAST <= len(rest) <= LONGEST or len(line) > 2 * LONGEST or DATA.search(line):
        return
    question = gone.ask(form, line=start, **words)
    if len(novel(rest, question)) < NEW or not concrete(rest):
        return
    if all(other.strip().startswith(rest) for other in gone.after(start)) and not gone.revised(line, rest, position):
        yield Probe(kind="recall", question=question, answer=rest, address=f"m{position}", difficulty="hard")


KEYED = re.compile(r"[\"'`]?\s?(?::|=(?!=))|\.\d")
"""What follows a key or an attribute, whose name is told by its value, and the rest of a name with a version."""
OPENED = re.compile(r"(?:</?|#)$")
"""What stands before a tag or a colour."""
LETTERS, TWO, ID = 9, 2, 6
"""Letters and words of a name, and characters of an id, that nobody guesses."""
NAMES = ("name", "ticked", "quoted", "id")
LOOSE = ("ticked", "quoted", "said", "bold")
"""What may be a standing phrase of a program: it is asked for where the session has it elsewhere as well."""
RANK = {name: at for at, name in enumerate(("url", "path", "ticked", "name", "id", "quoted", "said", "bold", "number"))}


def _met(gone: Gone, line: str, answer: str) -> bool:
    """Whether other lines of the log have it."""
    return any(line not in other for other in gone.having(answer))


def _guessed(answer: str, group: str) -> bool:
    """Whether it could be guessed: a number of few figures or of many texts, a name or a path of few letters."""
    letters, parts = sum(char.isalpha() for char in answer), words_of(answer)
    if group == "number":
        return re.search(r"\d\d", answer) is None or often(answer)
    if group == "id":
        return len(answer) < ID or re.search(r"\d\D*\d", answer) is None
    if group == "path" and "/" not in answer.lstrip("/"):
        return len(parts) < TWO + 1 or letters < LETTERS
    return letters < LETTERS or len(parts) < TWO
