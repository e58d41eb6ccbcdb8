"""What outlives the window: the log on disk, the journal, recall."""

from context_kit.memory._begin import resumed, started
from context_kit.memory._codec import decode, encode_record
from context_kit.memory._files import JOURNAL, SESSION_NAME, FileStore
from context_kit.memory._journal import Memory, record_line
from context_kit.memory._ranking import Index
from context_kit.memory._recall import addresses, addresses_of, check_query, inherited, recall
from context_kit.memory._watch import Watch

__all__ = [
    "JOURNAL",
    "SESSION_NAME",
    "FileStore",
    "Index",
    "Memory",
    "Watch",
    "addresses",
    "addresses_of",
    "check_query",
    "decode",
    "encode_record",
    "inherited",
    "recall",
    "record_line",
    "resumed",
    "started",
]
