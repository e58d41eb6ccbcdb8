"""Questions about what the session never had: the right answer is that it isn't known.

Their names are put together from the session's own, so that they look as if they were of it; none of them stands
anywhere in the log.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import product
from zlib import crc32

from context_kit.probes._edits import LOOSE
from context_kit.probes._files import views_of
from context_kit.probes._gone import Gone
from context_kit.probes._telling import COMMON, SMALL, TRIVIAL, words_of
from context_kit.probes._types import NOT_KNOWN, Difficulty, Probe, ProbeKind

__all__ = ["distractors"]

PLAIN = "load save parse build merge check render retry cache token session buffer queue report limit".split()
"""Words for names where the session has few of its own."""
NAMES = re.compile(r"(?<!\\)\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+[A-Z][A-Za-z]+\b|\b[A-Z][a-z]+[A-Z][A-Za-z]+\b")
SPOKEN = re.compile(r"(?=[^aeiou]{0,2}[aeiou])[a-z]{4,12}")
"""A word that can be spoken: no piece of an id."""
WORDS = 60
"""So many words of the session's names are put together."""
TRIED = 400


def distractors(gone: Gone) -> Iterator[Probe]:
    """Functions, values, failing commands and calls that the session never had, in turn."""
    names = _names(gone)
    views = [view.path for view in views_of(gone)]
    path = next((path for path in views if not path.lower().endswith(LOOSE)), "")
    tools = [call.name for entry in gone.entries for call in entry.message.calls]
    camel = _camel(gone)
    for number, (one, other) in enumerate(names):
        name = f"{one}{other.title()}" if camel else f"{one}_{other}"
        form, kind = _form(number, path=path, tools=bool(tools))
        command = f"pytest tests/test_{one}_{other}.py" if not camel else f"npm test -- {one}-{other}"
        told = {"name": name.upper() if form == "no_value" and not camel else name, "path": path, "command": command}
        if form == "no_error" and _known(gone, f"{one}-{other}", f"test_{one}_{other}"):
            continue
        question = gone.ask(form, **told)
        yield Probe(kind=kind, question=question, answer=NOT_KNOWN, address="", difficulty=_difficulty(number))


def _difficulty(number: int) -> Difficulty:
    return ("medium", "hard", "easy")[number % 3]


def _form(number: int, *, path: str, tools: bool) -> tuple[str, ProbeKind]:
    of_files = ("no_where", "no_value", "no_error") if path else ()
    forms = (*of_files, "no_result") if tools or not path else of_files
    form = forms[number % len(forms)]
    return form, "artifact" if form == "no_where" else "recall"


def _camel(gone: Gone) -> bool:
    """Whether the session's names are written with capitals inside rather than with underscores."""
    found = NAMES.findall(gone.whole[:200_000])
    return sum("_" not in name for name in found) > len(found) / 2


def _names(gone: Gone) -> Iterator[tuple[str, str]]:
    """Pairs of words that make a name which the log doesn't have in any spelling."""
    rng = random.Random(crc32(gone.whole[:4_000].encode("utf-8", "replace")))  # noqa: S311 - the same each time, no secret
    found = {word for name in NAMES.findall(gone.whole[:200_000]) for word in words_of(name) if len(word) > 3}
    words = sorted(word for word in found if SPOKEN.fullmatch(word) and word not in SMALL | TRIVIAL | COMMON)
    words = rng.sample(words, min(len(words), WORDS)) or list(PLAIN)
    pairs = [(one, other) for one, other in product(words, [*words, *PLAIN]) if one != other]
    used: set[str] = set()
    for one, other in rng.sample(pairs, min(len(pairs), TRIED)):
        if used & {one, other} or _known(gone, f"{one}_{other}", f"{one}{other}", f"{one}-{other}", f"{one} {other}"):
            continue
        used |= {one, other}
        yield one, other


def _known(gone: Gone, *names: str) -> bool:
    return any(name in gone.everything for name in names)
