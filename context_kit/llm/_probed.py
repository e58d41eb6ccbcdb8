"""A question of a recall check as one request: the session's own messages, system prompt and tools, plain text back.

The messages go as they are, so that the model sees what the agent's own sees and the prompt cache is hit; those of
another shape are converted. Tools are declared and forbidden: some providers refuse messages with calls without them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from context_kit.llm._api import Api, Body, Mode
from context_kit.types import ProbeRequest
from context_kit.typing import Shape
from context_kit.wire import convert, scan, shape_of

__all__ = ["MODES", "probe_body"]

NONE: Mapping[Shape, Any] = {"chat": "none", "responses": "none", "anthropic": {"type": "none"}}
"""How a request says that no tool may be called."""


def probe_body(api: Api, request: ProbeRequest, options: Mapping[str, Any]) -> Body:
    """The keyword arguments of one `create`: the caller's options win over what the session was given."""
    source = shape_of(request.messages)
    same = source in (None, api.shape)
    messages = [dict(raw) for raw in request.messages]
    messages = messages if same else convert(messages, source, api.shape)
    system = options.get("system", request.system)
    tools = options.get("tools", request.tools if same else None) or _declared(messages, api.shape)
    own = {name: value for name, value in options.items() if name not in ("system", "tools", "tool_choice")}
    body = {**own, **_placed(api, messages, system)}
    return {**body, "tools": list(tools), "tool_choice": NONE[api.shape]} if tools else body


def _placed(api: Api, messages: list[dict[str, Any]], system: Any) -> Body:
    """Messages and system prompt where the API takes them."""
    if api.shape == "responses":
        return {"input": messages, **({"instructions": system} if system else {})}
    if api.shape == "chat":
        head = [{"role": "system", "content": system}] if system else []
        return {"messages": [*head, *messages]}
    first = next((at for at, raw in enumerate(messages) if raw.get("role") != "system"), len(messages))
    told = [block for raw in messages[:first] for block in _blocks(raw.get("content"))]
    whole = [*_blocks(system), *told] if told else system
    return {"messages": messages[first:], **({"system": whole} if whole else {})}


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content.strip() else []
    return list(content or ())


def _declared(messages: Sequence[dict[str, Any]], shape: Shape) -> list[Any]:
    """Where nobody told the tools: those that Anthropic's messages call, by name, for it refuses calls of none."""
    if shape != "anthropic":
        return []
    named = {part.name for raw in messages for part in scan(raw).calls if part.name and not part.server}
    return [{"name": name, "description": "", "input_schema": {"type": "object"}} for name in sorted(named)]


def _keep(_: Body, __: Any) -> None:
    pass


def _without(body: Body, _: Any) -> None:
    body.pop("tools", None)
    body.pop("tool_choice", None)


MODES = (Mode("tools", ("tool", "function"), _keep), Mode("bare", (), _without))
"""With the tools, and without them for a server that takes none."""
