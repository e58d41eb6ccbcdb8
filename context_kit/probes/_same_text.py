"""Whether a text says a sentence, an error or a line of code: in its own words, all of them in their order.

What may differ is what no fact hangs on: marks, quotes, an error's type left out, a number before a list's item. In a
line of code or a command each sign counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from context_kit._lazily import regex
from context_kit.probes._exchanged import exchanged
from context_kit.probes._heard import HAN, Run, cased_alike, cleaned, run_of, runs_in, tokens
from context_kit.summary import names

__all__ = ["same_text"]

PREFIX = regex(
    r"\A\W*(?:E\s+)?(?:[\w.]*(?:Error|Exception|Warning|Panic|Fault|Failure)\w*|error|fatal|panic|warning|failed|failure|"
    r"错误|报错|失败|异常)(?:\[\w+\])?(?:\s*\([^)]*\))?\s*[:：]\s*(?:\[\w+ ?\d+\]\s*)?",
    re.IGNORECASE,
)
"""What stands before an error's own words."""
LABEL = regex(r"([A-Za-z\u4e00-\u9fff]+)\W{0,2}[:：]\W*\Z")
ERROR_TYPE = regex(r"\b[A-Za-z]\w*(?:Error|Exception)\b")
NUMBERED = regex(r"\A\s*\d{1,3}[.)]\s+")
"""The number of a list's item."""
REASON = regex(r"\A\W*(?:because|since|as|due to|因为|由于)\s*", re.IGNORECASE)
"""What makes a reason of a sentence."""
CODE = regex(rf"[={{}};|&$\\]|\w\(|->|^\s*[@#<]|[^\W{HAN}]\.[^\W\d{HAN}]")
"""A line of code or a command: there each sign counts."""
COMMENT = regex(r"(?:\A|\n|`)\s*(?:#|//|--)\s*\Z")
GOES_ON = regex(
    r"`?(?:[ \t]*(?:(?:or|and|if|else|is|in|not)\b(?! (?:so|it|i|that|the)\b)[^.\n]*\Z|[+*/%=?]\s*[\w\"'({\[]|-\s*\d)|"
    r"\.\w|[\[(][\w\"'({\[])"
)
"""What makes a longer line of it: `... or None`."""
MORE_OF_IT = regex(r"\s*,\s*[\w\"']")
"""What goes on before the bracket that should close it: `, stream=True)`."""
UNIT_APART = regex(r"(?<=\d)\s+(?=(?:ns|us|ms|s|min|h|kb|mb|gb|%)(?!\w))", re.IGNORECASE)
JOINS = frozenset("a an the and in is was are were took of 的 了 和 与".split())
"""Words that join the figures of a result, and say nothing."""
STOP = frozenset(
    "a an and are as at be been by for from had has have he her his i if in into is it its of on or our she so than "
    "that the their them then there these they this those to us was we were which who will with you your just "
    "also very 的 了 在 是 把 被 和 与 及 或 也 都 就".split()
)
NOT = regex(r"\b(?:not?|never|none|without|forbid\w*|n['’]t)\b|n['’]t\b|不|没|未|勿|禁|别|无", re.IGNORECASE)
FORBIDS = regex(r"\b(?:never|(?:do|does|did|must|should|may|shall)(?:\s+not|n['’]t)|don['’]t)\b", re.IGNORECASE)
"""Ways to write one "not"."""
PROSE = 6
"""Words of a sentence from which on another wording of it is looked for."""
WORDED = 0.85
"""Share of them that stand in it in their order."""
BEGINNING = 0.6
"""Share of a text of which its beginning is enough, where nothing else follows in its place."""
FEWEST = 4


def same_text(expected: str, said: str) -> bool:
    """Whether an answer says a text."""
    if not cased_alike(cleaned(expected), said):
        return False
    if any(run is not None and _whole(expected, run) for run in _runs(expected, said)):
        return True
    code = CODE.search(expected) is not None
    return _begins(tokens(cleaned(expected)), said, clipped=code) or (
        not code and (_result(expected, said) or _worded(expected, said))
    )


def _runs(expected: str, said: str) -> Iterator[Run | None]:
    """Where it stands: as it is, without an error's type, a list's number, a because."""
    yield run_of(expected, said)
    fewest = min(2, len(tokens(cleaned(expected))))
    for part in (PREFIX, NUMBERED, REASON):
        form = part.sub("", expected)
        if form == expected or len(tokens(cleaned(form))) < fewest:
            continue
        if set(ERROR_TYPE.findall(said)) - set(ERROR_TYPE.findall(expected)):
            continue
        run = run_of(form, said)
        if run is not None and not _relabelled(expected, run):
            yield run


def _relabelled(expected: str, run: Run) -> bool:
    """Whether another label or number stands before the words: "warning" for "error"."""
    if NUMBERED.match(expected) and run.before.isdigit():
        return True
    label = LABEL.search(run.text[: run.start])
    own = PREFIX.match(expected)
    return label is not None and PREFIX.match(label[0]) is not None and (own is None or label[1] not in own[0])


def _whole(expected: str, run: Run) -> bool:
    """Whether a line of code stands there as a whole line, and not as a comment or in a longer one."""
    if CODE.search(expected) is None:
        return True
    before, behind = run.text[: run.start], run.text[run.end :]
    commented = COMMENT.search(before) is not None and not expected.lstrip().startswith(("#", "//", "--"))
    if expected.rstrip().endswith((")", "]", "}")) and MORE_OF_IT.match(behind):
        return False
    closing = len(behind) - len(behind.lstrip("\"')]};,"))
    return not commented and GOES_ON.match(behind[closing:]) is None


def _begins(wanted: Sequence[str], said: str, *, clipped: bool) -> bool:
    """Whether the answer gives the beginning of a text, and nothing else in place of its end.

    Args:
        wanted: its words.
        said: the answer.
        clipped: the answer has to say itself that there is more.
    """
    least = max(FEWEST, int(BEGINNING * len(wanted) + 0.999))
    if len(wanted) <= least or (clipped and "..." not in said):
        return False
    strange = _figures(tokens(said)) - set(wanted)
    for line in re.split(r"[\n`]|\.{3}(?=\W*\Z)|[.!?](?=\s|\Z)|,?\s\((?=[a-z])", said):
        heard = tokens(line)
        at = runs_in(wanted[:least], heard)
        rest = wanted[len(heard) - at :]
        if at >= 0 and tuple(heard[at:]) == tuple(wanted[: len(heard) - at]) and not (_figures(rest) and strange):
            return True
    return False


def _figures(words: Sequence[str]) -> set[str]:
    return {word for word in words if any(map(str.isdigit, word))}


def _result(expected: str, said: str) -> bool:
    """Whether the figures of a result stand there with their words: "3 failed and 41 passed (2.17 s)"."""
    if not any(map(str.isdigit, expected)) or _nots(expected) != _nots(said):
        return False
    wanted, heard = (
        [token for token in tokens(UNIT_APART.sub("", text)) if token not in JOINS]
        for text in (cleaned(expected), said)
    )
    return len(wanted) >= FEWEST and runs_in(wanted, heard) >= 0


def _worded(expected: str, said: str) -> bool:
    """Whether a sentence is told in nearly its own words: each name and number, and the "not"."""
    if not all(run_of(name.text, said) for name in names(expected)):
        return False
    wanted, heard = _content(cleaned(expected)), _content(said)
    if sum(token.isalpha() for token in wanted) < PROSE or _nots(expected) != _nots(said):
        return False
    if any(heard.count(figure) < wanted.count(figure) for figure in _figures(wanted)):
        return False
    return not exchanged(wanted, heard) and _in_order(wanted, heard) >= WORDED * len(wanted)


def _nots(text: str) -> int:
    return sum(1 for _ in NOT.finditer(text))


def _content(text: str) -> list[str]:
    return [token for token in tokens(FORBIDS.sub("not", text)) if token not in STOP]


def _in_order(wanted: Sequence[str], heard: Sequence[str]) -> int:
    """How many words stand in others in the same order (longest common subsequence)."""
    row = [0] * (len(heard) + 1)
    for word in wanted:
        before = 0
        for at, other in enumerate(heard, 1):
            kept = row[at]
            row[at] = before + 1 if word == other else max(kept, row[at - 1])
            before = kept
    return row[-1]
