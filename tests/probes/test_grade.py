"""Grading: right, honestly unknown, wrong, or made up. An honest answer is never accused."""

from __future__ import annotations

import pytest

from context_kit.probes import Grade, Probe, grade, honest
from context_kit.summary import Known, Name, Source

LOG = """
cwd: /home/me/repo; fixed src/auth/login.py and src/auth/tokens.py, tests/test_login.py; read config/settings.toml, docs/setup.md
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


MORE_DISCLAIMERS = """
That specific detail escapes me.
The provided conversation does not include this.
I'm unable to see that in the current context.
I have nothing on that.
It doesn't appear in the conversation.
The information isn't there.
I cannot find any trace of it.
Not something I can answer from the record.
This wasn't kept.
I'd need to re-read the file.
I'd have to rerun the command to tell.
Couldn't say.
Can't say.
No clue.
Beats me, the record is silent on it.
The record is silent about this.
The context record leaves that out.
That line isn't visible to me.
I was not able to locate this value.
The exact value is no longer available to me.
We don't have this information in the context.
There isn't enough information to answer.
Insufficient information.
Cannot be answered from the conversation.
The answer can't be found above.
Nothing above says.
None of the messages above mention it.
No mention.
not found
Not found in the conversation.
Not provided.
Not specified in the record.
It is not specified.
The value of `POOL` is not given.
I do not see any such function in the record.
I can't see the output of that command anymore.
My context no longer includes that output.
The output has been compacted; the exact line isn't retained.
I don't have the exact line, only that the test failed.
I only know that the tests failed, not with which error.
The record mentions the file but not the line.
That is outside of what I can see.
I lost that detail.
I've lost track of that.
It's not clear to me.
Hard to say without the file.
Sorry, but that's not in my context.
Apologies, I don't know that.
I must admit I don't know.
Honestly, I don't know.
As far as I can see, it is not recorded.
To my knowledge this is not in the record.
The conversation above doesn't go into that.
I am not aware of it.
I'm not aware of any such thing in the session.
This is unknown to me.
The record has no answer to this.
There's no way to know from here.
answer: unknown
这个我不知道
我没有看到相关内容
对话中未出现该信息
上文没提
上下文中不存在该信息
我这里没有这条记录
记录已丢失
这部分内容已被压缩，看不到原文
我没法回答
抱歉，没有找到对应的内容。
没有办法确定
该信息缺失
不清楚具体是哪一行
具体内容我已经不记得
无从得知
从记录看不出来
查无此内容
暂无信息
没见过
未在记录中出现
上面没有写
我需要重新查看文件才能回答
记录里没有这一项
信息不足，无法回答
我无法访问该内容
没有足够的信息
"""
VAGUE = """
I fixed the authentication logic in the login module.
It handles the retry properly now.
I refactored the parser and everything is fine.
We updated the config loader to be more robust.
The function validates the input and returns the result.
It was the main handler.
I do not remember every detail, but the change was in the session manager.
I can't quote it, but it was about the header.
Not entirely sure which one, I think the loader function.
While I don't have the exact name, it was the validation helper.
I edited it to fix the bug.
It failed because of a missing import.
The tests didn't pass at first, so I changed the fixture.
It isn't the parser, it's the tokenizer.
We decided not to use the cache.
The user said not to touch the tests.
虽然记不清具体名字，但改的是登录逻辑。
我修改了认证逻辑。
当时没有直接改配置，而是改了加载函数。
应该是验证函数。
大概在第三个模块里。
It does not matter, the build is green.
I removed the unused code from the context manager.
"""


@pytest.mark.parametrize("said", MORE_DISCLAIMERS.strip().splitlines())
def test_more_ways_to_say_that_it_is_not_known(said: str) -> None:
    """Written down before they were tried."""
    assert graded(NAME, said) == "unknown"
    assert graded("not known", said) == "right"


@pytest.mark.parametrize("said", VAGUE.strip().splitlines())
def test_fluent_words_that_name_nothing_are_wrong(said: str) -> None:
    """What the article saw: an agent that answers from the summary."""
    assert graded(NAME, said) == "wrong"
    assert graded("not known", said) == "wrong"


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
    """Two already: who names several candidates doesn't know which one it is."""
    files = "src/auth/tokens.py, tests/test_login.py, config/settings.toml, docs/setup.md"
    assert graded(PATH, f"{PATH} or src/auth/tokens.py") == "wrong"
    assert graded(PATH, f"{PATH}, {files}") == "wrong"
    assert graded(NAME, "`parse_config`, `refresh_token`, `TokenStore`, `MAX_RETRIES`, `timeout_`") != "right"
    assert graded(CODE, "\n".join([CODE, *LOG.splitlines()])) == "wrong"
    assert graded(NUMBER, "1234, 42, 250, 118, 1500") == "wrong"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (NUMBER, "1234 or 42"),
        (NUMBER, "either 1234 or 42"),
        (NUMBER, "1234 (or 42)"),
        (NUMBER, "1234, 42, 250"),
        (NUMBER, "1234 或 42"),
        (NUMBER, "between 1234 and 1500"),
        (NUMBER, "more than 1234"),
        (NUMBER, "not 1234 but 42"),
        (NUMBER, "It's 1234 ms"),
        (NUMBER, "1234%"),
        (NUMBER, "1234k"),
        (NUMBER, "1234 million"),
        (NAME, "parse_config or refresh_token"),
        (NAME, "`parse_config`, `refresh_token`"),
        (NAME, "It was refresh_token, not parse_config"),
        (NAME, "不是 parse_config，是 refresh_token"),
        (PATH, f"Not {PATH} but src/auth/tokens.py."),
        (PATH, f"src/auth/tokens.py rather than {PATH}"),
        (PATH, f"{PATH}.bak"),
    ],
)
def test_who_does_not_commit_to_one_is_not_right(answer: str, said: str) -> None:
    """Alternatives, lists, ranges, the right thing denied, the right figures of another unit."""
    assert graded(answer, said) in ("wrong", "fabricated")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (NUMBER, "1234 (the other limit is 42)"),
        (NUMBER, "1,234"),
        (NUMBER, "1'234"),
        (NUMBER, "It is 1234, not 42."),
        (NUMBER, "1234 rows"),
        (NAME, "parse_config, in src/auth/login.py"),
        (NAME, "parse_config (called by refresh_token)"),
        (NAME, "parse_config (the record doesn't say in which file)"),
        (NAME, "parse\\_config"),
        (NAME, "函数名为parse_config。"),
        (PATH, f"<answer>{PATH}</answer>"),
    ],
)
def test_what_is_told_beside_the_answer_takes_nothing_from_it(answer: str, said: str) -> None:
    assert graded(answer, said) == "right"


@pytest.mark.parametrize(
    "said",
    [
        'It was recorded at m3; I would call recall("m3").',
        'Not known; recall("m14") would bring it.',
        'I don\'t know. `recall("m14")` has it.',
        '不知道，可以用 recall("m14") 取回',
    ],
)
def test_to_name_the_recall_is_honest(said: str) -> None:
    """It is what the stubs in a window tell a model to do: no value is claimed."""
    assert graded(NAME, said) == "unknown"


@pytest.mark.parametrize(
    "said",
    [
        "I don't know, but I recall foo_bar.",
        "foo_bar (the record doesn't say in which file)",
        "It printed `not found`.",
        "FileNotFoundError: No such file or directory",
        "It failed with: Unknown command",
    ],
)
def test_a_claim_beside_a_disclaimer_is_a_claim(said: str) -> None:
    """Of a question about what never was."""
    assert graded("not known", said) in ("wrong", "fabricated")


def test_a_number_without_an_end_is_graded() -> None:
    """A model in a loop writes thousands of digits."""
    assert graded(NUMBER, "9" * 6_000) in ("wrong", "fabricated")


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
