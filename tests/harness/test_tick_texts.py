"""Whatever a hand, a model or a crash left in the files: it is read, and nothing else in them is lost."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from context_kit import BudgetError, StoreError
from context_kit.harness.ticks._criteria import judge_criterion, parse_criteria, require_criterion
from context_kit.harness.ticks._flow_state import declared, parse_flow, write_flow
from context_kit.harness.ticks._located import printed
from context_kit.harness.ticks._page import Page, findings_of, parse_page
from context_kit.harness.ticks._present import tick_text
from context_kit.harness.ticks._progress import entry_text, parse_progress
from context_kit.harness.ticks._prose import written
from context_kit.harness.ticks._words import SECTIONS

PIECES = st.sampled_from(["# Tick 3: x", "## Open", "## Fixed", "## 待修复", "- [ ] A1 · is fast", "  evidence: 3 s", "- src/a.py:3 a leak (m4) — by `pytest -q`", "none", "{", '"node": "a",', "- state: closed", "// x", "\t", "## 2026 · a", "🙂 é", "\u2028"])  # fmt: skip
TEXTS = st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=12).map("\n".join))
LINE = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=40).filter(
    lambda line: bool(line.strip())
)


@given(TEXTS)
def test_any_text_is_read(text: str) -> None:
    """Tick files, criteria, the narrative and outputs never raise; a flow raises what says what to do."""
    page = parse_page(text, 3)
    assert tick_text(page).number == 3
    for name in SECTIONS:
        assert all(finding.text or finding.line for finding in findings_of(page, name))
    assert parse_page(page.text(), 3).sections == page.sections
    assert len({each.id for each in parse_criteria(text)}) == len(parse_criteria(text))
    assert all(entry.head or entry.text for entry in parse_progress(text))
    assert all(place.file and place.text for place in (*printed(text), *written(text)))
    try:
        flow = parse_flow(text)
    except StoreError as error:
        assert "mend it" in str(error) or "upgrade" in str(error)
    else:
        assert parse_flow(write_flow(flow)) == flow


def _bare(line: str) -> str:
    """A line without the name of a criterion, which is written into it."""
    return " ".join(re.sub(r"(\[[ xX√!-]?\])\s*(?:[A-Z]{1,3}\d{1,4} · ?)?", r"\1 ", line).split())


@given(TEXTS, LINE)
def test_a_criterion_more_loses_no_line(text: str, wanted: str) -> None:
    """The lines of a person stay, in their order, with their names; the new one is the last, and can be judged."""
    after, criterion = require_criterion(text, wanted)
    before = [_bare(line) for line in text.splitlines() if line.strip()]
    assert [_bare(line) for line in after.splitlines() if line.strip()][: len(before)] in (
        before,
        ["# Acceptance criteria"],
    ) or not before
    assert criterion.text == " ".join(wanted.split())
    judged, found = judge_criterion(after, criterion.id, "met", "seen")
    assert (found.state, found.evidence) == ("met", "seen")
    assert [each.id for each in parse_criteria(judged)] == [each.id for each in parse_criteria(after)]


@given(st.lists(LINE, max_size=5))
def test_every_entry_is_read_back(lines: list[str]) -> None:
    """One heading an entry, whatever its text is."""
    text = ""
    for number, line in enumerate(lines):
        text += entry_text(line, at=f"t{number}", node="a", tick=0, empty=not text)
    assert [entry.head for entry in parse_progress(text)] == [f"t{number} · a" for number in range(len(lines))]


@given(st.dictionaries(LINE, st.lists(LINE, max_size=3), max_size=4))
def test_a_graph_is_kept_or_refused(nodes: dict[str, list[str]]) -> None:
    """Written and read again it is the same graph."""
    try:
        flow = declared(parse_flow(""), nodes, None)
    except BudgetError:
        assert not nodes or any(following not in nodes for each in nodes.values() for following in each)
    else:
        assert parse_flow(write_flow(flow)) == flow


@given(st.lists(LINE, max_size=3), LINE)
def test_a_section_is_read_as_it_was_written(lines: list[str], title: str) -> None:
    """Bullets of any text, under any title."""
    page = Page(number=3, title=" ".join(title.split()), sections={"next": tuple(f"- {line} ." for line in lines)})
    assert parse_page(page.text(), 3).sections == page.sections
