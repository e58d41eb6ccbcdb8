"""Laws that hold for any text."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_kit.tools import (
    Files,
    acts,
    acts_in_text,
    error_line,
    failure,
    looks_observed,
    normal_command,
    outcome,
    parse_patch,
    same_file,
    text_acts,
    verifies,
)
from context_kit.tools._envelope import CLOSING, ENDINGS
from context_kit.tools._idle import EMPTY, IDLE, SIGNS
from context_kit.tools._signs import RUNNER, SUMMED
from context_kit.wire import Part

KNOWN = (
    "Read Edit Write MultiEdit Bash bash edit read write open create insert apply_patch write_stdin update_plan "
    "TodoWrite "
    "str_replace_editor read_files run_commands replace_in_file NotebookEdit Glob mcp__a__b unknown_edit TaskUpdate"
)
ARGUMENTS = (
    "path file_path command cmd content old_string new_string edits files commands todos plan input diff offset limit "
    "view_range "
    "insert_line text operation session_id chars"
)
TOOLS = st.sampled_from(KNOWN.split())
NAMES = st.sampled_from(ARGUMENTS.split())
WORDS = st.sampled_from(
    [
        "a.py",
        "cat a > b",
        "<<EOF",
        "```",
        "\n",
        "Error: x",
        "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y",
        "1",
        '"',
        "'",
        "1→x",
        "view",
    ]
)
TEXTS = st.one_of(st.text(), st.lists(WORDS).map(" ".join), st.lists(WORDS).map("\n".join))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


@given(TOOLS, st.dictionaries(NAMES, VALUES, max_size=5), TEXTS, st.booleans())
def test_no_call_raises(name: str, args: dict[str, Any], said: str, failed: bool) -> None:
    """Whatever a model wrote, the call means something, and folding it in is safe."""
    files = Files()
    found = acts(Part("call", text=json.dumps(args), name=name), Part("result", text=said, failed=failed))
    assert found
    for act in found:
        assert act.failed == bool(act.error)
        files.fold(act, 1)


@given(TEXTS, TEXTS, st.booleans())
def test_an_error_is_the_texts_own(said: str, command: str, flagged: bool) -> None:
    """Word for word and in one piece, but for a result without any words."""
    error = failure(said, command=command, flagged=flagged)
    if said.strip() and not said.lstrip().startswith(("{", "[")):
        assert error in said
    assert error.count("\n") < 40
    assert error_line(error) in error
    assert outcome(said) == "" or len(outcome(said)) <= 200


@given(st.from_regex(rf"\A(?:{RUNNER.pattern})"))
def test_a_quick_look_misses_no_summing_up(line: str) -> None:
    """Whatever a test runner says of its failures, one of the words for the quick look stands in it."""
    assert any(word in line for word in SUMMED)


@given(st.from_regex(rf"\A(?:{CLOSING.pattern})"))
def test_a_quick_look_misses_no_end_of_a_frame(text: str) -> None:
    """Whatever an agent puts behind a result, one of the words for the quick look stands in it."""
    assert any(word in text for word in ENDINGS)


@given(TEXTS)
def test_a_normal_command_is_stable(command: str) -> None:
    """Normalising is done once and for all, and nothing raises on the way."""
    assert isinstance(verifies(command), bool)
    assert "\n" not in normal_command(command)


@given(TEXTS, TEXTS)
def test_text_readers_take_anything(said: str, observed: str) -> None:
    """An action has acts, prose has none."""
    assert bool(text_acts(said, observed)) == acts_in_text(said)
    assert isinstance(looks_observed(observed), bool)


@given(st.text(), st.text())
def test_sameness_is_symmetric(a: str, b: str) -> None:
    """Whichever name comes first."""
    assert same_file(a, b) == same_file(b, a)


LINES = st.lists(
    st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\u2028\u2029"), min_size=1),
    min_size=1,
    max_size=8,
)


@given(LINES, LINES, st.integers(0, 8))
def test_a_patch_leads_to_its_own_text(before: list[str], added: list[str], at: int) -> None:
    """A hunk with all of the context rebuilds the new text exactly."""
    at = min(at, len(before))
    hunk = [f" {line}" for line in before[:at]] + [f"+{line}" for line in added] + [f" {line}" for line in before[at:]]
    patch = "\n".join(["*** Begin Patch", "*** Update File: f", "@@", *hunk, "*** End Patch"])
    files = Files()
    for name, args in (
        ("Write", {"path": "f", "content": "".join(f"{line}\n" for line in before)}),
        ("apply_patch", {"input": patch}),
    ):
        for act in acts(Part("call", text=json.dumps(args), name=name), Part("result", text="ok")):
            files.fold(act, 1)
    assert files.views["f"].text == "".join(f"{line}\n" for line in [*before[:at], *added, *before[at:]])
    assert len(parse_patch(patch)) == 1


@pytest.mark.parametrize("look", [IDLE, EMPTY])
@given(data=st.data())
def test_an_idle_run_is_looked_for_where_its_signs_stand(look: re.Pattern[str], data: st.DataObject) -> None:
    """The cheap look leaves nothing out."""
    text = data.draw(st.from_regex(re.compile(look.pattern, re.IGNORECASE | re.ASCII)))
    assert any(sign in text.lower() for sign in SIGNS)
