"""What stands on the wire for a result that never came: legal, marked, and claiming nothing.

Each call kind that a caller answers has one, by the request types of openai 3.57 and anthropic 2.14.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from context_kit.errors import InvalidMessageError
from context_kit.typing import Shape
from context_kit.wire._kinds import answer_of
from context_kit.wire._message import Message, Part

__all__ = ["PLACEHOLDER", "answered", "late_result", "placeholder"]

PLACEHOLDER = "no result: interrupted"
"""Text of a result that never came."""

BLANK = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
)
"""One grey pixel: a computer call is answered by a screenshot and by nothing else, so the text has no place in it."""


def placeholder(message: Message, call: Part, /) -> dict[str, Any]:
    """The message, block or item that answers a call which has no result.

    A screenshot's pending safety checks are not acknowledged: only a person can do that.
    """
    if message.shape == "anthropic":
        return {"type": "tool_result", "tool_use_id": call.id, "content": PLACEHOLDER, "is_error": True}
    if message.shape == "responses":
        return _item(message.raw, call)
    if call.at < 0:
        return {"role": "function", "name": call.name, "content": PLACEHOLDER}
    return {"role": "tool", "tool_call_id": call.id, "content": PLACEHOLDER}


def answered(message: Message, call: Part, text: str, /) -> dict[str, Any]:
    """The message or item that answers a call with a text.

    Raises:
        InvalidMessageError: the call's kind takes no text (a screenshot, a list of tools).
    """
    made = placeholder(message, call)
    if message.shape == "anthropic":
        block = {**made, "content": text}
        return {"role": "user", "content": [{key: value for key, value in block.items() if key != "is_error"}]}
    if message.shape != "responses":
        return {**made, "content": text}
    kind = message.raw["type"]
    if kind == "shell_call":
        return {**made, "output": [{"stdout": text, "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]}
    if "output" not in made or kind == "computer_call":
        msg = f"a call of type {kind!r} takes no text as its result: answer it yourself"
        raise InvalidMessageError(msg, field="call_id")
    return {**made, "output": text, **({"status": "completed"} if "status" in made else {})}


def _item(raw: dict[str, Any], call: Part) -> dict[str, Any]:
    kind = raw["type"]
    answer = answer_of(kind, raw.get("execution"))
    output = answer.output if answer else f"{kind}_output"
    made: dict[str, Any] = {"type": output, "call_id": call.id, **BODIES.get(kind, _text)(call)}
    # A call made by a program is answered to that program (wire-facts 3.1.6).
    if isinstance(raw.get("caller"), dict):
        made["caller"] = raw["caller"]
    return made


def _text(_: Part) -> dict[str, Any]:
    return {"output": PLACEHOLDER}


def _local_shell(call: Part) -> dict[str, Any]:
    # The type wants `id`, the guide shows `call_id`; both name the call.
    return {"id": call.id, "output": PLACEHOLDER}


def _shell(_: Part) -> dict[str, Any]:
    return {"output": [{"stdout": "", "stderr": PLACEHOLDER, "outcome": {"type": "exit", "exit_code": 1}}]}


def _patch(_: Part) -> dict[str, Any]:
    return {"status": "failed", "output": PLACEHOLDER}


def _screenshot(_: Part) -> dict[str, Any]:
    return {"output": {"type": "computer_screenshot", "image_url": BLANK}}


def _tools(_: Part) -> dict[str, Any]:
    return {"tools": [], "execution": "client", "status": "incomplete"}


BODIES: dict[str, Callable[[Part], dict[str, Any]]] = {
    "local_shell_call": _local_shell,
    "shell_call": _shell,
    "apply_patch_call": _patch,
    "computer_call": _screenshot,
    "tool_search_call": _tools,
}


def late_result(message: Message, part: Part, /) -> dict[str, Any]:
    """A result whose place was already taken, as a user message that says so; its pictures come along."""
    text = f"[late result of tool call {part.id}; its place above was taken by {PLACEHOLDER!r}]\n{part.text}".rstrip()
    if not part.block:
        return {"role": "user", "content": text}
    return {"role": "user", "content": [{"type": TEXT_TYPE[message.shape], "text": text}, *map(_shown, part.block)]}


TEXT_TYPE: dict[Shape | None, str] = {None: "text", "chat": "text", "anthropic": "text", "responses": "input_text"}


def _shown(block: dict[str, Any]) -> dict[str, Any]:
    """A screenshot is legal in its own output only; elsewhere it is an image."""
    if block.get("type") != "computer_screenshot":
        return block
    return {
        "type": "input_image",
        "detail": "auto",
        **{k: v for k, v in block.items() if k in ("image_url", "file_id")},
    }
