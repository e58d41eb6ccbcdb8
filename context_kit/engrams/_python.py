"""Python's declarations, by indentation and brackets.

A function inside a function is nobody's contract. Signatures end at their colon, classes after their fields.
"""

from __future__ import annotations

from collections.abc import Iterator

from context_kit._lazily import regex
from context_kit.engrams._grammars import Grammar
from context_kit.engrams._places import HEADS, REACH, WIDEST, Found, line_end, lines_end, too_wide

__all__ = ["python"]

_FIELD = regex(r"[ \t]+[A-Za-z_]\w*[ \t]*(?::[^:=]|=[^=])")


def python(text: str, grammar: Grammar) -> Iterator[Found]:
    """Functions, methods and classes; functions inside functions are nobody's contract."""
    stack: list[tuple[int, str, str, bool]] = []
    for count, head in enumerate(grammar.head.finditer(text)):
        if count >= HEADS:
            return
        indent, kind, name = len(head["lead"].expandtabs(4)), head["kind"], head["name"]
        while stack and stack[-1][0] >= indent:
            stack.pop()
        nested = bool(stack) and stack[-1][1] == "def"
        shown = (not name.startswith("_") or name in ("__init__", "__call__")) and (not stack or stack[-1][3])
        full = f"{stack[-1][2]}.{name}" if stack else name
        stack.append((indent, kind, full, shown))
        if nested or too_wide(text, head.start()):
            continue
        end = _colon(text, head.end())
        if kind == "class":
            end, kind = _fields(text, end, indent), "class"
        else:
            kind = "method" if indent else "function"
        yield Found(full, kind, _decorated(text, head.start(), head["lead"]), end, head.start(), shown)


def _colon(text: str, at: int) -> int:
    """The end of the line on which a Python signature ends; of its first line where that isn't clear."""
    depth, limit = 0, min(len(text), at + REACH)
    line, last = at, lines_end(text, at)
    while line < min(limit, last):
        end = line_end(text, line)
        words = text[line:end].partition("#")[0].rstrip()
        depth += words.count("(") + words.count("[") + words.count("{")
        depth -= words.count(")") + words.count("]") + words.count("}")
        if depth <= 0 and ":" in words:
            return end
        line = end + 1
    return line_end(text, at)


def _fields(text: str, at: int, indent: int) -> int:
    """The end of a class's last field before its first method; of its signature where it has no fields."""
    last, line, limit = at, at + 1, lines_end(text, at + 1)
    quoted, body = False, -1
    while line < limit:
        end = line_end(text, line)
        words = text[line:end]
        bare = words.strip()
        columns = len(words[: len(words) - len(words.lstrip())].expandtabs(4))
        if bare and not quoted and (columns <= indent or bare.startswith(("def ", "async def ", "@", "class "))):
            break
        if bare and body < 0:
            body = columns
        inside = quoted
        if (bare.count('"""') + bare.count("'''")) % 2:
            quoted = not quoted
        if bare and not inside and columns == body and _FIELD.match(words):
            last = end
        line = end + 1
    return last


def _decorated(text: str, start: int, lead: str) -> int:
    """Where the decorators right above a definition start; at most five of one line each."""
    for _ in range(5):
        above = text.rfind("\n", 0, start - 1) + 1 if start else 0
        if start == 0 or not text.startswith(f"{lead}@", above) or start - above > WIDEST:
            break
        start = above
    return start
