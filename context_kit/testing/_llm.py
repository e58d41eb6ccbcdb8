"""A model for tests that says what it is told to, in order: a summariser, or who answers recall checks.

The invariant guarded here: one request, one scripted reply; too many and too few both fail the test.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from context_kit.types import ProbeRequest, SummaryReply, SummaryRequest, TaskSummary

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["AsyncScriptedLLM", "Reply", "ScriptedLLM"]

Reply: TypeAlias = "str | SummaryReply | TaskSummary | BaseException | Callable[[Any], Any]"
"""One scripted answer: a text, a reply, a summary (sent as its JSON), an error to raise, or a function of it."""


class _Script:
    """The replies still to come and the requests seen so far; both drivers read from here."""

    def __init__(self, replies: Iterable[Reply] = ()) -> None:
        self.replies: deque[Reply] = deque(replies)
        """What is still to be said, next one first."""
        self.requests: list[SummaryRequest] = []
        """Every request for a summary, oldest first."""
        self.questions: list[ProbeRequest] = []
        """Every question of a recall check, oldest first."""

    def _next(self, request: SummaryRequest | ProbeRequest) -> Any:
        if isinstance(request, ProbeRequest):
            self.questions.append(request)
        else:
            self.requests.append(request)
        if not self.replies:
            asked = len(self.requests) + len(self.questions)
            msg = f"the model was asked {asked} times, one more than it was scripted for: add a reply"
            raise AssertionError(msg)
        reply = self.replies.popleft()
        return _spoken(reply(request) if callable(reply) else reply)

    def done(self) -> None:
        """Check that every reply was used.

        Raises:
            AssertionError: some were not; the text says how many.
        """
        if self.replies:
            msg = f"{len(self.replies)} scripted replies were never asked for, the next is {self.replies[0]!r}"
            raise AssertionError(msg)

    def _leave(self, error: type[BaseException] | None) -> None:
        if error is None:  # an error under way is the news; unused replies are only its consequence
            self.done()


def _spoken(reply: Any) -> Any:
    if isinstance(reply, BaseException):
        raise reply
    return reply.model_dump_json() if isinstance(reply, TaskSummary) else reply


class ScriptedLLM(_Script):
    """A model that says what it is told to, in order, and remembers what it was asked.

    Used with `with`, it fails at the end where a reply was left unused.

    Raises:
        AssertionError: it is asked more often than it has replies.
    """

    def __call__(self, request: SummaryRequest | ProbeRequest, /) -> str | SummaryReply:
        """The next reply."""
        reply: str | SummaryReply = self._next(request)
        return reply

    @property
    def a(self) -> AsyncScriptedLLM:
        """The same script as an async summariser: replies and requests are shared."""
        twin = AsyncScriptedLLM()
        twin.replies, twin.requests, twin.questions = self.replies, self.requests, self.questions
        return twin

    @classmethod
    def asynchronous(cls, replies: Iterable[Reply] = ()) -> AsyncScriptedLLM:
        """An async summariser with a script of its own."""
        return AsyncScriptedLLM(replies)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._leave(error)


class AsyncScriptedLLM(_Script):
    """The async twin of `ScriptedLLM`; used with `with` or `async with`."""

    async def __call__(self, request: SummaryRequest | ProbeRequest, /) -> str | SummaryReply:
        """The next reply; a scripted function may be a coroutine function."""
        reply = self._next(request)
        said: str | SummaryReply = _spoken(await reply) if inspect.isawaitable(reply) else reply
        return said

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._leave(error)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._leave(error)
