"""An English sentence as a claim: subject and value, told apart by the words between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from context_kit.engrams._claim_forms import claim_in, made_so
from context_kit.engrams._claim_parts import Items, Part, scan
from context_kit.engrams._claims import Reading

__all__ = ["read_english"]

_SUBTOPICS = 4
"""Parts of a name that are put together: "the limit of the queue for the mailer"."""


def read_english(sentence: str) -> Reading:
    """What an English sentence claims, gives up and speaks of."""
    scanned, reason = scan(sentence)
    items = [item for item in scanned.items if item[0] != "idle"]
    chains = list(_chains(scanned.items))
    made = list(made_so(items))
    parts = [part for _, part in items if part is not None]
    fresh = [part for part in parts if part.role == "new"]
    given = fresh if any(part.values for part in fresh) else [part for part in parts if not part.role]
    new = frozenset(value for part in given for value in part.values)
    names = frozenset(word for part in parts for word, value in part.words if value) | reason
    gone = frozenset(word for part in parts if part.role == "old" for word, _ in part.words)
    return Reading(
        claim=claim_in(items, new),
        topics=frozenset([*_topics(chains), *(topic for topic, _ in made)]),
        new=new,
        words=frozenset(word for part in fresh if not part.state for word, value in part.words if not value)
        | {word for _, word in made},
        old=(names - new) | gone,
        bare=all(part.pure or part.unit or part.role == "new" for part in parts),
        names=names,
    )


def _chains(items: Items) -> Iterator[list[Part]]:
    """Parts that a preposition joins: "the library", "invoices"."""
    chain: list[Part] = []
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


def _topics(chains: Sequence[list[Part]]) -> Iterator[frozenset[str]]:
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
