"""An English sentence as a claim: subject and value, told apart by the words between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from context_kit.engrams._claim_words import IDLE, NOUN, NUMBERED, STATES, TOKEN, UNITS
from context_kit.engrams._claims import Claim, Reading, plain_value
from context_kit.engrams._constraints import stem

__all__ = ["read_english"]

_SUBTOPICS = 4
"""Parts of a name that are put together: "the limit of the queue for the mailer"."""


@dataclass(slots=True)
class _Part:
    """Words in a row that name something."""

    words: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    """Each with whether it is a value."""
    role: str = ""
    """`new`, `old`, or nothing."""
    state: bool = False
    """Its last word tells how something is, not what value it has."""

    @property
    def values(self) -> list[str]:
        """The values at its end, or all of it."""
        at = len(self.words)
        while at and self.words[at - 1][1]:
            at -= 1
        return [word for word, _ in self.words[at:]]

    @property
    def named(self) -> frozenset[str]:
        """Its words without the values at its end, unless it is nothing else."""
        kept = self.words[: len(self.words) - len(self.values)] or self.words
        return frozenset(word for word, _ in kept)

    @property
    def pure(self) -> bool:
        """Nothing but values."""
        return all(value for _, value in self.words)

    @property
    def unit(self) -> bool:
        """Only words of measure, or a number with one."""
        return all(word in _UNITS for word, value in self.words if not value)


_UNITS = frozenset(stem(unit) for unit in UNITS) | UNITS


@dataclass(slots=True)
class _Scan:
    """A sentence as parts and the words between them."""

    items: list[tuple[str, _Part | None]] = field(default_factory=list[tuple[str, "_Part | None"]])
    part: _Part | None = None
    role: str = ""
    verb: int = 0
    """Where the last word stands that states a value; a colon before it only leads in."""

    told: str = ""
    """The kind of the last word between parts."""
    named: bool = False
    """An article stands right before, so a noun follows."""

    def take(self, kind: str, text: str, at: int) -> None:
        """One token."""
        if kind in ("set", "make", "drop") and (self.part is not None or self.named) and NOUN.fullmatch(text):
            kind = "word"
        self.named = kind == "article"
        last = self.part.words[-1] if self.part else ("", False)
        if kind == "word" and last[1] and last[0][-1:].isdigit() and text.lower() in UNITS:
            return
        if kind == "value" or (kind == "word" and text.lower() not in IDLE):
            if self.part is None:
                self.part = _Part(role=self.role)
                self.items.append(("part", self.part))
            value = kind == "value" and not (last[0] in NUMBERED and text.isdecimal())
            self.part.words.append((plain_value(text) if value else stem(text.lower()), value))
            self.part.state = self.told == "copula" and STATES.fullmatch(text.lower()) is not None
            return
        after = self.part is not None
        self.part = None
        if kind == "sign":
            kind = "copula" if after and at >= self.verb else "stop"
        if kind in ("word", "idle", "article"):
            if kind != "article":
                self._note("idle")
            return
        self._turn(kind)

    def _turn(self, kind: str) -> None:
        if kind == "after_not":
            for what, part in reversed(self.items):
                if part is not None:
                    part.role = "old"
                if what in ("part", "stop"):
                    break
        self.role, self.told = _ROLES.get(kind, ""), kind
        self._note(kind)

    def _note(self, kind: str) -> None:
        self.items.append((kind, None))


_ROLES = {"copula": "new", "to": "new", "use": "new", "no": "old", "drop": "old"}


def read_english(sentence: str) -> Reading:
    """What an English sentence claims, gives up and speaks of."""
    tokens = list(TOKEN.finditer(sentence))
    scan = _Scan(verb=max((found.start() for found in tokens if found.lastgroup == "copula"), default=0))
    reason: set[str] = set()
    why = False
    for found in tokens:
        kind = found.lastgroup or "stop"
        why = why or kind == "why"
        if not why:
            scan.take(kind, found[0], found.start())
        elif kind == "value":
            reason.add(plain_value(found[0]))
    items = [item for item in scan.items if item[0] != "idle"]
    chains = list(_chains(scan.items))
    made = list(_made_so(items))
    parts = [part for _, part in items if part is not None]
    fresh = [part for part in parts if part.role == "new"]
    given = fresh if any(part.values for part in fresh) else [part for part in parts if not part.role]
    new = frozenset(value for part in given for value in part.values)
    names = frozenset(word for part in parts for word, value in part.words if value) | reason
    gone = frozenset(word for part in parts if part.role == "old" for word, _ in part.words)
    return Reading(
        claim=_claim(items),
        topics=frozenset([*_topics(chains), *(topic for topic, _ in made)]),
        new=new,
        words=frozenset(word for part in fresh if not part.state for word, value in part.words if not value)
        | {word for _, word in made},
        old=(names - new) | gone,
        bare=all(part.pure or part.unit or part.role == "new" for part in parts),
        names=names,
    )


def _chains(items: Sequence[tuple[str, _Part | None]]) -> Iterator[list[_Part]]:
    """Parts that a preposition joins: "the library", "invoices"."""
    chain: list[_Part] = []
    linked = False
    for kind, part in items:
        if part is not None:
            if chain and not linked:
                yield chain
                chain = []
            chain.append(part)
            linked = False
        else:
            linked = kind == "link" and bool(chain)
            if not linked and chain:
                yield chain
                chain = []
    if chain:
        yield chain


def _topics(chains: Sequence[list[_Part]]) -> Iterator[frozenset[str]]:
    """The subjects that parts name, alone and together; a part that another one narrows is none by itself."""
    for chain in chains:
        for first in range(len(chain)):
            before = chain[first - 1] if first else None
            if before is None or before.role or before.pure or before.unit:
                yield frozenset[str]().union(*(part.named for part in chain[first : first + _SUBTOPICS]))
        ends = [at for at, part in enumerate(chain) if part.pure and at]
        if ends:
            yield frozenset[str]().union(*(part.named for part in chain[: ends[0]]))
    named = [part.named for chain in chains for part in chain if not part.pure and not part.role and not part.unit]
    if 1 < len(named) <= _SUBTOPICS:
        yield frozenset[str]().union(*named)


def _claim(items: Sequence[tuple[str, _Part | None]]) -> Claim | None:
    """The subject and its value: "T is V", "use V for T", "set T to V", "T: V"."""
    signs = [at for at, (kind, _) in enumerate(items) if kind == "copula"]
    for at in reversed(signs):
        if found := _stated(items, at):
            return found
    if plain := _plain(items):
        return plain
    for at, (kind, _) in enumerate(items):
        found = _used(items, at) if kind == "use" else _put(items, at) if kind in ("set", "make") else None
        if found:
            return found
    return None


def _plain(items: Sequence[tuple[str, _Part | None]]) -> Claim | None:
    """A subject with its value right behind, and nothing else: "retries 3", "listen on port 8000"."""
    parts = [part for _, part in items if part is not None]
    if not parts or any(kind not in ("part", "link", "stop") for kind, _ in items):
        return None
    *before, last = parts
    if not last.values or any(part.values for part in before) or (last.pure and not before):
        return None
    topic = frozenset[str]().union(*(part.named for part in before), frozenset() if last.pure else last.named)
    return _made(topic, _Part([(value, True) for value in last.values]), (), counted=False)


def _stated(items: Sequence[tuple[str, _Part | None]], at: int) -> Claim | None:
    left = _chain_before(items, at)
    right = items[at + 1][1] if at + 1 < len(items) else None
    if not left or right is None or (left[0].role == "new" and len(items) > at + 2 and _pure(left)):
        return None
    return _made(frozenset[str]().union(*(part.named for part in left)), right, items[at + 2 :], counted=False)


def _made_so(items: Sequence[tuple[str, _Part | None]]) -> Iterator[tuple[frozenset[str], str]]:
    """Subject and plain word of "make the library for uploads peewee"."""
    for at, (kind, _) in enumerate(items):
        topic, end = _chain_after(items, at + 1) if kind == "make" else (frozenset[str](), 0)
        last = items[end - 1][1] if topic else None
        if last is not None and not last.values and not last.state and len(topic) > 1:
            word = last.words[-1][0]
            yield topic - {word}, word


def _pure(parts: Sequence[_Part]) -> bool:
    return all(part.pure for part in parts)


def _used(items: Sequence[tuple[str, _Part | None]], at: int) -> Claim | None:
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


def _put(items: Sequence[tuple[str, _Part | None]], at: int) -> Claim | None:
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
            return _made(first.named, _Part([(value, True) for value in first.values]), items[end:], counted=False)
    return None


def _chain_before(items: Sequence[tuple[str, _Part | None]], at: int) -> list[_Part]:
    found: list[_Part] = []
    at -= 1
    while at >= 0 and (part := items[at][1]) is not None:
        found.insert(0, part)
        if at < 2 or items[at - 1][0] != "link":
            break
        at -= 2
    return found


def _chain_after(items: Sequence[tuple[str, _Part | None]], at: int) -> tuple[frozenset[str], int]:
    """The words of a chain that begins here, and where it ends."""
    found: frozenset[str] = frozenset()
    while at < len(items) and (part := items[at][1]) is not None and part.role != "old":
        found |= part.named
        at += 1
        if at >= len(items) or items[at][0] != "link":
            break
        at += 1
    return found, at


def _made(
    topic: frozenset[str], value: _Part, rest: Sequence[tuple[str, _Part | None]], *, counted: bool
) -> Claim | None:
    """A claim of these parts; None where the value tells a state, not a value."""
    hard = [word for word, is_value in value.words if is_value]
    words = [word for word, is_value in value.words if not is_value]
    if not hard:
        if value.state or len(words) > 3:
            return None
        values = frozenset(words)
    else:
        values = frozenset(hard)
        if counted:
            topic |= {word for word in words if word not in _UNITS}
    alone = all(part is None or part.role == "old" or part.unit for _, part in rest)
    return Claim(topic=topic, values=values, hard=bool(hard), alone=alone)
