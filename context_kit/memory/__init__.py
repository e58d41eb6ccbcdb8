"""What outlives the window: the log on disk, the journal, recall."""

from context_kit.memory._begin import exists, resumed, started
from context_kit.memory._codec import current, decode, encode_record
from context_kit.memory._files import JOURNAL, SESSION_NAME, FileStore
from context_kit.memory._forget import Forgotten, forget
from context_kit.memory._journal import Memory, record_line
from context_kit.memory._postgres import PostgresStore
from context_kit.memory._recall import addresses, addresses_of, check_query, inherited, recall
from context_kit.memory._tidy import Tidied, tidy
from context_kit.memory._upkeep import upkeep
from context_kit.memory._watch import Watch

__all__ = [
    "JOURNAL",
    "SESSION_NAME",
    "FileStore",
    "Forgotten",
    "Memory",
    "PostgresStore",
    "Tidied",
    "Watch",
    "addresses",
    "addresses_of",
    "check_query",
    "current",
    "decode",
    "encode_record",
    "exists",
    "forget",
    "inherited",
    "recall",
    "record_line",
    "resumed",
    "started",
    "tidy",
    "upkeep",
]
