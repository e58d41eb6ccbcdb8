"""ContextManager: the façade. It delegates; it decides nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from context_kit import _construct as construct
from context_kit._budget import Budget
from context_kit._commands import Flow
from context_kit._due import made_pin, usage
from context_kit._flow import turn
from context_kit._prepare import prepare
from context_kit._records import Pinned, Released
from context_kit._session import Session
from context_kit.engrams import Trail
from context_kit.errors import BudgetError
from context_kit.memory import Memory
from context_kit.types import Compaction, Engram, EngramKind, Recollection, TaskSummary, Tool, Usage
from context_kit.typing import LLM, Count, Policy, PostCompactHook, PreCompactHook, Redact, Store
from context_kit.wire import Reported, read

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ContextManager"]


class ContextManager:
    """The context of one session: add every message, send what `prepare()` returns.

    Args:
        window: the model's context window in tokens; without it, from `model`.
        model: the session's model, for its window, tokenizer and rules on reasoning.
        llm: the summariser, any function of a `SummaryRequest`; None means the extractive
            one: offline and deterministic.
        llm_window: the summariser's own window in tokens; by default the session's.
        budget: how the window is shared out; by default `Budget(window)`.
        system, tools: what the caller sends beside the messages; counted, never returned.
        store, session: a directory or a `Store` that keeps the session, and its name there.
        pre_compact, post_compact: one hook or several.
        policy: `template`, `template+memory`, `template+engrams` or `default` (all three).
        fidelity: `report`, or `strict`: `SummaryError` where a compaction would lose something.
        background: at soft the summariser is asked in a thread or task; only at hard does anyone wait.
        strict_roles: for servers that insist on alternating roles.
        redact: True (built-in rules), False, or a function of a text.
        semantics: what the caller's own tools mean, by tool name.
        count: tokens of a text, instead of the built-in tokenizers.

    Raises:
        BudgetError: a setting is unknown, has no room, or the window can't be told.
        StoreError: the session exists already (use `ContextManager.open`), or can't be locked.
    """

    def __init__(
        self,
        window: int | None = None,
        *,
        model: str | None = None,
        llm: LLM | None = None,
        llm_window: int | None = None,
        budget: Budget | None = None,
        system: object = None,
        tools: Sequence[object] | None = None,
        store: str | os.PathLike[str] | Store | None = None,
        session: str | None = None,
        pre_compact: PreCompactHook | Sequence[PreCompactHook] | None = None,
        post_compact: PostCompactHook | Sequence[PostCompactHook] | None = None,
        policy: Policy = "default",
        fidelity: Literal["report", "strict"] = "report",
        background: bool = False,
        strict_roles: bool = False,
        redact: bool | Redact = True,
        semantics: Mapping[str, Tool] | None = None,
        count: Count | None = None,
        _resume: Mapping[str, int] | None = None,
    ) -> None:
        settings = construct.settings_of(
            construct.budget_of(window, model, budget),
            model=model,
            llm=llm,
            llm_window=llm_window,
            policy=policy,
            fidelity=fidelity,
            redact=redact,
            count=count,
            system=system,
            tools=tools,
            strict_roles=strict_roles,
            background=background,
            kept=_resume,
        )
        self._session = Session(
            construct.session_of(session),
            construct.opened_of(settings, strict_roles=strict_roles),
            settings,
            store=construct.store_of(store),
            trail=Trail(semantics=construct.semantics_of(semantics)),
            pre=construct.hooks_of("pre_compact", pre_compact),
            post=construct.hooks_of("post_compact", post_compact),
            resume=_resume is not None,
        )

    @classmethod
    def open(cls, store: str | os.PathLike[str] | Store, session: str, **arguments: Any) -> ContextManager:
        """A session from disk, exactly as it was; started where there is none and a window is given.

        Args:
            store: the directory or `Store`.
            session: the session's name.
            arguments: those of the constructor; window and budget come from the log unless given.

        Raises:
            StoreError: there is no such session and neither `window` nor `model` is given, or
                another process holds it.
        """
        return cls(store=store, session=session, **construct.resumed(store, session, arguments))

    def add(self, message: object, /) -> None:
        """Add a message dict, an SDK reply, or a list of either.

        With a store it is written when this returns. A reply's usage anchors the ledger.

        Raises:
            InvalidMessageError: no provider would accept it; the field is named, the log unchanged.
            StoreError: it could not be written, or the session is closed.
        """
        if isinstance(message, (list, tuple)):
            self._session.add([read(each) for each in message])
        else:
            self._session.add((read(message),))

    def record_usage(self, *, input_tokens: int, output_tokens: int | None = None, model: str | None = None) -> None:
        """Tell the usage of the request that the last message added answers.

        Args:
            input_tokens: all of the request, cached or not; zero, or more than the window, is ignored.
            output_tokens: all of the reply, reasoning included.
            model: the model that answered.

        Raises:
            InvalidMessageError: nothing was added yet, or a count is no whole number.
        """
        self._session.report(Reported(input_tokens=input_tokens, output_tokens=output_tokens, model=model))

    def prepare(self) -> list[Any]:
        """The messages to send next; compacts first where that is due.

        Returns:
            A fresh list of dicts in the shape they came in; the dicts are shared and read-only.

        Raises:
            WindowExceededError: what can't shrink is larger than the window.
            ContextKitError: the summariser or a hook is async.
        """
        messages: list[Any] = self._session.calm() or self._session.drive(self._prepare)
        return messages

    async def aprepare(self) -> list[Any]:
        """`prepare()` for an event loop: sync functions run in a worker thread, async ones are awaited."""
        messages: list[Any] = self._session.calm() or await self._session.adrive(self._prepare)
        return messages

    def compact(self, *, focus: str | None = None) -> Compaction:
        """Compact now, whatever the level; the receipt.

        Args:
            focus: what the summariser is asked to keep in view.
        """
        receipt: Compaction = self._session.drive(lambda: self._compact(focus))
        return receipt

    async def acompact(self, *, focus: str | None = None) -> Compaction:
        """`compact()` for an event loop."""
        receipt: Compaction = await self._session.adrive(lambda: self._compact(focus))
        return receipt

    def _prepare(self) -> Flow:
        at = self._session
        return prepare(at.log, at.trail, at.settings)

    def _compact(self, focus: str | None) -> Flow:
        at = self._session
        return turn(at.log, at.trail, at.settings, trigger="manual", focus=focus)

    @property
    def messages(self) -> list[Any]:
        """The window as it stands: a fresh list of shared, read-only dicts."""
        with self._session.lock:
            return self._session.log.view()

    @property
    def usage(self) -> Usage:
        """How full the window is."""
        with self._session.lock:
            return usage(self._session.log, self._session.settings)

    @property
    def session(self) -> str:
        """The session's name."""
        return self._session.name

    @property
    def memory(self) -> Memory:
        """The journal: `append`, `records`, `search`."""
        return self._session.memory

    @property
    def summary(self) -> TaskSummary | None:
        """The current six fields; None before the first compaction."""
        last = self._session.log.last
        return last.receipt.summary if last else None

    @property
    def compactions(self) -> tuple[Compaction, ...]:
        """Every receipt, oldest first."""
        return tuple(self._session.log.receipts)

    @property
    def engrams(self) -> tuple[Engram, ...]:
        """What is on the board now, each with the status that the log gives it at this moment.

        Pins first, then what the last compaction kept word for word. A status changes at once,
        the text leaves the window at the next compaction.
        """
        with self._session.lock:
            return self._session.board()

    def pin(self, text: str, /, *, kind: EngramKind = "note", label: str | None = None) -> Engram:
        """Keep a text word for word; it is never evicted.

        Raises:
            BudgetError: no room for it beside the other pins, or it is empty; nothing was pinned.
        """
        self._session.alive()
        with self._session.lock:
            engram = made_pin(self._session.log, self._session.settings, text, kind=kind, label=label or "")
            self._session.append(Pinned(engram=engram))
        return engram

    def release(self, id: str, /) -> None:  # noqa: A002 - the field's own name
        """Let a pin go; it leaves the window at the next compaction.

        Raises:
            BudgetError: no pin has this id; the text lists those that are there.
        """
        self._session.alive()
        with self._session.lock:
            given: object = id
            if not isinstance(given, str) or given not in self._session.log.pins:
                msg = f"id: {id!r} is no pin, there are {', '.join(self._session.log.pins) or 'none'}"
                raise BudgetError(msg)
            self._session.append(Released(id=id))

    def provide(self, name: str, fn: Callable[[], Any]) -> None:
        """Live state: `fn()` is called at each compaction, its text put into the bridge word for word."""
        if not callable(fn):
            msg = f"fn: {fn!r} can't be called: give a function that returns text"
            raise BudgetError(msg)
        self._session.providers[name] = fn

    def recall(self, query: str, /, *, k: int = 5, max_tokens: int = 2_000) -> list[Recollection]:
        """Text that left the window, or was remembered.

        Args:
            query: words, a path, or an address from a receipt (`m12`, `c3`, `f:PATH@12`): then
                exactly that text, whole, `max_tokens` aside.
            k: at most so many pieces.
            max_tokens: all of them together.

        Raises:
            BudgetError: a query that is no text, or a number below 1.
        """
        return self._session.recall(query, k=k, max_tokens=max_tokens)

    def close(self, *, done: bool = False) -> None:
        """Release the session's lock; reading goes on, and the session stays live and reopens.

        Args:
            done: the task has ended: the session is archived, its journal records stay searchable.
        """
        self._session.close(done=done)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
