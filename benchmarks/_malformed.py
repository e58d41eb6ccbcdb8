"""Messages that went wrong: legal ones of each shape mutated, and values that no provider ever sent.

The invariant guarded here: the same seed makes the same values, objects that raise and cycles included.
"""

from __future__ import annotations

import copy
import random
from types import SimpleNamespace
from typing import Any

from benchmarks._hostile import EMPTY, HOSTILE, VAST, Odd
from context_kit.testing import Call, assistant, image, system, tool_round, user
from context_kit.typing import Shape

__all__ = ["base", "hostile", "mutated", "raw"]

KEYS = (
    "role", "content", "type", "text", "id", "tool_calls", "tool_call_id", "tool_use_id", "call_id", "name", "input",
    "output", "arguments", "function", "function_call", "custom", "usage", "choices", "object", "status", "stop_reason",
    "summary", "encrypted_content", "thinking", "signature", "source", "image_url", "model", "cache_control", "refusal",
    "previous_response_id", "conversation", "annotations", "citations", "audio", "reasoning_content", "action",
    "execution", "tools", "iterations", "input_tokens", "prompt_tokens", "is_error", "data", "finish_reason", "message",
)  # fmt: skip
"""Keys that are read somewhere."""
WORDS = (
    "user", "assistant", "system", "developer", "tool", "function", "text", "tool_use", "tool_result", "thinking",
    "redacted_thinking", "image", "image_url", "document", "input_text", "output_text", "input_image", "reasoning",
    "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "computer_call",
    "computer_call_output", "shell_call", "shell_call_output", "local_shell_call", "local_shell_call_output",
    "apply_patch_call", "apply_patch_call_output", "tool_search_call", "tool_search_output", "message", "response",
    "response.compaction", "compaction", "item_reference", "server_tool_use", "web_search_tool_result", "search_result",
    "mcp_tool_result", "chat.completion", "chat.completion.chunk", "completed", "in_progress", "client", "refusal",
    "image_generation_call", "container_upload", "tool_reference", "additional_tools", "new_kind", "call_1", "call_9",
)  # fmt: skip
"""Strings that mean something somewhere."""


def hostile(rng: random.Random) -> Any:
    """A value that belongs nowhere, or a word that belongs elsewhere."""
    kind = rng.random()
    if kind < 0.01:
        return rng.choice(VAST)()
    if kind < 0.3:
        return rng.choice(WORDS)
    return copy.copy(rng.choice(EMPTY)) if kind < 0.5 else rng.choice(HOSTILE)()


# -- legal messages ----------------------------------------------------------------------------


def base(rng: random.Random, shape: Shape) -> Any:
    """A legal message, item, list or whole reply of a shape; results answer a call that may not be there."""
    name = f"call_{rng.randint(1, 4)}"
    arguments: Any = "free text" if rng.random() < 0.2 else {"command": "ls", "n": rng.randint(0, 9)}
    call = Call("Bash", arguments, result="a.py", id=name, failed=rng.random() < 0.2, picture=rng.random() < 0.3)
    turn = tool_round([call], shape=shape, text="Let me look.", reasoning="Hmm." if rng.random() < 0.4 else "")
    made: list[Any] = [
        user("Hello.", shape=shape, picture=rng.random() < 0.3),
        system("Be brief.") if shape != "anthropic" else user("Be brief."),
        {"role": "user", "content": [image(shape=shape)]},
        *assistant("Done.", shape=shape),
        *turn,
        turn,
        reply(rng, shape, name),
        reply(rng, shape, name),
    ]
    return copy.deepcopy(rng.choice(made))


def reply(rng: random.Random, shape: Shape, name: str) -> dict[str, Any]:
    """A whole reply, as its dict."""
    tokens = rng.choice((1, 500, 10**9, 10**5_000, -1))
    if shape == "chat":
        asked = {"id": name, "type": "function", "function": {"name": "Bash", "arguments": "{}"}}
        message = {"role": "assistant", "content": None, "refusal": None, "tool_calls": [asked]}
        choices = [{"index": 0, "finish_reason": "tool_calls", "message": message, "logprobs": None}]
        usage = {"prompt_tokens": tokens, "completion_tokens": 5, "total_tokens": 505}
        return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": choices, "usage": usage}
    usage = {"input_tokens": tokens, "output_tokens": 5, "total_tokens": 505}
    if shape == "responses":
        item = {"type": "function_call", "id": "fc", "call_id": name, "name": "Bash", "arguments": "{}"}
        return {"id": "r", "object": "response", "status": "completed", "model": "m", "output": [item], "usage": usage}
    block = {"type": "tool_use", "id": name, "name": "Bash", "input": {}}
    head = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use"}
    return {**head, "stop_sequence": None, "content": [block], "usage": usage}


def as_object(value: Any) -> Any:
    """The same as attribute objects, as SDKs of other makers have them."""
    if isinstance(value, dict):
        return SimpleNamespace(**{str(key): as_object(each) for key, each in value.items()})
    return [as_object(each) for each in value] if isinstance(value, list) else value


def as_sdk(value: Any, shape: Shape) -> Any:
    """A reply as the SDK's own object, unchecked, as it comes from a server that says what it likes."""
    if not isinstance(value, dict):
        return value
    try:
        if shape == "anthropic":
            from anthropic.types import Message

            return Message.construct(**value)
        if shape == "responses":
            from openai.types.responses import Response

            return Response.construct(**value)
        from openai.types.chat import ChatCompletion

        return ChatCompletion.construct(**value)
    except Exception:  # noqa: BLE001 - the SDK itself can't hold it
        return value


# -- mutations -----------------------------------------------------------------------------------


def places(value: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every (container, key) of a plain value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        found.append((value, key))
        places(inner, found)
    return found


def mutated(rng: random.Random, shape: Shape) -> Any:
    """A legal message, changed at one to three places, now and then as an object or within a list."""
    value = base(rng, shape)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        found = places(value, [])
        if not found:
            break
        rng.choice(CHANGES)(rng, *rng.choice(found))
        if rng.random() < 0.5:
            break  # a hostile value may be in it now: nothing is looked for in there
        if not _plain(value):
            break
    if rng.random() < 0.3 and _plain(value):
        return as_sdk(value, shape) if rng.random() < 0.6 else as_object(value)
    if rng.random() < 0.1:
        return [user("Before it."), *(value if isinstance(value, list) else [value])]
    return value


def _plain(value: Any, levels: int = 50) -> bool:
    if type(value) is dict:
        return bool(levels) and all(type(key) is str and _plain(each, levels - 1) for key, each in value.items())
    if type(value) is list:
        return bool(levels) and len(value) < 50 and all(_plain(each, levels - 1) for each in value)
    return value is None or type(value) in (str, int, float, bool)


def _replace(rng: random.Random, holder: Any, key: Any) -> None:
    holder[key] = hostile(rng)


def _drop(_: random.Random, holder: Any, key: Any) -> None:
    del holder[key]


def _rename(rng: random.Random, holder: Any, key: Any) -> None:
    if isinstance(holder, dict):
        holder[rng.choice((*KEYS, 7, None, "\udcff", ("a",)))] = holder.pop(key)


def _wrap(rng: random.Random, holder: Any, key: Any) -> None:
    inner = holder[key]
    holder[key] = rng.choice(([inner], {"value": inner}, (inner,), [[inner]], Odd("plain", {"type": inner})))


def _twice(_: random.Random, holder: Any, key: Any) -> None:
    if isinstance(holder, list):
        holder.insert(key, holder[key])
    else:
        holder[key] = [holder[key], holder[key]]


def _insert(rng: random.Random, holder: Any, _: Any) -> None:
    if isinstance(holder, list):
        holder.insert(rng.randint(0, len(holder)), hostile(rng))
    else:
        holder[rng.choice(KEYS)] = hostile(rng)


def _move(rng: random.Random, holder: Any, key: Any) -> None:
    if isinstance(holder, list):
        rng.shuffle(holder)
    else:
        other = rng.choice(list(holder))
        holder[key], holder[other] = holder[other], holder[key]


CHANGES = (_replace, _replace, _replace, _drop, _rename, _wrap, _twice, _insert, _insert, _move)


def raw(rng: random.Random, levels: int = 4) -> Any:
    """A random value of keys and words that are known, and of others that are not."""
    kind = rng.random()
    if not levels or kind < 0.3:
        return hostile(rng)
    if kind < 0.8:
        return {rng.choice(KEYS): raw(rng, levels - 1) for _ in range(rng.randint(0, 5))}
    return [raw(rng, levels - 1) for _ in range(rng.randint(0, 3))]
