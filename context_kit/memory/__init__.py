"""What outlives the window: the log on disk, the journal, recall."""

from context_kit.memory._begin import exists, resumed, started
from context_kit.memory._cleaning._forget import Forgotten, forget
from context_kit.memory._cleaning._tidy import Tidied, tidy
from context_kit.memory._cleaning._upkeep import upkeep
from context_kit.memory._codec import current, decode, encode_record
from context_kit.memory._directory._directory import MemoryDirectory
from context_kit.memory._files._store import JOURNAL, SESSION_NAME, FileStore
from context_kit.memory._journal._book import OWN, Book
from context_kit.memory._journal._lessons import LESSONS, Lessons
from context_kit.memory._journal._memory import Memory, record_line
from context_kit.memory._journal._settled import settled
from context_kit.memory._journal._watch import Watch
from context_kit.memory._layers._long_term import LongTerm
from context_kit.memory._postgres._store import PostgresStore
from context_kit.memory._recall._parts import Part, lines_of, matching, part, parts
from context_kit.memory._recall._ranking import Index
from context_kit.memory._recall._recall import addresses, addresses_of, check_query, inherited, recall
from context_kit.memory._recall._tools import Asking, Note, Tools, Unusable, asking, declarations, noted

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
    "settled",
    "started",
    "tidy",
    "upkeep",
]
