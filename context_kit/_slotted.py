"""Slotted dataclasses whose methods are made at their first use: a hook loads fifty such classes and fills twenty.

The invariant guarded here: a class behaves as `dataclasses.dataclass(slots=True, ...)` would have made it. Type
checkers are shown that one, and what a hook never asks for is taken from it when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

__all__ = ["dataclass", "field", "replace"]

ASKED = ("__dataclass_fields__", "__dataclass_params__", "__signature__")
"""What others read of a dataclass."""
UNSET: Any = object()
FEW = 4
"""So many values of a class are filled field by field; only for more is code of its own worth its making."""


class _Field:
    """What `field` was told."""

    __slots__ = ("default", "factory", "shown")

    def __init__(self, default: Any, factory: Callable[[], Any] | None = None, *, shown: bool = True) -> None:
        self.default, self.factory, self.shown = default, factory, shown


class _Shape:
    """What a class was declared with."""

    __slots__ = ("defaults", "fields", "frozen", "kw_only", "left")

    def __init__(self, fields: tuple[str, ...], defaults: Mapping[str, Any], *, frozen: bool, kw_only: bool) -> None:
        self.fields, self.defaults, self.frozen, self.kw_only = fields, defaults, frozen, kw_only
        self.left = FEW


def _field(*, default: Any = UNSET, default_factory: Callable[[], Any] | None = None, repr: bool = True) -> Any:  # noqa: A002 (its name in `dataclasses`)
    """As `dataclasses.field`."""
    return _Field(default, default_factory, shown=repr)


def _replace(value: Any, /, **changes: Any) -> Any:
    """As `dataclasses.replace`."""
    return type(value)(**{name: getattr(value, name) for name in value.__slots__} | changes)


def _dataclass(*, slots: bool, frozen: bool = False, kw_only: bool = False) -> Callable[[type[Any]], type[Any]]:
    """As `dataclasses.dataclass`, for classes that have no base."""
    assert slots

    def make(cls: type[Any]) -> type[Any]:
        assert cls.__bases__ == (object,)
        fields = tuple(cls.__annotations__)
        space = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
        defaults = {name: space.pop(name) for name in fields if name in space}
        shape = _Shape(fields, defaults, frozen=frozen, kw_only=kw_only)
        made = type(cls.__name__, (), {**_methods(shape), **space, "__slots__": fields})
        made.__qualname__ = cls.__qualname__
        return made

    return make


def _methods(shape: _Shape) -> dict[str, Any]:
    """What a class has beside its own: shared, or made at its first use."""
    values = attrgetter("__class__", *shape.fields)

    def init(self: Any, /, *given: Any, **named: Any) -> None:
        shape.left -= 1
        if shape.left < 0 or not _filled(self, shape, given, named):
            made = type(self)
            made.__init__ = _init(made, shape)
            made.__init__(self, *given, **named)

    def shown(self: Any) -> str:
        made = type(self)
        made.__repr__ = _eager(made, shape).__repr__
        return repr(self)

    def same(self: Any, other: Any) -> Any:
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    def hashed(self: Any) -> int:
        return hash(values(self))

    return {
        "__match_args__": () if shape.kw_only else shape.fields,
        "__init__": init,
        "__repr__": shown,
        "__eq__": same,
        "__hash__": hashed if shape.frozen else None,
        "__replace__": _replace,
        **(FROZEN if shape.frozen else {}),
        **{name: _Asked(name, shape) for name in ASKED},
    }


def _filled(self: Any, shape: _Shape, given: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
    """Fill a value; False where the arguments are wrong, which the code of its own tells best."""
    values = dict(zip(shape.fields, given, strict=False))
    if len(values) < len(given) or (given and shape.kw_only) or not values.keys().isdisjoint(named):
        return False
    values.update(named)
    for name in shape.fields:
        if name not in values:
            told = shape.defaults.get(name, UNSET)
            if isinstance(told, _Field):
                told = told.default if told.factory is None else told.factory()
            values[name] = told
    if len(values) > len(shape.fields) or any(value is UNSET for value in values.values()):
        return False
    for name, value in values.items():
        object.__setattr__(self, name, value)
    return True


def _init(made: type[Any], shape: _Shape) -> Callable[..., None]:
    """The constructor, in code of its own as `dataclasses` writes it: thousands of values may be made."""
    heads, lines = ["self", *(["*"] if shape.kw_only else [])], ["pass"]
    known: dict[str, Any] = {"_unset": UNSET}
    for name in shape.fields:
        given = shape.defaults.get(name, UNSET)
        told = given if isinstance(given, _Field) else _Field(given)
        known[f"_put_{name}"] = vars(made)[name].__set__
        known[f"_default_{name}"], known[f"_make_{name}"] = told.default, told.factory
        if told.factory is not None:
            heads.append(f"{name}=_unset")
            lines.append(f"_put_{name}(self, _make_{name}() if {name} is _unset else {name})")
        else:
            heads.append(name if told.default is UNSET else f"{name}=_default_{name}")
            lines.append(f"_put_{name}(self, {name})")
    exec(f"def __init__({', '.join(heads)}):\n " + "\n ".join(lines), known)  # noqa: S102 (names of fields, no input)
    found: Callable[..., None] = known["__init__"]
    found.__qualname__ = f"{made.__qualname__}.__init__"
    return found


def _eager(made: type[Any], shape: _Shape) -> type[Any]:
    """The class as `dataclasses` makes it, without slots."""
    import dataclasses

    def told(given: _Field) -> Any:
        if given.factory is not None:
            return dataclasses.field(default_factory=given.factory, repr=given.shown)
        return dataclasses.field(default=given.default, repr=given.shown)

    defaults = {name: told(each) if isinstance(each, _Field) else each for name, each in shape.defaults.items()}
    space = {"__annotations__": made.__annotations__, "__module__": made.__module__, "__qualname__": made.__qualname__}
    plain = type(made.__name__, (), {**space, **defaults})
    return dataclasses.dataclass(frozen=shape.frozen, kw_only=shape.kw_only)(plain)


class _Asked:
    """An attribute of the eager class, taken over when it is first read."""

    __slots__ = ("_name", "_shape")

    def __init__(self, name: str, shape: _Shape) -> None:
        self._name, self._shape = name, shape

    def __get__(self, value: Any, made: type[Any]) -> Any:
        eager = _eager(made, self._shape)
        if self._name == "__signature__":
            import inspect

            found: Any = inspect.signature(eager)
        else:
            found = getattr(eager, self._name)
        setattr(made, self._name, found)
        return found


def _refuse(_: Any, name: str, *value: Any) -> NoReturn:
    """A frozen value keeps what it was made with."""
    from dataclasses import FrozenInstanceError

    msg = f"cannot {'assign to' if value else 'delete'} field {name!r}"
    raise FrozenInstanceError(msg)


def _state(self: Any) -> list[Any]:
    """What is pickled of a frozen value."""
    return [getattr(self, name) for name in self.__slots__]


def _restore(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__slots__, state, strict=True):
        object.__setattr__(self, name, value)


FROZEN: Mapping[str, Any] = {
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    "__getstate__": _state,
    "__setstate__": _restore,
}

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    dataclass, field, replace = _dataclass, _field, _replace
