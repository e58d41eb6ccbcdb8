"""Standing constraints are found in a person's words, and descriptions are not taken for them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_kit.engrams import Later, taken_back
from context_kit.engrams._constraints import constraints, is_constraint, overrides
from context_kit.engrams._sentences import sentences

POSITIVE = """
Never touch the migrations folder.
Do not add new dependencies.
Don't commit anything until I say so.
please don’t change the public API
Keep the public API unchanged.
You must not call the network in tests.
All functions must have type hints.
Only edit files under src/.
Use pytest instead of unittest.
Always run the linter before you finish.
Do it without changing the database schema.
Avoid global state.
Make sure the old config format still works.
No new dependencies!
Tests should not hit the real API.
The script shouldn't need root.
Keep functions under 40 lines.
at most 3 retries
There should be at least 90% coverage.
From now on answer in English.
Leave src/legacy.js untouched.
stop grouping build & commit
can you only change the header?
I don't want any new files.
You may not modify the lock file.
Use tabs, not spaces.
Stick to the standard library.
Prefer composition over inheritance.
Follow the existing code style.
It has to be backwards compatible.
no mocks in the tests
Changing the wire format is not allowed.
Constraint: the API key stays on the server
let's not leave all the tests to the very end
and never push to main
i would only want e2e tests for AgentSession
Rename it everywhere except in the docs.
DO NOT MODIFY: Tests, configuration files
keep each commit with working code please (no micro-committing broken state)
TODO is not acceptable, implementation must be full.
不要修改 README
必须通过所有测试
只能使用标准库
禁止访问网络
不得引入新依赖
不许删文件
切勿提交密钥
别动 config.yaml
请别改测试
仅修改 src 目录
务必保留注释
先写测试，再改代码
不能破坏兼容性
一定要用 Python 3.10
请勿格式化其他文件
无需兼容旧版本
所有接口保持不变
函数不超过40行
用 pnpm 而不是 npm
以后都用中文回复
深度探索整个代码仓库，不要查看设计文档
只做一个网站主页
""".strip().splitlines()

NEGATIVE = """
I don't know why it fails.
I don't think that's right.
It never returns a value.
The function always returns None.
they don't match the spec
The only difference is the name.
Can you fix the failing test?
it does not clear the sessions created inside .git
never mind
I have never seen this error.
Please add a login page.
It must have been a typo.
This must be because of the cache.
Make it faster.
What does this do?
The build fails on CI.
Thanks, that works!
Users don't see the banner.
why is the GitHub UI showing: +582
yes continue
the server was always running
Add tests for the parser.
It runs without errors.
No, that's horrible.
no problem
there is no new issue
Not only the header is wrong.
The file is read-only.
We don't know yet.
I never got a reply.
that is what happens if we don't stream, right?
The current behavior may not match the intended semantics.
    at Object.<anonymous> (/app/must/never.js:1:2)
要不要加一个按钮？
特别好看
识别不出图片
分别测试两个模块
帮我修复登录的 bug
能不能加一个按钮
性别字段显示错误
别人的代码
这个页面打不开
优化界面 更美观
你用了skills 嘛
级别显示不对
""".strip().splitlines()


@pytest.mark.parametrize("sentence", POSITIVE)
def test_a_constraint_is_one(sentence: str) -> None:
    """What forbids, requires or limits beyond the next step is a constraint."""
    assert is_constraint(sentence)


@pytest.mark.parametrize("sentence", NEGATIVE)
def test_a_description_is_none(sentence: str) -> None:
    """A report, a question or a single request with the same words is not."""
    assert not is_constraint(sentence.strip())


def test_constraints_come_out_word_for_word() -> None:
    """Sentences, list items and lines are kept as the person wrote them, in order, each once."""
    text = (
        "Please fix src/auth.js for v1.2.3. Never edit tests/conftest.py, e.g. to skip a test! Thanks.\n"
        "- no new dependencies\n- [ ] keep the API unchanged\n- add a button\n\n"
        "```py\n# must never be read\n```\n不要提交。改完告诉我。必须通过 CI！\nno new dependencies\n"
    )
    assert constraints(text) == (
        "Never edit tests/conftest.py, e.g. to skip a test!",
        "no new dependencies",
        "keep the API unchanged",
        "不要提交。",
        "必须通过 CI！",
    )


def test_a_wrapped_sentence_stays_whole() -> None:
    """A line break that an editor made inside a sentence does not cut the constraint."""
    text = (
        "Whatever you change in the parser, you must never change the way in which\nerrors are reported to the caller."
    )
    assert constraints(text) == (text,)


@given(st.text(alphabet="a. 不要-*\n`never1!。)(", max_size=200))
def test_sentences_stand_in_the_text(text: str) -> None:
    """Every sentence is a substring, in order, and none is empty."""
    position = 0
    for sentence in sentences(text):
        assert sentence.strip() == sentence != ""
        position = text.index(sentence, position) + len(sentence)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fix src/auth.js now. Use v1.2.3.", ["Fix src/auth.js now.", "Use v1.2.3."]),
        ("See https://a.b/c.d?x=1 first. Then go", ["See https://a.b/c.d?x=1 first.", "Then go"]),
        ("Use e.g. black, i.e. a formatter. Ok", ["Use e.g. black, i.e. a formatter.", "Ok"]),
        ("call `a. b` here. that's it. don't stop", ["call `a. b` here.", "that's it.", "don't stop"]),
        ("改好了。不要提交！好吗？", ["改好了。", "不要提交！", "好吗？"]),
        ("# Title\n1. one\n2) two\n> quoted", ["Title", "one", "two", "quoted"]),
        ("a\n~~~\ncode. code\n~~~\nb", ["a", "b"]),
        ("a\n```\nnever closed. x", ["a"]),
        ("<tag>\nwords\n</tag>", ["words"]),
        ("", []),
    ],
)
def test_sentence_boundaries(text: str, expected: list[str]) -> None:
    """File names, versions, URLs and abbreviations end no sentence; lines of a list do."""
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("forget the no-dependency rule, you may add dependencies now", "no new dependencies"),
        ("Actually, use tabs instead of spaces", "Use spaces, never tabs"),
        ("You can now edit src/legacy.js", "Leave src/legacy.js untouched"),
        ("you don't have to run the linter anymore", "Always run the linter before you finish"),
        ("It's fine to modify the lock file", "You may not modify the lock file."),
        ("不用再保留注释了", "务必保留注释"),
        ("缩进改成 4 个空格", "缩进必须 2 个空格"),
        ("测试可以改了", "请别改测试"),
    ],
)
def test_a_plain_revocation_overrides(newer: str, older: str) -> None:
    """Who takes a rule back in so many words has taken it back."""
    assert overrides(newer, older)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("never mind", "no new dependencies"),
        ("算了", "务必保留注释"),
        ("Actually, never touch the docs either", "never touch the tests"),
        ("fix the tests", "never touch the tests"),
        ("You can now start the server", "Leave src/legacy.js untouched"),
        ("forget the header, do the footer", "no new dependencies"),
        ("", ""),
    ],
)
def test_other_words_override_nothing(newer: str, older: str) -> None:
    """A new task, another rule, or a revocation of something else leaves the rule standing."""
    assert not overrides(newer, older)


def superseded_by(rule: str, later: str) -> int:
    """Position of the text that takes the rule back: 2, where the later one does."""
    said = Later()
    said.add_text(1, rule)
    said.add_text(2, later)
    return taken_back(rule, 1, said)


@pytest.mark.parametrize(
    ("rule", "later"),
    [
        ("Don't touch config.yaml.", "The config.yaml is now formatted correctly, good."),
        ("Never delete the backups table.", "You may now run the tests of the backups table."),
        ("Do not edit tests/test_api.py.", "The tests are now in tests/test_api.py, fix the source instead."),
        ("Use Python 3.11 for everything.", "The build is now green with Python 3.11, thanks."),
        ("Never log passwords or tokens.", "Use the logger instead of print for tokens count."),
    ],
)
def test_a_rule_that_still_holds_is_never_called_superseded(rule: str, later: str) -> None:
    """A later sentence about the same thing is no permission of the forbidden deed."""
    assert superseded_by(rule, later) == 0


@pytest.mark.parametrize(
    ("rule", "later"),
    [
        ("Don't touch config.yaml.", "You may now edit config.yaml."),
        ("Do not use requests.", "Actually, use requests for the client."),
        ("不要修改 config.py", "现在可以修改 config.py 了"),
        ("The limit is 100 requests per minute.", "Correction: the limit is 200 requests per minute."),
    ],
)
def test_what_plainly_takes_a_rule_back_is_its_end(rule: str, later: str) -> None:
    """Its address goes with the old words."""
    assert superseded_by(rule, later) == 2
