"""The state files: read by people, mended by hand, written by several processes."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from context_kit import BudgetError, Harness, StoreError

NODES = {"plan": ["build"], "build": ["review"], "review": ["build", "done"], "done": []}


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path / ".harness")


def test_nothing_is_made_before_it_is_written(tmp_path: Path) -> None:
    """To look is not to make: a folder that isn't there is an empty one."""
    harness = Harness(tmp_path / "none")
    assert (harness.flow.node, harness.criteria, harness.entries, harness.pages) == ("", (), (), ())
    assert not (tmp_path / "none").exists()


def test_only_declared_ways_are_gone(harness: Harness) -> None:
    """A move that the graph doesn't have is refused and changes nothing; the text lists the legal ones."""
    harness.declare(NODES)
    harness.move("build", why="the plan stands")
    with pytest.raises(BudgetError, match=r"no way leads from 'build' to 'done', legal are review"):
        harness.move("done")
    with pytest.raises(BudgetError, match="there are plan, build, review, done"):
        harness.move("dnoe")
    assert (harness.flow.node, harness.flow.moves[-1]["why"]) == ("build", "the plan stands")


def test_declared_again_the_work_stays_where_it_is(harness: Harness) -> None:
    """A process that begins anew declares its flow anew; the node is the file's."""
    harness.declare(NODES)
    harness.move("build")
    assert Harness(harness.name).declare(NODES).node == "build"
    with pytest.raises(BudgetError, match="the work is at 'build'"):
        harness.declare({"a": []})
    with pytest.raises(BudgetError, match="leads to 'c'"):
        harness.declare({"a": ["c"]})


def test_a_flow_mended_by_hand_is_read(harness: Harness) -> None:
    """Comments, commas too many, names in one string, unknown keys: read, and the keys stay."""
    harness.declare(NODES)
    text = """{
      // by hand, "not" a string
      "version": 1, "node": "build", /* here */
      "nodes": {"build": "review, done", "review": ["build",], "done": [],},
      "owner": "who // knows",
    }"""
    harness.folder.write("flow-state.json", text)
    assert (harness.flow.node, harness.flow.next) == ("build", ("review", "done"))
    harness.move("review", why="built")
    kept = (harness.folder / "flow-state.json").read_text("utf-8")
    begin, _, end = text.partition('"build", /* here */')
    assert kept.startswith(f'{begin}"review", /* here */')
    assert end.partition("    }")[0].rstrip() in kept
    assert (harness.flow.node, harness.flow.moves[-1]["why"]) == ("review", "built")


HAND = """{
  // who owns it
  "owner": "me",
  "node": "plan",
  "nodes": {
    "plan": ["build"], // first
    "build": "review",
    "review": ["build", "done"],
    "done": [],
  },
  "moves": [
    {"at": "2026-05-01T10:00:00Z", "from": "", "to": "plan", "why": "begun", "by": "me"}, // by hand
  ],
}
"""


def test_what_people_wrote_into_a_flow_stays(harness: Harness) -> None:
    """Comments, keys of every depth, commas and layout, however often the work moves."""
    harness.declare(NODES)
    harness.folder.write("flow-state.json", HAND)
    for node in ("build", "review", "build", "review"):
        harness.move(node)
    harness.declare({**NODES, "review": ["build"], "shipped": []})
    harness.declare({key: value for key, value in NODES.items() if key != "shipped"})
    kept = harness.folder.read("flow-state.json")
    assert [line for line in HAND.splitlines() if line not in kept and '"node"' not in line and "]," not in line] == []
    assert ("// first" in kept, "// by hand" in kept, '"by": "me"' in kept) == (True, True, True)
    assert (harness.flow.node, len(harness.flow.moves), harness.flow.nodes["done"]) == ("review", 5, ())
    assert not (harness.folder / "flow-state.before-context-kit.json").exists()


def test_a_flow_that_cannot_be_kept_is_kept_beside_it(harness: Harness, caplog: pytest.LogCaptureFixture) -> None:
    """Once, and the log says so; the move is made."""
    harness.declare(NODES)
    text = '{"node": "plan", "node": "plan", /* twice */ "nodes": {"plan": ["build"], "build": ["plan"]}}'
    harness.folder.write("flow-state.json", text)
    harness.move("build")
    harness.folder.write("flow-state.json", text.replace("twice", "again"))
    harness.move("build")
    assert harness.folder.read("flow-state.before-context-kit.json") == text
    assert (harness.flow.node, [record.levelname for record in caplog.records]) == ("build", ["WARNING"])
    assert "flow-state.before-context-kit.json" in caplog.text


def test_old_moves_leave_a_flow_that_was_edited(harness: Harness) -> None:
    """The newest two hundred stand in it, also beside comments."""
    move = '{"at": "2026-05-01T10:00:00Z", "from": "b", "to": "a", "why": "%d"}'
    moves = ",\n".join(move % at for at in range(200))
    harness.folder.path.mkdir()
    harness.folder.write(
        "flow-state.json", f'{{"node": "a", "nodes": {{"a": ["b"], "b": ["a"]}}, // ours\n"moves": [{moves}]}}'
    )
    harness.move("b", why="on")
    assert (len(harness.flow.moves), harness.flow.moves[0]["why"], harness.flow.moves[-1]["why"]) == (200, "1", "on")
    assert "// ours" in harness.folder.read("flow-state.json")


@pytest.mark.parametrize(
    ("text", "said"), [("{", "can't be read"), ("[]", "no object"), ('{"version": 9}', "schema 9")]
)
def test_a_broken_flow_is_named_and_not_overwritten(harness: Harness, text: str, said: str) -> None:
    """What can't be read is never replaced by something else."""
    harness.declare(NODES)
    harness.folder.write("flow-state.json", text)
    with pytest.raises(StoreError, match=said):
        harness.move("build")
    assert harness.folder.read("flow-state.json") == text


def test_criteria_have_states_and_evidence(harness: Harness) -> None:
    """A criterion is added once; met needs evidence; the file is a task list."""
    first, second = harness.require("All tests pass"), harness.require("No new  dependencies")
    assert (first.id, second.id, harness.require("All tests pass").id) == ("A1", "A2", "A1")
    with pytest.raises(BudgetError, match="nothing is told that shows"):
        harness.judge("A2", "met")
    harness.judge("a2", "met", evidence="`git diff pyproject.toml` is empty")
    with pytest.raises(BudgetError, match="there are A1, A2"):
        harness.judge("A7", "met", evidence="x")
    with pytest.raises(BudgetError, match="open, met, failed, dropped"):
        harness.judge("A1", "done")  # type: ignore[arg-type]
    assert [(each.id, each.state, each.evidence) for each in harness.criteria] == [
        ("A1", "open", ""),
        ("A2", "met", "`git diff pyproject.toml` is empty"),
    ]
    assert "- [x] A2 · No new dependencies\n  evidence: `git diff" in harness.folder.read("acceptance-criteria.md")


def test_criteria_written_by_hand_keep_their_file(harness: Harness) -> None:
    """Headings and prose stay; a change touches the lines of its criterion, and names those that have no name."""
    with harness.folder.locked():
        harness.folder.write(
            "acceptance-criteria.md",
            "# Ours\n\nSome words.\n\n* [X] builds on 3.10\n* [ ] B3: is fast\n\n## Later\n- [ ] is small\n",
        )
    assert [(each.id, each.state) for each in harness.criteria] == [("A1", "met"), ("B3", "open"), ("A2", "open")]
    harness.judge("B3", "failed", evidence="12 s")
    text = harness.folder.read("acceptance-criteria.md")
    assert (
        text
        == "# Ours\n\nSome words.\n\n* [X] A1 · builds on 3.10\n- [!] B3 · is fast\n  evidence: 12 s\n\n## Later\n- [ ] A2 · is small\n"
    )
    with harness.folder.locked():
        harness.folder.write("acceptance-criteria.md", "- [ ] comes first\n" + text)
    assert [each.text for each in harness.criteria if each.id == "A2"] == ["is small"]


def test_the_narrative_is_appended(harness: Harness) -> None:
    """Entries stay as they are, newest last; a heading in one begins no other."""
    harness.declare(NODES)
    harness.note("The plan stands.")
    harness.note("## not a heading\nsecond line")
    assert [entry.text for entry in harness.entries] == ["The plan stands.", "## not a heading\nsecond line"]
    assert harness.entries[-1].head.endswith("· plan")
    with pytest.raises(BudgetError, match="says nothing"):
        harness.note("  ")


WRITER = """
import sys
from context_kit import Harness
name, times = sys.argv[2], int(sys.argv[3])
harness = Harness(sys.argv[1])
harness.declare({"a": ["b"], "b": ["a"]})
for number in range(times):
    harness.note(f"{name} {number}")
    harness.require(f"{name} must hold {number}")
    try:
        harness.move("b" if harness.flow.node == "a" else "a", why=name)
    except ValueError:  # the other one was quicker
        pass
"""


def test_two_writers_lose_nothing(harness: Harness) -> None:
    """Processes that write at the same time: every entry and criterion is there once, every move was legal."""
    times = 15
    command = [sys.executable, "-c", WRITER, harness.name]
    running = [subprocess.Popen([*command, name, str(times)]) for name in ("ann", "bob", "cy")]
    assert [each.wait(timeout=120) for each in running] == [0, 0, 0]
    wanted = sorted(f"{name} {number}" for name in ("ann", "bob", "cy") for number in range(times))
    assert sorted(entry.text for entry in harness.entries) == wanted
    assert sorted(each.text.replace(" must hold", "") for each in harness.criteria) == wanted
    assert len({each.id for each in harness.criteria}) == len(wanted)
    nodes = ["a", *(move["to"] for move in harness.flow.moves)]
    assert all(one != two for one, two in pairwise(nodes))
    assert harness.flow.node == nodes[-1]
    assert [path.name for path in Path(harness.name).iterdir() if path.name.endswith(".new")] == []
