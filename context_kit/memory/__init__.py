"""What outlives the window: the log on disk, the journal, recall."""

from context_kit.memory._begin import exists, resumed, started
from context_kit.memory._book import OWN, Book
from context_kit.memory._codec import current, decode, encode_record
from context_kit.memory._directory import MemoryDirectory
from context_kit.memory._files import JOURNAL, SESSION_NAME, FileStore
from context_kit.memory._forget import Forgotten, forget
from context_kit.memory._journal import Memory, record_line
from context_kit.memory._layers import LongTerm
from context_kit.memory._lessons import LESSONS, Lessons
from context_kit.memory._parts import Part, lines_of, matching, part, parts
from context_kit.memory._postgres import PostgresStore
from context_kit.memory._ranking import Index
from context_kit.memory._recall import addresses, addresses_of, check_query, inherited, recall
from context_kit.memory._tidy import Tidied, tidy
from context_kit.memory._tools import Asking, Note, Tools, Unusable, asking, declarations, noted
from context_kit.memory._upkeep import upkeep
from context_kit.memory._watch import Watch

__all__ = [
    "JOURNAL",
    "LESSONS",
    "OWN",
    "SESSION_NAME",
    "Asking",
    "Book",
    "FileStore",
    "Forgotten",
    "Index",
    "Lessons",
    "LongTerm",
    "Memory",
    "MemoryDirectory",
    "Note",
    "Part",
    "PostgresStore",
    "Tidied",
    "Tools",
    "Unusable",
    "Watch",
    "addresses",
    "addresses_of",
    "asking",
    "check_query",
    "current",
    "declarations",
    "decode",
    "encode_record",
    "exists",
    "forget",
    "inherited",
    "lines_of",
    "matching",
    "noted",
    "part",
    "parts",
    "recall",
    "record_line",
    "resumed",
    "started",
    "tidy",
    "upkeep",
]
