"""Problems and their places: read from what tools print and people write, known again later."""

from __future__ import annotations

import pytest

from context_kit.harness.ticks._findings import Finding, same_finding
from context_kit.harness.ticks._located import printed
from context_kit.harness.ticks._page import Page, finding_line, findings_of
from context_kit.harness.ticks._prose import claimed, written

PYTEST = """\
    def test_parse():
>       assert parse("a") is None
tests/test_parser.py:5:
_ _ _ _ _
    def parse(text):
>       return int(text)
E       ValueError: invalid literal for int() with base 10: 'a'

src/parser.py:2: ValueError
=========================== short test summary info ============================
FAILED tests/test_parser.py::test_parse - ValueError: invalid literal for int...
1 failed in 0.02s
"""
UNITTEST = """\
ERROR: test_parse (tests.test_parser.Case.test_parse)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/usr/lib/python3.12/unittest/case.py", line 58, in run
    self._callTestMethod(testMethod)
  File "src/parser.py", line 2, in parse
    return int(text)
ValueError: invalid literal for int() with base 10: 'a'

----------------------------------------------------------------------
Ran 1 test in 0.001s

FAILED (errors=1)
"""
ESLINT = """\
/app/src/list.ts
  12:5  error  'rows' is never reassigned  prefer-const
  30:1  warning  Unexpected console statement  no-console

✖ 2 problems (1 error, 1 warning)
"""
RUFF = """\
F401 [*] `os` imported but unused
 --> src/a.py:1:8
  |
1 | import os
"""
NODE = """\
TypeError: Cannot read properties of undefined (reading 'id')
    at rowOf (src/list.js:14:9)
    at Object.<anonymous> (node_modules/jest/run.js:1:1)
"""


@pytest.mark.parametrize(
    ("output", "places"),
    [
        (PYTEST, ["src/parser.py:2 ValueError: invalid literal for int() with base 10: 'a'"]),
        (UNITTEST, ["src/parser.py:2 ValueError: invalid literal for int() with base 10: 'a'"]),
        (ESLINT, ["/app/src/list.ts:12 'rows' is never reassigned prefer-const", "/app/src/list.ts:30 Unexpected console statement no-console"]),
        (RUFF, ["src/a.py:1 F401 [*] `os` imported but unused"]),
        (NODE, ["src/list.js:14 TypeError: Cannot read properties of undefined (reading 'id')"]),
        ("src/a.py:3:1: E501 Line too long (140 > 120)\nFound 1 error.", ["src/a.py:3 E501 Line too long (140 > 120)"]),
        ('src/a.py:9: error: Name "x" is not defined  [name-defined]\nsrc/a.py:9: note: see the docs', ['src/a.py:9 error: Name "x" is not defined [name-defined]']),
        ('/app/a.py:12:5 - error: "x" is unbound (reportUnboundVariable)', ['/app/a.py:12 error: "x" is unbound (reportUnboundVariable)']),
        ("src/a.ts(4,7): error TS2322: Type 'string' is not assignable", ["src/a.ts:4 error TS2322: Type 'string' is not assignable"]),
        ("error[E0308]: mismatched types\n  --> src/main.rs:7:9\n   |", ["src/main.rs:7 error[E0308]: mismatched types"]),
        ("--- FAIL: TestX (0.00s)\n    x_test.go:12: got 1, want 2\nFAIL", ["x_test.go:12 got 1, want 2"]),
        ("FAILED tests/test_a.py::test_x - assert 1 == 2\n1 failed in 0.1s", ["tests/test_a.py:0 test_x: assert 1 == 2"]),
        ("at 12:30:15 the server said: nothing", []),
    ],
)  # fmt: skip
def test_places_of_what_tools_print(output: str, places: list[str]) -> None:
    """Each problem once, in the project's own file, with the tool's own words."""
    assert [f"{place.file}:{place.line} {place.text}" for place in printed(output)] == places


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Findings:\n1. `src/lib/parser.ts:47` — error handling of close() is incomplete\n", ["src/lib/parser.ts:47"]),
        ("- src/a.py:3: the lock is never released", ["src/a.py:3"]),
        ("审查发现的问题：\n- src/解析.py:12 没有处理空输入", ["src/解析.py:12"]),
        ("I read src/a.py:3 and src/b.py:9, then the tests.", []),
        ("Files that I looked at:\n- src/a.py:3 the loop\n", []),
        ("- src/a.py:3 looks fine, no issue", []),
        ("- src/a.py:3 the missing check: fixed", []),
        ("the server listens on example.com:8080, it fails", []),
        ("see https://ci.example.org/log.txt:12 for the errors", []),
        ("Review:\n- src/a.py:3 value_3 adds 4 instead of 3", ["src/a.py:3"]),
        ("| file | line | problem |\n|---|---|---|\n| src/a.py | 3 | off by one |", ["src/a.py:3"]),
        (
            "| # | Place | Severity | Issue |\n|---|---|---|---|\n| 7 | `src/a.py:3` | high | wraps twice |",
            ["src/a.py:3"],
        ),
        ("| name | line |\n|---|---|\n| src/a.py | 3 |", []),
        ("## Findings\n### 1. src/a.py:3\nThe loop is off by one.", ["src/a.py:3"]),
        ("Issue 1: in `src/a.py` line 3 the loop is off by one.", ["src/a.py:3"]),
        ("Critical: src/a.py#L3 leaks the handle", ["src/a.py:3"]),
        ("line 3 of `src/a.py` never closes the file", ["src/a.py:3"]),
        ("src/a.py 第 3 行没有处理空输入", ["src/a.py:3"]),
        ("src/a.py:3-9 leaks the file handle. Let me fix it.", ["src/a.py:3"]),
        ("I edited src/a.py:3 to avoid the bug.", []),
        ("Is there a bug at src/a.py:3? Let me check.", []),
        ("I will fix the bug at src/a.py:3.", []),
        ("Plan:\n1. src/a.py:3 add a retry", []),
        ("There is no problem at src/a.py:3.", []),
        ("Findings:\n- src/a.py:3 the crash is still not fixed", ["src/a.py:3"]),
        ("Findings:\n- src/a.py line 3: no error message with the line number", ["src/a.py:3"]),
        ("Findings:\n- src/a.py:3 fixed-size buffer overflows", ["src/a.py:3"]),
        ("Findings:\n- src/a.py:3 no error is raised on wrong input", ["src/a.py:3"]),
        ("I think tests/a.py:8 should also cover None, maybe later.", []),
        ("Note that src/a.py:8 should cover None some day.", []),
        ("Here src/a.py:2 is missing nothing; src/a.py:6 was never a bug, all good.", []),
        ("src/a.py:2 isn't broken.", []),
        ("src/a.py:2 should close the file", ["src/a.py:2"]),
        ("Problem:\n- src/a.py:2 should also close the file", ["src/a.py:2"]),
    ],
)
def test_problems_that_a_text_names(text: str, found: list[str]) -> None:
    """A place is a problem where the text says that something is wrong there; a mention is none."""
    assert [f"{place.file}:{place.line}" for place in written(text)] == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("There is a bug in src/a.py:3: the loop is off by one.", "the loop is off by one."),
        ("I found a problem at src/a.py:3, the loop is off by one.", "the loop is off by one."),
        ("**[HIGH]** Issue: `src/a.py:3` — off by one", "off by one"),
        ("Off by one in the loop at src/a.py:3", "Off by one in the loop"),
        ("The error at src/a.py:3 swallows all others", "The error at src/a.py:3 swallows all others"),
        ("src/a.py:3 leaks the handle. I'll fix it.", "leaks the handle."),
    ],
)
def test_what_is_said_of_a_place_is_a_sentence(text: str, said: str) -> None:
    """The place is left out only where words are left that can be read."""
    assert [place.text for place in written(text)] == [said]


@pytest.mark.parametrize(
    ("output", "places"),
    [
        ("thread 'tests::adds' panicked at src/f.rs:12:9:\nassertion `left == right` failed\n", [("src/f.rs", 12, "assertion `left == right` failed", "tests::adds")]),
        ("thread 'adds' panicked at 'boom', src/f.rs:12:9\n", [("src/f.rs", 12, "boom", "adds")]),
        ("  ● adds\n    expect(received).toBe(expected)\n    Expected: 3\n      at Object.<anonymous> (src/d.test.ts:5:20)\n", [("src/d.test.ts", 5, "adds: expect(received).toBe(expected)", "adds")]),
        ("--- FAIL: TestAdd (0.00s)\n    e_test.go:9: got 2, want 3\nFAIL\n", [("e_test.go", 9, "got 2, want 3", "TestAdd")]),
        ("tests/t.py:5: AssertionError\ntests/t.py:9: AssertionError\nFAILED tests/t.py::test_a - assert 1 == 2\nFAILED tests/t.py::test_b - assert 3 == 4\n", [("tests/t.py", 5, "assert 1 == 2", "tests/t.py::test_a"), ("tests/t.py", 9, "assert 3 == 4", "tests/t.py::test_b")]),
        ("src/p.py:5: ValueError\nFAILED tests/t.py::test_a - ValueError\nFAILED tests/t.py::test_b - ValueError\n", [("src/p.py", 5, "ValueError", "tests/t.py::test_a"), ("src/p.py", 5, "ValueError", "tests/t.py::test_b")]),
        (f"______ Case.test_x ______\n{PYTEST.replace('::test_parse', '::Case::test_x')}", [("src/parser.py", 2, "ValueError: invalid literal for int() with base 10: 'a'", "tests/test_parser.py::Case::test_x")]),
        (UNITTEST, [("src/parser.py", 2, "ValueError: invalid literal for int() with base 10: 'a'", "tests.test_parser.Case.test_parse")]),
    ],
)  # fmt: skip
def test_the_tests_that_failed_are_named(output: str, places: list[tuple[str, int, str, str]]) -> None:
    """Two tests that fail at one place with one message are two problems."""
    assert [place[:4] for place in printed(output)] == places


def test_what_is_said_to_be_fixed() -> None:
    """A claim is told apart from a problem."""
    text = "Fixed:\n- src/a.py:3 the missing check\n- src/b.py:9 the leak\n"
    assert ([place.line for place in claimed(text)], written(text)) == ([3, 9], [])


HANDLING = Finding(file="src/lib/parser.py", line=47, text="the error handling of parse_amount is incomplete")


@pytest.mark.parametrize(
    ("other", "churn", "same"),
    [
        (Finding(file="src/lib/parser.py", line=47, text="the error handling of parse_amount is incomplete"), 0, True),
        (Finding(file="parser.py", line=49, text="Incomplete error handling in parse_amount()"), 0, True),
        (
            Finding(file="/srv/app/src/lib/parser.py", line=60, text="incomplete error handling in parse_amount"),
            0,
            True,
        ),
        (Finding(file="src/lib/parser.py", line=140, text="incomplete error handling in parse_amount"), 0, False),
        (Finding(file="src/lib/parser.py", line=140, text="incomplete error handling in parse_amount"), 80, True),
        (Finding(file="src/lib/writer.py", line=47, text="the error handling of parse_amount is incomplete"), 0, False),
        (Finding(file="src/lib/parser.py", line=48, text="parse_amount should say which currency it means"), 0, False),
        (Finding(file="src/lib/parser.py", line=47, text="the lock is never released"), 0, False),
        (Finding(file="src/lib/parser.py", line=47, text="the error handling of parse_rate is incomplete"), 0, False),
    ],
)
def test_the_same_problem_is_known_again(other: Finding, churn: int, same: bool) -> None:
    """By its file, its place as far as lines moved, and its words; another one at the same place isn't it."""
    assert (same_finding(HANDLING, other, churn=churn), same_finding(other, HANDLING, churn=churn)) == (same, same)


@pytest.mark.parametrize(
    ("text", "place", "last"),
    [
        ("src/a.py:30-90 the whole loop leaks its handles", "src/a.py:30-90", 90),
        ("`src/a.py:30–90`: the loop leaks its handles", "src/a.py:30-90", 90),
        ("src/a.py#L30-L90 leaks its handles", "src/a.py:30-90", 90),
        ("src/a.py lines 30 to 90: the loop leaks its handles", "src/a.py:30-90", 90),
        ("lines 30-90 of src/a.py leak their handles, which is a bug", "src/a.py:30-90", 90),
        ("src/a.py 第 30 至 90 行没有关闭句柄", "src/a.py:30-90", 90),
        ("src/a.py:30:7 the loop leaks its handles", "src/a.py:30", 0),
        ("src/a.py:30:7-12 the loop leaks its handles", "src/a.py:30", 0),
        ("src/a.py:30-90:4 the loop leaks its handles", "src/a.py:30-90", 90),
        ("src/a.py:30-9 the loop leaks its handles", "src/a.py:30", 0),
        ("| file | lines | problem |\n|---|---|---|\n| src/a.py | 30-90 | leaks its handles |", "src/a.py:30-90", 90),
    ],
)
def test_a_range_is_a_place(text: str, place: str, last: int) -> None:
    """Told and read back as it was; the column isn't told. Reported again inside of it it is known, far from it not."""
    (found,) = written(f"Problem:\n\n{text}" if text.startswith("|") else f"Problem:\n- {text}")
    finding = Finding(file=found.file, line=found.line, last=found.last, text="the loop leaks its handles", found_in=1)
    (read,) = findings_of(Page(number=1, sections={"open": (finding_line(finding, []),)}), "open")
    assert (finding.place, read.place, read.last, read.text) == (place, place, last, finding.text)
    near = Finding(file="src/a.py", line=70, text="leaks its handles")
    assert same_finding(finding, near) is same_finding(near, finding) is (last == 90)
    assert not same_finding(finding, Finding(file="src/a.py", line=150, text="leaks its handles"))


@pytest.mark.parametrize(
    "line",
    [
        "src/a.py:30-90: error: handle leaks",
        "src/a.py:30:5-90:7: error: handle leaks",
        "src/a.py(30,5,90,7): error: handle leaks",
    ],
)
def test_a_range_that_a_tool_prints(line: str) -> None:
    """Its first line is the place; its last one where the tool says that lines are meant."""
    (found,) = printed(line)
    assert (found.file, found.line, found.last in (0, 90), "handle leaks" in found.text) == ("src/a.py", 30, True, True)


def test_chinese_words_are_compared() -> None:
    """Pairs of characters tell messages apart, too."""
    ours = Finding(file="src/a.py", line=3, text="这个函数的错误处理不完整")
    assert same_finding(ours, Finding(file="src/a.py", line=5, text="函数的错误处理不完整"))
    assert not same_finding(ours, Finding(file="src/a.py", line=3, text="没有关闭文件句柄"))


def test_neighbours_with_the_same_words_stay_two() -> None:
    """A linter says the same of many lines: of two checks only the nearest places are one."""
    line = Finding(file="a.py", line=10, text="E501 Line too long", command="ruff check")
    other = Finding(file="a.py", line=40, text="E501 Line too long", command="ruff check")
    assert not same_finding(line, other)


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        ("the cache is never cleared", "nothing ever clears the cache", True),
        ("the cache is never cleared", "the cache is never filled", False),
        ("keys keep surrounding whitespace", "whitespace around keys is not stripped", True),
        ("the handle is never closed", "the handle leaks because it isn't closed", True),
        ("the handle is never closed", "the handle is closed twice", False),
        ("bug", "another bug: wrong units", False),
        ("missing test", "missing docstring, and the test is wrong", False),
        ("timeout should be larger than 30", "timeout should be smaller than 5", False),
        ("the reader never closes the socket", "the writer never closes the socket", False),
        ("处理空字符串时缺少检查", "处理负数时缺少检查", False),
        ("缓存从不清空", "缓存从不填充", False),
    ],
)
def test_other_words_are_another_problem(ours: str, theirs: str, same: bool) -> None:
    """At one place: a word of content that the other report contradicts makes it another problem, both ways round."""
    one, other = (Finding(file="src/a.py", line=10, text=text) for text in (ours, theirs))
    assert (same_finding(one, other), same_finding(other, one)) == (same, same)


def test_what_checks_print_is_compared_word_for_word() -> None:
    """Addresses in memory aside, and the end of a message that was cut."""
    shown = Finding(file="a.py", line=3, text="ValueError: <object at 0x7f01> is no number", command="pytest -q")
    for text, same in (
        ("ValueError: <object at 0x7f02> is no number", True),
        ("ValueError: <object at 0x7f03> is no...", True),
        ("ValueError: <object at 0x7f02> is no string", False),
    ):
        assert same_finding(shown, Finding(file="a.py", line=3, text=text, command="pytest")) is same


@pytest.mark.parametrize(
    "text", ["I think src/a.py:8 swallows the error", "in `src/a.py` line 8 the error is swallowed"]
)
def test_a_place_is_told_once(text: str) -> None:
    """A sentence that names its place itself stands alone, and is read back as it was."""
    (place,) = written(f"Problem:\n- {text}")
    finding = Finding(file=place.file, line=place.line, text=place.text, found_in=1)
    page = Page(number=1, sections={"open": (finding_line(finding, []),)})
    (read,) = findings_of(page, "open")
    assert (finding.told.count("a.py"), read.told, read.place) == (1, finding.told, "src/a.py:8")
