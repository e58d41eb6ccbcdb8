"""The two drivers of a turn: the only code that calls an LLM, a hook or a store.

The generator runs under the session's lock; what it yields is done without it, so no lock is
held while a model is awaited and `add` never waits for one. Errors go back as values.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias

from context_kit._commands import (
    Ahead,
    Append,
    Begin,
    Brief,
    Briefed,
    Collect,
    Command,
    Flow,
    Journal,
    Judge,
    Listen,
    Look,
    News,
    ReadJournal,
    Save,
    Work,
)
from context_kit._turn import LostTurn
from context_kit.errors import ContextKitError
from context_kit.summary import Outcome
from context_kit.types import PostCompact, PreCompact, ProbeRequest, SummaryRequest

__all__ = ["Effects", "ado", "arun", "is_async", "run"]

Call: TypeAlias = "tuple[Callable[..., Any], tuple[Any, ...], Any]"
"""A function, its arguments, and the name that goes with an error."""

ASYNC_IN_SYNC = (
    "is async, but this call blocks: use await aprepare(), await acompact(), await acall() or await aprobe()"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What the commands of a turn are done with."""

    append: Callable[..., None]
    """Of one or more records."""
    save: Callable[[str], str]
    journal: Callable[[ReadJournal], Journal]
    listen: Callable[[Listen | Brief], News | Briefed | None]
    providers: Callable[[], Sequence[tuple[str, Callable[[], Any]]]]
    background: Callable[[Begin | Collect], Ahead | None]
    abackground: Callable[[Begin | Collect], Awaitable[Ahead | None]]
    """The same for a driver that awaits."""
    llm: Callable[[Any], Any] | None
    """What answers a request: the summariser, or in a recall check the model that is asked."""
    pre: Sequence[Callable[[PreCompact], Any]] = ()
    post: Sequence[Callable[[PostCompact], Any]] = ()
    bind: Callable[[PostCompact], PostCompact] = lambda event: event
    """Gives the event after a compaction what its hooks may call."""
    judge: Callable[..., Any] | None = None

    def calls(self, command: Command, *, awaiting: bool = False) -> list[Call]:
        """The functions that a command stands for, in order."""
        match command:
            case Append(record=record, more=more):
                return [(self.append, (record, *more), None)]
            case Save(checkpoint=text):
                return [(self.save, (text,), None)]
            case ReadJournal():
                return [(self.journal, (command,), None)]
            case Listen() | Brief():
                return [(self.listen, (command,), None)]
            case Begin() | Collect():
                return [(self.abackground if awaiting else self.background, (command,), None)]
            case Look():
                return [(_named, (name, fn), name) for name, fn in self.providers()]
            case SummaryRequest() | ProbeRequest() | Judge() | Work():
                return self._asked(command)
            case PreCompact():
                return [(hook, (command,), None) for hook in self.pre]
            case PostCompact():
                event = self.bind(command)
                return [(hook, (event,), None) for hook in self.post]

    def _asked(self, command: SummaryRequest | ProbeRequest | Judge | Work) -> list[Call]:
        if isinstance(command, Work):
            return [(command.function, command.arguments, None)]
        if isinstance(command, Judge):
            return [(self.judge, command.arguments, None)] if self.judge else []
        return [(self.llm, (command,), None)] if self.llm else []

    def asynchronous(self) -> str:
        """What can't be called by a driver that blocks; empty where everything can."""
        if self.llm is not None and is_async(self.llm):
            return "llm"
        if self.judge is not None and is_async(self.judge):
            return "judge"
        return "hook" if any(is_async(hook) for hook in (*self.pre, *self.post)) else ""


def _named(name: str, fn: Callable[[], Any]) -> Any:
    found = fn()
    if inspect.isawaitable(found):
        return _awaited(name, found)
    return name, str(found)


async def _awaited(name: str, found: Awaitable[Any]) -> tuple[str, str]:
    return name, str(await found)


def is_async(fn: object) -> bool:
    """Whether calling a function, or an object with an async `__call__`, gives something to await."""
    return inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(getattr(type(fn), "__call__", None))  # noqa: B004 - an object may be called, too


def run(flow: Flow, effects: Effects, lock: AbstractContextManager[Any]) -> Any:
    """Drive a flow to its end, blocking.

    Raises:
        ContextKitError: a function that the flow needs is async.
    """
    outcomes: list[Outcome] | None = None
    try:
        while True:
            with lock:
                command = next(flow) if outcomes is None else flow.send(outcomes)
                if isinstance(command, Append):  # nothing may be added between what was decided and what is written
                    outcomes = [_do(call) for call in effects.calls(command)]
                    continue
            outcomes = [_do(call) for call in effects.calls(command)]
    except StopIteration as stop:
        return stop.value
    finally:
        flow.close()


def _do(call: Call) -> Outcome:
    fn, args, name = call
    try:
        value = fn(*args)
    except Exception as error:  # noqa: BLE001 - the flow decides what an error means
        return Outcome(name, error)
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        msg = f"{getattr(fn, '__name__', type(fn).__name__)} {ASYNC_IN_SYNC}"
        raise ContextKitError(msg)
    return Outcome(value)


async def arun(
    flow: Flow, effects: Effects, lock: AbstractContextManager[Any], held: Callable[[], bool] = lambda: True
) -> Any:
    """Drive a flow to its end, awaiting; a cancelled one leaves the log as it was.

    Raises:
        LostTurn: the turn is not `held` any more; the log is as it was.
    """
    outcomes: list[Outcome] | None = None
    try:
        while True:
            with lock:
                if not held():
                    raise LostTurn
                command = next(flow) if outcomes is None else flow.send(outcomes)
                if isinstance(command, Append):
                    outcomes = [_do(call) for call in effects.calls(command)]
                    continue
            outcomes = [await _ado(call) for call in effects.calls(command, awaiting=True)]
    except StopIteration as stop:
        return stop.value
    finally:
        flow.close()


async def _ado(call: Call) -> Outcome:
    fn, args, name = call
    return await ado(fn, *args, name=name)


async def ado(fn: Callable[..., Any], /, *args: Any, name: Any = None) -> Outcome:
    """Call a function, in a worker thread where it blocks; what came of it. `name` goes with an error."""
    from asyncio import to_thread

    outcome = _caught(fn, args, name) if is_async(fn) else await to_thread(_caught, fn, args, name)
    if outcome.error is not None or not inspect.isawaitable(outcome.value):
        return outcome
    try:
        return Outcome(await outcome.value)
    except Exception as error:  # noqa: BLE001 - the flow decides what an error means
        return Outcome(name, error)


def _caught(fn: Callable[..., Any], args: tuple[Any, ...], name: Any) -> Outcome:
    """Caught in its own thread: on the way out asyncio makes another error of some (`TimeoutError`)."""
    try:
        return Outcome(fn(*args))
    except Exception as error:  # noqa: BLE001 - the flow decides what an error means
        return Outcome(name, error)
