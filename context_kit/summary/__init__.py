"""The six fields: extracted, asked for, parsed, merged, grounded, folded."""

from context_kit.summary._ask import Answer, Brief, Outcome, ask, too_long
from context_kit.summary._extract import decided, edited_files, extract, first_line, verified
from context_kit.summary._fold import fold, lines
from context_kit.summary._ground import ground, merge
from context_kit.summary._parse import parse
from context_kit.summary._request import overhead, request
from context_kit.summary._spill import FILE_LISTS, LISTS, spill, without
from context_kit.summary._transcript import Piece, chunks, media_name, pieces

__all__ = [
    "FILE_LISTS",
    "LISTS",
    "Answer",
    "Brief",
    "Outcome",
    "Piece",
    "ask",
    "chunks",
    "decided",
    "edited_files",
    "extract",
    "first_line",
    "fold",
    "ground",
    "lines",
    "media_name",
    "merge",
    "overhead",
    "parse",
    "pieces",
    "request",
    "spill",
    "too_long",
    "verified",
    "without",
]
