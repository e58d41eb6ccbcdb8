"""`call`: prepare, send, add. What is no overflow goes to the caller as it came.

One generator decides; two drivers prepare and send what it yields, one that blocks and one that awaits.
No lock and no turn is held while `create` runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, NoReturn

from context_kit._drive import ado, is_async
from context_kit._overflow import Work, talk
from context_kit._session import Session
from context_kit.errors import BudgetError, ContextKitError, InvalidMessageError
from context_kit.summary import Outcome
from context_kit.typing import Shape

__all__ = ["acall", "call"]

OWN_KEYS = ("messages", "input")
SERVER_HELD = ("previous_response_id", "conversation")


def call(session: Session, create: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """Blocking: the reply, once it was added.

    Raises:
        BudgetError: `create` can't be called.
        ContextKitError: `create` is async.
        InvalidMessageError: an argument, or the reply, is not what `call` can work with.
        WindowExceededError: what can't shrink is larger than the provider's window.
    """
    _check(create, arguments)
    if _awaits(create):
        _refuse_async(create)
    name = _argument(create, session.log.shape)
    talking = talk(session, arguments)
    try:
        wanted = next(talking)
        while True:
            if isinstance(wanted, Work):
                wanted = talking.send(session.drive(wanted.make))
            else:
                wanted = talking.send(_sent(create, {**arguments, name: wanted.messages}))
    except StopIteration as stop:
        outcome: Outcome = stop.value
    finally:
        talking.close()
    return _reply(outcome)


async def acall(session: Session, create: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """Awaiting: a sync `create` runs in a worker thread."""
    _check(create, arguments)
    name = _argument(create, session.log.shape)
    talking = talk(session, arguments)
    try:
        wanted = next(talking)
        while True:
            if isinstance(wanted, Work):
                wanted = talking.send(await session.adrive(wanted.make))
            else:
                wanted = talking.send(await ado(partial(create, **{**arguments, name: wanted.messages})))
    except StopIteration as stop:
        outcome: Outcome = stop.value
    finally:
        talking.close()
    return _reply(outcome)


def _reply(outcome: Outcome) -> Any:
    """The reply; an error is raised as it came, outside of every handler, so that nothing is chained to it."""
    if outcome.error is not None:
        raise outcome.error
    return outcome.value


def _sent(create: Callable[..., Any], arguments: Mapping[str, Any]) -> Outcome:
    try:
        value = create(**arguments)
    except Exception as error:  # noqa: BLE001 - the talk decides what an error means
        return Outcome(None, error)
    if inspect.iscoroutine(value):
        value.close()  # it has not begun: nothing was sent
        _refuse_async(create)
    return Outcome(value)


# -- what may be called --------------------------------------------------------------------


def _check(create: object, arguments: Mapping[str, Any]) -> None:
    """Refuse what `call` could not do its work with, before anything is compacted or sent."""
    if not callable(create):
        msg = f"create: {create!r} can't be called: give a function such as `client.chat.completions.create`"
        raise BudgetError(msg)
    for name in OWN_KEYS:
        if name in arguments:
            msg = "is what call() fills in from the session: add() the messages and leave it out"
            raise InvalidMessageError(msg, field=name)
    for name in SERVER_HELD:
        if arguments.get(name):
            msg = "the server holds this history, so a cut here has no effect: leave it out, the items go as `input`"
            raise InvalidMessageError(msg, field=name)
    if arguments.get("stream"):
        msg = "call() needs a whole reply: leave it out, or give a function that collects the stream and returns it"
        raise InvalidMessageError(msg, field="stream")


def _awaits(create: Callable[..., Any]) -> bool:
    """Whether `create` is async. The SDKs' async clients have it behind a wrapper that does not look it."""
    while isinstance(create, partial):
        create = create.func
    owner = type(getattr(create, "__self__", None)).__name__
    return is_async(create) or (owner.startswith("Async") and inspect.iscoroutinefunction(inspect.unwrap(create)))


def _refuse_async(create: Callable[..., Any]) -> NoReturn:
    name = getattr(create, "__name__", type(create).__name__)
    msg = f"{name} is async, but call() blocks: use await acall(); nothing was sent"
    raise ContextKitError(msg)


def _argument(create: Callable[..., Any], shape: Shape | None) -> Literal["messages", "input"]:
    """The name under which `create` takes the messages."""
    try:
        parameters = inspect.signature(create).parameters
    except (TypeError, ValueError):  # a builtin tells nothing
        return "messages"
    if "messages" in parameters:
        return "messages"
    open_ended = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    return "input" if "input" in parameters or (open_ended and shape == "responses") else "messages"
