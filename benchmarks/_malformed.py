"""Messages that went wrong: legal ones of each shape mutated, and values that no provider ever sent.

The invariant guarded here: the same seed makes the same values, objects that raise and cycles included.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from context_kit.testing import Call, assistant, image, system, tool_round, user
from context_kit.typing import Shape

__all__ = ["base", "hostile", "mutated", "raw"]

LEVELS = 10_000
"""How deep the deepest values go."""
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


# -- objects that misbehave ------------------------------------------------------------------


class Closed:
    """An object whose every attribute raises."""

    def __getattribute__(self, name: str) -> Any:
        if name in ("__class__", "__dict__", "__doc__", "__module__"):
            return object.__getattribute__(self, name)
        text = f"no {name} here"
        raise RuntimeError(text)


class Dumps:
    """An object with a dump of its own."""

    def __init__(self, found: Callable[[], Any]) -> None:
        self.found = found

    def model_dump(self, **_: Any) -> Any:
        return self.found()


class Odd(Mapping[Any, Any]):
    """A mapping that raises, lies or never ends, by the name of what is asked of it."""

    def __init__(self, kind: str, inner: dict[str, Any]) -> None:
        self.kind, self.inner = kind, inner

    def __getitem__(self, key: Any) -> Any:
        if self.kind == "get":
            raise ValueError(key)
        return self.inner[key]

    def __iter__(self) -> Iterator[Any]:
        if self.kind == "iter":
            text = "no keys today"
            raise OSError(text)
        yield from self.inner
        if self.kind == "more":
            yield "missing"
        at = 0
        while self.kind == "endless":
            at += 1
            yield f"key {at}"

    def __len__(self) -> int:
        if self.kind == "len":
            text = "no size"
            raise TypeError(text)
        return len(self.inner) + (5 if self.kind == "lies" else 0)

    def __contains__(self, key: object) -> bool:
        return key in self.inner

    def get(self, key: Any, default: Any = None) -> Any:
        return self.inner.get(key, default) if self.kind == "endless" else super().get(key, default)

    def items(self) -> Any:
        if self.kind == "items":
            return iter([(1, 2, 3), "x"])
        if self.kind == "endless":
            return ((key, "x") for key in self)
        return super().items()


class Raising(dict[str, Any]):
    """A dict that can't be read."""

    def items(self) -> Any:
        raise LookupError("items")

    def get(self, *_: Any) -> Any:
        raise LookupError("get")


class Text(str):
    """A string that can't be compared."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        text = "compared"
        raise RuntimeError(text)


class Fussy:
    """An object that can be neither shown nor tested for truth."""

    def __bool__(self) -> bool:
        raise ValueError("truth")

    def __repr__(self) -> str:
        raise ValueError("repr")

    def __eq__(self, other: object) -> bool:
        raise ValueError("eq")

    __hash__ = None  # type: ignore[assignment]


def nested(kind: str) -> Any:
    """A value that many levels deep."""
    value: Any = "x"
    for _ in range(LEVELS):
        value = [value] if kind == "list" else {"content": value} if kind == "dict" else SimpleNamespace(role=value)
    return value


def cyclic(kind: str) -> Any:
    if kind == "list":
        loop: list[Any] = []
        loop.append(loop)
        return loop
    ring: dict[str, Any] = {"role": "user", "type": "text"}
    ring["content"] = ring
    return ring


def shared() -> Any:
    """Small in memory, endless when it is written out: each level holds the next one twice."""
    value: Any = ["x"]
    for _ in range(100):
        value = [value, value]
    return value


def _doubling() -> Dumps:
    made = Dumps(dict)
    made.found = lambda: {"role": made, "content": made}
    return made


def _fails() -> Any:
    raise ZeroDivisionError("dump")


def _stream() -> Iterator[Any]:
    yield {"type": "ping"}


EMPTY: tuple[Any, ...] = (None, "", " \n", 0, False, [], {}, [{"type": "text", "text": " "}])
HOSTILE: tuple[Callable[[], Any], ...] = (
    lambda: None,
    lambda: True,
    lambda: False,
    lambda: 0,
    lambda: -1,
    lambda: 10**5_000,
    lambda: -(10**30),
    lambda: 1.5,
    lambda: 1e308,
    lambda: float("nan"),
    lambda: float("inf"),
    lambda: "",
    lambda: " ",
    lambda: "\ud800",
    lambda: "a\udc9fb\x00\u2028",
    lambda: "x" * 30_000,
    lambda: "9" * 10_000,
    lambda: "[" * LEVELS,
    lambda: '{"a":' * LEVELS,
    lambda: b"bytes",
    lambda: bytearray(b"bytes"),
    list[Any],
    dict[str, Any],
    tuple[Any, ...],
    lambda: {1, 2},
    frozenset,
    object,
    lambda: int,
    lambda: len,
    lambda: ValueError("an error"),
    lambda: range(10),
    lambda: iter([1]),
    _stream,
    lambda: nested("list"),
    lambda: nested("dict"),
    lambda: nested("object"),
    lambda: cyclic("list"),
    lambda: cyclic("dict"),
    shared,
    Closed,
    Fussy,
    lambda: Raising(role="user", content="x"),
    lambda: Text("user"),
    lambda: {Text("role"): "user"},
    lambda: {1: "x", None: "y"},
    lambda: {"role": "user", b"content": "x"},
    lambda: {"\ud800": "x"},
    lambda: {"": ""},
    lambda: [None],
    lambda: [[]],
    lambda: [{}],
    lambda: [{"type": "text"}],
    lambda: [{"type": {}}],
    lambda: Dumps(_fails),
    lambda: Dumps(lambda: "text"),
    lambda: Dumps(lambda: {"role": "user", "content": "dumped"}),
    lambda: Dumps(lambda: {"role": "user", "content": cyclic("list")}),
    _doubling,
    lambda: SimpleNamespace(role="user", content=Closed()),
    lambda: SimpleNamespace(role="assistant", content=None, tool_calls=SimpleNamespace()),
    lambda: SimpleNamespace(choices=[SimpleNamespace(message=Fussy())], usage=Closed()),
    *(lambda kind=kind: Odd(kind, {"role": "user", "content": "odd"}) for kind in ("get", "iter", "more", "len")),
    *(lambda kind=kind: Odd(kind, {"type": "text", "text": "odd"}) for kind in ("lies", "items", "endless", "plain")),
)


def hostile(rng: random.Random) -> Any:
    """A value that belongs nowhere, or a word that belongs elsewhere."""
    kind = rng.random()
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


def _drop(rng: random.Random, holder: Any, key: Any) -> None:
    del holder[key]


def _rename(rng: random.Random, holder: Any, key: Any) -> None:
    if isinstance(holder, dict):
        holder[rng.choice((*KEYS, 7, None, "\udcff", ("a",)))] = holder.pop(key)


def _wrap(rng: random.Random, holder: Any, key: Any) -> None:
    inner = holder[key]
    holder[key] = rng.choice(([inner], {"value": inner}, (inner,), [[inner]], Odd("plain", {"type": inner})))


def _twice(rng: random.Random, holder: Any, key: Any) -> None:
    if isinstance(holder, list):
        holder.insert(key, holder[key])
    else:
        holder[key] = [holder[key], holder[key]]


def _insert(rng: random.Random, holder: Any, key: Any) -> None:
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
