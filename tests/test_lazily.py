"""What is loaded at its first use is what would have been loaded at once."""

from __future__ import annotations

import subprocess
import sys

import pytest

from context_kit._lazily import names_of, regex


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
    import re

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
    import re

    with pytest.raises(re.error):
        regex("(").search("")


HEAVY = ("pydantic", "tiktoken", "typer", "rich", "click", "sqlite3", "asyncio", "hashlib", "context_kit.types")


def test_a_hook_loads_nothing_heavy() -> None:
    """What brings a record up to date needs neither pydantic nor a tokeniser nor the command line's libraries."""
    code = "import sys, context_kit.cli, context_kit.harness.hooks._work; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()} | set(done.stdout.split())
    assert sorted(loaded & set(HEAVY)) == []
