"""The six fields: extracted, asked for, parsed, merged, grounded, folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_kit._lazily import names_of

if TYPE_CHECKING:
    from context_kit.summary._ask import Answer, Brief, Outcome, ask, too_long
    from context_kit.summary._extract import decided, edited_files, extract, verified
    from context_kit.summary._fold import fold, lines
    from context_kit.summary._ground import ground
    from context_kit.summary._line import changed_line, first_line, short_name
    from context_kit.summary._merge import merge
    from context_kit.summary._names import Name, names
    from context_kit.summary._parse import parse
    from context_kit.summary._request import overhead, request, rules_text
    from context_kit.summary._source import Known, Source, known_of
    from context_kit.summary._spill import FILE_LISTS, LISTS, spill, without
    from context_kit.summary._statements import decisions, intent, question
    from context_kit.summary._transcript import Piece, archived, pieces

__all__ = [
    "FILE_LISTS",
    "LISTS",
    "Answer",
    "Brief",
    "Known",
    "Name",
    "Outcome",
    "Piece",
    "Source",
    "archived",
    "ask",
    "changed_line",
    "decided",
    "decisions",
    "edited_files",
    "extract",
    "first_line",
    "fold",
    "ground",
    "intent",
    "known_of",
    "lines",
    "merge",
    "names",
    "overhead",
    "parse",
    "pieces",
    "question",
    "request",
    "rules_text",
    "short_name",
    "spill",
    "too_long",
    "verified",
    "without",
]

if not TYPE_CHECKING:
    __getattr__ = names_of(
        __name__,
        {
            "_ask": "Answer Brief Outcome ask too_long",
            "_extract": "decided edited_files extract verified",
            "_fold": "fold lines",
            "_ground": "ground",
            "_line": "changed_line first_line short_name",
            "_merge": "merge",
            "_names": "Name names",
            "_parse": "parse",
            "_request": "overhead request rules_text",
            "_source": "Known Source known_of",
            "_spill": "FILE_LISTS LISTS spill without",
            "_statements": "decisions intent question",
            "_transcript": "Piece archived pieces",
        },
    )
