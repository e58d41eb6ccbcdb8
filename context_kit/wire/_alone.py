"""What a message may not be whatever stands around it, by the rules of its shape: refused when it is added.

`scan` takes whatever can be read, so that a list can be judged; here a session refuses what it could never send.
"""

from __future__ import annotations

from context_kit.typing import Shape
from context_kit.wire._blocks import refuse
from context_kit.wire._message import Message
from context_kit.wire._render import BESIDE

__all__ = ["check_alone"]


def check_alone(message: Message, shape: Shape | None) -> None:
    """Refuse what no provider of the shape would accept at any place.

    Args:
        message: as it was read.
        shape: the session's, where the message itself does not tell.

    Raises:
        InvalidMessageError: the field is named.
    """
    raw = message.raw
    if type(raw.get("content")) is str and "type" not in raw:
        return
    shape = message.shape or shape
    if raw.get("content") == [] and "role" in raw:
        own_reply = message.role == "assistant" and (shape == "anthropic" or any(raw.get(key) for key in BESIDE))
        if not own_reply:
            refuse("content", "is an empty list: give a string or at least one block")
    if raw.get("type") == "compaction" and not isinstance(raw.get("encrypted_content"), str):
        refuse("encrypted_content", "is missing: give the compaction item as it came")
    if raw.get("role") == "tool" and isinstance(raw.get("content"), list):
        _check_output(message)
    if message.role == "assistant" or "role" not in raw:
        _check_marks(message, shape)
        return
    for part in message.parts:
        if part.kind == "reasoning" or part.server:
            name = part.name or "reasoning"
            refuse(
                f"content[{part.at}].type", f"{name!r:.60} can't stand in a {message.role} message: give 'assistant'"
            )


def _check_output(message: Message) -> None:
    shown = message.results[0].block or ()
    for at, block in enumerate(message.raw["content"]):
        if block["type"] != "text" and not any(block is each for each in shown):
            refuse(f"content[{at}].type", f"{block['type']!r:.60} can't stand in a tool's output: give 'text'")


def _check_marks(message: Message, shape: Shape | None) -> None:
    for part in message.parts if shape == "anthropic" else ():
        if part.kind != "reasoning" or part.at < 0:  # below 0 it stands beside the content, where no mark can be
            continue
        if message.raw["content"][part.at].get("cache_control"):
            refuse(f"content[{part.at}].cache_control", "can't stand on thinking: put the mark on another block")
