"""The files of one session's hooks: private, written whole or not at all, safe under two hooks at once.

<store>/<agent>-<session>/state.json      what is known, and the text to inject
<store>/<agent>-<session>/checkpoint.md   the whole record, to be read by people and by the agent
<store>/<agent>-<session>/marker.json     a text that waits for the next event that can inject
<store>/hook.log                          what went wrong
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from context_kit._lazily import regex

__all__ = ["STORE", "Keep", "UnwritableError", "append_log", "store_of"]

SCHEMA = 1
STORE = Path(".harness") / "hooks"
PRIVATE = 0o700
FILE = 0o600
PATIENCE = 5.0
"""Seconds that a hook waits for another one of the same session."""
PLAIN = regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
LOG = 512 * 1024
"""Bytes after which the log begins anew; the old one is kept beside it."""
MARKS = (".harness", ".git", ".hg", ".claude", ".codex", ".gemini", ".qwen")
"""What a project's top directory has."""


def store_of(given: str, project: str, cwd: str) -> Path:
    """Where the files stand: the directory that was given, else `.harness/hooks` in the project.

    Where neither the event's directory nor the process's own is there any more, the user's own folder.
    """
    if given:
        return Path(given).expanduser()
    if project and Path(project).is_dir():
        return Path(project) / STORE
    here = Path(cwd) if cwd and Path(cwd).is_dir() else _here()
    if here is None:
        return _own_folder() / "hooks"
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 (gives back `~` where there is no home)
    tops = (each for each in (here, *here.parents) if each != home and any((each / mark).exists() for mark in MARKS))
    return next(tops, here) / STORE


def _here() -> Path | None:
    """Where the process is; None where that directory is gone."""
    try:
        return Path.cwd()
    except OSError:
        return None


def _own_folder() -> Path:
    """The user's own folder, for what has no project."""
    base = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")  # noqa: PTH111 (never raises)
    return Path(base) / "context-kit"


class UnwritableError(OSError):
    """The files can't be written; the text says why."""


class Keep:
    """The files of one session."""

    def __init__(self, store: Path, agent: str, session: str) -> None:
        self.store = store
        self.folder = store / f"{agent}-{session if PLAIN.fullmatch(session) else _stand_in(session)}"

    @property
    def checkpoint(self) -> Path:
        """Where the whole record stands."""
        return self.folder / "checkpoint.md"

    def state(self) -> dict[str, Any]:
        """What was kept; empty where there is nothing, or nothing that can be read."""
        return _read(self.folder / "state.json")

    def save(self, state: Mapping[str, Any], record: str) -> None:
        """Keep a state and the whole record; both durable on return.

        Raises:
            UnwritableError: they can't be written; what stood there stands.
        """
        self._prepare()
        _write(self.checkpoint, record.encode("utf-8", "replace"))
        _write(self.folder / "state.json", _dumped({"schema": SCHEMA, **state}))

    def mark(self, text: str) -> None:
        """Leave a text for the next event that can inject."""
        self._prepare()
        _write(self.folder / "marker.json", _dumped({"schema": SCHEMA, "text": text}))

    def marked(self) -> bool:
        """Whether a text waits."""
        return (self.folder / "marker.json").exists()

    @contextmanager
    def taken(self) -> Generator[str]:
        """The text that waits, taken away so that it is injected once; back in its place where that fails."""
        marker = self.folder / "marker.json"
        mine = marker.with_name(f"marker.{os.getpid()}.taken")
        try:
            marker.rename(mine)
        except OSError:
            yield ""
            return
        try:
            yield str(_read(mine).get("text") or "")
        except BaseException:
            with suppress(OSError):
                mine.rename(marker)
            raise
        mine.unlink(missing_ok=True)

    @contextmanager
    def lock(self) -> Generator[bool]:
        """Hold the session; False where another hook holds it for too long.

        Raises:
            UnwritableError: its files can't be written.
        """
        self._prepare()
        try:
            descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, FILE)
        except OSError as error:
            raise _failure(self.folder, error) from error
        try:
            yield _locked(descriptor)
        finally:
            os.close(descriptor)

    def _prepare(self) -> None:
        try:
            self.folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        except OSError as error:
            raise _failure(self.folder, error) from error
        ignore = self.store / ".gitignore"
        if not ignore.exists():
            with suppress(OSError):  # a courtesy to the project's repository
                os.write(descriptor := os.open(ignore, os.O_WRONLY | os.O_CREAT, FILE), b"*\n")
                os.close(descriptor)


def _stand_in(session: str) -> str:
    """A file's name for a session whose own can't be one."""
    from hashlib import sha256

    return sha256(session.encode("utf-8", "replace")).hexdigest()[:32]


def _locked(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows has no such locks
        return True
    until = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
        else:
            return True


def _dumped(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and found.get("schema") == SCHEMA else {}


def _write(path: Path, data: bytes) -> None:
    """Replace a file's content at once, durably."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), FILE)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise _failure(path, error) from error


def _failure(path: Path, error: OSError) -> UnwritableError:
    return UnwritableError(f"{path}: can't be written ({(error.strerror or str(error)).lower()})")


def append_log(store: Path | None, line: str) -> None:
    """Note what went wrong, in the store or else in the user's own folder; never an error."""
    told = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {' '.join(line.split())}\n"
    for folder in (*([store] if store is not None else []), _own_folder()):
        try:
            folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
            path = folder / "hook.log"
            if path.exists() and path.stat().st_size > LOG:
                path.replace(folder / "hook.log.1")
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0), FILE)
            with os.fdopen(descriptor, "wb") as file:
                file.write(told.encode("utf-8", "replace"))
        except OSError:
            continue
        return
