"""Claims: what a sentence says the value of something is, and what it says of the values before.

Read from the words around the values, never guessed: a sentence whose subject can't be told makes no claim.
Linear in the sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from context_kit._lazily import regex

__all__ = ["Claim", "Reading", "plain_value", "shape"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A subject and its value."""

    topic: frozenset[str]
    """What names the subject; empty where the sentence names only a value."""
    values: frozenset[str]
    """Numbers, versions, paths, identifiers; words where there are none of these."""
    hard: bool
    """The values are no plain words."""
    alone: bool
    """Nothing else qualifies it: no place, no time, no condition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one sentence says."""

    claim: Claim | None = None
    topics: frozenset[frozenset[str]] = frozenset()
    """Every subject that it speaks of."""
    new: frozenset[str] = frozenset()
    """Values that it gives."""
    words: frozenset[str] = frozenset()
    """Plain words that stand where a value would."""
    old: frozenset[str] = frozenset()
    """Values and words that it turns away from, or only mentions."""
    bare: bool = False
    """It names values and no subject."""
    names: frozenset[str] = field(default_factory=frozenset[str])
    """Every value in it."""


_SHAPES = (
    ("date", regex(r"\d{4}-\d\d?-\d\d?.*|\d\d?/\d\d?/\d{2,4}")),
    ("number", regex(r"[$€£¥]?\d[\d,_]*(?:\.\d+)?(?:[a-z%]{0,5})")),
    ("number", regex(r"v?\d+(?:\.[\w-]+)+")),
    ("path", regex(r".*/.*")),
)


def shape(value: str) -> str:
    """What kind of value it is: `date`, `number` (versions too), `path` or `name`."""
    return next((name for name, look in _SHAPES if look.fullmatch(value)), "name")


def plain_value(text: str) -> str:
    """A value as it is compared: without quotes, full stop and capitals."""
    return re.sub(r"\s+", " ", text).strip("`\"'“”「」.,:;!?").lower()
