"""One provider API as data: how it is asked, and how its reply is read as one `Said`.

Whatever a server sends is either read or refused with `ReplyError`: nothing half-read gets further.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from context_kit.errors import ContextKitError
from context_kit.types import SummaryRequest
from context_kit.typing import Shape
from context_kit.wire import dump

__all__ = ["Api", "Body", "Fold", "Mode", "ReplyError", "Said", "joined", "mapping", "plain", "refused_in"]

Body = dict[str, Any]
"""Keyword arguments of one `create`."""


class ReplyError(ContextKitError):
    """A reply that is not what its API promises: no JSON, cut off in the middle, or an error in place of an answer."""

    def __init__(self, text: str, *, status_code: int | None = None, kind: str = "") -> None:
        super().__init__(text)
        self.status_code = status_code
        """HTTP status that the body or the stream told, if any."""
        self.kind = kind
        """The provider's own name of the error, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One reply, whichever API it came from."""

    text: str
    """The visible text, without reasoning."""
    stop: str | None = None
    """Why it ended, in the provider's word; a cut at the token limit is `length` or `max_tokens`."""
    refused: bool = False
    """The model or a filter declined."""
    calls: tuple[tuple[str, str], ...] = ()
    """Name and arguments (JSON) of each tool call."""
    usage: Mapping[str, int] | None = None
    """`input_tokens` (the whole, cached or not), `output_tokens`, `cached_tokens`, `reasoning_tokens`."""
    reasoned: bool = False
    """There was reasoning beside the text."""

    @property
    def cut(self) -> bool:
        """It ended at its token limit."""
        return self.stop in ("length", "max_tokens")

    @property
    def starved(self) -> bool:
        """It ended at its token limit before a visible word: the reasoning had it all."""
        return self.cut and not self.text.strip() and not self.calls


class Fold(Protocol):
    """The chunks of one streamed reply, made the reply that the same request gives without streaming."""

    def add(self, chunk: Mapping[str, Any], /) -> None:
        """Take one chunk.

        Raises:
            ReplyError: the chunk tells of an error.
        """
        ...

    def whole(self) -> Mapping[str, Any]:
        """The reply.

        Raises:
            ReplyError: the stream ended before the reply did.
        """
        ...


class Mode(NamedTuple):
    """One way to get JSON: what it adds to a request, and the words by which a refusal of it is known."""

    name: str
    words: tuple[str, ...]
    """Parts of parameter names and of feature names, lower case."""
    add: Callable[[Body, Any], None]
    """Changes a request's body in place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """How one provider API is asked and read."""

    name: str
    path: tuple[str, ...]
    """Attributes from the client to the object that has `create`."""
    shape: Shape
    cold: Callable[[SummaryRequest], Body]
    """Instructions and fenced transcript as plain text."""
    warm: Callable[[SummaryRequest, str, Any], Body]
    """The native prefix, one last user message, and the caller's system prompt."""
    modes: tuple[Mode, ...]
    """Best first; the last one asks for plain text."""
    limits: tuple[str, ...]
    """Names of the token limit, newest first."""
    defaults: Mapping[str, Any]
    """What is sent unless the caller's options say otherwise."""
    aside: frozenset[str]
    """Options of the caller's that only a warm request carries."""
    read: Callable[[Mapping[str, Any]], Said]
    fold: Callable[[], Fold]
    streaming: tuple[Body, ...]
    """What asks for a stream, best first."""


def mapping(value: object) -> Mapping[str, Any]:
    """The value where it is a mapping, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def plain(node: Any, depth: int = 12) -> Any:
    """A reply or a chunk as dicts, lists and scalars, whether it is the SDK's model, a dict or a plain object."""
    if node is None or isinstance(node, (str, int, float)) or depth == 0:
        return node
    if isinstance(node, (list, tuple)):
        return [plain(item, depth - 1) for item in node]
    found = node if isinstance(node, Mapping) else dump(node) or getattr(node, "__dict__", {})
    return {key: plain(value, depth - 1) for key, value in found.items() if not str(key).startswith("_")}


def joined(content: object) -> str:
    """The text of a string or of a list of text parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(
        str(part["text"]) for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str)
    )


def refused_in(reply: Mapping[str, Any], wanted: str) -> ReplyError:
    """The error for a body that is no reply: the server's own words where it gives some."""
    error = reply.get("error")
    told = mapping(error)
    code = told.get("code")
    status = code if isinstance(code, int) and not isinstance(code, bool) else None
    kind = str(told.get("type") or code or "")
    words = str(told.get("message") or (error if isinstance(error, str) else ""))[:200]
    if words or kind:
        return ReplyError(
            f"the server answered 200 with an error in the body: {words or kind}", status_code=status, kind=kind
        )
    return ReplyError(f"the server answered 200 with no {wanted}: check the base URL and what stands before the server")
