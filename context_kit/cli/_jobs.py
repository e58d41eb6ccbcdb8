"""Replays of many sessions under many settings, on several cores, and each kept once it is done.

The invariant guarded here: what comes back is in the order in which it was asked for, however many processes there
are, and a run that was killed goes on where it was.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import multiprocessing
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from context_kit._budget import Budget
from context_kit.cli._recording import Recording, recorded
from context_kit.cli._results import Results
from context_kit.cli._score import Score, score
from context_kit.cli._snapshots import ChangedError, Snapshot, loaded
from context_kit.errors import ContextKitError, WindowExceededError
from context_kit.harness.transcripts import TranscriptError
from context_kit.typing import Policy

__all__ = ["Failed", "Job", "Pool", "Result", "recording_of", "silent"]

HELD = 16
"""Transcripts that a process keeps in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One session under one setting."""

    snapshot: Snapshot
    tokens: int
    """Of the whole session: the larger ones are begun first."""
    model: str | None
    policy: Policy
    budget: Budget

    def key(self) -> str:
        """A name for the result: it changes with the file's content, the settings and the library."""
        settings = [self.snapshot.digest, self.model, self.policy, asdict(self.budget), _version()]
        return hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Failed:
    """A session that doesn't fit whatever is taken out, or that can't be replayed for another reason."""

    reason: str


Result = Score | Failed


@lru_cache(maxsize=1)
def _version() -> str:
    """Of the library, by its files: another state of it may give other results."""
    package = Path(__file__).resolve().parents[1]
    found = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        found.update(path.relative_to(package).as_posix().encode())
        found.update(path.read_bytes())
    return found.hexdigest()


@lru_cache(maxsize=HELD)
def recording_of(snapshot: Snapshot, model: str | None) -> Recording:
    """A transcript, read once by each process.

    Raises:
        TranscriptError: it is none, a message can't be sent, or the file was changed; the text doesn't name the file.
    """
    return recorded(loaded(snapshot), model=model)


@lru_cache(maxsize=1)
def _results(folder: Path) -> Results:
    """One for each process, so that its claims stand in one open file."""
    return Results(folder)


def _done(job: Job, key: str, folder: Path | None) -> tuple[dict[str, Any], bool]:
    """One job's result as JSON, and whether it was made just now rather than found."""
    if folder is None:
        return _played(job), True
    results = _results(folder)
    with results.claim(key):
        found = results.read(key)
        if _sound(found):
            return found, False
        made = _played(job)
        if not made.get("passing"):
            results.write(key, made)
        return made, True


def _played(job: Job) -> dict[str, Any]:
    try:
        recording = recording_of(job.snapshot, job.model)
        found = score(recording, window=job.budget.window, model=job.model, policy=job.policy, budget=job.budget)
    except WindowExceededError as error:
        return {"failed": str(error)}
    except TranscriptError as error:
        return {"failed": str(error), "passing": isinstance(error, ChangedError)}
    return found.plain()


def _result(found: Any) -> Result:
    """A result from JSON.

    Raises:
        KeyError, TypeError, ValueError: it is none.
    """
    return Failed(str(found["failed"])) if "failed" in found else Score.of(found)


def _sound(found: Any) -> bool:
    """Whether it is a result; a damaged one is none."""
    with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError):
        _result(found)
        return True
    return False


class Pool:
    """Runs jobs; what was done before isn't done again.

    Args:
        jobs: processes; with one, everything runs in this one.
        kept: a directory for results, which is there, or None. Several runs may use it at once.
        told: hears how many jobs are done, and of how many.
    """

    def __init__(self, jobs: int, *, kept: Path | None = None, told: Callable[[int, int], None] | None = None) -> None:
        self._jobs, self._kept = jobs, kept
        self._told = told or (lambda _done, _whole: None)
        self._known: dict[str, Result] = {}
        self._executor: ProcessPoolExecutor | None = None
        self._before = set(multiprocessing.active_children())
        self.fresh = 0
        """Jobs that were really run."""

    def run(self, jobs: Sequence[Job]) -> list[Result]:
        """The results, in the jobs' order."""
        missing = {job.key(): job for job in jobs}
        for key in list(missing):
            if key in self._known or self._read(key):
                del missing[key]
        whole = len(missing)
        self._told(0, whole)
        for done, (key, (found, fresh)) in enumerate(self._made(missing), 1):
            self._known[key] = _result(found)
            self.fresh += fresh
            self._told(done, whole)
        return [self._known[job.key()] for job in jobs]

    def _made(self, missing: Mapping[str, Job]) -> Generator[tuple[str, tuple[dict[str, Any], bool]]]:
        ordered = sorted(missing.items(), key=lambda item: (-item[1].tokens, item[0]))
        if self._jobs < 2 or len(ordered) < 2:
            for key, job in ordered:
                yield key, _done(job, key, self._kept)
            return
        if self._executor is None:
            context = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(self._jobs, mp_context=context, initializer=_begin)
        waiting: dict[Future[tuple[dict[str, Any], bool]], str] = {
            self._executor.submit(_done, job, key, self._kept): key for key, job in ordered
        }
        try:
            for each in as_completed(waiting):
                yield waiting[each], each.result()
        except BrokenProcessPool:
            msg = (
                "a process of this run was killed, perhaps for want of memory: give --jobs 1, or --resume DIR to go on"
            )
            raise ContextKitError(msg) from None

    def _read(self, key: str) -> bool:
        """Whether a result is there from a run before; a damaged one is not."""
        found = Results(self._kept).read(key) if self._kept is not None else None
        if not _sound(found):
            return False
        self._known[key] = _result(found)
        return True

    def close(self) -> None:
        """End the processes; what they were at is lost, what was done is kept."""
        if self._executor is None:
            return
        mine = set(multiprocessing.active_children()) - self._before
        self._executor.shutdown(wait=False, cancel_futures=True)
        for process in mine:
            process.terminate()
        for process in mine:
            process.join(5)
        self._executor = None


def _begin() -> None:
    """A new process: it leaves Ctrl-C to its parent, says nothing, and ends with it."""
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    silent()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def silent() -> None:
    """Receipts are counted here, not told in the log of the process."""
    import logging

    logging.getLogger("context_kit").addHandler(logging.NullHandler())


def _end_with_parent() -> None:
    from multiprocessing.connection import wait

    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
