"""Objects that raise, lie, share or never end, as they may reach `add`.

The invariant guarded here: making one is safe; only looking at it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

__all__ = ["EMPTY", "HOSTILE", "VAST", "Closed", "Dumps", "Fussy", "Odd", "Raising", "Text", "nested", "shared"]

LEVELS = 10_000
"""How deep the deepest values go."""


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

    def __hash__(self) -> int:
        raise TypeError("hash")


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
    lambda: cyclic("list"),
    lambda: cyclic("dict"),
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
    lambda: SimpleNamespace(role="user", content=Closed()),
    lambda: SimpleNamespace(role="assistant", content=None, tool_calls=SimpleNamespace()),
    lambda: SimpleNamespace(choices=[SimpleNamespace(message=Fussy())], usage=Closed()),
    *(lambda kind=kind: Odd(kind, {"role": "user", "content": "odd"}) for kind in ("get", "iter", "more", "len")),
    *(lambda kind=kind: Odd(kind, {"type": "text", "text": "odd"}) for kind in ("lies", "items", "plain")),
)
VAST: tuple[Callable[[], Any], ...] = (
    lambda: nested("list"),
    lambda: nested("dict"),
    lambda: nested("object"),
    lambda: Odd("endless", {"type": "text", "text": "odd"}),
    shared,
    _doubling,
)
"""Values that have no end, or hardly one: each costs a good part of a second."""
