"""The forms in which an English sentence states a value: "T is V", "use V for T", "set T to V", "T: V"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from context_kit.engrams._claim_parts import MEASURES, Items, Part
from context_kit.engrams._claims import Claim

__all__ = ["claim_in", "made_so"]

_TURNS = ("no", "drop", "to", "after_not")
"""Words that turn from one value to another."""
_WORDS = 3
"""Plain words that make a value; more of them describe."""


def claim_in(items: Items, new: frozenset[str]) -> Claim | None:
    """The subject and its value: "T is V", "use V for T", "set T to V", "T: V"."""
    signs = [at for at, (kind, _) in enumerate(items) if kind == "copula"]
    for at in reversed(signs):
        if found := _stated(items, at):
            return found
    if plain := _plain(items):
        return plain
    rest: Claim | None = None
    for at, (kind, _) in enumerate(items):
        found = _used(items, at) if kind == "use" else _put(items, at) if kind in ("set", "make") else None
        if found and found.topic:
            return found
        rest = rest or found
    return _given(items, new) or rest


def _given(items: Items, new: frozenset[str]) -> Claim | None:
    """The value that a sentence gives to the only thing it names: "no longer A for T; B it is"."""
    if len(new) != 1 or not any(kind in _TURNS for kind, _ in items):
        return None
    chains: list[frozenset[str]] = []
    for at, (_, part) in enumerate(items):
        joined = bool(chains) and items[at - 1][0] == "link"
        if part is not None and not (part.pure or part.unit or part.role or joined):
            chains.append(_chain_after(items, at)[0])
    if len(chains) != 1:
        return None
    return Claim(topic=chains[0], values=new, hard=True, alone=False)


def _plain(items: Items) -> Claim | None:
    """A subject with its value right behind, and nothing else: "retries 3", "listen on port 8000"."""
    parts = [part for _, part in items if part is not None]
    if not parts or any(kind not in ("part", "link", "stop") for kind, _ in items):
        return None
    *before, last = parts
    if not last.values or any(part.values for part in before) or (last.pure and not before):
        return None
    topic = frozenset[str]().union(*(part.named for part in before), frozenset() if last.pure else last.named)
    return _made(topic, Part([(value, True) for value in last.values]), (), counted=False)


def _stated(items: Items, at: int) -> Claim | None:
    left = _chain_before(items, at)
    right = items[at + 1][1] if at + 1 < len(items) else None
    if not left or right is None or (left[0].role == "new" and len(items) > at + 2 and _pure(left)):
        return None
    return _made(frozenset[str]().union(*(part.named for part in left)), right, items[at + 2 :], counted=False)


def made_so(items: Items) -> Iterator[tuple[frozenset[str], str]]:
    """Subject and plain word of "make the library for uploads peewee"."""
    for at, (kind, _) in enumerate(items):
        topic, end = _chain_after(items, at + 1) if kind == "make" else (frozenset[str](), 0)
        last = items[end - 1][1] if topic else None
        if last is not None and not last.values and not last.state and len(topic) > 1:
            word = last.words[-1][0]
            yield topic - {word}, word


def _pure(parts: Sequence[Part]) -> bool:
    return all(part.pure for part in parts)


def _used(items: Items, at: int) -> Claim | None:
    value = items[at + 1][1] if at + 1 < len(items) else None
    if value is None:
        return None
    after = at + 2
    while after + 1 < len(items) and items[after][0] in ("no", "drop"):
        after += 2
    if after < len(items) and items[after][0] in ("link", "as"):
        topic, end = _chain_after(items, after + 1)
        if topic:
            return _made(topic, value, items[end:], counted=True)
    left = _chain_before(items, at)
    return _made(frozenset[str]().union(*(part.named for part in left)), value, items[after:], counted=True)


def _put(items: Items, at: int) -> Claim | None:
    topic, end = _chain_after(items, at + 1)
    if not topic:
        return None
    if end + 1 < len(items) and items[end][0] == "drop":
        end += 2
    if end + 1 < len(items) and items[end][0] in ("to", "copula", "use") and (value := items[end + 1][1]) is not None:
        return _made(topic, value, items[end + 2 :], counted=False)
    first = items[at + 1][1]
    if first is not None and first.values and end == at + 2:
        if first.pure and end + 1 < len(items) and items[end][0] == "as":
            topic, end = _chain_after(items, end + 1)
            return _made(topic, first, items[end:], counted=True) if topic else None
        if not first.pure:
            return _made(first.named, Part([(value, True) for value in first.values]), items[end:], counted=False)
    return None


def _chain_before(items: Items, at: int) -> list[Part]:
    found: list[Part] = []
    at -= 1
    while at >= 0 and (part := items[at][1]) is not None:
        found.insert(0, part)
        if at < 2 or items[at - 1][0] != "link":
            break
        at -= 2
    return found


def _chain_after(items: Items, at: int) -> tuple[frozenset[str], int]:
    """The words of a chain that begins here, and where it ends."""
    found: frozenset[str] = frozenset()
    while at < len(items) and (part := items[at][1]) is not None and part.role != "old":
        found |= part.named
        at += 1
        if at >= len(items) or items[at][0] != "link":
            break
        at += 1
    return found, at


def _made(topic: frozenset[str], value: Part, rest: Items, *, counted: bool) -> Claim | None:
    """A claim of these parts; None where the value tells a state, not a value."""
    hard = [word for word, is_value in value.words if is_value]
    words = [word for word, is_value in value.words if not is_value]
    if not hard:
        if value.state or len(words) > _WORDS:
            return None
        values = frozenset(words)
    else:
        values = frozenset(hard)
        if counted:
            topic |= {word for word in words if word not in MEASURES}
    alone = all(part is None or part.role == "old" or part.unit for _, part in rest)
    return Claim(topic=topic, values=values, hard=bool(hard), alone=alone)
