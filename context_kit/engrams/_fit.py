"""The board: which fragments stand in the bridge, together never above their budget.

The cap wins over the rules. What finds no room goes in one order: contracts,
error, file, the middle of long user texts, the oldest user texts without a standing
constraint; the goal, standing constraints and the newest user text go last. Pins never go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from context_kit._budget import HALF_BOARD
from context_kit.engrams._fragment import Fragment
from context_kit.engrams._quote import fence_of
from context_kit.engrams._wishes import SMALLEST, Wish, fit_words, make_way
from context_kit.tokens import clip, remembered
from context_kit.types import Engram, EngramKind
from context_kit.typing import Count

__all__ = ["Board", "Mark", "fit", "shorten"]

Mark = Callable[[str], str]
"""The text that stands for what was left out, given the address of the whole."""

FRAME = 14
"""Tokens of an engram's heading, beside its label, address and fence."""
EXTRAS = 0.35
"""Contracts, and likewise promoted files, together take no more of the board than this share."""
GIANTS: tuple[EngramKind, ...] = ("file", "error")
"""Kinds of one fragment each, which may be large."""
MANY: tuple[EngramKind, ...] = ("contract", "promoted")
LINES = 0.4
"""Lines of lists together take no more of the board than this share."""
WANTED = 0.15
"""Declarations that a person named come first, up to this share."""
BUILT_ON = 0.12
"""Those that the session wrote and builds on have as much beside a file or an error."""
OFFERED = 0.3
"""What the newest words of a person take up has as much, where the constraints in their texts leave it."""
LEAST_OFFER = 40
"""Tokens under which an offer that is clipped says too little."""
LINE_FRAME = 3
"""Tokens of a contract beside its text, in a block that its file's contracts share."""
OPENING = 6
"""Characters of the newest user text that stand in any case, emoji of several included."""
POINTER = 24
"""Tokens of words that the newest text of a person has in any case, behind its address."""
LISTED = 6
"""Tokens of a line of a list beside its text: bullet, brackets, line end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What is kept word for word, and what found no room."""

    goal: str
    """The goal's text, clipped where it had to be."""
    stale: str
    """Addresses of the texts that took a part of the goal back; empty where none did."""
    fragments: tuple[tuple[Fragment, int], ...]
    """Fragments with their tokens, most precious first."""
    clipped: tuple[str, ...]
    """Addresses of what stands shortened."""
    evicted: tuple[str, ...]
    """Addresses of what found no room."""
    tokens: int
    """Tokens of all of it, goal included."""


def fit(
    fragments: Sequence[Fragment],
    *,
    goal: Fragment | None,
    pins: Sequence[Engram],
    budget: int,
    count: Count,
    mark: Mark,
    newest: str = "",
) -> Board:
    """The board within `budget` tokens; deterministic.

    Of the text whose address is `newest` a pointer stays, whatever the budget: its address and its first words.
    """
    room, known = budget - sum(pin.tokens for pin in pins), remembered(count)
    half = max(int(HALF_BOARD * budget), 1)
    wishes = [_wish(fragment, known) for fragment in fragments if not fragment.line]
    users = [wish for wish in wishes if wish.fragment.kind == "user"]
    first = [_wish(goal, known)] if goal is not None else []
    _count_rules([*first, *users], known, mark)
    listed = _listed([fragment for fragment in fragments if fragment.line], known)
    kept_free = _up_to(listed, LINES * budget)
    offers = [wish for wish in wishes if wish.fragment.answered]
    wanted = [wish for wish in wishes if wish.fragment.wanted]
    offered = _offered(offers, [*first, *users], room, budget)
    fit_words(first, users, room - offered, half)
    needed = sum(_least(wish) for wish in wishes if wish.fragment.kind in GIANTS)
    kept_free += _up_to(wanted, WANTED * budget)
    make_way([*first, *users], room - offered - kept_free - needed, half)
    room -= sum(wish.size for wish in (*first, *users))
    room -= _fit_offers(offers, max(offered, room - kept_free - needed), half)
    built_on = [wish for wish in wishes if wish.fragment.built_on and not wish.fragment.wanted]
    kept_free = min(kept_free + _up_to(built_on, BUILT_ON * budget), room - needed)
    alone, rest = not users and not first, list[Wish]()
    for kind in GIANTS:
        ofkind = [wish for wish in wishes if wish.fragment.kind == kind]
        needed -= sum(map(_least, ofkind))
        after = needed if room - max(kept_free, 0) - needed >= sum(map(_least, ofkind)) else 0
        room -= _fit_kind(kind, ofkind, room - max(kept_free, 0) - after, half, alone=alone)
        rest.extend(ofkind)
    starved = any(not wish.limit for wish in rest)  # contracts go before a file or an error does
    _drop_shown(wishes, built_on, count, mark)
    lines = _up_to(listed, LINES * budget / 2)  # they come before the last declaration
    room -= _fit_kind("contract", wanted, min(room - lines, int(WANTED * budget)), half, alone=alone)
    room -= _fit_lines(listed, min(room, int(LINES * budget)))
    rest = [*offers, *rest, *wanted, *listed]
    rest += _fit_many(wishes, room, budget, half, alone=alone, starved=starved)
    return _board(first, [*users, *rest], sum(pin.tokens for pin in pins), count, mark, newest)


def _fit_many(wishes: Sequence[Wish], room: int, budget: int, half: int, *, alone: bool, starved: bool) -> list[Wish]:
    """Give contracts and what was promoted what is left; those that had no place before, in their order."""
    found: list[Wish] = []
    for kind in MANY:
        ofkind = [w for w in wishes if w.fragment.kind == kind and not (w.fragment.wanted or w.fragment.answered)]
        most = 0 if starved and kind == "contract" else min(room, int(EXTRAS * budget))
        room -= _fit_kind(kind, ofkind, most, half, alone=alone)
        found.extend(ofkind)
    return found


def _count_rules(words: Sequence[Wish], count: Count, mark: Mark) -> None:
    """Note what the standing constraints of each text take, with the mark for what is left out."""
    for wish in words:
        wish.rules = wish.frame + sum(count(text) + 1 for text in (mark(wish.fragment.source), *wish.fragment.must))


def _up_to(wishes: Sequence[Wish], most: float) -> int:
    """Tokens of all of them, at most so many."""
    return min(sum(wish.whole for wish in wishes), int(most))


def _drop_shown(wishes: list[Wish], built_on: Sequence[Wish], count: Count, mark: Mark) -> None:
    """Declarations that stand in a file as it is shown here are no engrams of their own."""
    shown = [
        shorten(wish.fragment, wish.limit - wish.frame, count, mark) if wish.limit < wish.whole else wish.fragment.text
        for wish in wishes
        if wish.fragment.kind == "file" and wish.limit
    ]
    twice = [wish for wish in built_on if any(wish.fragment.text.strip() in text for text in shown)]
    wishes[:] = [wish for wish in wishes if not any(wish is each for each in twice)]


def _listed(fragments: Sequence[Fragment], count: Count) -> list[Wish]:
    """Lines on their way to the board; the first of each list bears its heading."""
    found: list[Wish] = []
    heads: set[str] = set()
    for fragment in fragments:
        head = 0 if fragment.label in heads else count(fragment.label) + LISTED
        heads.add(fragment.label)
        frame = LISTED + count(fragment.source) + head
        whole = count(fragment.text) + frame
        found.append(Wish(fragment, whole, frame, whole))
    return found


def _least(wish: Wish) -> int:
    """What a fragment needs to say anything."""
    return min(wish.whole, wish.frame + SMALLEST[wish.fragment.kind])


def _offered(offers: Sequence[Wish], words: Sequence[Wish], room: int, budget: int) -> int:
    """Tokens that are kept free for what the newest words take up: never at the cost of a constraint."""
    rules = sum(min(wish.rules, wish.whole) for wish in words)
    return max(min(_up_to(offers, OFFERED * budget), room - rules), 0)


def _fit_offers(wishes: Sequence[Wish], room: int, half: int) -> int:
    """Whole where there is room, else what names things by their ids; the tokens taken."""
    taken = 0
    for wish in wishes:
        most = min(room - taken, max(half, 1))
        wish.limit = min(wish.whole, most) if most >= min(wish.whole, wish.frame + LEAST_OFFER) else 0
        taken += wish.size
    return taken


def _fit_lines(wishes: Sequence[Wish], room: int) -> int:
    """As many lines as have room, the first ones first; the tokens taken."""
    taken = 0
    for wish in wishes:
        wish.limit = wish.whole if taken + wish.whole <= room else 0
        taken += wish.limit
    return taken


def _wish(fragment: Fragment, count: Count) -> Wish:
    shown = fragment.kind == "contract" and fragment.source.startswith("f:")  # its address names the file
    frame = FRAME + count(fragment.source if shown else f"{fragment.label}{fragment.source}")
    frame += 2 * count(fence_of(fragment.text))
    named = count(fragment.naming) + 1 if fragment.naming else 0
    frame += named
    whole = count(fragment.text) + frame
    return Wish(fragment, whole, frame, whole, named)


def _fit_kind(kind: EngramKind, wishes: Sequence[Wish], room: int, half: int, *, alone: bool) -> int:
    """Give each of one kind what is left, small ones never lost to a giant; the tokens taken."""
    taken = 0
    blocks: set[str] = set()
    for wish in wishes:
        if kind == "contract" and wish.fragment.source in blocks:
            wish.whole -= wish.frame - LINE_FRAME - wish.named
            wish.frame = LINE_FRAME + wish.named
        ceiling = room - taken if alone and len(wishes) == 1 else min(room - taken, max(half, 1))
        if wish.whole <= ceiling:
            wish.limit = wish.whole
        elif kind != "contract" and ceiling >= wish.frame + SMALLEST[kind]:
            wish.limit = ceiling
        else:
            wish.limit = 0
        if wish.limit:
            blocks.add(wish.fragment.source)
        taken += wish.size
    return taken


def _board(first: Sequence[Wish], rest: Sequence[Wish], pinned: int, count: Count, mark: Mark, newest: str) -> Board:
    kept: list[tuple[Fragment, int]] = []
    clipped: list[str] = []
    evicted: list[str] = []
    goal, stale, tokens = "", "", pinned
    for wish in (*first, *rest):
        fragment = wish.fragment
        stays = fragment.kind == "user" and fragment.source == newest
        if not wish.limit and not stays:
            evicted.append(fragment.source)
            continue
        size = wish.whole
        if wish.limit < wish.whole:
            room = wish.limit - wish.frame
            text = shorten(fragment, room, count, mark)
            opens = text.startswith(fragment.text[:OPENING])
            if stays and not opens and not any(must in text for must in fragment.must):
                text = clip(fragment.text, max(room, POINTER), count=count, mark=f"…{newest}…", ratio=1.0)
            fragment = replace(fragment, text=text)
            if not fragment.text:
                evicted.append(fragment.source)
                continue
            size = count(fragment.text) + wish.frame
            clipped += [fragment.source] if text != wish.fragment.text else []
        tokens += size
        if any(wish is one for one in first):
            goal, stale = fragment.text, fragment.label
        else:
            kept.append((fragment, size))
    return Board(
        goal=goal,
        stale=stale,
        fragments=tuple(kept),
        clipped=tuple(clipped),
        evicted=tuple(dict.fromkeys(evicted)),
        tokens=tokens,
    )


def shorten(fragment: Fragment, limit: int, count: Count, mark: Mark) -> str:
    """A fragment's text within `limit` tokens: head, tail and every sentence that must survive.

    What the shorter head and tail lose is put into the mark, until nothing is lost; where not all
    of it has room, the first sentences stay.
    """
    base = mark(fragment.source)
    short = clip(fragment.text, limit, count=count, mark=base)
    told: list[str] = []
    while missing := [sentence for sentence in fragment.must if sentence not in short]:
        told = [sentence for sentence in fragment.must if sentence in told or sentence in missing]
        longer = clip(fragment.text, limit, count=count, mark="\n".join([base, *told, "…"]))
        if not longer:
            return _some(fragment.must, limit, base, count) or short
        short = longer
    return short


def _some(must: Sequence[str], limit: int, base: str, count: Count) -> str:
    """The mark and as many of the sentences as have room, the first ones first."""
    kept = [base]
    left = limit - count(base)
    for sentence in must:
        size = count(sentence) + 1
        if size <= left:
            kept.append(sentence)
            left -= size
    return "\n".join(kept) if len(kept) > 1 else ""
