"""Where a declaration starts in each language, as data. One expression a language, one pass over the text.

Every expression is anchored at a line's start and has no nested repetition, so that it is linear in the text.
Its groups: `kind` (the keyword), `name`, `lead` (modifiers before it), `owner` (receiver), `text` (a C or Java
head whose last word is the name).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from context_kit._lazily import regex

__all__ = ["GRAMMARS", "PLAIN_SUFFIXES", "SUFFIXES", "Grammar", "sniff"]

_TYPES = "interface type enum struct trait union message service record input protocol oneof extend"
_BODIED = frozenset(_TYPES.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """How declarations of one language look."""

    head: re.Pattern[str]
    end: Literal["colon", "brace", "line", "paren"] = "brace"
    """What ends a signature: Python's colon, a brace or semicolon, the line, SQL's last parenthesis."""
    bodied: frozenset[str] = _BODIED
    """Kinds whose body is the contract and is kept whole."""
    owners: frozenset[str] = frozenset()
    """Kinds at a line's start whose members carry their name."""
    public: Literal["word", "capital", "not_static", "all"] = "all"
    """What makes a name public: a keyword (`export`, `pub`), a capital, the absence of `static` or of `private`."""


def _head(pattern: str, flags: int = 0) -> re.Pattern[str]:
    return regex(pattern, re.MULTILINE | flags)


_PYTHON = Grammar(
    head=_head(r"^(?P<lead>[ \t]{0,60})(?:async[ \t]+)?(?P<kind>def|class)[ \t]+(?P<name>[A-Za-z_]\w*)"),
    end="colon",
    owners=frozenset(["class"]),
)
_TYPESCRIPT = Grammar(
    head=_head(
        r"^(?P<lead>(?:(?:export|default|declare|async|abstract)[ \t]+){0,6})"
        r"(?P<kind>function|class|interface|type|enum|const|let|var|"
        r"namespace)\b[ \t]*\*?[ \t]*(?:enum[ \t]+)?(?P<name>[A-Za-z_$][\w$]*)"
        r"(?P<arrow>[^=\n]{0,200}=[ \t]*(?:async\b|function\b|\([^\n]{0,300}=>|\w+[ \t]*=>))?"
        r"|^(?P<export>(?:module\.)?exports(?:\.(?P<exported>[\w$]+))?)[ \t]*="
        r"|^(?P<indent>\t|[ ]{2,4})(?P<mods>(?:(?:public|protected|private|static|async|get|set|override|abstract|"
        r"readonly)[ \t]+){0,6})"
        r"\*?(?P<member>[A-Za-z_$#][\w$]*)[ \t]*(?:<[^>\n]{0,200}>)?\("
    ),
    owners=frozenset(["class"]),
    public="word",
)
_GO = Grammar(
    head=_head(r"^(?P<kind>func|type)[ \t]+(?:\((?P<owner>[^)\n]{0,200})\)[ \t]*)?(?P<name>[A-Za-z_]\w*)"),
    bodied=frozenset(["type"]),
    public="capital",
)
_RUST = Grammar(
    head=_head(
        r"^(?P<lead>[ \t]{0,60}(?:pub(?:\([^)\n]{0,60}\))?[ \t]+)?)(?:(?:async|unsafe|const|default|"
        r"extern[ \t]+\"C\")[ \t]+){0,6}"
        r"(?P<kind>fn|struct|enum|trait|type|union|"
        r"impl)\b[ \t]*(?:<[^>\n]{0,200}>[ \t]*)?(?P<name>[A-Za-z_]\w*)(?P<rest>[^\n{]{0,300})"
    ),
    owners=frozenset(["impl"]),
    public="word",
)
_MODIFIERS = (
    "public|protected|private|internal|static|final|abstract|sealed|synchronized|default|native|override|async|virtual|"
    "partial|readonly|open|data|suspend|inline|operator|strictfp"
)
_JAVA = Grammar(
    head=_head(
        rf"^(?P<lead>[ \t]{{0,60}}(?:(?:{_MODIFIERS})[ \t]+){{0,6}})(?:@?(?P<kind>class|interface|enum|record|"
        rf"struct|object|fun)[ \t]+"
        r"(?:<[^>\n]{0,100}>[ \t]*)?(?:[\w.<>]+\.)?(?P<name>[A-Za-z_]\w*)"
        rf"|(?<=[ \t])(?<!^)(?P<text>[A-Za-z_<][^=;(){{}}\n]{{1,200}})\()"
    ),
    owners=frozenset(["class", "object"]),
)
_C = Grammar(
    head=_head(
        r"^(?P<lead>(?:typedef|static|extern)[ \t]+)?(?P<kind>struct|enum|union|"
        r"class)\b(?:[ \t]+(?P<name>[A-Za-z_]\w*))?"
        r"(?=[^;()\n]{0,200}(?:\{|$))"
        r"|^(?P<text>[A-Za-z_][^=;{}#\"'\n(]{1,200})\("
    ),
    bodied=frozenset(["struct", "enum", "union", "class"]),
    public="not_static",
)
_SQL = Grammar(
    head=_head(
        r"^[ \t]*create[ \t]+(?:or[ \t]+replace[ \t]+)?(?:temp(?:orary)?[ \t]+|unique[ \t]+|materialized[ \t]+)?"
        r"(?P<kind>table|view|type|function|procedure|"
        r"index)[ \t]+(?:if[ \t]+not[ \t]+exists[ \t]+)?(?P<name>[\w.\"`\[\]]+)",
        re.IGNORECASE,
    ),
    end="paren",
)
_PROTO = Grammar(head=_head(r"^[ \t]*(?P<kind>message|enum|service|extend)[ \t]+(?P<name>[\w.]+)"))
_GRAPHQL = Grammar(
    head=_head(r"^(?:extend[ \t]+)?(?P<kind>type|input|interface|enum|union|scalar|directive)[ \t]+@?(?P<name>\w+)"),
)
_RUBY = Grammar(head=_head(r"^[ \t]*(?P<kind>def|class|module)[ \t]+(?P<name>[A-Za-z_][\w.:?!=]*)"), end="line")
_ELIXIR = Grammar(
    head=_head(
        r"^[ \t]*(?P<kind>defmodule|defprotocol|defmacro|defstruct|def|defp|@callback|@spec|"
        r"@type)[ \t]+(?P<name>[\w.?!\[:]+)"
    ),
    end="line",
)
_PHP = Grammar(
    head=_head(
        r"^(?P<lead>[ \t]{0,60}(?:(?:public|protected|private|static|final|abstract)[ \t]+){0,6})"
        r"(?P<kind>function|class|interface|trait|enum)[ \t]+&?(?P<name>\w+)"
    ),
    bodied=frozenset(["interface", "enum"]),
)
_SWIFT = Grammar(
    head=_head(
        r"^(?P<lead>[ \t]{0,60}(?:(?:public|private|fileprivate|internal|open|static|final|override|mutating|"
        r"async)[ \t]+){0,6})"
        r"(?P<kind>func|class|struct|protocol|enum|extension|actor)[ \t]+(?P<name>[A-Za-z_]\w*)"
    ),
    bodied=frozenset(["protocol", "enum"]),
)
_SHELL = Grammar(head=_head(r"^(?:(?P<kind>function)[ \t]+)?(?P<name>[A-Za-z_][\w-]*)[ \t]*\([ \t]*\)"), end="line")

GRAMMARS: Final[dict[str, Grammar]] = {
    "python": _PYTHON,
    "typescript": _TYPESCRIPT,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
    "c": _C,
    "sql": _SQL,
    "proto": _PROTO,
    "graphql": _GRAPHQL,
    "ruby": _RUBY,
    "elixir": _ELIXIR,
    "php": _PHP,
    "swift": _SWIFT,
    "shell": _SHELL,
}

SUFFIXES: Final[dict[str, str]] = {
    suffix: language
    for language, suffixes in {
        "python": "py pyi pyx",
        "typescript": "ts tsx mts cts js jsx mjs cjs vue svelte",
        "go": "go",
        "rust": "rs",
        "java": "java kt kts cs scala groovy dart",
        "c": "c h cc cpp cxx hpp hh hxx m mm cu",
        "sql": "sql ddl",
        "proto": "proto",
        "graphql": "graphql gql",
        "ruby": "rb",
        "elixir": "ex exs",
        "php": "php",
        "swift": "swift",
        "shell": "sh bash zsh",
    }.items()
    for suffix in suffixes.split()
}
"""Language by a file's suffix."""

_PLAIN = (
    "md mdx rst txt log csv tsv html htm css scss less svg xml lock jsonl ipynb patch diff ini cfg env json yaml "
    "yml toml"
)
PLAIN_SUFFIXES: Final = frozenset(_PLAIN.split())
"""Files that declare nothing unless their name says so (see `_configs`)."""

_SNIFFS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("python", _head(r"^(?:from [\w.]+ import |import \w+$|[ \t]*(?:async )?def \w+\(|class \w+[(:]|@\w+)")),
    ("go", _head(r"^(?:package \w+$|func |type \w+ (?:struct|interface))")),
    ("rust", _head(r"^(?:use \w+::|[ \t]*(?:pub )?fn \w+|impl\b|#\[\w+)")),
    ("typescript", _head(r"^(?:export |import .{0,200} from ['\"]|interface \w+ \{|const \w+ = |function \w+\()")),
    (
        "java",
        _head(
            r"^(?:package [\w.]+;|import [\w.*]+;|"
            r"[ \t]*public (?:static |final |abstract )*(?:class|interface|void|\w+ \w+\())"
        ),
    ),
    ("c", _head(r"^(?:#include |#define |typedef |(?:static |extern )?(?:int|void|char|bool|size_t) \*?\w+\()")),
    ("sql", _head(r"^create (?:table|view|index) ", re.IGNORECASE)),
    ("proto", _head(r"^(?:syntax = \"proto|message \w+ \{)")),
)


def sniff(text: str) -> str:
    """The language that a text without a known suffix looks like; '' where none does twice."""
    head = text[:20_000]
    score, language = max((sum(1 for _ in look.finditer(head)), name) for name, look in _SNIFFS)
    return language if score >= 2 or (score and len(head) < 400) else ""
