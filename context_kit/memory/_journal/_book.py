"""Records that a session writes by itself, each once: ids come from the session and what is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

from context_kit.engrams import sentences
from context_kit.memory._journal._memory import Memory

__all__ = ["LONGEST", "OWN", "REFERENCE", "Book", "last_sentence", "own_id", "typed"]

OWN = "a"
"""How the ids of records begin that the session wrote by itself; the log has what they say."""
REFERENCE: Final = "refer"
"""Action of a record that says that a session fetched another one's record; its `name` is that record's id."""
LONGEST: Final = 400
"""Characters of one field in a record."""


def own_id(*what: object) -> str:
    """The id of a record that a session writes by itself: from what it is about, never from the clock."""
    told = ":".join(str(part) for part in what)
    return f"{OWN}{blake2b(told.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"


def last_sentence(why: str) -> str:
    """The assistant's own sentence before a call."""
    found = sentences(why.rstrip()[-LONGEST:].rpartition("\n")[2])
    return found[-1][:LONGEST] if found else ""


def typed(command: str) -> str:
    """A command as it was typed; of a long one its beginning and its end, where what was checked often stands."""
    text = command.strip()
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[3 - LONGEST // 2 :]}"


@dataclass(slots=True)
class Book:
    """What is to be written, and what is."""

    memory: Memory
    began: int
    """What tells this session from an older one of its name: where the journal stood when it began."""
    known: set[str]
    """Ids of the session's own records."""
    _due: dict[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])

    def id_of(self, *what: object) -> str:
        """The id that something is recorded under."""
        return own_id(self.memory.session, self.began or "", *what)

    def note(self, *what: object, action: str, **fields: str) -> None:
        """Record something under the id that `what` gives, unless it is there."""
        name = self.id_of(*what)
        if name not in self.known:
            self._due[name] = {"action": action, **fields}

    def write(self) -> None:
        """Write what is due, in one act.

        Raises:
            StoreError: it can't be written; it stays due.
        """
        self.memory.write_all(self._due)
        self.known.update(self._due)
        self._due.clear()
