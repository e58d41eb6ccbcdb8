"""Grading: right, honestly unknown, wrong, or made up. An honest answer is never accused."""

from __future__ import annotations

import pytest

from context_kit.probes import Grade, Probe, grade, honest
from context_kit.summary import Known, Name, Source

LOG = """
fixed src/auth/login.py and src/auth/tokens.py, tests/test_login.py; read config/settings.toml, docs/setup.md
def parse_config(path): class TokenStore: def refresh_token(self): MAX_RETRIES = 5 timeout = 1500 user User
pytest -q tests/test_login.py: AssertionError: expected 'Bearer' but got 'bearer' in header
ValueError: invalid literal for int() with base 10: 'abc'
FileNotFoundError: [Errno 2] No such file or directory: 'data/input.csv'
return self.client.get(url, timeout=30, verify=True)
Do not change the public API of the storage module before the release.
不要修改 public 接口的返回类型
12 passed in 3.20s, 1,234 rows, 42% coverage, 250ms, line 118
the decision: because sqlite locks the whole file while a writer is active
"""
SOURCE = Source([], Known(named=(LOG,)))


def has(name: Name) -> bool:
    return SOURCE.has(name)


def probe(answer: str, *, question: str = "Which one was it in `make build`?", also: tuple[str, ...] = ()) -> Probe:
    return Probe(
        kind="recall",
        question=question,
        answer=answer,
        address="" if answer == "not known" else "m3",
        difficulty="easy",
        also=also,
    )


def graded(expected: str, said: str) -> Grade:
    return grade(probe(expected), said, has=has)


PATH, NAME, NUMBER = "src/auth/login.py", "parse_config", "1234"
ERROR = "AssertionError: expected 'Bearer' but got 'bearer' in header"
CODE = "return self.client.get(url, timeout=30, verify=True)"
RULE = "Do not change the public API of the storage module before the release."
MISSING = "FileNotFoundError: [Errno 2] No such file or directory: 'data/input.csv'"


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (PATH, "src/auth/login.py"),
        (PATH, "./src/auth/login.py"),
        (PATH, "`src/auth/login.py`."),
        (PATH, "/home/me/repo/src/auth/login.py"),
        (PATH, "src\\auth\\login.py"),
        (PATH, "src/auth/login.py:12"),
        (PATH, "It was in **src/auth/login.py:12:4**, I believe."),
        (PATH, "The file is “src/auth/login.py”。"),
        (PATH, "login.py"),
        (PATH, "最后编辑的是 src/auth/login.py。"),
        (PATH, "最后编辑的是（src/auth/login.py），没有别的。"),
        ("/repo/src/auth/login.py", "src/auth/login.py"),
        ("src/auth/login.py:12", "src/auth/login.py line 12"),
        (NAME, "parse_config()"),
        (NAME, "`parse_config`"),
        (NAME, 'It was "parse_config".'),
        (NAME, "the function parse_config, in the loader"),
        (NAME, "函数是`parse_config`。"),
        (NAME, "Parse_config"),
        (NAME, "<think>It may be load_config or read_config, foo_bar, baz_qux…</think>\nparse_config"),
        (NAME, "It may be load_config…</think>parse_config"),
        (NAME, "Let me see. Could be anything.\n\nAnswer: `parse_config`"),
        (NAME, "答案：parse_config"),
        (NAME, "I think it was parse_config, but I'm not certain."),
        (NAME, "I'm not sure, but probably `parse_config`."),
        (NAME, "不太确定，可能是 parse_config。"),
        ("TokenStore", "the TokenStore class"),
        ("TokenStore.refresh_token", "`refresh_token` of TokenStore"),
        ("user", "User"),
        (NUMBER, "1,234"),
        (NUMBER, "1 234 rows? No: 1234 rows"),
        (NUMBER, "It has 1,234 rows."),
        (NUMBER, "１２３４"),
        ("1,234", "1234"),
        ("250ms", "250 ms"),
        ("250ms", "250 milliseconds"),
        ("250ms", "250 毫秒"),
        ("3.20s", "3.2 seconds"),
        ("42%", "42 percent"),
        ("118", "line 118"),
        ("118", "第 118 行"),
        ("12", "twelve"),
        (ERROR, ERROR),
        (ERROR, "expected 'Bearer' but got 'bearer' in header"),
        (ERROR, 'AssertionError:   expected "Bearer" but\ngot "bearer" in header'),
        (ERROR, "E   AssertionError: expected `Bearer` but got `bearer` in header"),
        (ERROR, f"It failed with: `{ERROR}`"),
        (ERROR, "AssertionError：expected ‘Bearer’ but got ‘bearer’…"),
        (MISSING, MISSING),
        (MISSING, "It said [Errno 2] No such file or directory: data/input.csv"),
        (CODE, "```python\nreturn self.client.get(url, timeout=30, verify=True)\n```"),
        (CODE, "The next line is `return self.client.get(url, timeout=30, verify=True)`."),
        (RULE, "Don't change the public API of the storage module before the release"),
        (RULE, "The user said not to change the public API of the storage module before the release."),
        (RULE, "- do not change the public API of the storage module before the release"),
        ("不要修改 public 接口的返回类型", "用户规定：不要修改public接口的返回类型。"),
        (
            "because sqlite locks the whole file while a writer is active",
            "sqlite locks the whole file while a writer is active",
        ),
        ("pytest -q tests/test_login.py", "It ran `pytest -q tests/test_login.py` next."),
    ],
)
def test_the_same_fact_in_another_form_is_right(expected: str, said: str) -> None:
    """Folder, quotes, separators, units, prefixes, a sentence around it: no fact changes by them."""
    assert graded(expected, said) == "right"


DISCLAIMERS = [
    "not known",
    "Not known.",
    "I don't know.",
    "I do not know that.",
    "I can't recall.",
    "I cannot recall which file that was.",
    "I don't remember the exact name.",
    "Not in the record.",
    "That is not in the record above.",
    "It isn't mentioned anywhere in the context.",
    "The record doesn't say.",
    "The record above does not contain this.",
    "There is no record of that.",
    "No information about this is available.",
    "I have no memory of that.",
    "I'm not sure.",
    "Unknown",
    "unknown.",
    "Unclear from the record.",
    "I couldn't find it in the conversation.",
    "I'm unable to determine that from the record.",
    "This detail has been lost from the summary.",
    "It was not recorded.",
    "Sorry, I don't have that information.",
    "I don't know; I would have to look it up.",
    "I don't know, but I can look it up with recall.",
    "Not known. The record only mentions src/auth/tokens.py.",
    "The window only shows docs/setup.md; the rest is not known.",
    "I no longer have access to that part of the session.",
    "The summary doesn't give the details, so I can't say.",
    "Nothing in the record says so.",
    "I don't know whether it was `parse_config` or `refresh_token`.",
    "<think>Maybe foo_bar_baz?</think>I don't know.",
    "**Not known**",
    "N/A",
    "不知道",
    "不知道。",
    "不清楚。",
    "我不记得了。",
    "记不清了",
    "没有记录。",
    "记录中没有提到这一点。",
    "上面的记录里没有相关信息。",
    "无法确定。",
    "无法从记录中得知",
    "未提及",
    "记录里没写。",
    "抱歉，我没有这方面的信息。",
    "不在记录中",
    "这个信息已经不在上下文里了。",
    "想不起来了，需要重新查看文件。",
    "记录中只提到 src/auth/tokens.py，其余不清楚。",
    "未知",
    "没印象",
]


@pytest.mark.parametrize("said", DISCLAIMERS)
def test_saying_that_it_is_not_known_is_honest(said: str) -> None:
    """In many wordings of both languages; of a question about what never was it is the right answer."""
    assert graded(NAME if "parse_config" not in said else ERROR, said) == "unknown"
    assert graded(RULE, said) == "unknown"
    assert graded("not known", said) == "right"
    assert honest(probe("not known"), said)


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (PATH, "src/auth/tokens.py"),
        (PATH, "I changed the authentication logic."),
        (PATH, "I'm not sure, but it was probably `src/auth/tokens.py`."),
        (PATH, "I don't recall exactly, but it changed the authentication logic."),
        (PATH, "不确定，但应该是 src/auth/tokens.py"),
        (NAME, "refresh_token"),
        (NAME, "It was the config function."),
        (NAME, "PARSE_CONFIG"),
        (NAME, "parse"),
        ("user", "the USER"),
        (NUMBER, "42"),
        (NUMBER, "about a thousand"),
        ("250ms", "250 s"),
        ("3.20s", "3.2 min"),
        (ERROR, "AssertionError"),
        (ERROR, "It failed because of a header."),
        (CODE, "return self.client.get(url, timeout=1500, verify=True)"),
        (CODE, "return self.client.get(url"),
        (RULE, "Change the public API of the storage module before the release."),
        (RULE, "Something about the API."),
        ("不要修改 public 接口的返回类型", "修改 public 接口的返回类型"),
        ("not known", "It was two files."),
        ("not known", "It was the auth module."),
        ("not known", "src/auth/login.py"),
        ("not known", "大概是登录模块"),
        (NAME, ""),
        (NAME, "   "),
        (NAME, "Done!"),
    ],
)
def test_another_fact_or_none_is_wrong(expected: str, said: str) -> None:
    """What the log has, but not as the answer; a vague word; a guess, however it is hedged."""
    assert graded(expected, said) == "wrong"


@pytest.mark.parametrize(
    ("expected", "said"),
    [
        (PATH, "src/auth/session_guard.py"),
        (PATH, "It was in `src/security/validators.py`, as the record says."),
        (PATH, "I'm not sure, maybe src/core/handlers/auth_flow.py"),
        (PATH, "src/auth/login.py, together with src/auth/hash_utils.py"),
        (NAME, "validate_session_payload"),
        (NAME, "`validateSessionPayload()`"),
        (NAME, "函数是 load_yaml_settings。"),
        (NUMBER, "98,765"),
        (NUMBER, "about 7777 rows"),
        (ERROR, "KeyError: 'session_cookie_name'"),
        ("not known", "It is defined in src/middleware/rate_limit.py."),
        ("not known", "可能是 init_rate_limiter"),
    ],
)
def test_a_name_that_the_log_never_had_is_made_up(expected: str, said: str) -> None:
    """A file, a function, a number: the sort of answer that an agent would act on."""
    assert graded(expected, said) == "fabricated"


@pytest.mark.parametrize(
    "said",
    [
        "In two files.",
        "The build of `make build` failed in 3 places",
        "The JavaScript part, on Monday",
        "The UTF-8 one",
        "步骤 3",
    ],
)
def test_ordinary_words_are_no_inventions(said: str) -> None:
    """Small counts, the question's own names, words of the language: wrong, and nothing worse."""
    assert graded(NAME, said) == "wrong"


def test_an_answer_that_lists_everything_is_not_right() -> None:
    """A few candidates may be; more are a shot into the dark."""
    files = "src/auth/tokens.py, tests/test_login.py, config/settings.toml, docs/setup.md"
    assert graded(PATH, f"{PATH} or src/auth/tokens.py") == "right"
    assert graded(PATH, f"{PATH}, {files}") == "wrong"
    assert graded(NAME, "`parse_config`, `refresh_token`, `TokenStore`, `MAX_RETRIES`, `timeout_`") != "right"
    assert graded(CODE, "\n".join([CODE, *LOG.splitlines()])) == "wrong"
    assert graded(NUMBER, "1234, 42, 250, 118, 1500") == "wrong"


def test_another_right_answer_is_right() -> None:
    """A probe may have several, each whole."""
    asked = probe(PATH, also=("tests/test_login.py",))
    assert grade(asked, "tests/test_login.py", has=has) == "right"
    assert grade(asked, "src/auth/tokens.py", has=has) == "wrong"


@pytest.mark.parametrize(
    ("judged", "said", "expected"),
    [
        (True, "the place where people sign in", "right"),
        (False, "the place where people sign in", "wrong"),
        (False, "src/auth/login.py", "wrong"),
        (False, "src/auth/never_was.py", "fabricated"),
        (None, "src/auth/login.py", "right"),
        (False, "I don't know.", "unknown"),
    ],
)
def test_the_callers_judge_has_the_last_word_on_what_is_right(judged: bool | None, said: str, expected: str) -> None:
    """Where it can't tell (None) the rules decide; what is honest or made up stays so."""
    assert grade(probe(PATH), said, has=has, judged=judged) == expected


def test_the_answer_itself_may_say_that_something_is_not_there() -> None:
    """An error that says "No such file" is an answer here and no disclaimer."""
    assert graded(MISSING, "No such file or directory: 'data/input.csv'") == "right"
    assert not honest(probe(MISSING), MISSING)


@pytest.mark.parametrize(
    "text", ["<think>" * 20_000, "`" * 50_000, "not " * 20_000, "a.b/" * 20_000, "(" * 50_000, "，" * 50_000]
)
def test_any_text_is_graded_in_bounded_work(text: str) -> None:
    """Whatever a broken model says, it has a grade."""
    assert graded(NAME, text) in ("wrong", "unknown", "fabricated")
