"""Declarations of the languages with braces, and of those whose declaration is one line.

From the start of a declaration to its end, by brackets and indentation, never by parsing.

Each look is bounded (40 lines, 6,000 characters), so that a file full of openings stays linear. A bracket in a
string can end a declaration early or late; it is then still whole lines of the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from context_kit._lazily import regex
from context_kit.engrams._grammars import Grammar
from context_kit.engrams._places import HEADS, REACH, Found, line_end, lines_end, too_wide

__all__ = ["braced"]

_BRACKET = regex(r"[()\[\]{};\n]")
_BRANCH = regex(r"\r?\n[ \t]*[|&]")
_NAME = regex(r"~?[A-Za-z_][\w:~]*\Z")
_STATEMENTS = (
    "if else for while switch return case do sizeof goto using namespace catch throw new delete await yield "
    "assert typeof super function import export defined try not and or in is of elif when with until foreach lock"
)
_UNSURE: Final = frozenset(_STATEMENTS.split())
"""Words before a parenthesis that make a statement, not a declaration."""
_VALUES: Final = ("const", "let", "var")
_KINDS: Final = {
    "def": "function",
    "fn": "function",
    "func": "function",
    "fun": "function",
    "defp": "function",
    "const": "constant",
    "let": "constant",
    "var": "constant",
}


_UNNAMED: Final = "typedef"
"""What an anonymous struct is called where the name after its body isn't in sight."""


class _Owner(NamedTuple):
    """The class whose members are being read."""

    name: str
    end: int
    """Where its closing brace stands."""
    public: bool
    unit: str
    """What its members are indented by."""


def braced(text: str, grammar: Grammar) -> Iterator[Found]:
    """Declarations of the languages with braces, and of those whose declaration is one line."""
    owner = _around(text)
    past = 0
    for count, head in enumerate(grammar.head.finditer(text)):
        if count >= HEADS:
            return
        if head.start() < past:
            continue
        groups = head.groupdict(default="")
        inside = head.start() < owner.end
        name, kind = _named(groups, owner if inside else None)
        if not name or _aside(groups, kind) or too_wide(text, head.start()):
            continue
        public = _public(grammar, groups, name) and (owner.public or not inside)
        if kind in grammar.owners and not (inside and owner.name):
            owner = _owner(text, head, name, public=public)
        if kind == "impl":
            continue
        end = _end(text, head, grammar, kind)
        if end < 0 or (groups.get("member") and not owner.name and text[end - 1] != "{"):
            continue
        if name == _UNNAMED and (given := _given(text, end)):
            name = given
        qualified = f"{_receiver(groups) or (owner.name if inside else '')}.{name}".lstrip(".")
        past = end if kind in grammar.bodied else past
        yield Found(qualified, _kind(text, head, kind, inside=inside), head.start(), end, head.start(), public)


def _aside(groups: dict[str, str], kind: str) -> bool:
    """A variable that no other file can see."""
    return kind in _VALUES and "export" not in groups["lead"] and not groups["arrow"]


def _kind(text: str, head: re.Match[str], kind: str, *, inside: bool) -> str:
    kind = _KINDS.get(kind, kind)
    if kind == "constant" and "=>" in text[head.start() : line_end(text, head.end())]:
        return "function"
    return "method" if inside and kind == "function" else kind


def _given(text: str, end: int) -> str:
    """The name that stands after an anonymous C struct's body."""
    found = re.search(r"\}[ \t*]*([A-Za-z_]\w*)", text[max(text.rfind("\n", 0, end), 0) : end])
    return found[1] if found else ""


def _named(groups: dict[str, str], owner: _Owner | None) -> tuple[str, str]:
    """Name and kind of a head; no name where it is a statement or a member of nothing."""
    if member := groups.get("member"):
        known = owner is not None and groups["indent"] == owner.unit and member not in _UNSURE
        return (member if known else ""), "function"
    if groups.get("export"):
        return groups["exported"] or "exports", "export"
    if text := groups.get("text"):
        words = text.split()
        found = _NAME.search(text.rstrip())
        if not found or words[0] in _UNSURE or found[0] in _UNSURE:
            return "", ""
        before = text.rstrip()[: found.start()].strip()
        lead = groups.get("lead", "").strip()
        return (found[0] if (before or lead) and not before.endswith((".", ",", "->")) else ""), "function"
    name, kind = groups.get("name", "").strip('"`[]'), groups.get("kind", "").lower() or "function"
    if not name and groups.get("lead", "").startswith("typedef"):
        return _UNNAMED, kind
    return (f"{kind} {name}" if kind.startswith("@") else name), kind


def _receiver(groups: dict[str, str]) -> str:
    """The type that a Go method belongs to."""
    return groups.get("owner", "").split("[")[0].rpartition(" ")[2].lstrip("*") if groups.get("owner") else ""


def _around(text: str) -> _Owner:
    """The unnamed class around a region of a file that starts indented; nothing where it doesn't."""
    found = re.compile(r"\s*?([ \t]+)\S").match(text, 0, REACH)
    close = text.find("\n}")
    return _Owner("", (len(text) if close < 0 else close) if found else 0, public=True, unit=found[1] if found else "")


def _owner(text: str, head: re.Match[str], name: str, *, public: bool) -> _Owner:
    """A class, with where it ends and how its members are indented."""
    groups = head.groupdict(default="")
    _, found, target = groups.get("rest", "").partition(" for ")
    if found and (words := re.match(r"[A-Za-z_]\w*", target.strip())):
        name, public = words[0], True
    close = text.find("\n}", head.end())
    first = re.compile(r"\n([ \t]+)[^\s*/]").search(text, line_end(text, head.end()), head.end() + REACH)
    return _Owner(name, len(text) if close < 0 else close, public=public, unit=first[1] if first else "")


def _public(grammar: Grammar, groups: dict[str, str], name: str) -> bool:
    lead = groups.get("lead", "")
    if groups.get("member"):
        return not name.startswith(("_", "#")) and not re.search(r"private|protected", groups["mods"])
    if groups.get("export"):
        return True
    match grammar.public:
        case "word":
            return bool(re.search(r"\b(?:export|pub)\b", lead)) or groups.get("kind") == "impl"
        case "capital":
            return name[:1].isupper()
        case "not_static":
            return "static" not in lead and "static" not in groups.get("text", "")
        case _:
            hidden = re.search(r"\b(?:private|fileprivate)\b", lead) or groups.get("kind") == "defp"
            return not hidden and not name.startswith("_")


def _end(text: str, head: re.Match[str], grammar: Grammar, kind: str) -> int:
    """Where the last line of a declaration ends; -1 where it turns out to be none."""
    if grammar.end == "line" or kind == "export":
        return line_end(text, head.end())
    limit = min(lines_end(text, head.start()), head.start() + REACH)
    opens = _opening(text, head, kind, limit)
    if opens < 0:
        return line_end(text, head.end()) if kind in ("type", "union", "scalar", *_VALUES) else -1
    whole = grammar.end == "paren" or kind in grammar.bodied
    whole = whole or (kind in _VALUES and "=>" not in text[head.start() : opens])
    end = _close(text, opens, limit) if whole and text[opens : opens + 1] == "{" else line_end(text, opens)
    return _joined(text, end, limit) if kind == "type" else end


def _joined(text: str, end: int, limit: int) -> int:
    """The end of a type alias that goes on with `|` or `&` on the following lines."""
    while end < limit and (found := _BRANCH.match(text, end, limit)):
        opens = text.find("{", found.end(), line_end(text, found.end()))
        end = _close(text, opens, limit) if opens >= 0 else line_end(text, found.end())
    return end


def _opening(text: str, head: re.Match[str], kind: str, limit: int) -> int:
    """Where a signature ends: its `{`, its `;`, or the last character of what needs neither; -1 for none."""
    depth = 1 if head[0].endswith("(") else 0
    values = kind in _VALUES
    start = head.end("name") if head.groupdict().get("name") else head.end()
    for found in _BRACKET.finditer(text, start, limit):
        mark = found[0]
        if depth == 0 and (mark == "{" or mark == ";"):
            return found.start()
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        elif depth <= 0 and mark == "\n" and (values or _over(text, found.end(), kind)):
            return found.start() - 1
        if depth < 0:
            return -1
    return -1


def _over(text: str, following: int, kind: str) -> bool:
    """Whether the next line starts something else: a type alias without a semicolon, a prototype of its own."""
    end = line_end(text, following)
    words = text[following:end].strip()
    return not words or (kind == "type" and words[0] not in "|&?:{=" and not text[following].isspace())


def _close(text: str, opens: int, limit: int) -> int:
    """The end of the line that closes the bracket at `opens`; the limit's line where none does."""
    depth = 0
    for found in _BRACKET.finditer(text, opens, limit):
        if found[0] in "([{":
            depth += 1
        elif found[0] in ")]}":
            depth -= 1
            if depth == 0:
                return line_end(text, found.end())
    return (
        limit if text[limit : limit + 1] in ("\n", "") else max(line_end(text, opens), text.rfind("\n", opens, limit))
    )
