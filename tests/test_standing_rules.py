"""Which of a person's sentences the next session is told as a rule of the project."""

from __future__ import annotations

import pytest

from context_kit.memory._journal._standing_rules import standing

RULES = """Use structlog for logging.
And log with structlog.
Use tabs in all Python files.
Public functions need docstrings.
Every endpoint needs a timeout.
Tests live in tests/unit.
New migrations go into db/migrations.
Log messages are written in English.
Keep functions under 50 lines.
We use pnpm, not npm.
You must run ruff before committing.
Don't forget to add a test for every endpoint.
I don't want new dependencies.
Never write "TODO" in the code.
The customer must not see internal ids.
请给所有函数写中文注释。
所有接口都要有超时。
每个模块都需要单元测试。
测试放在 tests/unit 下。
日志统一用 structlog。
不要用 pandas。""".splitlines()

NONE = """He said "do not merge" yesterday.
The error says "value must not be null".
I don't like the blue.
I don't see the button.
Don't forget to run the tests afterwards.
Don't forget the changelog.
Please do not use the cache for this run.
Never touch it once you're done.
Use the new parser in src/app.py.
Use option B for the second step.
Use curl to reproduce it.
Use README.md as a start.
Tests fail on my machine.
The tests need a fix.
Endpoints need fixing again.
Test in the browser.
It always fails on CI at night.
No need to add a changelog.
所有测试都要挂了。
这次不要跑慢测试。
别忘了跑测试。
测试用什么框架？""".splitlines()


@pytest.mark.parametrize("sentence", RULES)
def test_a_convention_stands(sentence: str) -> None:
    """With words of force or without, where it is of a kind of thing."""
    assert standing(f"Help me.\n{sentence}\nThanks.") == (sentence,)


@pytest.mark.parametrize("sentence", NONE)
def test_what_is_bound_or_told_is_no_rule(sentence: str) -> None:
    """Of this run, a taste, somebody else's words, one thing, a trouble, a question."""
    assert standing(f"Help me.\n{sentence}\nThanks.") == ()
