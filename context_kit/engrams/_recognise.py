"""Which fragments are kept word for word: by rules, never by a model's opinion.

The four kinds, most precious first (first article, 4.3 and 4.5): the user's own words, the
current file, the newest unresolved failure, contracts. What stands in the tail anyway is no
engram: nothing is in the window twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from context_kit.engrams._constraints import constraints
from context_kit.engrams._declared import declarations
from context_kit.engrams._deeds import Said
from context_kit.engrams._failures import Failure, failures, unresolved
from context_kit.engrams._fragment import Fragment, address_of, current_file, standing
from context_kit.engrams._hits import PROMOTED, Hits
from context_kit.engrams._offers import offered
from context_kit.engrams._outdated import outdated
from context_kit.engrams._sentences import sentences as lines_of
from context_kit.engrams._taken_back import taken_back
from context_kit.engrams._trail import Trail
from context_kit.tools import FileView

__all__ = ["error_key", "recognise", "words_fragment"]

UNVERIFIED = {"en": "edited since, not verified", "zh": "之后有编辑，未验证"}
"""The mark of an error behind which a file was edited."""
NAME = 160
"""Characters of a command in an engram's label."""
TELLING = 16
"""Characters below which an error's line may be found in any text."""
NEVER: Mapping[str, int] = MappingProxyType({})


def recognise(
    trail: Trail, *, cut: int, redact: Callable[[str], str], recalled: Mapping[str, int] = NEVER
) -> tuple[Fragment, ...]:
    """The fragments worth keeping, most precious first.

    Args:
        trail: what was said and done.
        cut: position of the tail's first message; what stands from there on is no candidate.
        redact: takes the secrets out of a text.
        recalled: how often each address was fetched back.
    """
    hits = trail.memo("hits", lambda: Hits(trail))
    return (
        *_words(trail, cut, redact),
        *offered(trail, cut, redact),
        *_file(trail, cut, redact),
        *_error(trail, cut, redact),
        *declarations(trail, cut, redact, hits),
        *_promoted(trail, cut, redact, hits, recalled),
        *_quoted(trail, cut, redact, hits),
    )


def _words(trail: Trail, cut: int, redact: Callable[[str], str]) -> Iterator[Fragment]:
    """What a person wrote after the goal, newest first; a text said twice counts once."""
    seen = {trail.words[0].text} if trail.words else set[str]()
    for said in reversed(trail.words[1:]):
        if said.position >= cut or said.text in seen:
            continue
        seen.add(said.text)
        yield words_fragment(trail, said, redact)


def words_fragment(trail: Trail, said: Said, redact: Callable[[str], str]) -> Fragment:
    """A person's text as a fragment; what a later text took back is named, and no constraint any more."""
    clean = trail.clean(said, redact)
    text = clean.text
    rules = trail.once(constraints, clean)
    stale = dict.fromkeys(
        (sentence, by)
        for sentence in _revisable(trail, clean)
        if (by := taken_back(sentence, said.position, trail.newer))
    )
    gone = {sentence for sentence, _ in stale}
    return Fragment(
        key=f"m{said.position}",
        kind="user",
        text=text,
        label=", ".join(dict.fromkeys(f"m{by}" for _, by in stale)),
        source=f"m{said.position}",
        position=said.position,
        must=tuple(sentence for sentence in rules if sentence not in gone),
    )


def _revisable(trail: Trail, said: Said) -> Sequence[str]:
    """The sentences of a text that a later one may have taken back: none where nothing was since."""
    later = bool(trail.newer) and trail.newer[-1] > said.position
    return trail.once(lines_of, said) if later else ()


def _file(trail: Trail, cut: int, redact: Callable[[str], str]) -> Iterator[Fragment]:
    view = current_file(trail)
    if view is None or view.path in standing(trail, cut):
        return
    known = redact(view.text or "")
    apart = [] if view.whole else [region for region in view.regions if region.strip("\n") not in known]
    text = "\n…\n".join([*apart, *([known] if known else [])])
    if not text.strip():
        return
    yield Fragment(
        key=f"file {view.path}",
        kind="file",
        text=redact(text),
        label=_titled(view, redact),
        source=address_of(view, redact),
        position=view.as_of,
    )


def _name(attempt: str) -> str:
    return attempt if len(attempt) <= NAME else f"{attempt[:NAME]}…"


def error_key(failure: Failure) -> str:
    """What a failure is, the same at every compaction."""
    return f"error {failure.key} {failure.line}"


def _error(trail: Trail, cut: int, redact: Callable[[str], str]) -> Iterator[Fragment]:
    open_ones = unresolved(failures(trail))
    if not open_ones or open_ones[-1].until >= cut:
        return
    newest = open_ones[-1]
    mark = f" · {UNVERIFIED[trail.language]}" if newest.edited else ""
    yield Fragment(
        key=error_key(newest),
        kind="error",
        text=redact(newest.error),
        label=f"{_name(redact(newest.attempt))}{mark}",
        source=f"m{newest.until}",
        position=newest.until,
        must=tuple(redact(line) for line in (newest.line, newest.closing) if line),
    )


def _promoted(
    trail: Trail, cut: int, redact: Callable[[str], str], hits: Hits, recalled: Mapping[str, int]
) -> Iterator[Fragment]:
    """Files that left the window and that later steps keep naming or fetching, the most named first."""
    current = current_file(trail)
    shown = standing(trail, cut)
    fetched = _fetched(trail, redact, recalled)
    found = [
        (hits.of(view.path, view.as_of) + fetched[redact(view.path)], view)
        for view in trail.files.views.values()
        if view.text and view is not current and view.as_of < cut and view.path not in shown
    ]
    for used, view in sorted(found, key=lambda pair: (-pair[0], -pair[1].as_of)):
        if used < PROMOTED:
            return
        yield Fragment(
            key=f"promoted {view.path}",
            kind="promoted",
            text=redact(view.text or ""),
            label=_titled(view, redact),
            source=address_of(view, redact),
            position=view.as_of,
            hits=used,
        )


def _fetched(trail: Trail, redact: Callable[[str], str], recalled: Mapping[str, int]) -> Counter[str]:
    """How often each file was fetched back, by its own address or by that of a result that showed it as it was."""
    old = outdated(trail)
    found: Counter[str] = Counter()
    for address, times in recalled.items():
        if address.startswith("f:"):
            found[address.removeprefix("f:").rpartition("@")[0]] += times
        elif path := old.get(int(address[1:]) if address[1:].isdecimal() else 0):
            found[redact(path)] += times
    return found


def _titled(view: FileView, redact: Callable[[str], str]) -> str:
    """A file's name, and why its text isn't known for sure."""
    return redact(f"{view.path} · {view.note}" if view.note else view.path)


def _quoted(trail: Trail, cut: int, redact: Callable[[str], str], hits: Hits) -> Iterator[Fragment]:
    """Errors that were solved and that later steps still quote."""
    for failure in failures(trail):
        if not failure.solved or failure.until >= cut or len(failure.line) < TELLING:
            continue
        used = hits.quoting(failure.line, failure.until)
        if used >= PROMOTED:
            yield Fragment(
                key=f"promoted {error_key(failure)}",
                kind="promoted",
                text=redact(failure.error),
                label=_name(redact(failure.attempt)),
                source=f"m{failure.until}",
                position=failure.until,
                must=(redact(failure.line),),
                hits=used,
            )
