"""A probe's key is never stale: what the log contradicts later is not asked for, nor put back."""

from __future__ import annotations

from typing import Any

import pytest

from context_kit.testing import assistant, user
from context_kit.typing import Message
from tests.probes.left import PATH, RAISED, TEXT, asked, did, edit, ran, read, session

VALUE = "To what is `LIMIT_RATE` set"


@pytest.mark.parametrize(
    "shown",
    [
        ran("grep -n LIMIT_RATE src/rates.py", "1:LIMIT_RATE = 55.5"),
        ran("grep -rn LIMIT_RATE src", "src/rates.py:1:LIMIT_RATE = 55.5"),
        ran("git diff src/rates.py", "-LIMIT_RATE = 37.5\n+LIMIT_RATE = 55.5"),
        ran("cat src/rates.py", TEXT.replace("37.5", "55.5")),
        ran("sed -n 1,2p src/rates.py", "LIMIT_RATE = 55.5\n"),
        did("Grep", {"pattern": "LIMIT_RATE", "path": "src"}, "src/rates.py:1:LIMIT_RATE = 55.5", "r1"),
    ],
)
def test_a_value_that_was_printed_otherwise_later_is_no_key(shown: list[Message]) -> None:
    """Whatever printed it: a search, a diff, a look at a part of the file."""
    assert asked(read(), "37.5", VALUE)
    assert not asked([*read(), *shown], "37.5", VALUE)


@pytest.mark.parametrize(
    "shown",
    [
        ran("grep -n LIMIT_RATE src/rates.py", "1:LIMIT_RATE = 37.5"),
        ran("grep -rn LIMIT_RATE src", "src/rates.py:1:LIMIT_RATE = 37.5\nsrc/other/prices.py:4:LIMIT_RATE = 55.5"),
        ran("cat src/prices.py", "LIMIT_RATE = 55.5"),
        ran("git status --short", " M src/rates.py"),
    ],
)
def test_a_print_of_the_same_or_of_another_file_changes_nothing(shown: list[Message]) -> None:
    """The key stays: the question names its file."""
    assert asked([*read(), *shown], "37.5", VALUE)


UNDONE = [
    "git checkout -- src/rates.py",
    "git checkout HEAD~1 -- src/rates.py",
    "git checkout -- .",
    "git checkout .",
    "git checkout -- src",
    "git restore src/rates.py",
    "git restore .",
    "git restore 'src/*.py'",
    "git reset --hard HEAD",
    "git stash",
    "git revert --no-edit HEAD",
    "git pull --rebase",
    "git merge main",
    "git switch main",
]


@pytest.mark.parametrize("command", UNDONE)
def test_an_edit_that_git_may_have_undone_is_no_key(command: str) -> None:
    """Neither its value nor what it put in the place of what."""
    assert asked([*read(), *RAISED], "81.25", VALUE)
    later = [*read(), *RAISED, *ran(command)]
    assert not asked(later, "81.25", VALUE)
    assert not asked(later, "LIMIT_RATE = 81.25")


@pytest.mark.parametrize(
    "command", ["git status", "git stash list", "git restore --staged src/rates.py", "git checkout -- docs", "git log"]
)
def test_git_that_leaves_the_file_alone_changes_nothing(command: str) -> None:
    """It looks, or it touches other files."""
    assert asked([*read(), *RAISED, *ran(command)], "81.25", VALUE)


def test_what_the_reverse_edit_took_back_is_no_key() -> None:
    """The older value counts again."""
    back = edit("LIMIT_RATE = 81.25", "LIMIT_RATE = 37.5", "a2")
    assert not asked([*read(), *RAISED, *back], "81.25", VALUE)
    assert asked([*read(), *RAISED, *back], "37.5", VALUE)


TOUCHED = [
    "sed -i 's/37.5/99.75/' src/*.py",
    "sed -i 's/37.5/99.75/' src/rates.py",
    "perl -pi -e 's/37.5/99.75/' src/*.py",
    "find src -name '*.py' -exec sed -i 's/37.5/99.75/' {} +",
    "grep -rl LIMIT src | xargs sed -i 's/37.5/99.75/'",
    'for f in src/*.py; do sed -i s/37.5/99.75/ "$f"; done',
    "mv src/*.py lib/",
    "mv src lib",
    "mv src/rates.py src/prices.py",
    "rm src/rates.py",
    "rm -rf src",
    "rm -f src/*.py",
    "git mv src lib",
    "git rm -r src",
    "git clean -fd",
    "cp -r backup/* src/",
    "ruff format .",
    "npx jscodeshift -t rename.js src",
    "patch -p1 < fix.patch",
    "git apply fix.patch",
    "python - <<'EOF'\nimport pathlib\nfor p in pathlib.Path('src').glob('*.py'):\n    p.write_text('x')\nEOF",
]


@pytest.mark.parametrize("command", TOUCHED)
def test_a_file_that_a_command_may_have_touched_is_not_asked_about(command: str) -> None:
    """No value, no line and no place of what was seen before it."""
    later = [*read(), *ran(command)]
    assert not asked(later, "37.5", VALUE)
    assert not asked(later, PATH, "definition of")
    assert not [each for each in session(*later).probes if f"In {PATH}, as" in each.question and not each.distractor]


@pytest.mark.parametrize("command", TOUCHED)
def test_a_file_that_was_seen_again_is_asked_about(command: str) -> None:
    """The newer text counts, whatever was done before it."""
    again = read(text=TEXT.replace("37.5", "99.75"), id_="a9")
    assert asked([*read(), *ran(command), *again], "99.75", VALUE)


@pytest.mark.parametrize(
    "command",
    [
        "sed -i 's/37.5/99.75/' docs/*.md",
        "sed -n '1,5p' src/*.py",
        "find src -name '*.md' -delete",
        "find src -name '*.py' -exec grep -n rate {} +",
        "grep -rl LIMIT src | xargs wc -l",
        "mv docs/*.md lib/",
        "rm -rf build",
        "patch --dry-run -p1 < fix.patch",
        "python -c 'print(sum(range(9)))'",
    ],
)
def test_a_command_that_touches_others_changes_nothing(command: str) -> None:
    """The key stays."""
    assert asked([*read(), *ran(command)], "37.5", VALUE)


SAID = [
    (
        "My flight leaves on gate B-27, the code is QX7T9P.",
        "No wait: the gate is C-14. And the code is QX7T8P.",
        "QX7T9P",
    ),
    ("The proxy listens on port 18081 for the tests.", "Sorry, 18082, not 18081.", "18081"),
    (
        "Deploy the build B7741X for all of them on the weekend.",
        "Actually use C8852Y instead.",
        "B7741X",
    ),
    (
        "Write the export to reports/q3_final.csv please.",
        "The path reports/q3_final.csv is wrong.",
        "reports/q3_final.csv",
    ),
    ("部署到主机 db-alpha-17.internal，端口用 50543。", "更正：主机是 db-beta-22.internal，端口改为 60654。", "50543"),
    (
        "请把今年第三季度的最终结果写入 reports/q3_final.csv 然后发给我。",
        "不是 reports/q3_final.csv，是 reports/q4.csv。",
        "reports/q3_final.csv",
    ),
]


@pytest.mark.parametrize(("first", "correction", "old"), SAID)
def test_what_a_person_corrected_is_no_key(first: str, correction: str, old: str) -> None:
    """And what nobody corrected is one."""
    talk = [user(first), *assistant("Noted.")]
    assert asked([*talk, user("Go on."), *assistant("Yes.")], old)
    assert not asked([*talk, user(correction), *assistant("Yes.")], old)


@pytest.mark.parametrize(
    "other",
    [
        "The gate is C-14, as always.",
        "Actually, read the file docs/guide.md first.",
        "No wait: my seat is R7T8P2.",
        "Good, QX7T9P is right.",
    ],
)
def test_words_about_other_things_correct_nothing(other: str) -> None:
    """A value of the same form is none of the same thing."""
    talk = [user("My flight leaves on gate B-27, the code is QX7T9P."), *assistant("Noted.")]
    assert asked([*talk, user(other), *assistant("Yes.")], "QX7T9P")


def test_what_the_assistant_corrected_is_no_key() -> None:
    """Its own mistake, told by itself."""
    talk = [user("Where is it?"), *assistant("The reader is declared in src/io/frame_source.py at the end.")]
    assert asked(talk, "src/io/frame_source.py")
    taken = assistant("Correction: it is src/net/byte_source.py, not src/io/frame_source.py.")
    assert not asked([*talk, user("Sure?"), *taken], "src/io/frame_source.py")


@pytest.mark.parametrize(
    ("later", "stays"),
    [
        ([], True),
        (ran("rm lib/totals.py"), False),
        (ran("git checkout -- lib/totals.py"), False),
        (edit("retry_backoff_seconds = base_interval * 41", "pass", "a3", "lib/totals.py"), False),
        (ran("rm docs/notes.md"), True),
    ],
)
def test_a_line_that_an_edit_put_in_is_asked_for_while_it_stands(later: list[Message], *, stays: bool) -> None:
    """Undone, replaced or deleted, it stands in no file."""
    line = "retry_backoff_seconds = base_interval * 41"
    put = edit("branch_total = 0", f"branch_total = 0\n{line}", "a2", "lib/totals.py")
    seen = read("lib/totals.py", "branch_total = 0\n", "b0")
    found = asked([*seen, *put, *RAISED, *later], "lib/totals.py", f"`{line}`")
    assert bool(found) is stays


def test_the_line_number_of_a_match_is_no_key_once_its_file_was_edited() -> None:
    """Any edit may move it."""
    match = ran("grep -rn settleInvoice src", "src/settleInvoice.py:417:def settleInvoice(invoice, ledger_name):")
    about = "At which line number of src/settleInvoice.py"
    assert asked(match, "417", about)
    assert not asked([*match, *edit("a = 1", "a = 1\nb = 2", path="src/settleInvoice.py")], "417", about)


def test_a_check_that_passed_since_is_not_asked_for_as_open() -> None:
    """Nor is one whose failure was seen fixed under another name of the command."""
    failed = ran("pytest tests/test_rates.py", "FAILED tests/test_rates.py::test_limit\n1 failed", "r1")
    passed = ran("pytest tests/test_rates.py", "3 passed in 0.21s", "r2")
    about = "Which check failed last"
    assert asked(failed, "pytest tests/test_rates.py", about)
    assert not asked([*failed, *passed], "pytest tests/test_rates.py", about)


def test_a_task_that_is_done_since_is_not_asked_for_as_open() -> None:
    """The newest list counts."""

    def plan(*states: str) -> list[Message]:
        texts = ("Map the ledger columns", "Rename the branch totals")
        todos = [{"content": text, "status": state} for text, state in zip(texts, states, strict=True)]
        return did("TodoWrite", {"todos": todos}, "Todos have been modified successfully.", f"t{states[1]}")

    begun = plan("completed", "in_progress")
    assert asked(begun, "Rename the branch totals")
    assert not asked([*begun, *plan("completed", "completed")], "Rename the branch totals")


def test_an_answer_stands_in_the_file_that_its_question_names() -> None:
    """Another file with the same line is no proof: its message would be put back."""
    line = TEXT.split("\n")[0]
    other = read("src/prices.py", f"{line}\nTAX_SHARE = 0.081\n", "b0")
    probes = asked([*read(), *other], "37.5", f"{VALUE} in {PATH}")
    assert [probe.address for probe in probes] == ["m3"]


@pytest.mark.parametrize(
    ("later", "kept"),
    [
        (ran("ls docs", "guide.md", "z1"), True),
        (ran("git checkout -- src/rates.py", "", "z1"), False),
        (ran("grep -n LIMIT_RATE src/rates.py", "1:LIMIT_RATE = 55.5", "z1"), False),
    ],
)
def test_what_grew_stale_while_it_was_asked_for_is_not_put_back(later: list[Message], *, kept: bool) -> None:
    """The log may grow between the question and the repair."""
    ctx = session(*read())
    grown: list[bool] = []

    def forgets(request: Any) -> str:
        if VALUE in request.question and not grown:
            grown.append(True)
            ctx.add(later)
        return "not known"

    report = ctx.probe(forgets, repair=True)
    assert grown
    assert any(VALUE in probe.question for probe in report.second) is kept
    assert any("changed since it was asked" in each for each in report.failures) is not kept
