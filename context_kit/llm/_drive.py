"""The two drivers of a request: the only code of this room that calls a client or waits.

The SDK's own retries are off under them. A cancelled one stops where it is; the flow is closed and nothing is retried.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Coroutine, Mapping
from contextlib import ExitStack
from operator import attrgetter
from typing import Any

from context_kit.errors import ContextKitError
from context_kit.llm._api import ReplyError, plain
from context_kit.llm._asking import Asking, answer
from context_kit.llm._retry import Act, Send
from context_kit.summary import Outcome
from context_kit.types import ProbeRequest, SummaryReply, SummaryRequest

__all__ = ["AsyncSummariser", "Summariser", "awaits"]


def awaits(client: Any, path: tuple[str, ...]) -> bool:
    """Whether a client's calls are awaited: by its class's name or, wrappers taken off, by its `create`."""
    create = attrgetter(".".join((*path, "create")))(client)
    named = any(kind.__name__.startswith("Async") for kind in type(client).__mro__)
    return named or inspect.iscoroutinefunction(inspect.unwrap(create))


class _Bound:
    """A client and how it is asked."""

    def __init__(self, client: Any, asking: Asking) -> None:
        self._client = client
        self._asking = asking

    def __repr__(self) -> str:
        return f"<summariser {self._asking.model!r} by {self._asking.api.name}>"

    def _create(self, send: Send) -> Any:
        with_options = getattr(self._client, "with_options", None)
        client = with_options(max_retries=0) if callable(with_options) else self._client
        create = attrgetter(".".join((*self._asking.api.path, "create")))(client)
        return create(**_timed(send, getattr(client, "timeout", None)))


def _timed(send: Send, own: Any) -> dict[str, Any]:
    """A request with its time limit: the caller's where that is shorter."""
    given = send.body.get("timeout", own)
    if isinstance(given, (int, float)):
        return {**send.body, "timeout": min(given, send.seconds)}
    phases = {key: getattr(given, key, None) for key in ("connect", "read", "write", "pool")}
    if any(value is not None for value in phases.values()):
        least = {key: send.seconds if value is None else min(value, send.seconds) for key, value in phases.items()}
        return {**send.body, "timeout": type(given)(**least)}
    return {**send.body, "timeout": send.seconds}


def _chunk(chunk: object) -> Mapping[str, Any]:
    found = plain(chunk)
    if not isinstance(found, dict):
        msg = "the stream is damaged: a chunk is no JSON object"
        raise ReplyError(msg)
    return found


class Summariser(_Bound):
    """An `LLM` on a client that blocks."""

    def __call__(self, request: SummaryRequest | ProbeRequest, /) -> SummaryReply:
        """Ask the model for one record, or one question."""
        flow, outcome = answer(self._asking, request), None
        try:
            while True:
                outcome = self._done(flow.send(outcome))
        except StopIteration as stop:
            reply: SummaryReply = stop.value
            return reply
        finally:
            flow.close()

    def _done(self, act: Act) -> Outcome:
        if not isinstance(act, Send):
            time.sleep(act.seconds)
            return Outcome()
        try:
            return Outcome(self._sent(act))
        except Exception as error:  # noqa: BLE001 - the flow decides what it means
            return Outcome(error=error)

    def _sent(self, send: Send) -> Any:
        ends = time.monotonic() + send.seconds
        reply = self._create(send)
        if inspect.isawaitable(reply):
            if inspect.iscoroutine(reply):
                reply.close()
            msg = "the client is async, but does not look so: give the SDK's own AsyncOpenAI or AsyncAnthropic"
            raise ContextKitError(msg)
        if send.fold is None:
            return reply
        with ExitStack() as stack:
            stack.callback(getattr(reply, "close", int))
            for chunk in reply:
                send.fold.add(_chunk(chunk))
                if time.monotonic() > ends:
                    msg = f"no whole reply within {send.seconds:.1f} s"
                    raise TimeoutError(msg)
        return send.fold.whole()


class AsyncSummariser(_Bound):
    """An `LLM` on an async client; asyncio."""

    async def __call__(self, request: SummaryRequest | ProbeRequest, /) -> SummaryReply:
        """Ask the model for one record, or one question."""
        flow, outcome = answer(self._asking, request), None
        try:
            while True:
                outcome = await self._done(flow.send(outcome))
        except StopIteration as stop:
            reply: SummaryReply = stop.value
            return reply
        finally:
            flow.close()

    async def _done(self, act: Act) -> Outcome:
        if not isinstance(act, Send):
            await asyncio.sleep(act.seconds)
            return Outcome()
        try:
            return Outcome(await _within(act.seconds, self._sent(act)))
        except Exception as error:  # noqa: BLE001 - the flow decides what it means
            return Outcome(error=error)

    async def _sent(self, send: Send) -> Any:
        reply = self._create(send)
        if inspect.isawaitable(reply):
            reply = await reply
        if send.fold is None:
            return reply
        try:
            async for chunk in reply:
                send.fold.add(_chunk(chunk))
        finally:
            closed = getattr(reply, "close", int)()
            if inspect.isawaitable(closed):
                await closed
        return send.fold.whole()


async def _within(seconds: float, work: Coroutine[Any, Any, Any]) -> Any:
    """The work's result in time; a cancelled wait ends at once and takes the work along.

    `asyncio.wait_for` loses a cancellation that comes together with the result, before Python 3.12.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    finally:
        task.cancel()
    if not done:
        msg = f"no whole reply within {seconds:.1f} s"
        raise TimeoutError(msg)
    return task.result()
