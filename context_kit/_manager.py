"""ContextManager: the façade. It delegates; it decides nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from context_kit import _construct as construct
from context_kit._budget import Budget
from context_kit._call import acall, call
from context_kit._due import check_released, made_pin, same_pin
from context_kit._flow import turn
from context_kit._fork import Sharing
from context_kit._prepare import prepare
from context_kit._probing import Probing, attach
from context_kit._records import Pinned, Released
from context_kit._session import Session
from context_kit._view import View
from context_kit.engrams import Trail
from context_kit.errors import BudgetError
from context_kit.harness.ticks import Harness, Tick
from context_kit.types import Compaction, Engram, EngramKind, Tool
from context_kit.typing import LLM, Count, Policy, PostCompactHook, PreCompactHook, Redact, Store
from context_kit.wire import Reported, read

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["ContextManager"]


class ContextManager(Probing, Sharing, View):
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
        policy: `template`, `template+memory`, `template+engrams`, `default` (all three) or `layered` (retrieval, too).
        fidelity: `report`, or `strict`: `SummaryError` where a compaction would lose something.
        background: at soft the summariser is asked in a thread or task; only at hard does anyone wait.
        strict_roles: for servers that insist on alternating roles.
        redact: True (built-in rules), False, a function of a text in their place, or a list of functions after them.
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
        redact: bool | Redact | Sequence[Redact] = True,
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
            trail=Trail(semantics=construct.semantics_of(semantics), redact=settings.redact),
            pre=construct.hooks_of("pre_compact", pre_compact),
            post=construct.hooks_of("post_compact", post_compact),
            resume=_resume is not None,
        )
        attach(self._session)

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
        messages: list[Any] = self._session.calm() or self._session.drive(prepare)
        return messages

    async def aprepare(self) -> list[Any]:
        """`prepare()` for an event loop: sync functions run in a worker thread, async ones are awaited."""
        messages: list[Any] = self._session.calm() or await self._session.adrive(prepare)
        return messages

    def compact(self, *, focus: str | None = None) -> Compaction:
        """Compact now, whatever the level; the receipt.

        Args:
            focus: what the summariser is asked to keep in view.
        """
        receipt: Compaction = self._session.drive(partial(turn, trigger="manual", focus=focus))
        return receipt

    async def acompact(self, *, focus: str | None = None) -> Compaction:
        """`compact()` for an event loop."""
        receipt: Compaction = await self._session.adrive(partial(turn, trigger="manual", focus=focus))
        return receipt

    def call(self, create: Callable[..., Any], /, **kw: Any) -> Any:
        """Send the prepared messages, add the reply, return it; an overflow is compacted away, in three tries at most.

        Args:
            create: `client.chat.completions.create`, or any callable that returns a whole reply.
            **kw: handed to it unchanged.

        Raises:
            WindowExceededError: what can't shrink is larger than the provider's window.
            InvalidMessageError: a stream, or a history that the server holds. An async `create`: ContextKitError.
        """
        return call(self._session, create, kw)

    async def acall(self, create: Callable[..., Any], /, **kw: Any) -> Any:
        """`call()` for an event loop: a sync `create` runs in a worker thread."""
        return await acall(self._session, create, kw)

    def pin(self, text: str, /, *, kind: EngramKind = "note", label: str | None = None) -> Engram:
        """Keep a text word for word; it is never evicted. One that is pinned already stays the one pin.

        Raises:
            BudgetError: no room for it beside the other pins, or it is empty; nothing was pinned.
        """
        self._session.alive()
        with self._session.lock:
            log, settings = self._session.log, self._session.settings
            if (pinned := same_pin(log, settings, text, kind)) is not None:
                return pinned
            engram = made_pin(log, settings, text, kind=kind, label=label or "")
            self._session.append(Pinned(engram=engram))
        return engram

    def release(self, id: str, /) -> None:  # noqa: A002 - the field's own name
        """Let a pin go; it leaves the window at the next compaction.

        Raises:
            BudgetError: no pin has this id; the text lists those that are there.
        """
        self._session.alive()
        with self._session.lock:
            check_released(self._session.log, id)
            self._session.append(Released(id=id))

    def provide(self, name: str, fn: Callable[[], Any]) -> None:
        """Live state: `fn()` is called at each compaction, its text put into the bridge word for word."""
        if not callable(fn):
            msg = f"fn: {fn!r} can't be called: give a function that returns text"
            raise BudgetError(msg)
        self._session.providers[name] = fn

    def tick(
        self,
        title: str,
        *,
        harness: Harness | str | os.PathLike[str] | None = None,
        briefing: Literal["window", "system"] = "window",
    ) -> Tick:
        """A round of a long job, for `with` or `async with`: at its end its file is written, by code.

        One of the same title that was cut off, or that refused to close, goes on.

        Args:
            title: the round's aim, in a line.
            harness: where its files are, a folder or a `Harness`; by default the session's last one, else `.harness`.
            briefing: where the state of the job and the newest tick files are told: in the `window`, or by the
                caller, who puts `tick.briefing` into the `system` prompt; then nothing else tells it.

        Raises:
            BudgetError: the title says nothing, or there is no such place.
            ContextKitError: another tick of this session is under way.
            StoreError: the session is closed, or the files can't be written.
        """
        self._session.alive()
        return self._session.ticking.begin(title, harness, briefing)

    def close(self, *, done: bool = False) -> None:
        """Release the session's lock; reading goes on, and the session stays live and reopens.

        Args:
            done: the task has ended: the session is archived, its journal records stay searchable.

        Raises:
            StoreError: the journal's last records can't be written. The session is closed all the same, and they
                are written when it is opened again.
        """
        if done:
            self._session.ticking.leave()
        self._session.close(done=done)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
