"""Each rule that drops a bad question: what must be dropped, and its near twin that must stay."""

from __future__ import annotations

import json
from typing import Any

import pytest

from context_kit.probes._telling import apart, closed, concrete, often, telling, unforeseen
from context_kit.testing import Call, assistant, tool_round, user
from context_kit.typing import Message
from tests.probes.left import did, ran, read, session


@pytest.mark.parametrize(
    ("answer", "question", "kept"),
    [
        ("ledger_v7", "Which table?", True),
        ("ok", "How did it end?", False),
        ("undefined", "What was it?", False),
        ("python", "Which language?", False),
        ("x" * 121, "Which text?", False),
        ("open 7\nclose 8", "Which lines?", False),
        ("HeaderError", "Which error has the table?", True),
        ("HeaderError", "Which one was it, HeaderError or another?", False),
        ("loadHeaderRows", "What loads the header rows?", False),
        ("loadHeaderRows", "What reads the table?", True),
        ("src/bank/importer.py", "In which file is `openQuarter`?", True),
        ("src/bank/importer.py", "In which file is `ImporterTask`?", False),
        ("src/bank/setup.py", "In which file is `openQuarter`?", False),
    ],
)
def test_an_answer_tells_what_its_question_does_not(answer: str, question: str, *, kept: bool) -> None:
    """Not trivial, not too long, and no words of the question's own."""
    assert telling(answer, question) is kept


@pytest.mark.parametrize(
    ("path", "question", "kept"),
    [
        ("src/rates.py", "Where is `settleInvoice`?", True),
        ("src/rates.py", "Where is `RatesTable`?", False),
        ("src/index.ts", "Where is `indexes`?", False),
        ("lib/py.js", "Where is `settleInvoice`?", False),
    ],
)
def test_a_path_is_not_hinted_at(path: str, question: str, *, kept: bool) -> None:
    """Its own name shares no word with the question, in any form."""
    assert apart(path, question) is kept


@pytest.mark.parametrize("number", ["2024", "100", "8080", "10", "1024", "5.0", "404"])
def test_a_number_of_many_texts_is_guessed(number: str) -> None:
    """Years, ports, round ones and sizes; its neighbour isn't."""
    assert often(number)
    assert not often(f"{number}37")


@pytest.mark.parametrize(
    ("text", "kept"),
    [("all of them are fine", False), ("41 of them are fine", True), ("the file ends here", False), ("a_b ends", True)],
)
def test_a_standing_phrase_names_nothing(text: str, *, kept: bool) -> None:
    """A number, a name or a path does."""
    assert concrete(text) is kept


def test_a_command_is_not_read_off_its_question() -> None:
    """It has words that the sentence before it hasn't."""
    said = "Which command ran right after “Run the tests of the importer”?"
    assert not unforeseen("run tests importer", said)
    assert unforeseen("pytest -q tests/bank --maxfail 3 --lf", said)


@pytest.mark.parametrize(("piece", "whole"), [("Run `git diff", False), ("Run `git diff`", True), ('say "no', False)])
def test_a_piece_that_ends_inside_code_is_seen(piece: str, *, whole: bool) -> None:
    """A question that is cut there can't be read."""
    assert closed(piece) is whole


def shell(output: str, command: str = "ledgerctl report --all") -> list[Message]:
    return ran(command, output, "q1")


def say(*texts: str) -> list[Message]:
    return [message for text in texts for message in (user(text), *assistant("Noted."))]


def got(name: str, arguments: dict[str, Any], result: object) -> list[Message]:
    return did(name, arguments, json.dumps(result), f"j{name}{len(str(arguments))}")


LINE = "The nightly transfer of branch Aarau went to {} without a delay"
TWINS: list[tuple[str, list[Message], list[Message], str | tuple[str, str], str]] = [
    (
        "another line differs only there",
        shell(f"{LINE.format('ledger_inbox_north')}\n{LINE.format('ledger_inbox_south')}"),
        shell(f"{LINE.format('ledger_inbox_north')}\nThe daily one to ledger_inbox_south"),
        "ledger_inbox_north",
        "transfer of branch Aarau",
    ),
    (
        "lines are told apart by what was measured only",
        shell("ok  \tledger/inbox/north_side.go\t1.360s\nok  \tledger/inbox/south_side.go\t2.411s\nledger/inbox"),
        shell(
            "The fastest package of this run is ledger/inbox/north_side.go with 1.360s\nsee ledger/inbox/north_side.go"
        ),
        "ledger/inbox/north_side.go",
        "stands at the gap",
    ),
    (
        "the number stands in many texts",
        shell("The reader of the header took 8080 rows into account"),
        shell("The reader of the header took 8137 rows into account"),
        ("8080", "8137"),
        "stands at the gap",
    ),
    (
        "a line of data",
        shell('{"level": "info", "reader": "header", "rows": "taken", "count": 81379}\nmore'),
        shell("level info: the reader of the header took 81379 rows\nmore"),
        "81379",
        "stands at the gap",
    ),
    (
        "a stack frame",
        shell('File "/srv/ledger/reader.py", line 41379, in read the header'),
        shell("The file of the ledger has line 41379, read the header"),
        "41379",
        "stands at the gap",
    ),
    (
        "a key before its value",
        say("Set ledger_inbox_north: true in the settings of the reader, and keep it."),
        say("Set the flag ledger_inbox_north in the settings of the reader, and keep it."),
        "ledger_inbox_north",
        "stands at the gap",
    ),
    (
        "a call that was given nothing",
        got("list_all", {}, {"branch": "Ledger-4711"})
        and did("list_all", {}, "Ledger of Aarau has 81379 rows now", "e1"),
        did("list_all", {"of": "Aarau"}, "Ledger of Aarau has 81379 rows now", "e1"),
        "81379",
        "stands at the gap",
    ),
    (
        "what a harness measures",
        got("query", {"of": "Aarau"}, {"duration_ms": 81379, "name": "a"}),
        got("query", {"of": "Aarau"}, {"balance": 81379, "name": "a"}),
        "81379",
        "value of",
    ),
    (
        "a word of a closed list",
        got("query", {"of": "Aarau"}, {"state": "active", "name": "a"}),
        got("query", {"of": "Aarau"}, {"state": "frozen-by-42", "name": "a"}),
        ("active", "frozen-by-42"),
        "value of",
    ),
    (
        "two calls that read the same",
        [
            *did("query", {"of": "Aarau"}, '{"balance": 81379}', "k1"),
            *did("query", {"of": "Aarau"}, '{"balance": 90417}', "k2"),
        ],
        [
            *did("query", {"of": "Aarau"}, '{"balance": 81379}', "k1"),
            *did("query", {"of": "Baden"}, '{"balance": 90417}', "k2"),
        ],
        "81379",
        "value of",
    ),
    (
        "a name that is set twice",
        read(text="ledger_rate = 37.5\nledger_rate = 81.25\n"),
        read(text="ledger_rate = 37.5\nledger_share = 81.25\n"),
        "37.5",
        "To what is",
    ),
    (
        "a value of a page's style",
        read("src/page.css", "ledger-rate: 37.5px;\n"),
        read("src/page.ini", "ledger-rate = 37.5px\n"),
        "37.5px",
        "To what is",
    ),
    (
        "a name that two files declare",
        [*read(text="def settleInvoice(a):\n    pass\n"), *read("lib/b.py", "def settleInvoice(a):\n    pass\n", "a1")],
        [*read(text="def settleInvoice(a):\n    pass\n"), *read("lib/b.py", "def settleOthers(a):\n    pass\n", "a1")],
        "src/rates.py",
        "definition of `settleInvoice`",
    ),
    (
        "a declaration that a search shows elsewhere",
        [
            *read(text="def settleInvoice(a):\n    pass\n"),
            *ran("grep -rn settle .", "lib/b.py:9:def settleInvoice(a):"),
        ],
        [*read(text="def settleInvoice(a):\n    pass\n"), *ran("grep -rn settle .", "lib/b.py:9:x = settleInvoice(a)")],
        "src/rates.py",
        "definition of `settleInvoice`",
    ),
    (
        "a name that many files declare",
        read(text="def handle_event(event):\n    pass\n"),
        read(text="def ledger_event(event):\n    pass\n"),
        "src/rates.py",
        "definition of",
    ),
    (
        "a line that stands twice",
        read(text="alpha_reader = 1 + offset\nledger_total = branch_sum(inbox, quarter_end)\n" * 2),
        read(text="alpha_reader = 1 + offset\nledger_total = branch_sum(inbox, quarter_end)\n"),
        "ledger_total = branch_sum(inbox, quarter_end)",
        "",
    ),
    (
        "what a file loads",
        read(text="alpha_reader = 1 + offset\nfrom ledger.branch import quarter_end, inbox_sum, total\n"),
        read(text="alpha_reader = 1 + offset\nassert ledger.branch, (quarter_end, inbox_sum, total)\n"),
        "quarter_end, inbox_sum, total",
        "alpha_reader",
    ),
    (
        "a sentence that was written twice before a command",
        [
            *tool_round(
                [Call("Bash", {"command": "ledgerctl sync --branch 4711 --dry"}, result="", id="c1")], text="Next."
            ),
            *tool_round([Call("Bash", {"command": "ledgerctl close --year 2031"}, result="", id="c2")], text="Next."),
        ],
        [
            *tool_round(
                [Call("Bash", {"command": "ledgerctl sync --branch 4711 --dry"}, result="", id="c1")], text="Next."
            ),
            *tool_round([Call("Bash", {"command": "ledgerctl close --year 2031"}, result="", id="c2")], text="Then."),
        ],
        "ledgerctl sync --branch 4711 --dry",
        "right after it wrote",
    ),
    (
        "a search that shows a line twice",
        ran(
            "grep -rn quarter .", "lib/north.py:9:quarter_sum = total(inbox)\nlib/south.py:9:quarter_sum = total(inbox)"
        ),
        ran(
            "grep -rn quarter .",
            "lib/north.py:9:quarter_sum = total(inbox)\nlib/south.py:9:quarter_day = total(outbox)",
        ),
        "lib/north.py",
        "show the line `quarter_sum = total(inbox)`",
    ),
    (
        "an outcome without numbers",
        ran("pytest -q tests/bank", "5 passed"),
        ran("pytest -q tests/bank", "417 passed"),
        ("passed", "417 passed"),
        "How did the last run",
    ),
    (
        "a wish is no rule",
        say("I never saw the folder archive/statements_2019 on my disk, by the way."),
        say("Never write to the folder archive/statements_2019 on my disk, by the way."),
        "statements_2019",
        "laid this down",
    ),
    (
        "a rule that is cut inside of code",
        say(
            "Never run `ledgerctl close --year current --force` while quarterly statements are being printed upstairs."
        ),
        say(
            "Never run the closing of the current year by force while quarterly statements are being printed upstairs."
        ),
        ("--force`", "quarterly statements are being printed"),
        "a rule that begins",
    ),
]


def has(messages: list[Message], answer: str, about: str) -> bool:
    return any(answer in probe.answer and about in probe.question for probe in session(*messages).probes)


@pytest.mark.parametrize(
    ("dropped", "kept", "answer", "about"), [each[1:] for each in TWINS], ids=[each[0] for each in TWINS]
)
def test_a_bad_question_is_dropped_and_its_twin_stays(
    dropped: list[Message], kept: list[Message], answer: str | tuple[str, str], about: str
) -> None:
    """The one can be guessed, has two answers or says nothing; the other differs in just that."""
    bad, good = (answer, answer) if isinstance(answer, str) else answer
    assert not has(dropped, bad, about)
    assert has(kept, good, about)


def test_no_more_than_two_questions_have_one_answer() -> None:
    """Who knows it would be right with all of them."""
    text = "".join(f"def settle{name}(invoice, ledger):\n    pass\n" for name in ("North", "South", "East", "West"))
    found = [probe for probe in session(*read(text=text)).probes if probe.answer == "src/rates.py"]
    assert len(found) == 2


PYTEST = """=================================== FAILURES ===================================
___________________________ test_settles_the_ledger ____________________________
E       AssertionError: ledger heron-9 was settled twice for CHF
=========================== short test summary info ============================
FAILED tests/test_rates.py::test_settles_the_ledger - AssertionError: ledger heron-9
========================= 1 failed, 3 passed in 0.12s ==========================
"""


def test_a_heading_is_no_error() -> None:
    """Every right answer to the question for an error tells one, and no stroke with a word in it does."""
    errors = [each for each in session(*ran("pytest -q tests/test_rates.py", PYTEST)).probes if "fail" in each.question]
    told = [answer for each in errors for answer in (each.answer, *each.also)]
    assert any("settled twice" in answer for answer in told)
    assert not any("FAILURES" in answer or "summary info" in answer or "____" in answer for answer in told)
