"""What the constructor's arguments mean, checked one by one.

Raises BudgetError for an unknown setting, with the known ones listed; nothing is started.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

from context_kit._budget import Budget
from context_kit._records import Opened
from context_kit._redact import redactor
from context_kit._settings import Settings
from context_kit.errors import BudgetError, StoreError
from context_kit.memory import SESSION_NAME, FileStore, current, exists
from context_kit.tokens import counter, system_cost, tools_cost, window_of
from context_kit.types import Tool
from context_kit.typing import LLM, Archives, Count, Policy, Redact, Store
from context_kit.wire import marks_beside

__all__ = [
    "FIDELITIES",
    "POLICIES",
    "budget_of",
    "check_llm",
    "hooks_of",
    "opened_of",
    "resumed",
    "semantics_of",
    "session_of",
    "settings_of",
    "store_of",
]

Hook: TypeAlias = "Callable[..., Any]"
POLICIES: tuple[str, ...] = get_args(Policy)
TOOL_KINDS = ("edit", "read", "run", "search", "plan", "other")
FIDELITIES = ("report", "strict")
SERVERS = ("postgresql://", "postgres://")
"""How an address begins that is no directory."""


def budget_of(window: int | None, model: str | None, budget: Budget | None) -> Budget:
    """The budget of a session: given, or by window, or by the model's window.

    Raises:
        BudgetError: none of the three tells the window, or they contradict each other.
    """
    if budget is not None:
        if not isinstance(budget, Budget):
            msg = f"budget: {budget!r} is no Budget: give Budget(window, ...)"
            raise BudgetError(msg)
        if window is not None and window != budget.window:
            msg = f"window: {window!r} contradicts budget.window={budget.window!r}: give one of them"
            raise BudgetError(msg)
        return budget
    size = window if window is not None else window_of(model)
    if size is None:
        which = f"of the model {model!r} is not known" if model else "is not given"
        msg = f"window: the context window {which}: pass it in tokens, as in ContextManager(128_000)"
        raise BudgetError(msg)
    return Budget(size)


def settings_of(
    budget: Budget,
    *,
    model: str | None,
    llm: LLM | None,
    llm_window: int | None,
    policy: Policy,
    fidelity: Literal["report", "strict"],
    redact: bool | Redact | Sequence[Redact],
    count: Count | None,
    system: object,
    tools: Sequence[object] | None,
    strict_roles: bool = False,
    background: bool = False,
    kept: Mapping[str, int] | None = None,
) -> Settings:
    """The settings of a session.

    Raises:
        BudgetError: one is unknown or of the wrong kind.
    """
    _check_kinds(model=model, system=system, tools=tools, count=count, strict_roles=strict_roles, background=background)
    _known("policy", policy, POLICIES)
    _known("fidelity", fidelity, FIDELITIES)
    check_llm(llm)
    size: object = llm_window
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 1):
        msg = f"llm_window: {llm_window!r} is no positive number of tokens"
        raise BudgetError(msg)
    counted = counter(model, count)
    return Settings(
        budget=budget,
        count=counted,
        redact=redactor(redact),
        model=model,
        llm=llm,
        llm_window=llm_window,
        background=background,
        policy=policy,
        fidelity=fidelity,
        system_tokens=_size("system", system, kept, lambda: system_cost(system, count=counted)),
        tools_tokens=_size("tools", tools, kept, lambda: tools_cost(tools, count=counted)),
        own_count=count is not None,
        system=system,
        tools=tools,
        marks=int(kept.get("marks", 0)) if kept and system is tools is None else marks_beside(system, tools),
    )


def check_llm(llm: LLM | None) -> None:
    """Refuse a summariser that can't be called.

    Raises:
        BudgetError: it can't.
    """
    if llm is not None and not callable(llm):
        msg = f"llm: {llm!r} can't be called: give a function of a SummaryRequest that returns text"
        raise BudgetError(msg)


def _check_kinds(
    *, model: object, system: object, tools: object, count: object, strict_roles: object, background: object
) -> None:
    for name, value, right, what in (
        ("model", model, isinstance(model, str), "the model's name as text"),
        ("system", system, isinstance(system, (str, list, tuple)), "text or a list of text blocks"),
        ("tools", tools, isinstance(tools, (list, tuple)), "a list of tool schemas"),
        ("count", count, callable(count), "a function from a text to its tokens"),
        ("strict_roles", strict_roles, isinstance(strict_roles, bool), "True or False"),
        ("background", background, isinstance(background, bool), "True or False"),
    ):
        if value is not None and not right:
            msg = f"{name}: {value!r} is not {what}"
            raise BudgetError(msg)


def _size(name: str, given: object, kept: Mapping[str, int] | None, measure: Callable[[], int]) -> int:
    """Tokens of what is sent beside the messages; a reopened session keeps what it had where nothing is given."""
    return int(kept.get(name, 0)) if given is None and kept else measure()


def _known(name: str, value: object, known: Sequence[str]) -> None:
    if value not in known:
        msg = f"{name}: {value!r} is unknown, use one of {', '.join(known)}"
        raise BudgetError(msg)


def opened_of(settings: Settings, *, strict_roles: bool) -> Opened:
    """The first record of a session's log."""
    budget = settings.budget
    return Opened(
        window=budget.window,
        budget={name: getattr(budget, name) for name in budget.__dataclass_fields__ if name != "window"},
        model=settings.model,
        strict_roles=strict_roles,
        system=settings.system_tokens,
        tools=settings.tools_tokens,
        marks=settings.marks,
    )


def hooks_of(name: str, given: Hook | Sequence[Hook] | None) -> tuple[Hook, ...]:
    """One hook, several, or none.

    Raises:
        BudgetError: one can't be called.
    """
    found: tuple[Any, ...] = (given,)
    if given is None or isinstance(given, (list, tuple)):
        found = tuple(given or ())
    for hook in found:
        if not callable(hook):
            msg = f"{name}: {hook!r} can't be called: give a function of one event"
            raise BudgetError(msg)
    return found


def semantics_of(given: Mapping[str, Tool] | None) -> dict[str, Tool]:
    """What the caller's own tools mean.

    Raises:
        BudgetError: a value is no Tool.
    """
    named: object = given
    if named is not None and not isinstance(named, Mapping):
        msg = f"semantics: {given!r} is no mapping: give tool names with context_kit.Tool values"
        raise BudgetError(msg)
    for name, tool in (given or {}).items():
        found: object = tool
        if not isinstance(found, Tool) or found.kind not in TOOL_KINDS:
            msg = f"semantics[{name!r}]: {tool!r} is no Tool of a known kind: give Tool(kind, path=..., ...)"
            raise BudgetError(msg)
    return dict(given or {})


def resumed(store: str | os.PathLike[str] | Store, session: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The constructor's arguments for a session on disk: window, budget and model from its log.

    Raises:
        StoreError: there is no such session and nothing tells the window to start it with.
    """
    kept = store_of(store)
    if kept is None or not exists(kept, session):
        if not {"window", "model", "budget"} & given.keys():
            raise _not_live(kept, session)
        return dict(given)
    lines = current(kept.read(session), session)
    told = [line for line in lines if line.get("k") == "open" and line.keys() >= {"window", "budget"}]
    if not told and not {"window", "model", "budget"} & given.keys():
        msg = f"session {session!r}: its first record is damaged: give window or model to open what is left"
        raise StoreError(msg)
    opened = told[-1] if told else {}
    arguments = {"model": opened.get("model"), "strict_roles": opened.get("strict_roles", False), **given}
    if not {"window", "budget"} & given.keys() and opened:
        shares = {name: value for name, value in opened["budget"].items() if name in Budget.__dataclass_fields__}
        arguments["budget"] = Budget(opened["window"], **shares)
    return arguments | {"_resume": opened}


def _not_live(store: Store | None, session: str) -> StoreError:
    """That a session can't be gone on with: it has ended, or never was."""
    if not isinstance(store, Archives) or session not in store.finished():
        return StoreError(f"session {session!r} is not in the store: give window or model to start it")
    place = f" and its log under archive/{session}" if isinstance(store, FileStore) else ""
    return StoreError(
        f"session {session!r} is finished and archived: its records are in the journal (context-kit memory show "
        f"STORE --session {session}){place}; give window or model to start a new one of that name"
    )


def session_of(given: str | None) -> str:
    """The session's name: given, or a random one.

    Raises:
        StoreError: it is no plain name.
    """
    if given is None:
        return secrets.token_hex(6)
    name: object = given
    if not isinstance(name, str) or not SESSION_NAME.fullmatch(name):
        msg = f"session: {given!r} is no plain name: use letters, digits, '_', '-' and '.', at most 128"
        raise StoreError(msg)
    return given


def store_of(given: str | os.PathLike[str] | Store | None) -> Store | None:
    """A store, or one made of a directory.

    Raises:
        BudgetError: it is neither, or a server's address, whose connections somebody has to close.
    """
    if isinstance(given, str) and given.startswith(SERVERS):
        msg = "store: is an address of a server: give PostgresStore(address), and close it when you are done"
        raise BudgetError(msg)
    if given is None or isinstance(given, (str, os.PathLike)):
        return FileStore(given) if given is not None else None
    if not all(callable(getattr(given, name, None)) for name in ("append", "read", "search", "lock", "sessions")):
        msg = f"store: {given!r} is no directory and no Store: give a path, or an object with the methods of Store"
        raise BudgetError(msg)
    return given
