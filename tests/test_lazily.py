"""What is loaded at its first use is what would have been loaded at once."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import context_kit
from context_kit._lazily import Cued, cue, cued, names_of, regex
from context_kit.engrams._wrappers import CUTS
from context_kit.tools import _envelope, _numbered, _spoken
from tests.harness.sessions import rows_of, write

if sys.version_info >= (3, 11):
    from re import _constants as sre
    from re import _parser as parser
else:
    import sre_constants as sre
    import sre_parse as parser

ROOT = Path(__file__).resolve().parents[1]


def test_a_name_is_loaded_when_it_is_asked_for() -> None:
    """A room gives the very object that its module holds, and remembers it."""
    from context_kit.engrams import constraints
    from context_kit.engrams._constraints import constraints as own

    assert constraints is own
    with pytest.raises(AttributeError, match="has no attribute 'constraint'"):
        names_of("context_kit.engrams", {"_constraints": "constraints"})("constraint")


@pytest.mark.parametrize("text", ["Ab1", "none", "xAb12"])
def test_a_pattern_is_the_one_that_re_makes(text: str) -> None:
    """Its methods, its groups and its text are the compiled pattern's."""
    made, late = re.compile(r"(?P<letters>[a-c]+)(\d)", re.IGNORECASE), regex(r"(?P<letters>[a-c]+)(\d)", re.IGNORECASE)
    assert late.pattern == made.pattern
    for _ in range(2):
        found, same = late.search(text), made.search(text)
        assert (found and found.groupdict()) == (same and same.groupdict())
        assert (late.fullmatch(text) is None) == (made.fullmatch(text) is None)
    assert (late.flags, late.groups, late.groupindex) == (made.flags, made.groups, made.groupindex)
    assert late.sub("-", text) == made.sub("-", text)


def test_a_broken_pattern_is_told_at_its_first_use() -> None:
    """Nothing is hidden: the error is the one of `re`."""
    with pytest.raises(re.error):
        regex("(").search("")


# -- words that call for a pattern ---------------------------------------------------


def test_only_the_called_patterns_are_compiled() -> None:
    """One whose words a text lacks is never made; each text gets what the plain patterns find."""
    look = cued(cue("one eins", r"\b(?:one|eins)\b"), cue("two", r"two (\d)"), cue("broken", r"("), flags=re.IGNORECASE)
    for text, found in (("Eins", "Eins"), ("x TWO 2", "TWO 2"), ("two", None), ("three", None), ("", None)):
        match = look.search(text)
        assert (match and match[0]) == found
    assert [match[0] for match in look.finditer("two 1, one, two 2")] == ["one", "two 1", "two 2"]
    with pytest.raises(re.error):
        look.search("BROKEN")


def all_cued() -> Iterator[tuple[str, tuple[str, ...], re.Pattern[str]]]:
    """Every pattern of the package that stands behind words."""
    for each in pkgutil.walk_packages(context_kit.__path__, "context_kit."):
        if each.name.startswith(
            ("context_kit.engrams", "context_kit.summary", "context_kit.tools", "context_kit.harness")
        ):
            for name, value in vars(importlib.import_module(each.name)).items():
                if isinstance(value, Cued):
                    yield from ((f"{each.name}.{name}", words, pattern) for words, pattern in value.cues)


def parsed(text: str, flags: int = 0) -> Any:
    return parser.parse(text, flags)


def needs(tree: Iterable[Any], words: Sequence[str], run: str = "", *, small: bool = True) -> bool:
    """Whether all that a parsed pattern can find holds one of the words: told from its letters in a row.

    Args:
        tree: the pattern, or a part of it.
        words: the words.
        run: the letters right before it.
        small: the words are compared in small letters.
    """
    for kind, given in tree:
        forms = forms_of(kind, given)
        if forms and all(needs(form, words, run, small=small) for form in forms):
            return True
        if kind is sre.LITERAL:
            run += chr(given).lower() if small else chr(given)
            if any(word in run for word in words):
                return True
        elif kind not in (sre.AT, sre.ASSERT, sre.ASSERT_NOT):  # those take no letter
            run = ""
    return False


def forms_of(kind: Any, given: Any) -> list[Iterable[Any]]:
    """The forms of a part of a pattern, one of which stands in whatever it finds; none where that isn't told."""
    if kind is sre.BRANCH:
        return list(given[1])
    if kind is sre.IN and all(each is sre.LITERAL for each, _ in given):
        return [[each] for each in given]
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        return [given[2]] if given[0] else []
    return [given[-1]] if kind in (sre.SUBPATTERN, sre.ASSERT) else []


def test_a_pattern_finds_nothing_without_its_words() -> None:
    """Each form that a pattern allows holds one of the words that call for it, so that none is ever missed."""
    found = {(name, words, pattern.pattern): pattern for name, words, pattern in all_cued()}
    assert len(found) > 80
    wrong = [
        (name, words, text[:80])
        for (name, words, text), pattern in found.items()
        if not needs(parsed(text, pattern.flags), words) or any(word != word.lower() for word in words)
    ]
    assert wrong == []


SIGNED = {
    **{cut.opening: (cut.sign,) for cut in CUTS},
    _envelope.OPENING.pattern: _envelope.SIGNS,
    _numbered.HEADERS.pattern: _numbered.SIGNS,
    _spoken.NO.pattern: _spoken.SIGNS,
}


@pytest.mark.parametrize("pattern", SIGNED)
def test_a_frame_has_its_sign(pattern: str) -> None:
    """A text that has none of the signs that are looked for first can't hold the frame."""
    assert needs(parsed(pattern), SIGNED[pattern], small=False)


# -- what a hook's process loads and makes -------------------------------------------

HEAVY = (
    "pydantic tiktoken typer rich click sqlite3 asyncio hashlib subprocess "
    "context_kit.types context_kit.engrams._contracts context_kit.engrams._grammars"
).split()
PATTERNS = 90
"""Patterns of one session's whole record; each costs a tenth of a millisecond or more."""
SIGNS = 25_000
"""Characters of them all: making patterns takes about a microsecond for each."""
COUNTING = """
import re, sys
made, compiled = [], re.compile
def noted(text, flags=0):
    if "context_kit" in sys._getframe(1).f_code.co_filename:
        made.append(len(text))
    return compiled(text, flags)
re.compile = noted
from context_kit.cli import main
import context_kit.harness.hooks._work
at_import = len(made)
main(["hook", *sys.argv[1:]])
print(at_import, len(made), sum(made), *sys.modules)
"""


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "qwen"])
def test_a_hook_makes_what_it_needs(agent: str, tmp_path: Path) -> None:
    """A whole session's record: nothing heavy is loaded, no pattern made at import, and few afterwards."""
    path = write(tmp_path / "transcript.jsonl", rows_of(agent))
    event = {"session_id": "s", "transcript_path": str(path), "cwd": str(tmp_path)}
    name = "PreCompress" if agent == "gemini" else "PreCompact"
    done = subprocess.run(
        [sys.executable, "-c", COUNTING, name, "--agent", agent, "--store", str(tmp_path / "store")],
        input=json.dumps(event),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stderr == ""
    assert "parser.py" in (tmp_path / "store" / f"{agent}-s" / "checkpoint.md").read_text("utf-8")
    at_import, patterns, signs, *modules = done.stdout.split()
    assert sorted(set(modules) & set(HEAVY)) == []
    assert int(at_import) == 0
    assert int(patterns) <= PATTERNS
    assert int(signs) <= SIGNS
