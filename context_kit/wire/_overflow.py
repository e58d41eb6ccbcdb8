"""Tells a context overflow from every other error, and reads what it says of the window.

Recognised by status, code and text, of exceptions and of replies that only look like success. Throttling
and a request that is too large in bytes are never one. Bounded work, whatever an error carries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from json import loads
from typing import Any

from context_kit.errors import ContextKitError, InvalidMessageError
from context_kit.wire._dump import dump
from context_kit.wire._overflow_signs import BYTES, CODES, ENDINGS, FIELDS, NAMES, SIGNS, THROTTLED, THROTTLES, Sign
from context_kit.wire._usage import reported

__all__ = ["Overflow", "overflow", "overflow_in"]

LONGEST = 4_000
"""Characters of one text that are read: no provider says more before the point."""
MOST_TEXTS = 16
DEEPEST = 6
"""Of nested errors: gateways put the upstream's body, as JSON text, inside their own."""
CAUSES = 4
NAMED = frozenset({"code", "type", "status", "error_code", "reason", "httpstatuscode"})
SAID = frozenset("error errors message msg detail details raw metadata body response responsemetadata".split())
"""Keys, in lower case, whose text is the provider's own, or holds it; others may echo the request."""
CODED = ("status_code", "http_status", "code", "status", "type")
UNITS = {"k": 1_000, "m": 1_000_000}
"""The lower reading where it may be 1,024: a window that is believed smaller does no harm."""
TO_THE_BRIM = 0.99
"""An input of this share of the window with no output: the server cut it to fit (pi-mono, MiMo, 2026)."""
CUT_SHORT = frozenset({"length", "max_tokens", "max_output_tokens"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Overflow:
    """What a provider told of a request that was larger than the window; tokens each, None where it did not."""

    limit: int | None = None
    """The window."""
    prompt: int | None = None
    """The request, its reply aside; maybe only a lower bound of it."""
    total: int | None = None
    """The request with the tokens asked for the reply."""
    reply: int | None = None
    """Tokens asked for the reply, where they count."""


@dataclass(slots=True)
class _Told:
    """What an error says: statuses, codes, texts, numbers."""

    statuses: set[int] = field(default_factory=set[int])
    codes: set[str] = field(default_factory=set[str])
    texts: list[str] = field(default_factory=list[str])
    numbers: dict[str, int] = field(default_factory=dict[str, int])

    def node(self, node: object, depth: int = 0) -> None:
        """Read a body: a mapping, a list of them, or either as JSON text."""
        if depth > DEEPEST or len(self.texts) >= MOST_TEXTS:
            return
        if isinstance(node, Mapping):
            for key, value in node.items():
                self._entry(str(key).lower(), value, depth)
        elif isinstance(node, (list, tuple)):
            for value in node[:MOST_TEXTS]:
                self.node(value, depth + 1)
        elif isinstance(node, str):
            self.text(node, depth)

    def _entry(self, key: str, value: object, depth: int) -> None:
        if key in NAMED:
            self.code(value)
        elif key in FIELDS and isinstance(value, int) and not isinstance(value, bool):
            self.numbers[FIELDS[key]] = value
        elif key in SAID:
            self.node(value, depth + 1)

    def code(self, value: object) -> None:
        """Read a code: a number is a status, wherever it stands."""
        if isinstance(value, str) and value.isdecimal() and len(value) == len("400"):
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            self.statuses.add(int(value))
        elif isinstance(value, str):
            self.codes.add(value[:LONGEST])

    def text(self, text: str, depth: int) -> None:
        """Read a text, and what it holds where it is JSON."""
        if text.lstrip()[:1] in ("{", "[") and len(text) <= 4 * LONGEST:
            with suppress(ValueError, RecursionError):
                self.node(loads(text), depth + 1)
                return
        if text.strip():
            self.texts.append(text[:LONGEST])


def overflow(error: BaseException) -> Overflow | None:
    """What an exception says of the window, or None where it is about anything else.

    Args:
        error: any SDK's, or any other whose text or name says it; what caused it is read, too.
    """
    told = _Told()
    names: list[str] = []
    for each in _causes(error):
        if isinstance(each, ContextKitError):
            return None
        names.append(type(each).__name__)
        _read(each, told)
    return _judged(told, named=any(NAMES.search(name) for name in names))


def _causes(error: BaseException) -> Iterator[BaseException]:
    found: BaseException | None = error
    for _ in range(CAUSES):
        if found is None:
            return
        yield found
        found = found.__cause__


def _read(error: BaseException, told: _Told) -> None:
    """One exception: its attributes, its body where it has one, else its text."""
    response = _attribute(error, "response")
    for name in CODED:
        told.code(_attribute(error, name))
    told.code(_attribute(response, "status_code"))
    before = len(told.texts)
    for body in (_attribute(error, "body"), _attribute(error, "details"), response):
        if isinstance(body, (Mapping, list, str)):
            told.node(body)
    if len(told.texts) == before:  # of an HTTP client that knows no provider
        told.node(_attribute(response, "text"))
    if len(told.texts) == before:
        with suppress(Exception):
            told.text(str(error), 0)


def _attribute(holder: object, name: str) -> object:
    """An attribute; None where there is none, or where it can't be read."""
    with suppress(Exception):
        return getattr(holder, name, None)
    return None


def overflow_in(reply: object, *, window: int, least: int = 0) -> Overflow | None:
    """What a reply that looks like success says of the window, or None where it is a whole one.

    Args:
        reply: a reply, or the error event of a stream, as a dict or as the SDK's object.
        window: the window as it is believed, in tokens.
        least: tokens that the request had at least: usage below it tells nothing.
    """
    try:
        data = reply if isinstance(reply, Mapping) else dump(reply)
    except InvalidMessageError:
        return None  # whoever reads the reply raises it
    if data is None:
        return None
    event = data.get("response")
    data = event if isinstance(event, Mapping) else data
    return _failed(data) or _ended(data, window, least)


def _failed(data: Mapping[str, Any]) -> Overflow | None:
    """A reply that holds an error in the place of an answer."""
    told = _Told()
    for part in (data, *_choices(data)):
        error = part.get("error")
        if isinstance(error, (Mapping, str)):
            told.node(error)
    if data.get("type") == "error":
        told.node(data)
    return _judged(told) if told.texts or told.codes else None


def _choices(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    choices = data.get("choices")
    for choice in choices[:1] if isinstance(choices, list) else ():
        if isinstance(choice, Mapping):
            yield choice


def _ended(data: Mapping[str, Any], window: int, least: int) -> Overflow | None:
    """A reply that ended because the window did."""
    parts = [data, *_choices(data)]
    details = data.get("incomplete_details")
    parts += [details] if isinstance(details, Mapping) else []
    keys = ("stop_reason", "finish_reason", "native_finish_reason", "reason")
    reasons = {value for part in parts for key in keys if isinstance(value := part.get(key), str)}
    usage = reported(data, "chat" if "choices" in data else "responses" if "output" in data else "anthropic")
    if reasons & ENDINGS:
        if usage is None or usage.input_tokens < least:
            return Overflow()
        return Overflow(limit=usage.input_tokens + (usage.output_tokens or 0), prompt=usage.input_tokens)
    brim = usage is not None and usage.output_tokens == 0 and usage.input_tokens >= TO_THE_BRIM * window
    return Overflow() if brim and reasons & CUT_SHORT else None


def _judged(told: _Told, *, named: bool = False) -> Overflow | None:
    said = [*told.codes, *told.texts]
    if told.statuses & THROTTLED or any(THROTTLES.search(text) or BYTES.search(text) for text in said):
        return None
    found = named or bool(told.codes & CODES)
    numbers = dict(told.numbers)
    for text in told.texts:
        match = _signed(text, told.statuses)
        if match is not None:
            found = True
            numbers = match | numbers
    if not found or numbers.get("reply", 0) >= numbers.get("limit", 1 << 62):
        return None  # a reply longer than the window: no shorter request helps
    return Overflow(**{each.name: numbers.get(each.name) for each in fields(Overflow)})


def _signed(text: str, statuses: set[int]) -> dict[str, int] | None:
    """The numbers of the first sign that a text bears; None where it bears none."""
    for sign in SIGNS:
        if statuses and not statuses & sign.statuses:
            continue
        match = sign.pattern.search(text)
        if match is not None:
            return _numbers(sign, match, text)
    return None


def _numbers(sign: Sign, match: re.Match[str], text: str) -> dict[str, int]:
    found = dict(match.groupdict())
    for pattern in sign.counts:
        more = pattern.search(text)
        found |= {key: value for key, value in (more.groupdict() if more else {}).items() if not found.get(key)}
    sizes = {key: _tokens(value) for key, value in found.items() if value}
    return {key: size for key, size in sizes.items() if size or key == "reply"}


def _tokens(told: str) -> int:
    """A number as it was told, with its unit."""
    digits, unit = re.sub(r"[^\d.,]", "", told), UNITS.get(told[-1].lower())
    if unit is None:
        return int(re.sub(r"\D", "", digits))
    whole, _, part = digits.replace(",", ".").rpartition(".")
    return int(float(f"{whole.replace('.', '')}.{part}" if whole else part) * unit)
