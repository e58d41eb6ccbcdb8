"""Decisions, intents, findings and questions are taken from an assistant's text word for word."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_kit.summary._decision_cues import AGAINST, DECISION, DECISIVE, WEIGHED
from context_kit.summary._statements import decisions, findings, intent, question


@pytest.mark.parametrize(
    ("text", "decision", "reason"),
    [
        (
            "I'll use SQLite instead of Postgres because the tool runs on one machine.",
            "I'll use SQLite instead of Postgres because the tool runs on one machine.",
            "the tool runs on one machine",
        ),
        (
            "We decided to keep the old parser. Because two clients rely on it.",
            "We decided to keep the old parser.",
            "Because two clients rely on it.",
        ),
        ("The cleanest approach is a lock file.", "The cleanest approach is a lock file.", ""),
        (
            "Looked at it. We should not cache here because the key is stale.",
            "We should not cache here because the key is stale.",
            "the key is stale",
        ),
        ("Rejected a global lock: it blocks reads.", "Rejected a global lock: it blocks reads.", ""),
        (
            "**Root cause:** the cache is never cleared in `a.reset`.",
            "**Root cause:** the cache is never cleared in `a.reset`.",
            "",
        ),
        ("The root cause is a missing await.", "The root cause is a missing await.", ""),
        (
            "It's better to fail early. This avoids half-written files.",
            "It's better to fail early.",
            "This avoids half-written files.",
        ),
        ("Decision: one file per session", "Decision: one file per session", ""),
        (
            "The fix is simple: use `queueMessage` instead of `appendMessage` in agent.ts when streaming.",
            "The fix is simple: use `queueMessage` instead of `appendMessage` in agent.ts when streaming.",
            "",
        ),
        (
            "I await the rows one by one instead of gathering them, because they share one cursor.",
            "I await the rows one by one instead of gathering them, because they share one cursor.",
            "they share one cursor",
        ),
        (
            "We cast the ids to text rather than to numbers since some have leading zeros.",
            "We cast the ids to text rather than to numbers since some have leading zeros.",
            "some have leading zeros",
        ),
        ("因为接口有限流，所以改用批量请求。", "因为接口有限流，所以改用批量请求。", "接口有限流"),
        ("决定采用 SQLite，由于部署在单机上。", "决定采用 SQLite，由于部署在单机上。", "部署在单机上"),
        ("我选择 pnpm 而不是 npm。", "我选择 pnpm 而不是 npm。", ""),
        ("根因是缓存没有清理。", "根因是缓存没有清理。", ""),
    ],
)
def test_a_stated_choice_is_a_decision(text: str, decision: str, reason: str) -> None:
    """A choice, a rejection or a root cause comes out with the reason that the text gives."""
    assert decisions(text) == ((decision, reason),)


@pytest.mark.parametrize(
    "text",
    [
        "Let me read the file.",
        "Should we use SQLite instead of Postgres?",
        "| use A | instead of B | because |",
        "Alternatively, we could use Redis instead of a file.",
        "It's returning `nil` instead of calling the handler.",
        "I get a 404 instead of a 200, because the route is gone.",
        "We await the rows one by one instead of gathering them.",
        "Let me try a different approach:",
        "```\nI'll use A instead of B because C.\n```",
        "是否改用 Redis？",
        "已读取文件。",
    ],
)
def test_no_choice_no_decision(text: str) -> None:
    """Plans to look, questions, options, descriptions and code decide nothing."""
    assert decisions(text) == ()


CHOICES = """
I'll go with httpx for the mailer client: it speaks HTTP/2.
I settle on port 9100 for the metrics server.
We'll stick with SQLite for the job store because the load is small.
Going with msgspec for the models since it is faster.
My choice for the cache directory is /var/cache/app, because it survives a reboot.
The retry limit will be 5, as decided after the load test.
I'm switching the retry limit to 8 because 5 was too low.
I am moving the cache from /tmp/a to /var/b, since /tmp is wiped.
After looking at the numbers I pick 256 as the batch size.
Let's use version 3.2.1 of the driver because 3.3.0 has the leak.
Scrap that: the batch size is 128.
On reflection the queue name should be jobs_v2, because jobs is taken.
I was wrong, the port has to be 8443.
I revert to Python 3.11 for the worker, 3.12 breaks the wheel.
I'll keep /v1/users as the endpoint instead of /v2/users.
Final decision: 45 seconds for the read timeout.
I take back my choice of redis: the store is memcached because it is already there.
I changed my mind: 12 workers rather than 8.
Decided: the flag is called --strict.
Opting for the class name ParcelRouter, as Router is taken.
Reconsidering the timeout: 90 seconds, because uploads are slow.
8080 is taken, so I use 8081 for the preview server.
I'll set max_connections to 50 instead of 20.
I raise the limit from 100 to 250, because the import needs it.
We go back to lxml for parsing because selectolax lacks XPath.
I prefer orjson over json for the export because it is faster.
I reject the global lock, because it blocks reads.
端口我定为 9100，因为 9000 被占用。
客户端选用 httpx，因为支持 HTTP/2。
缓存目录定在 /var/cache/app。
批大小改成 128，因为内存不够。
我改主意了，重试次数用 8。
想了想，队列名还是用 jobs_v2。
最终采用 msgspec 作为序列化库。
放弃 redis，改用 memcached，因为已经部署。
超时切换到 90 秒，因为上传很慢。
撤回之前的选择：端口是 8443。
类名定为 ParcelRouter，因为 Router 已被占用。
我决定把上限从 100 提高到 250。
把解析库换回 lxml，因为缺少 XPath。
版本沿用 3.2.1，因为 3.3.0 有泄漏。
之前选的 8000 行不通，换成 8001。
""".strip().splitlines()

CHATTER = """
Next I look at how ledger is loaded.
Let me check the harbor module.
I read the quarry code before touching it.
The gravel part comes next.
I'll look at the tests in tests/test_api.py now.
Let me run the tests again to see whether 3 of them still fail.
The function returns 404 instead of 200.
I use grep to find the callers of load_config.
I changed the handler to return None.
Now I update the import in src/app.py.
The tests pass: 12 passed in 0.3s.
I'll take a look at config.py.
I'll go to the next file, src/models.py.
I'll go back to test_views.py and see what fails.
I've added a helper to utils.py and moved the constants to settings.py.
If the port is 9000 we should use another one.
Should I use 9000 instead of 8000?
Maybe we could switch to httpx here.
The `to_field` still has 'field_wrong' instead of 'field_fixed'.
And the partialmethod in A has a reference to `A.field_foo`, not `B.field_foo`.
It checks whether `name` equals the old name and updates it to the new name.
I pick up where I left off in src/parser.py.
I need to change the test data in fixtures/a.json.
The server listens on 8000.
We want to know why test_login fails.
I keep reading src/parser.py.
接着看 ledger 是怎么加载的。
先检查 harbor 模块。
动手之前先读 quarry 的代码。
下一步是 gravel 部分。
我把 handler 移到 src/app.py。
测试通过，12 个用例。
函数返回 404。
如果端口是 9000，要换一个。
要不要改用 httpx？
我先看 config.py 的内容。
已将文件保存为 report.md。
服务监听 8000 端口。
用户选择了 3 个文件。
""".strip().splitlines()


@pytest.mark.parametrize("sentence", CHOICES)
def test_a_value_that_is_chosen_given_up_or_revised_is_a_decision(sentence: str) -> None:
    """Whatever words an agent has for it, English or Chinese."""
    assert [decision for decision, _ in decisions(sentence)] == [sentence]


@pytest.mark.parametrize("sentence", CHATTER)
def test_what_an_agent_says_as_it_works_is_none(sentence: str) -> None:
    """Looks, plans, reports and descriptions would displace the facts."""
    assert decisions(sentence) == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("All tests pass. Let me update the docs:", "Let me update the docs:"),
        ("Next, I'll add the migration. It needs a new column.", "Next, I'll add the migration."),
        ("Now I need to fix `a.b.c`.\n\n```py\nx = 1\n```", "Now I need to fix `a.b.c`."),
        ("Now update the checkboxes and commit:", "Now update the checkboxes and commit:"),
        ("搜索完成。接下来更新主页。", "接下来更新主页。"),
        ("路径不正确，需要先检查目录结构。", "路径不正确，需要先检查目录结构。"),
        ("Done. Let me know if you need anything else.", ""),
        ("Everything is in place. Want me to begin?", ""),
        ("It is written down.\n\n## Next Steps\n\n- Run it on the copy.\n- It takes an hour.", "Run it on the copy."),
        ("It is written down.\n\n**Next steps:**", ""),
        ("已成功创建主页。", ""),
        ("", ""),
    ],
)
def test_the_last_word_on_what_comes_next(text: str, said: str) -> None:
    """The intent is the last sentence that says what the assistant does next."""
    assert intent(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "The issue is that `dirname` goes up one level too many.",
            ("The issue is that `dirname` goes up one level too many.",),
        ),
        (
            "Test 4 fails because `super().x()` doesn't exist there.",
            ("Test 4 fails because `super().x()` doesn't exist there.",),
        ),
        ("I found that the hook runs twice. Fixing.", ("I found that the hook runs twice.",)),
        ("Note that the API returns UTC only.", ("Note that the API returns UTC only.",)),
        (
            "There's a conflict - `countLines` already exists in `common.go`.",
            ("There's a conflict - `countLines` already exists in `common.go`.",),
        ),
        ("问题是提示函数没有实现。", ("问题是提示函数没有实现。",)),
        ("原因在于路径写错，导致读取失败。", ("原因在于路径写错，导致读取失败。",)),
        ("I see the issue.", ()),
        ("Is the problem that it runs twice?", ()),
        ("Let me read the file.", ()),
    ],
)
def test_findings(text: str, said: tuple[str, ...]) -> None:
    """A cause, a pitfall or a discovery is a finding; a suspicion in a question is not."""
    assert findings(text) == said


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Done. Want me to proceed?", True),
        ("**Which one do you prefer?**", True),
        ("Proceed with the migration? (yes/no)", True),
        ("Please confirm the path.", True),
        ("需要我继续吗？", True),
        ("请确认是否删除旧文件。", True),
        ("Why does it fail? Let me look at the log.", False),
        ("All done.", False),
        ("Let me know if you need anything else!", False),
        ("已完成。", False),
        ("", False),
    ],
)
def test_question(text: str, asks: bool) -> None:
    """A text asks where its end does, not where a question is raised on the way."""
    assert question(text) is asks


@given(st.text(alphabet="abI'll use instead of. because\n-是，。改用因为?`*", max_size=300))
def test_nothing_is_composed(text: str) -> None:
    """Decisions, reasons, intents and findings stand in the text, character for character."""
    for decision, reason in decisions(text):
        assert decision in text
        assert reason in text
    assert intent(text) in text
    assert all(said in text for said in findings(text))


@pytest.mark.parametrize(("look", "words"), [(DECISION, DECISIVE), (WEIGHED, AGAINST)])
@given(data=st.data())
def test_a_quick_look_misses_no_decision(look: re.Pattern[str], words: tuple[str, ...], data: st.DataObject) -> None:
    """However a decision is worded, one of the words for the quick look stands in it, in small letters."""
    cue = data.draw(st.sampled_from(_alternatives(look.pattern)))
    sentence = data.draw(st.from_regex(re.compile(cue, re.IGNORECASE | re.ASCII)))
    assert any(word in sentence.lower() for word in words)


def _alternatives(pattern: str) -> list[str]:
    """The parts of a pattern that stand beside each other, so that each is drawn as often as the others."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(pattern):
        escaped = pattern[at - 1 : at] == "\\"
        depth += 0 if escaped else (char in "([") - (char in ")]")
        if char == "|" and depth == 0:
            parts.append(pattern[start:at])
            start = at + 1
    return [*parts, pattern[start:]]
