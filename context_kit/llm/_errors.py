"""What an error of a provider means: try again, ask in another way, or give up (wire-facts 5).

Errors are told apart by status, code and class name: no SDK is imported. Texts come last, and only for what has
no code.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any

from context_kit.llm._api import ReplyError, mapping
from context_kit.summary import too_long

__all__ = ["bad_request", "named", "retry_after", "status_of", "transient", "unsupported"]

PASSING = {408, 409, 429}
"""Statuses below 500 after which the same request may work; both SDKs retry them."""
LASTING = {501, 505}
"""Statuses from 500 up that say that it never will."""
BAD_REQUEST = (400, 404, 422)
"""Statuses by which servers say that a parameter isn't known; 404 is OpenRouter's, 422 FastAPI's."""
PASSING_KINDS = {
    "api_error",
    "internal_error",
    "internal_server_error",
    "overloaded_error",
    "rate_limit_error",
    "rate_limit_exceeded",
    "server_error",
    "server_overloaded",
    "service_unavailable",
    "slow_down",
    "timeout_error",
}
"""Error types and codes that streams tell, where the status is 200 or missing."""
OUT_OF_MONEY = {"billing_error", "insufficient_quota"}
"""Codes of a 429 that no waiting changes."""
CONNECTION = {
    "APIConnectionError",  # both SDKs, timeouts included
    "TransportError",  # httpx2, and httpx of older clients
    "StreamError",
    "DecodingError",
    "JSONDecodeError",  # a body or a chunk that is cut off
    "UnicodeDecodeError",
    "APIResponseValidationError",
    "ReplyError",
    "ConnectionError",
    "TimeoutError",
}
"""Classes of errors that say nothing of the request: names, because the SDKs may not be loaded."""
NOT_KNOWN = (
    "not support",
    "unsupported",
    "unsupported_parameter",
    "doesn't support",
    "not available",
    "not allowed",
    "not permitted",
    "not enabled",
    "not implemented",
    "not recognized",
    "unrecognized",
    "unknown",
    "unexpected",
    "no endpoints found",
    "invalid schema",
    "does not exist",
    "requires",
)
"""Ways to say that a parameter or a feature isn't there."""


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an error tells; None where it is the 200 of a stream, or there is none."""
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) and status >= 400 else None


def named(error: BaseException) -> str:
    """An error for a log: its class and status, and no text, which may quote the request."""
    status = status_of(error)
    return type(error).__name__ + (f" {status}" if status else "")


def _kinds(error: BaseException) -> set[str]:
    """Every type and code that an error names itself by."""
    body = mapping(getattr(error, "body", None))
    inner = mapping(body.get("error"))
    told = [getattr(error, key, None) for key in ("kind", "code", "type", "error_code")]
    return {
        str(word) for word in (*told, *(place.get(key) for place in (body, inner) for key in ("type", "code"))) if word
    }


def transient(error: BaseException) -> bool:
    """Whether the same request may be answered a little later."""
    kinds = _kinds(error)
    if too_long(error) or kinds & OUT_OF_MONEY or _told_not_to(error):
        return False
    status = status_of(error)
    if status is not None:
        return status in PASSING or (status >= 500 and status not in LASTING)
    if kinds & PASSING_KINDS:
        return True
    if isinstance(error, ReplyError) and error.kind:
        return False
    return bool(CONNECTION & {kind.__name__ for kind in type(error).__mro__})


def _headers(error: BaseException) -> Any:
    headers = getattr(getattr(error, "response", None), "headers", None)
    return {str(name).lower(): value for name, value in headers.items()} if isinstance(headers, Mapping) else {}


def _told_not_to(error: BaseException) -> bool:
    return str(_headers(error).get("x-should-retry", "")).lower() == "false"


def retry_after(error: BaseException, now: float | None = None) -> float | None:
    """Seconds that the server wants to be left alone; None where it doesn't say.

    Args:
        error: what the SDK raised.
        now: Unix time, for servers that give a date.
    """
    headers = _headers(error)
    in_ms, value = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        seconds = float(in_ms) / 1000 if in_ms is not None else float(value) if value is not None else None
        return max(seconds, 0.0) if seconds is not None and math.isfinite(seconds) else None
    except ValueError:
        return _until(str(value), time.time() if now is None else now)


def _until(date: str, now: float) -> float | None:
    try:
        return max(parsedate_to_datetime(date).timestamp() - now, 0.0)
    except (TypeError, ValueError):
        return None


def bad_request(error: BaseException) -> bool:
    """Whether the server took the request itself for wrong; auth errors are none."""
    return status_of(error) in BAD_REQUEST


def unsupported(error: BaseException, names: Sequence[str]) -> bool:
    """Whether a bad-request error says that one of these parameters or features isn't there.

    A client whose `create` doesn't know a keyword says the same with a `TypeError`.
    """
    words = str(error).lower()
    if isinstance(error, TypeError):
        return "unexpected keyword" in words and any(name in words for name in names)
    if not bad_request(error) or too_long(error):
        return False
    param = str(getattr(error, "param", None) or "").lower()
    named = any(name in words or name in param for name in names)
    return named and any(phrase in words for phrase in NOT_KNOWN)
