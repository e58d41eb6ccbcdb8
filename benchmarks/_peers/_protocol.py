"""How a peer is driven: jobs come in as JSON lines, its windows go out as JSON lines. Nothing here knows the library.

In: `{"messages": [...], "head": n, "tools": [...], "window": w, "soft": s, "target": t, "summary": c}`: chat messages
of which the first `head` always stand in front and are not given to the peer; then tokens, head and tools counted off
already for `soft`, from which on it may compact, and `target`, to which at most; of that a summary has `summary`.

Out: for every request `{"keep": k, "add": [...]}`, the window as the first `k` messages of the window before it and
new ones; at the end `{"final": [...], "seconds": .., "bare": .., "asked": bytes, "calls": n, "compactions": n}`,
or `{"error": ...}` where the peer failed.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TextIO

from benchmarks._judge import count_tokens, forget
from benchmarks._peers._counts import lengths
from benchmarks._peers._stub import sections, written

__all__ = ["SHARES", "Job", "Message", "Peer", "Stub", "fitting", "serve"]

Message = dict[str, Any]
REPEATS = 3
SHARES = (1.0, 0.75, 0.5, 0.25, 0.1)
"""Of the room for a tail: what a peer is told to keep at the end, one after the other, until its window fits."""


@dataclass(frozen=True)
class Job:
    """One transcript in one window."""

    messages: list[Message]
    head: int
    window: int
    soft: int
    target: int
    summary: int
    tools: list[Message]

    @property
    def tail(self) -> int:
        """Tokens for what stays word for word beside a summary."""
        return self.target - self.summary


class Stub:
    """The summariser's reply, with what it was sent and the time that it took."""

    def __init__(self, most: int) -> None:
        self.most = most
        """Tokens of a summary."""
        self.bytes = 0
        self.calls = 0
        self.seconds = 0.0

    def reply(self, prompt: str, shown: str | None = None) -> str:
        """A summary of what is shown: the prompt, or the part of it that isn't the peer's own instructions."""
        return written(self.picked(prompt, prompt if shown is None else shown))

    def picked(self, prompt: str, shown: str) -> dict[str, list[str]]:
        """The same by heading."""
        started = time.process_time()
        self.bytes += len(prompt.encode("utf-8", "replace"))
        self.calls += 1
        most = 4 * self.most
        found = sections(shown, most)
        while (size := count_tokens(written(found))) > self.most:
            most = most * self.most // size * 95 // 100
            found = sections(shown, most)
        self.seconds += time.process_time() - started
        return found


class Peer(Protocol):
    """What an adapter gives: a history that is added to and handed out."""

    @property
    def compactions(self) -> int:
        """How many were made so far."""
        ...

    def add(self, message: Message, /) -> None: ...

    def request(self) -> list[Message]:
        """The messages of the next request, head left out, compacted where that is due."""
        ...

    def compact(self) -> list[Message]:
        """The same after a compaction now, where it is over the target."""
        ...


def serve(make: Callable[[Job, Stub], Peer], *, lines: TextIO = sys.stdin, out: TextIO = sys.stdout) -> None:
    """Do the jobs that come in, one after the other."""
    for line in lines:
        job = Job(**json.loads(line))
        try:
            for told in _done(make, job):
                out.write(json.dumps(told, ensure_ascii=False) + "\n")
                out.flush()
        except Exception as error:  # noqa: BLE001  # whatever it is, it is the peer's and is shown as its result
            out.write(json.dumps({"error": f"{type(error).__name__}: {error}"[:300]}) + "\n")
            out.flush()


def fitting(tries: Iterable[list[Message]], most: int) -> list[Message]:
    """The first window of at most so many tokens, else the smallest: every peer may try again with less."""
    best: list[Message] | None = None
    for window in tries:
        if lengths(window) <= most:
            return window
        if best is None or lengths(window) < lengths(best):
            best = window
    assert best is not None
    return best


def _done(make: Callable[[Job, Stub], Peer], job: Job) -> Any:
    bare = _bare(job.messages)
    stub = Stub(job.summary)
    spent = 0.0
    started = time.process_time()
    peer, last = make(job, stub), list[Message]()
    for at, message in enumerate(job.messages[job.head :]):
        if at and message["role"] == "assistant":
            window = peer.request()
            spent += time.process_time() - started
            keep = _same(last, window)
            yield {"keep": keep, "add": window[keep:]}
            last = window
            started = time.process_time()
        peer.add(message)
    spent += time.process_time() - started - stub.seconds  # what the model takes is nobody's merit
    asked, calls, compactions = stub.bytes, stub.calls, peer.compactions
    final = peer.compact()
    yield {
        "final": final,
        "seconds": spent,
        "bare": bare,
        "asked": asked,
        "calls": calls,
        "compactions": compactions,
        "library": "context_kit" in sys.modules,
    }


def _same(before: list[Message], now: list[Message]) -> int:
    """How many messages two windows begin with alike."""
    pairs = zip(before, now, strict=False)
    return next((at for at, (old, new) in enumerate(pairs) if old != new), min(len(before), len(now)))


def _bare(messages: list[Message]) -> float:
    """CPU seconds in which every text is tokenised once."""
    times: list[float] = []
    for _ in range(REPEATS + 1):
        forget()
        started = time.process_time()
        count_tokens(messages)
        times.append(time.process_time() - started)
    forget()
    return min(times[1:])
