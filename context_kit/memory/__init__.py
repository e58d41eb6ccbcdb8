"""What outlives the window: the log on disk, the journal, recall."""

from context_kit.memory._begin import exists, resumed, started
from context_kit.memory._codec import decode, encode_record
from context_kit.memory._directory import MemoryDirectory
from context_kit.memory._files import JOURNAL, SESSION_NAME, FileStore
from context_kit.memory._journal import Memory, record_line
from context_kit.memory._parts import Part, lines_of, matching, part, parts
from context_kit.memory._ranking import Index
from context_kit.memory._recall import addresses, addresses_of, check_query, inherited, recall
from context_kit.memory._tools import Asking, Remembering, Tools, Unusable, asking, declarations, remembering
from context_kit.memory._watch import Watch

__all__ = [
    "JOURNAL",
    "SESSION_NAME",
    "Asking",
    "FileStore",
    "Index",
    "Memory",
    "MemoryDirectory",
    "Part",
    "Remembering",
    "Tools",
    "Unusable",
    "Watch",
    "addresses",
    "addresses_of",
    "asking",
    "check_query",
    "declarations",
    "decode",
    "encode_record",
    "exists",
    "inherited",
    "lines_of",
    "matching",
    "part",
    "parts",
    "recall",
    "record_line",
    "remembering",
    "resumed",
    "started",
]
