"""`tick-N.draft.json`: a tick that has not ended, and what was written for its file. It survives the process."""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field

from context_kit.harness.ticks._folder import Folder
from context_kit.harness.ticks._words import SECTIONS, Section

__all__ = ["Draft", "drafts", "read_draft", "remove_draft", "write_draft"]

VERSION = 1
LARGEST = 1 << 31
"""No process has such a number."""
NAME = re.compile(r"tick-([1-9]\d{0,8})\.draft\.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One tick that has not ended."""

    number: int
    title: str
    session: str
    process: int = 0
    host: str = ""
    written: Mapping[Section, tuple[str, ...]] = field(default_factory=dict[Section, tuple[str, ...]])
    """Texts by section, oldest first."""
    places: Mapping[Section, tuple[int, ...]] = field(default_factory=dict[Section, tuple[int, ...]])
    """The newest position of the session's log when each of them was written."""
    seen: Mapping[Section, tuple[str, ...]] = field(default_factory=dict[Section, tuple[str, ...]])
    """What its log showed, line by line: of a session without a store nothing else keeps it ..."""
    seen_by: str = ""
    """... and the session whose log that was."""

    @classmethod
    def begun(cls, number: int, title: str, session: str) -> Draft:
        """A tick of this process."""
        return cls(number=number, title=title, session=session, process=os.getpid(), host=socket.gethostname())

    def deserted(self) -> bool:
        """Whether the process that began it is no more, as far as this host can tell."""
        if self.host != socket.gethostname() or self.process <= 0 or os.name == "nt":
            return False  # Windows can't ask without a signal
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return True
        except OSError:
            return False
        return False


def write_draft(folder: Folder, draft: Draft) -> None:
    """Write it, durably.

    Raises:
        StoreError: it can't be written; the older one is as it was.
    """
    body = {
        "version": VERSION,
        "number": draft.number,
        "title": draft.title,
        "session": draft.session,
        "process": draft.process,
        "host": draft.host,
        "written": {name: list(texts) for name, texts in draft.written.items()},
        "places": {name: list(places) for name, places in draft.places.items()},
        "seen": {name: list(lines) for name, lines in draft.seen.items()},
        "seen_by": draft.seen_by,
    }
    folder.write(f"tick-{draft.number}.draft.json", json.dumps(body, ensure_ascii=False, indent=2) + "\n")


def read_draft(folder: Folder, number: int) -> Draft | None:
    """The draft of a tick; None where there is none, or nothing can be read of it."""
    try:
        found = json.loads(folder.read_all(f"tick-{number}.draft.json") or "null")
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    process = found.get("process")
    places = found.get("places")
    held = places if isinstance(places, dict) else {}
    return Draft(
        number=number,
        title=str(found.get("title") or ""),
        session=str(found.get("session") or ""),
        process=process if isinstance(process, int) and 0 < process < LARGEST else 0,
        host=str(found.get("host") or ""),
        written=_texts(found.get("written")),
        places={
            name: tuple(each for each in held[name] if isinstance(each, int))
            for name in SECTIONS
            if isinstance(held.get(name), list)
        },
        seen=_texts(found.get("seen")),
        seen_by=str(found.get("seen_by") or ""),
    )


def _texts(found: object) -> dict[Section, tuple[str, ...]]:
    """Texts by section."""
    texts = found if isinstance(found, dict) else {}
    return {name: tuple(map(str, texts[name])) for name in SECTIONS if isinstance(texts.get(name), list)}


def drafts(folder: Folder) -> list[Draft]:
    """Every tick of the folder that has not ended."""
    numbers = sorted(int(found[1]) for name in folder.names() if (found := NAME.fullmatch(name)))
    return [draft for number in numbers if (draft := read_draft(folder, number)) is not None]


def remove_draft(folder: Folder, number: int) -> None:
    """Take it away; its tick has ended."""
    (folder / f"tick-{number}.draft.json").unlink(missing_ok=True)
