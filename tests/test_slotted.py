"""A slotted dataclass whose methods are made late is what `dataclasses` makes at once."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from typing import Any

import pytest

from context_kit import _slotted

EAGER: dict[str, Any] = {"dataclass": dataclasses.dataclass, "field": dataclasses.field}
LATE: dict[str, Any] = {"dataclass": _slotted.dataclass, "field": _slotted.field}
CLASSES = '''
from __future__ import annotations

@dataclass(frozen=True, slots=True)
class Point:
    """A place."""

    x: int
    y: int = 2
    names: tuple[str, ...] = ()

    @property
    def sum(self) -> int:
        return self.x + self.y

@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Something with a name."""

    name: str = "n"
    size: int
    tags: dict[str, int] = field(default_factory=dict[str, int])

@dataclass(slots=True)
class Growing:
    """Something that grows."""

    items: list[int] = field(default_factory=list[int])
    hidden: str = field(default="h", repr=False)
    _private: int = 0

    def __repr__(self) -> str:
        return f"{len(self.items)} items"
'''


def made(tools: dict[str, Any]) -> dict[str, Any]:
    space: dict[str, Any] = {**tools, "__name__": __name__}
    exec(CLASSES, space)
    return space


OLD, NEW = made(EAGER), made(LATE)
Point, Named, Growing = NEW["Point"], NEW["Named"], NEW["Growing"]  # where pickle finds them
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Point", (1,), {}),
    ("Point", (1, 5), {"names": ("a",)}),
    ("Named", (), {"size": 3}),
    ("Named", (), {"size": 3, "tags": {"a": 1}, "name": "x"}),
    ("Growing", (), {}),
    ("Growing", ([1, 2],), {"hidden": "y", "_private": 7}),
]


@pytest.mark.parametrize(("name", "given", "named"), CALLS)
def test_a_value_is_the_same(name: str, given: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Its fields, its words, whether it has a hash, and what `dataclasses` tells of it."""
    old, new = OLD[name](*given, **named), NEW[name](*given, **named)
    assert repr(new) == repr(old)
    assert dataclasses.is_dataclass(NEW[name])
    assert dataclasses.asdict(new) == dataclasses.asdict(old)
    assert [each.name for each in dataclasses.fields(new)] == [each.name for each in dataclasses.fields(old)]
    assert NEW[name].__slots__ == OLD[name].__slots__
    assert NEW[name].__match_args__ == OLD[name].__match_args__
    assert NEW[name].__doc__ == OLD[name].__doc__
    assert (NEW[name].__hash__ is None) == (OLD[name].__hash__ is None)
    assert inspect.signature(NEW[name]) == inspect.signature(OLD[name])
    assert not hasattr(new, "__dict__")


@pytest.mark.parametrize(("name", "given", "named"), CALLS)
def test_a_value_is_compared_copied_and_changed(name: str, given: tuple[Any, ...], named: dict[str, Any]) -> None:
    """By its fields and its class; a copy is equal, a change changes one field."""
    make = NEW[name]
    value = make(*given, **named)
    assert value == make(*given, **named)
    assert value != OLD[name](*given, **named)
    assert value != object()
    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value)), _slotted.replace(value)):
        assert other == value
    first = value.__slots__[0]
    changed = _slotted.replace(value, **{first: "other"})
    assert getattr(changed, first) == "other"
    assert changed != value
    assert dataclasses.replace(value, **{first: "other"}) == changed


def test_defaults_are_made_anew() -> None:
    """Two values share no list."""
    one, two = Growing(), Growing()
    one.items.append(1)
    assert two.items == []


def test_a_frozen_value_stays_as_it_is() -> None:
    """It is refused with the error of `dataclasses`; equal ones have one hash."""
    value = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del value.x
    assert len({value, Point(1), Point(2)}) == 2
    assert value.sum == 3


@pytest.mark.parametrize(
    ("name", "given", "named"),
    [("Point", (), {}), ("Point", (1, 2, 3, 4), {}), ("Named", (1,), {}), ("Named", (), {"a": 1})],
)
def test_wrong_arguments_are_told_as_ever(name: str, given: tuple[Any, ...], named: dict[str, Any]) -> None:
    """A `TypeError` in the same words."""
    with pytest.raises(TypeError) as old:
        OLD[name](*given, **named)
    with pytest.raises(TypeError) as new:
        NEW[name](*given, **named)
    assert str(new.value) == str(old.value)


VALUES = """
import sys
from context_kit._slotted import dataclass, replace

@dataclass(frozen=True, slots=True)
class Pair:
    a: int
    b: int = 2

assert replace(Pair(1), b=3) == Pair(1, 3)
assert len({Pair(1), Pair(1)}) == 1
print(*sys.modules)
"""


def test_values_need_no_dataclasses() -> None:
    """To make, compare and change values neither `dataclasses` nor `inspect` is loaded: that costs milliseconds."""
    done = subprocess.run([sys.executable, "-c", VALUES], capture_output=True, text=True, check=True)
    assert {"dataclasses", "inspect"} & set(done.stdout.split()) == set()


def test_the_first_values_and_the_later_ones_are_alike() -> None:
    """A few values are filled one way, many another way; nobody sees which."""
    old, new = made(EAGER), made(LATE)
    for number in range(2 * _slotted.FEW):
        for name, given, named in CALLS:
            assert repr(new[name](*given, **named)) == repr(old[name](*given, **named)), number
            with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'"):
                new[name](*given, **named, nothing=number)
