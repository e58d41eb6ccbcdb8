"""One request, from its words to the reply: warm or cold, the best form that the server takes, tried again if needed.

A generator: it decides and does nothing. What worked is remembered for the next request.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from context_kit.errors import SummaryError
from context_kit.llm._api import Api, Body, Mode, ReplyError, Said, mapping, plain
from context_kit.llm._breaker import Breaker
from context_kit.llm._errors import bad_request, named, unsupported
from context_kit.llm._probed import MODES, probe_body
from context_kit.llm._prompt import warm_words
from context_kit.llm._retry import Patience, Send, Steps, tries
from context_kit.llm._schema import TOOL
from context_kit.llm._usage import Prices, cost, summed
from context_kit.llm._warm import rides
from context_kit.summary import parse, too_long
from context_kit.types import ProbeRequest, SummaryReply, SummaryRequest

__all__ = ["Asking", "Form", "answer"]

report = logging.getLogger("context_kit")

OVERFLOWED = "model_context_window_exceeded"
"""Claude's stop reason where the reply ran into the end of the window (wire-facts 1.7)."""
ROOM = 4_096
"""Tokens added for the reasoning of a model that reasons; doubled where it was not enough."""
MOST_ROOM = 32_768


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a server is asked: each figure the first that it took."""

    mode: int = 0
    limit: int = 0
    streaming: int = 0
    room: int = 0
    """Tokens beside the reply's own, for reasoning."""


@dataclass(slots=True, kw_only=True)
class Asking:
    """An adapter: what the caller set, and what was learnt of the server."""

    api: Api
    model: str
    options: Mapping[str, Any]
    warm: bool
    stream: bool
    prices: Prices | None
    patience: Patience
    breaker: Breaker
    form: Form
    """What worked last; replaced as a whole, so threads may share it."""
    probed: Form | None = None
    """The same of the questions of recall checks."""


@dataclass(slots=True, kw_only=True)
class _Call:
    """One request under way."""

    request: Any
    began: float
    requests: int = 0
    usage: dict[str, int] = field(default_factory=dict[str, int])


def answer(asking: Asking, request: SummaryRequest | ProbeRequest) -> Steps[SummaryReply]:
    """The reply to one request.

    Raises:
        SummaryError: the model answered, and not with a record, or not with words.
        Exception: the provider's own error, after the tries that make sense; or at once where the breaker is open.
    """
    asking.breaker.enter()
    try:
        call = _Call(request=request, began=asking.patience.clock())
        reply = yield from _answer(asking, call)
    except GeneratorExit:
        asking.breaker.left()
        raise
    except Exception as error:
        if too_long(error):  # says nothing of the provider; the next request is shorter
            asking.breaker.left()
        else:
            asking.breaker.failed(error)
        raise
    asking.breaker.succeeded()
    return reply


def _answer(asking: Asking, call: _Call) -> Steps[SummaryReply]:
    if isinstance(call.request, ProbeRequest):
        return (yield from _probed(asking, call))
    said = (yield from _warm(asking, call)) if asking.warm else None
    if said is None:
        said = yield from _cold(asking, call)
    return _reply(asking, call, said)


def _probed(asking: Asking, call: _Call) -> Steps[SummaryReply]:
    """The session's messages and one question, as plain text."""

    def body(form: Form) -> Body:
        made = probe_body(asking.api, call.request, asking.options)
        MODES[form.mode].add(made, call.request)
        return _limited(asking, form, call, made)

    known = replace(asking, form=asking.probed or replace(asking.form, mode=0))
    said = yield from _told(known, call, body, modes=MODES)
    asking.probed = known.form
    if said.refused:
        msg = "the model refused to answer"
        raise SummaryError(msg, usage=call.usage)
    return SummaryReply(said.text, usage=_used(asking, call), stop=said.stop)


def _warm(asking: Asking, call: _Call) -> Steps[Said | None]:
    """The session's own prefix and one instruction, as plain text; None where that got no record."""
    system = asking.options.get("system")
    words = warm_words(call.request)
    body = asking.api.warm(call.request, words, system)
    key = "input" if "input" in body else "messages"
    if not call.request.messages or not rides(body[key], asking.api.shape, tools=asking.options.get("tools")):
        report.info("summary asked cold: the window can't be sent as it is")
        return None
    own = {name: value for name, value in asking.options.items() if name != "system"}
    try:
        said = yield from _told(asking, call, lambda form: _limited(asking, form, call, {**own, **body}), modes=())
    except Exception as error:
        if not (too_long(error) or bad_request(error)):
            raise
        report.warning("summary asked cold after a warm request was refused: %s", named(error))
        return None
    return said if said.cut or _is_record(said) else None


def _is_record(said: Said) -> bool:
    """Whether a warm reply may be used: a model in the middle of its work likes to go on with it."""
    if said.refused or said.calls or said.stop == OVERFLOWED:
        return False
    try:
        parse(said.text)
    except SummaryError:
        return False
    return True


def _cold(asking: Asking, call: _Call) -> Steps[Said]:
    """Instructions and fenced transcript; no message, tool or system prompt of the session."""
    own = {name: value for name, value in asking.options.items() if name not in asking.api.aside}

    def body(form: Form) -> Body:
        made = {**own, **asking.api.cold(call.request)}
        asking.api.modes[form.mode].add(made, call.request)
        return _limited(asking, form, call, made)

    return (yield from _told(asking, call, body, modes=asking.api.modes))


def _told(asking: Asking, call: _Call, body: Callable[[Form], Body], *, modes: Sequence[Mode]) -> Steps[Said]:
    """One request in the best form that the server takes; once more where the reasoning left no room for words."""
    form, again = asking.form, True
    while True:
        try:
            said = yield from tries(
                _sender(asking, call, body, form), _reader(asking, call), asking.patience, call.began
            )
        except Exception as error:
            other = _other_form(asking, form, error, modes)
            if other is None:
                raise
            report.warning("the server refused a form of request, another is tried: %s", named(error))
            form = other
            continue
        if (said.cut and said.reasoned) or said.starved:
            form = replace(form, room=min(max(2 * form.room, ROOM), MOST_ROOM))
        asking.form = form
        if not (said.starved and again):
            return said
        again = False


def _sender(asking: Asking, call: _Call, body: Callable[[Form], Body], form: Form) -> Callable[[float], Send]:
    def make(seconds: float) -> Send:
        call.requests += 1
        streaming = asking.api.streaming[form.streaming] if asking.stream else {}
        fold = asking.api.fold() if asking.stream else None
        return Send(body={**body(form), **streaming}, seconds=seconds, fold=fold)

    return make


def _reader(asking: Asking, call: _Call) -> Callable[[Any], Said]:
    def read(reply: Any) -> Said:
        said = asking.api.read(mapping(plain(reply)))
        call.usage = summed(call.usage, said.usage)
        return said

    return read


def _limited(asking: Asking, form: Form, call: _Call, body: Body) -> Body:
    """A body with its model and the token limit: the reply's own, and room for reasoning."""
    name = asking.api.limits[form.limit]
    thinking = body.get("thinking")
    manual = thinking.get("budget_tokens", 0) if isinstance(thinking, Mapping) else 0
    return {
        **asking.api.defaults,
        **body,
        "model": asking.model,
        name: call.request.max_tokens + max(manual, form.room),
    }


def _other_form(asking: Asking, form: Form, error: Exception, modes: Sequence[Mode]) -> Form | None:
    """The next form to try after an error, None where it isn't about the form."""
    api = asking.api
    if form.limit + 1 < len(api.limits) and unsupported(error, [api.limits[form.limit]]):
        return replace(form, limit=form.limit + 1)
    if asking.stream and form.streaming + 1 < len(api.streaming) and unsupported(error, ["stream_options"]):
        return replace(form, streaming=form.streaming + 1)
    if form.mode + 1 < len(modes) and unsupported(error, modes[form.mode].words):
        return replace(form, mode=form.mode + 1)
    return None


def _reply(asking: Asking, call: _Call, said: Said) -> SummaryReply:
    """What was said, judged as far as the wire tells."""
    usage = _used(asking, call)
    if said.refused:
        msg = "the model refused to write the record: nothing is asked but a record of the transcript"
        raise SummaryError(msg, usage=usage)
    if said.stop == OVERFLOWED:
        msg = "the reply ran into the end of the context window: the input was too long"
        raise ReplyError(msg, status_code=400)
    record = next((arguments for name, arguments in said.calls if name == TOOL), None)
    if record is None and said.calls and not said.text.strip():
        msg = "the reply is a tool call and no record: call no tool, reply with the JSON object"
        raise SummaryError(msg, usage=usage)
    return SummaryReply(record or said.text, usage=usage, stop=said.stop)


def _used(asking: Asking, call: _Call) -> dict[str, int]:
    usage = {**call.usage, "requests": call.requests}
    if asking.prices is not None and call.usage:
        usage["cost_micros"] = cost(call.usage, asking.prices)
    return usage
