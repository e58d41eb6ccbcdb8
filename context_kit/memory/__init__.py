"""What outlives the window: the log on disk, the journal, recall."""

from context_kit.memory._begin import exists, resumed, started
from context_kit.memory._book import OWN, Book
from context_kit.memory._codec import decode, encode_record
from context_kit.memory._files import JOURNAL, SESSION_NAME, FileStore
from context_kit.memory._journal import Memory, record_line
from context_kit.memory._layers import LongTerm
from context_kit.memory._lessons import LESSONS, Lessons
from context_kit.memory._recall import addresses, addresses_of, check_query, inherited, recall
from context_kit.memory._watch import Watch

__all__ = [
    "JOURNAL",
    "LESSONS",
    "OWN",
    "SESSION_NAME",
    "Book",
    "FileStore",
    "Lessons",
    "LongTerm",
    "Memory",
    "Watch",
    "addresses",
    "addresses_of",
    "check_query",
    "decode",
    "encode_record",
    "exists",
    "inherited",
    "recall",
    "record_line",
    "resumed",
    "started",
]
