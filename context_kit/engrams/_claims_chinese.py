"""A Chinese sentence as a claim: subject and value, told apart by the words between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from context_kit.engrams._claim_words import UNITS
from context_kit.engrams._claim_words_chinese import HEAD, IDLE_PART, TAIL, TOKEN_ZH, UNIT
from context_kit.engrams._claims import Claim, Reading, plain_value

__all__ = ["read_chinese"]

_LONGEST = 24
"""Characters of a Chinese value."""


@dataclass(slots=True)
class _Part:
    """Words in a row that name something."""

    role: str
    """`new`, `old`, or nothing."""
    words: list[str] = field(default_factory=list[str])
    value: bool = False
    """It is one value and nothing else."""

    @property
    def key(self) -> str:
        """What it names, however it is led in."""
        text = "".join(self.words)
        while found := HEAD.match(text):
            if found.end() >= len(text):
                break
            text = text[found.end() :]
        while (tail := TAIL.search(text)) and tail.start():
            text = text[: tail.start()]
        return text.lower()

    @property
    def idle(self) -> bool:
        """It names nothing."""
        return not self.value and IDLE_PART.fullmatch("".join(self.words)) is not None


@dataclass(slots=True)
class _Scan:
    """A sentence as parts and the words between them."""

    items: list[tuple[str, _Part | None]] = field(default_factory=list[tuple[str, "_Part | None"]])
    part: _Part | None = None
    role: str = ""
    verb: int = 0
    """Where the last word stands that states a value; a colon before it only leads in."""

    def take(self, found: re.Match[str]) -> None:
        """One token."""
        kind, text = found.lastgroup or "stop", found[0]
        if kind == "of" or (kind == "word" and text.lower() in UNITS and self.items and _counted(self.items[-1][1])):
            return
        if kind == "sign":
            kind = "copula" if found.start() >= self.verb and self._told else "stop"
        if kind == "value":
            self._value(found)
        elif kind in ("word", "han"):
            if kind == "word" and (self.role or self.part is None) and not self._joined(found):
                self._value(found)
            else:
                self._word(text)
        else:
            self._turn(kind)

    @property
    def _told(self) -> bool:
        part = self.items[-1][1] if self.items else None
        return part is not None and not part.idle

    def _joined(self, found: re.Match[str]) -> bool:
        """Whether Chinese words follow that this one belongs to: "search 的端口"."""
        return re.match(
            r"[ \t]?(?:的|[\u4e00-\u9fff]{2})", found.string[found.end() : found.end() + 4]
        ) is not None and (not self.role)

    def _value(self, found: re.Match[str]) -> None:
        if not self.role and self._joined(found) and "`" not in found[0]:
            following = found.string[found.end() :].lstrip()
            if not UNIT.match(following) and TOKEN_ZH.match(following) is not None and _plain(following):
                self._word(found[0])
                return
        self.part = None
        self.items.append(("part", _Part(self.role, [plain_value(found[0])], value=True)))

    def _word(self, text: str) -> None:
        if self.part is None:
            self.part = _Part(self.role)
            self.items.append(("part", self.part))
        self.part.words.append(text)

    def _turn(self, kind: str) -> None:
        self.part = None
        if kind == "after_not":
            for what, part in reversed(self.items):
                if part is not None and part.value:
                    part.role = "old"
                    break
                if what == "stop":
                    break
        self.role = {"copula": "new", "no": "old"}.get(kind, "")
        self.items.append((kind, None))


def _counted(part: _Part | None) -> bool:
    return part is not None and part.value and part.words[0][-1:].isdigit()


def _plain(following: str) -> bool:
    found = TOKEN_ZH.match(following)
    return found is not None and found.lastgroup in ("of", "han", "word")


def read_chinese(sentence: str) -> Reading:
    """What a Chinese sentence claims, gives up and speaks of."""
    scan = _Scan(
        verb=max((found.start() for found in TOKEN_ZH.finditer(sentence) if found.lastgroup == "copula"), default=0)
    )
    reason: set[str] = set()
    why = False
    for found in TOKEN_ZH.finditer(sentence):
        why = (why or found.lastgroup == "why") and found.lastgroup != "stop"
        if why and found.lastgroup in ("value", "word"):
            reason.add(plain_value(found[0]))
        elif not why:
            scan.take(found)
    items = [item for item in scan.items if item[1] is None or not item[1].idle]
    parts = [part for _, part in items if part is not None]
    fresh = [part for part in parts if part.role == "new"]
    given = fresh if any(part.value for part in fresh) else [part for part in parts if not part.role]
    new = frozenset(part.words[0] for part in given if part.value)
    names = frozenset(part.words[0] for part in parts if part.value) | reason
    return Reading(
        claim=_claim(items),
        topics=frozenset(_topics(items)),
        new=new,
        words=frozenset(part.key for part in fresh if not part.value),
        old=(names - new) | {part.key for part in parts if part.role == "old"},
        bare=all(part.value or part.role == "new" or _unit(items, part) for part in parts),
        names=names,
    )


def _unit(items: Sequence[tuple[str, _Part | None]], part: _Part) -> bool:
    """Whether a part is what the number before it counts."""
    at = next(at for at, (_, other) in enumerate(items) if other is part)
    before = items[at - 1][1] if at else None
    return before is not None and before.value and UNIT.fullmatch("".join(part.words)) is not None


def _topics(items: Sequence[tuple[str, _Part | None]]) -> Iterator[frozenset[str]]:
    for _, part in items:
        if part is not None and not part.value and not _unit(items, part):
            yield frozenset([part.key])
    for at, (kind, _) in enumerate(items):
        if kind == "copula" and (part := _left(items, at)) is not None:
            yield frozenset([part.key])


def _left(items: Sequence[tuple[str, _Part | None]], at: int) -> _Part | None:
    """The subject before a copula, past the old value that stands between: "把 T 从 A 换成 B"."""
    at -= 1
    while at >= 1 and (part := items[at][1]) is not None and (part.role == "old" or _unit(items, part)):
        at -= 2 if items[at - 1][0] == "no" else 1
    return items[at][1] if at >= 0 else None


def _claim(items: Sequence[tuple[str, _Part | None]]) -> Claim | None:
    """The subject and its value: "T 是 V", "用 V 作为 T", "把 T 设为 V", "T：V"."""
    for at in reversed(range(len(items))):
        if items[at][0] != "copula" or at + 1 >= len(items):
            continue
        value = items[at + 1][1]
        if value is None:
            continue
        subject = _left(items, at)
        if subject is None and items[-2:] and (named := _named_after(items, at + 2)) is not None:
            return _made(named[0], value, items[named[1] :])
        following = items[at + 2][1] if at + 2 < len(items) else None
        if subject is None and following is not None and not following.value and not _unit(items, following):
            return _made(following, value, items[at + 3 :])
        return _made(subject or _only(items), value, items[at + 2 :])
    told = [part for kind, part in items if kind != "stop"]
    if len(told) == 2 and (subject := told[0]) is not None and (value := told[1]) is not None:
        return _made(subject, value, ()) if value.value and not subject.value else None
    return None


def _only(items: Sequence[tuple[str, _Part | None]]) -> _Part | None:
    """The subject where only one thing is named: "T 不再用 A，改为 B"."""
    named = [part for _, part in items if part is not None and not part.value and not part.role]
    return named[0] if len(named) == 1 and not _unit(items, named[0]) else None


def _named_after(items: Sequence[tuple[str, _Part | None]], at: int) -> tuple[_Part, int] | None:
    """The subject after 作为, past the old value that stands between."""
    while at + 1 < len(items) and items[at][0] == "no":
        at += 2
    if at + 1 < len(items) and items[at][0] == "as" and (part := items[at + 1][1]) is not None:
        return part, at + 2
    return None


def _made(subject: _Part | None, value: _Part, rest: Sequence[tuple[str, _Part | None]]) -> Claim | None:
    if not value.value and len("".join(value.words)) > _LONGEST:
        return None
    others = [part for _, part in rest if part is not None and part.role != "old"]
    unit = others[:1] if others and value.value and UNIT.fullmatch("".join(others[0].words)) else []
    return Claim(
        topic=frozenset([subject.key]) if subject is not None else frozenset(),
        values=frozenset(value.words if value.value else [value.key]),
        hard=value.value,
        alone=len(others) == len(unit),
    )
