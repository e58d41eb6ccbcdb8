"""Whether an answer says what the log says: exactly, or in a form that changes no fact.

Each sort of answer has its own idea of the same: a path with or without its folder, a number with or without its
separators, a name in quotes, an error without its prefix. What differs in a name, a number or a "not" is another fact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from context_kit._lazily import regex
from context_kit.probes._exchanged import exchanged
from context_kit.probes._heard import HAN, cleaned, runs_in, tokens
from context_kit.summary import Name, names
from context_kit.tools import parts, same_file

__all__ = ["Sort", "said_as", "says", "sort_of"]

Sort: TypeAlias = Literal["path", "number", "name", "text"]

NUMBER = regex(r"([-+]?\d+(?:\.\d+)?)\s*(%|[a-zA-Zµ\u03bc\u4e00-\u9fff]{1,12})?", re.ASCII)
WHOLE_NUMBER = regex(r"[-+]?(?:\d{1,3}(?:[,_]\d{3})+|\d+)(?:\.\d+)?\s*(?:%|[a-zA-Zµ\u4e00-\u9fff]{1,10})?\Z")
ONE_NAME = regex(r"[\w$@.:#<>-]+(?:\(\))?")
PLACE = regex(r"(?::\d+(?:[:-]\d+)?|#L\d+(?:-L?\d+)?|\(\d+\)|@\d+)\Z")
"""A place in a file behind its path."""
PATH = regex(r"[^\s`\"'<>|*?(),;]*[/\\.][^\s`\"'<>|*?(),;]*")
PREFIX = regex(
    r"\A\W*(?:E\s+)?(?:[\w.]*(?:Error|Exception|Warning|Panic|Fault|Failure)\w*|error|fatal|panic|warning|failed|failure|"
    r"错误|报错|失败|异常)(?:\[\w+\])?(?:\s*\([^)]*\))?\s*[:：]\s*(?:\[\w+ ?\d+\]\s*)?",
    re.IGNORECASE,
)
"""What stands before an error's own words."""
ERROR_TYPE = regex(r"\b[A-Za-z]\w*(?:Error|Exception)\b")
NUMBERED = regex(r"\A\s*\d{1,3}[.)]\s+")
"""The number of a list's item."""
UNITS: Mapping[str, str] = {
    word: unit
    for unit, words in {
        "%": "% percent per cent pct 百分",
        "s": "s sec secs second seconds 秒",
        "ms": "ms msec millisecond milliseconds 毫秒",
        "us": "us µs \u03bcs microsecond microseconds 微秒",
        "min": "min mins minute minutes 分钟",
        "h": "h hr hrs hour hours 小时",
        "d": "day days 天",
        "kb": "kb kib kilobytes 千字节",
        "mb": "mb mib megabytes 兆",
        "gb": "gb gib gigabytes",
    }.items()
    for word in words.split()
}
SMALL = dict(
    zip("zero one two three four five six seven eight nine ten eleven twelve".split(), map(str, range(13)), strict=True)
) | dict(zip("零一二三四五六七八九十", map(str, range(11)), strict=True))
COMMON = frozenset(
    "__init__.py __main__.py conftest.py setup.py main.py utils.py types.py index.js index.ts index.tsx index.html "
    "main.js main.ts main.go mod.rs lib.rs main.rs package.json readme.md makefile dockerfile cargo.toml "
    "pyproject.toml".split()
)
"""Names that many files of one project have: they tell no file by themselves."""
STOP = frozenset(
    "a an and are as at be been by for from had has have he her his i if in into is it its of on or our she so than "
    "that the their them then there these they this those to us was we were which who will with you your just "
    "also very 的 了 在 是 把 被 和 与 及 或 也 都 就".split()
)
NOT = regex(r"\b(?:not?|never|none|without|forbid\w*|n['’]t)\b|n['’]t\b|不|没|未|勿|禁|别|无", re.IGNORECASE)
PROSE = 6
"""Words of a sentence from which on another wording of it is looked for."""
WORDED = 0.85
"""Share of them that stand in it in their order."""
BEGINNING = 0.6
"""Share of a text of which its beginning is enough, where nothing else follows in its place."""
FEWEST = 4


def sort_of(text: str) -> Sort:
    """What sort of answer the log's own is."""
    bare = text.strip().strip("`\"'")
    if WHOLE_NUMBER.fullmatch(bare):
        return "number"
    if not ONE_NAME.fullmatch(bare) and (any(map(str.isspace, bare)) or not PATH.search(bare)):
        return "text"
    found = list(names(f"`{PLACE.sub('', bare)}`"))
    return "path" if len(found) == 1 and found[0].kind == "path" else "name" if ONE_NAME.fullmatch(bare) else "text"


def said_as(name: Name) -> Sort:
    """The sort that a name in an answer belongs to."""
    return {"path": "path", "number": "number"}.get(name.kind, "name")  # type: ignore[return-value]


def says(expected: str, said: str, *, of: str = "") -> bool:
    """Whether a cleaned answer, or a part of one, says this.

    Args:
        expected: a right answer.
        said: the answer.
        of: the whole of which `expected` is a part that will do, such as the end of a path: what else the answer
            says of it has to be true as well.
    """
    if of and sort_of(of) == "path" and _ends(parts(_bare_path(of)), parts(_bare_path(expected))):
        return any(
            _ends(parts(_bare_path(of)), parts(found)) and _ends(parts(found), parts(_bare_path(expected)))
            for found in map(_bare_path, _paths(said))
        )
    return SAME[sort_of(expected)](expected.strip(), said)


def _ends(path: Sequence[str], end: Sequence[str]) -> bool:
    """Whether one of two paths ends as the other one."""
    size = min(len(path), len(end))
    return size > 0 and tuple(path[-size:]) == tuple(end[-size:])


# -- paths ---------------------------------------------------------------------------------


def _same_path(expected: str, said: str) -> bool:
    wanted = _bare_path(expected)
    place = _place(expected)
    found = [path for path in _paths(said) if not (place and _place(path)) or _place(path) == place]
    if any(_one_file(wanted, _bare_path(path)) for path in found):
        return True
    return not any(_longer(wanted, path) for path in found) and _same_words(expected, said)


def _longer(wanted: str, said: str) -> bool:
    """Whether another file's name begins with this one: `login.py.bak`."""
    return re.search(rf"{re.escape(wanted)}[.~\w-]", said) is not None


def _place(path: str) -> tuple[str, ...]:
    """The numbers of the place in a file that stands behind its path."""
    found = PLACE.search(path.strip().strip("`\"'"))
    return tuple(re.findall(r"\d+", found[0])) if found else ()


def _paths(text: str) -> Iterator[str]:
    for found in PATH.findall(text.replace("\\\\", "\\")):
        yield found.strip(":.!?[]{}=，。")


def _bare_path(text: str) -> str:
    path = text.strip().strip("`\"'").replace("\\", "/")
    while (shorter := PLACE.sub("", path)) != path:
        path = shorter
    return path.removeprefix("file://").removeprefix("a/") if path.startswith(("file://", "a/")) else path


def _one_file(wanted: str, said: str) -> bool:
    if not said:
        return False
    if same_file(wanted, said) or same_file(wanted.casefold(), said.casefold()):
        return True
    ours, theirs = parts(wanted), parts(said)
    last = theirs[-1] if theirs else ""
    alone = len(theirs) == 1 and "." in last and last.casefold() not in COMMON
    return alone and bool(ours) and ours[-1].casefold() == last.casefold()


# -- numbers -------------------------------------------------------------------------------


def _same_number(expected: str, said: str) -> bool:
    wanted = next(_numbers(expected), None)
    if wanted is None:
        return _same_words(expected, said)
    return any(value == wanted[0] and _unit(unit, wanted[1]) for value, unit in _numbers(said))


def _numbers(text: str) -> Iterator[tuple[float, str]]:
    text = re.sub(r"(?<=\d)[,_](?=\d{3}(?!\d))", "", text)
    text = re.sub(
        r"[A-Za-z]+|[零一二三四五六七八九十](?![\u4e00-\u9fff])", lambda m: SMALL.get(m[0].lower(), m[0]), text
    )
    for found in NUMBER.finditer(text):
        if not _inside(text, found.start(1), found.end(1)):
            yield float(found[1]), UNITS.get((found[2] or "").lower(), "")


def _inside(text: str, start: int, end: int) -> bool:
    """Whether digits are a part of a name, of a version or of another number."""
    before, after = text[start - 1 : start], text[end : end + 2]
    joined = (before.isalnum() and before.isascii()) or before in ("_", ".")
    return bool(before and joined) or after[:1] == "_" or (after[:1] == "." and after[1:].isdigit())


def _unit(said: str, wanted: str) -> bool:
    return not said or not wanted or said == wanted


# -- names ---------------------------------------------------------------------------------


def _same_name(expected: str, said: str) -> bool:
    bare = expected.strip("`\"'").removesuffix("()")
    found = re.finditer(rf"(?<![^\W{HAN}])(?<!-)(?<!\d\.){re.escape(bare)}(?![^\W{HAN}]|-|\.\d)", said, re.IGNORECASE)
    if any(_same_case(bare, match[0], first=match.start() <= 1) for match in found):
        return True
    pieces = [piece for piece in re.split(r"::|[.#]", bare) if piece.isidentifier()]
    stands = [re.search(rf"(?<!\w){re.escape(piece)}(?!\w)", said) for piece in pieces]
    return len(pieces) > 1 and all(stands)


def _same_case(wanted: str, said: str, *, first: bool) -> bool:
    """Whether another case is no other name: `TIMEOUT` and `timeout`, `User` and `user` are two."""
    if wanted == said:
        return True
    if wanted.isupper() != said.isupper():
        return False
    if wanted[1:] == said[1:]:
        return first or not wanted.isidentifier() or "_" in wanted
    return "_" in wanted or "-" in wanted or "." in wanted


# -- texts ---------------------------------------------------------------------------------


def _same_words(expected: str, said: str) -> bool:
    wanted, heard = tokens(cleaned(expected)), tokens(said)
    if not wanted:
        return expected.strip() in said
    return runs_in(wanted, heard) >= 0


def _same_text(expected: str, said: str) -> bool:
    heard = tokens(said)
    for form in dict.fromkeys((expected, PREFIX.sub("", expected), NUMBERED.sub("", expected))):
        wanted = tokens(cleaned(form))
        if form != expected and set(ERROR_TYPE.findall(said)) - set(ERROR_TYPE.findall(expected)):
            continue
        at = runs_in(wanted, heard) if len(wanted) >= min(2, len(tokens(cleaned(expected)))) else -1
        numbered = at > 0 and NUMBERED.match(expected) is not None and heard[at - 1].isdigit()
        if at >= 0 and not (numbered and form != expected):
            return True
    return _begins(tokens(cleaned(expected)), said) or _worded(expected, said)


def _begins(wanted: Sequence[str], said: str) -> bool:
    """Whether the answer gives the beginning of a text, and nothing else in place of its end."""
    least = max(FEWEST, int(BEGINNING * len(wanted) + 0.999))
    if len(wanted) <= least:
        return False
    for line in re.split(r"[\n`]|\.{3}(?=\W*\Z)|[.!?](?=\s|\Z)|,?\s\((?=[a-z])", said):
        heard = tokens(line)
        at = runs_in(wanted[:least], heard)
        if at >= 0 and tuple(heard[at:]) == tuple(wanted[: len(heard) - at]):
            return True
    return False


def _worded(expected: str, said: str) -> bool:
    """Whether a sentence is told in nearly its own words: each name and number, and the "not"."""
    if not all(says(name.text, said) for name in names(expected)):
        return False
    wanted = [token for token in tokens(cleaned(expected)) if token not in STOP]
    if (
        sum(token.isalpha() for token in wanted) < PROSE
        or CODE.search(expected)
        or bool(NOT.search(expected)) != bool(NOT.search(said))
    ):
        return False
    heard = [token for token in tokens(said) if token not in STOP]
    if any(any(map(str.isdigit, token)) and heard.count(token) < wanted.count(token) for token in wanted):
        return False
    return not exchanged(wanted, [token for token in heard if token not in STOP]) and _in_order(
        wanted, heard
    ) >= WORDED * len(wanted)


CODE = regex(rf"[={{}};|&$\\]|\w\(|->|^\s*[@#<]|[^\W{HAN}]\.[^\W\d{HAN}]")
"""A line of code or a command: there each sign counts."""


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


SAME: Mapping[Sort, Callable[[str, str], bool]] = {
    "path": _same_path,
    "number": _same_number,
    "name": _same_name,
    "text": _same_text,
}
