"""A later sentence makes an earlier one stale where it gives the same subject another value, and only there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_kit.engrams import Later, taken_back
from context_kit.engrams._sentences import sentences
from context_kit.engrams._supersede import Line, supersedes

STALE = """
The port is 8000. | Turns out the port is 9000.
The port is 8000. | The port is 9000.
The staging host is db1.example.com. | We moved the staging host to db2.example.com.
Use Python 3.10 for the worker. | Use Python 3.12 for the worker instead.
The retry count is 3. | Make the retry count 5.
Set the timeout to 30 seconds. | Bump the timeout to 45 seconds.
The release date is 2031-04-02. | The release date slipped to 2031-05-09.
The release date is May 3. | As of today the release date is June 1.
Our queue is RabbitMQ. | We no longer use RabbitMQ, our queue is Kafka.
The cache lives in /var/cache/app. | The cache moved to /srv/cache/app.
Name the class UserStore. | Rename the class to AccountStore.
The maximum upload size is 20 MB. | 20 MB is wrong, the maximum upload size is 50 MB.
The API version is v2. | Ignore what I said about the API version, it's v3.
The batch size is 64. | It's actually 128, the batch size.
Use gpt-4 for the summary step. | Swap gpt-4 for gpt-5 in the summary step.
The pool size should be 10. | Let's go back to 5 for the pool size.
Use Postgres as the database. | Change of plan: MySQL as the database rather than Postgres.
The log level is debug. | The log level should be info from now on.
Use tabs for indentation. | Actually, use spaces.
Listen on port 8000. | Sorry, 9000.
The rate limit is 100 requests per minute. | The rate limit has been raised to 250 requests per minute.
The contact for billing is alice@example.com. | The contact for billing is now bob@example.com.
We settled on three replicas for the search cluster. | On second thought, five replicas for the search cluster.
The default branch is master. | The default branch was renamed to main.
Deadline: 2030-01-10 | The deadline got pushed to 2030-02-14.
Use the table orders_v1. | Use the table orders_v2, not orders_v1.
The base URL is https://api.one.test/v1. | New base URL: https://api.two.test/v1
The worker count is 4. | Reduce the worker count to 2.
The image tag is 1.4.2. | Go back to 1.4.0 for the image tag.
The region is eu-west-1. | The region isn't eu-west-1 any more, it's eu-central-1.
The budget is 500 dollars. | I meant 800 dollars for the budget.
Keep the session TTL at 15 minutes. | The session TTL goes up to 60 minutes.
The config file is settings.ini. | Replace settings.ini with settings.toml as the config file.
The queue name is jobs. | Typo in my last message: the queue name is tasks.
Call the new flag --dry-run. | Let's call the new flag --preview instead.
The Redis port is 6379. | We run the Redis port on 6380 now.
端口是 8000。 | 端口改成 9000。
端口是 8000。 | 不对，端口是 9000。
数据库用 MySQL。 | 数据库换成 PostgreSQL。
超时时间设为 30 秒。 | 超时时间应为 60 秒。
发布日期是 2031-04-02。 | 发布日期延期到 2031-05-09。
日志库用 logging。 | 日志库统一用 loguru。
接口前缀是 /api/v1。 | 接口前缀更新为 /api/v2。
缓存目录放在 /var/cache。 | 口误，缓存目录应该是 /srv/cache。
类名叫 UserStore。 | 类名改回 AccountStore。
最大上传 20 MB。 | 最大上传以 50 MB 为准。
重试次数是 3。 | 重试次数重新定为 5。
默认分支是 master。 | 默认分支实际是 main。
Python 版本用 3.10。 | Python 版本升级到 3.12。
批量大小是 64。 | 说错了，批量大小是 128。
负责人是 alice。 | 负责人不再是 alice，换成 bob 了。
镜像版本是 1.4.2。 | 镜像版本回退到 1.4.0。
限流是每分钟 100 次。 | 限流调到每分钟 250 次。
用 8000 端口。 | 改成 9000。
队列用 RabbitMQ。 | 队列不用 RabbitMQ 了，用 Kafka。
部署区域是 eu-west-1。 | 以后部署区域用 eu-central-1。
会话有效期是 15 分钟。 | 会话有效期延长到 60 分钟。
配置文件是 settings.ini。 | 用 settings.toml 替换 settings.ini 作为配置文件。
副本数为 3。 | 副本数还是 5 吧。
缩进用空格。 | 缩进改用制表符。
部署时间是周五。 | 部署时间改到周一。
The database is MySQL. | Scratch that, the database is Postgres.
The color of the header is blue. | Change the color of the header to green.
""".strip().splitlines()
"""What was said | what was said later and makes it stale."""

HOLDS = """
The billing version is 1.2.4. | For search use 1.2.3 instead of 1.2.4.
The billing port is 8000. | The search port is now 9000.
The port is 8000. | The admin port is now 9000.
The billing port is 8000. | The billing host is now 10.0.0.5.
The port is 8000. | The port is 8000, as I said.
The port is 8000. | Actually, keep the port at 8000.
The port is 8000. | Don't change the port to 9000.
The port is 8000. | Should the port be 9000?
The port is 8000. | If the port is 9000, stop the server.
The port is 8000. | Maybe the port could be 9000 later.
The v2 limit is 100. | The v3 limit is 200.
The deadline for phase 1 is 2030-01-10. | The deadline for phase 2 is 2030-02-14.
Use version 2 for the API. | Use port 9000 for the API.
The timeout is 30 seconds in production. | The timeout is 5 seconds in tests.
The Redis port is 6379. | The Kafka port is 9092.
Use pytest for the tests. | Use httpx for the client instead of requests.
Never push to main. | We moved the push job to 10 minutes.
Don't edit config.yaml. | The config.yaml now has port 9000.
Do not add new dependencies. | Update: the dependencies are now pinned at 2.1.
Keep the public API unchanged. | The public API docs changed to version 3.
Never log passwords. | Actually, use a logger for the passwords module.
Always run the linter before you finish. | The linter is now at version 9.1.
The library for invoices is peewee. | The library for invoices is now installed.
The build server is ci-2. | Update: the build server is slow today.
The default branch is master. | I fixed the default branch protection on main, not on master.
Only touch files in src/. | The tests now live in tests/unit.
The maximum is 20 rows. | The minimum is 5 rows.
Use four spaces for indentation. | Use two workers for the build.
The release date is 2031-04-02. | The freeze date moved to 2031-03-20.
The image tag is 1.4.2. | In the changelog 1.4.2 is listed under 2031-03-20.
You must keep Python 3.8 support. | Python 3.12 is installed now.
Answer in English. | The README is in German now.
The API key is in .env. | Rename the API client to ApiClient.
The batch size is 64. | The batch job changed to run at 3:00.
The reviewers are Alice and Bob. | The tests are now green.
The port is 8000. | Example: the port is 9000 in the tutorial, not in ours.
Use tabs for indentation. | Actually, use the new logger.
The retry count is 3. | Sorry, that was slow.
不要修改 config.py。 | config.py 现在有 3 个函数。
计费端口是 8000。 | 搜索端口改成 9000。
端口是 8000。 | 管理端口改成 9000。
端口是 8000。 | 端口保持 8000 不变。
端口是 8000。 | 不要把端口改成 9000。
端口是 8000。 | 端口要不要改成 9000？
端口是 8000。 | 如果端口是 9000，就停掉服务。
超时时间是 30 秒。 | 重试次数改成 5。
发布日期是 2031-04-02。 | 冻结日期提前到 2031-03-20。
禁止提交到 main。 | 测试现在改成在 dev 上跑。
必须用 Python 3.8。 | 文档里的 3.8 改成了链接。
数据库用 MySQL。 | 日志库换成 loguru。
用户表叫 users。 | 订单表改名为 orders_v2。
类名叫 UserStore。 | 文件名改成 user_store.py。
不要新增依赖。 | 依赖列表现在是 12 行。
最大值是 20。 | 最小值改为 5。
用户上限是 100。 | 用户数现在是 20。
v2 的上限是 100。 | v3 的上限是 200。
缩进用空格。 | 换行改用 LF。
负责人是 alice。 | 测试环境的负责人是 bob。
The color of the header is blue. | Change the color of the footer to green.
Keep the cache under 100 MB. | The cache is now at 80 MB.
The limit is 5 files per commit. | We are now at 12 files in total.
""".strip().splitlines()
"""What was said | what was said later and leaves it as it is."""


def superseded_by(*said: str) -> int:
    """Number of the text that makes the first one stale; 0 where none does."""
    later = Later()
    for number, text in enumerate(said, 1):
        later.add_text(number, text)
    return taken_back(said[0], 1, later)


@pytest.mark.parametrize("pair", STALE)
def test_another_value_for_the_same_subject_makes_the_old_one_stale(pair: str) -> None:
    """In whatever words a person says so, English or Chinese."""
    assert superseded_by(*pair.split(" | ")) == 2


@pytest.mark.parametrize("pair", HOLDS)
def test_what_still_holds_is_not_marked(pair: str) -> None:
    """Another subject, a question, a condition, the same value again, a prohibition beside it."""
    assert superseded_by(*pair.split(" | ")) == 0


SUBJECTS = (
    ("the checkout port", "20111", "30222"),
    ("the ledger version", "2.31.4", "7.18.22"),
    ("the deadline for the audit", "2031-04-05", "2032-06-07"),
    ("the uploads limit", "300 MB", "512 MB"),
    ("the login endpoint", "POST /v2/abc/{id}", "GET /v7/def/{id}"),
    ("the search socket path", "/srv/a/b.sock", "/srv/c/d.sock"),
)
SUBJECTS_ZH = (
    ("结算服务的端口", "20111", "30222"),
    ("账本的版本", "2.31.4", "7.18.22"),
    ("audit 的截止日期", "2031-04-05", "2032-06-07"),
    ("解析用的库", "lxml", "selectolax"),
    ("uploads 的上限", "300 MB", "512 MB"),
    ("login 的接口", "POST /v2/abc/{id}", "GET /v7/def/{id}"),
)
SAID = "{t} is {o}. | Use {o} for {t}. | Set {t} to {o}. | We agreed on {o} as {t}. | Note: {t} = {o} | For {t} we use {o}."
SAID_ZH = "{t}是 {o}。 | {t}用 {o}。 | 请把{t}设为 {o}。 | {t}：{o} | 我们约定{t}为 {o}。 | 用 {o} 作为{t}。"
LATER = """
Turns out {t} is {n}. | Make {t} {n} instead. | We moved {t} to {n}. | As of today, {t} is {n}. | {o} is wrong, {t} is {n}.
Ignore what I said about {t}: it's {n}. | Swap {o} for {n} as {t}. | Bump {t} to {n}. | Go back to {n} for {t}.
I misspoke: {t} is {n}. | {t} was changed from {o} to {n}. | Use {n} as {t}, not {o}. | Not {o} but {n} for {t}.
I changed my mind: {n} for {t}. | Disregard {o}, {t} is {n}. | The customer wants {n} for {t}. | {n} replaces {o} as {t}.
""".replace("\n", " | ").strip(" |")
LATER_ZH = """
{t}换成 {n}。 | {t}改回 {n}。 | {t}更新为 {n}。 | {t}以 {n} 为准。 | {t}应为 {n}。 | {t}实际是 {n}。 | 不对，{t}是 {n}。
我说错了，{t}是 {n}。 | {t}重新定为 {n}。 | {t}统一用 {n}。 | {t}不是 {o} 而是 {n}。 | {t}从 {o} 改到 {n}。 | {o} 作废，{t}用 {n}。
{t}还是用 {n} 吧。 | 刚确认过，{t}是 {n}。 | {t}变了，现在是 {n}。 | 用 {n} 代替 {o} 作为{t}。 | 关于{t}：改成 {n}。
""".replace("\n", " | ").strip(" |")


def worded(wording: str, topic: str, old: str, new: str = "") -> str:
    """A wording filled in, its first letter large."""
    text = wording.format(t=topic, o=old, n=new)
    return text[:1].upper() + text[1:]


@pytest.mark.parametrize(
    ("said", "later", "subjects"), [(SAID, LATER, SUBJECTS), (SAID_ZH, LATER_ZH, SUBJECTS_ZH)], ids=["en", "zh"]
)
def test_each_wording_ends_its_own_subject_and_no_other(
    said: str, later: str, subjects: tuple[tuple[str, str, str], ...]
) -> None:
    """All ways to state a value against all ways to change it, over ports, versions, dates, limits, paths."""
    for topic, old, _ in subjects:
        for other, was, new in subjects:
            for first in said.split(" | "):
                for second in later.split(" | "):
                    pair = worded(first, topic, old), worded(second, other, was, new)
                    assert superseded_by(*pair) == (2 if topic == other else 0), pair


def test_the_newest_correction_holds_and_the_one_before_is_stale() -> None:
    """A value that was changed twice is stale twice."""
    later = Later()
    told = ["The port is 8000.", "Actually, make the port 8100.", "Sorry, the port is 8200."]
    for number, text in enumerate(told, 1):
        later.add_text(number, text)
    assert [taken_back(text, number, later) for number, text in enumerate(told, 1)] == [2, 3, 0]


def test_a_bare_correction_answers_the_text_before_it_only() -> None:
    """It names no subject, so it can mean nothing older, nor one of several values."""
    assert superseded_by("Listen on port 8000.", "Sorry, 9000.") == 2
    assert superseded_by("Listen on port 8000.", "Run the tests with 4 workers.", "Sorry, 5.") == 0
    assert superseded_by("Listen on port 8000.\nRun 4 workers.", "Sorry, 9000.") == 0


SENTENCES = st.sampled_from([part for pair in (*STALE, *HOLDS) for part in pair.split(" | ")])


@given(st.lists(SENTENCES, min_size=2, max_size=12))
def test_the_answer_does_not_hang_on_when_it_is_asked(told: list[str]) -> None:
    """A session that was asked at each compaction and one reopened from disk mark the same words."""
    live, reopened = Later(), Later()
    for number, text in enumerate(told, 1):
        live.add_text(number, text)
        for at, earlier in enumerate(told[:number], 1):
            taken_back(earlier, at, live)
    for number, text in enumerate(told, 1):
        reopened.add_text(number, text)
    answers = [[taken_back(text, at, later) for at, text in enumerate(told, 1)] for later in (live, reopened)]
    assert answers[0] == answers[1]
    assert all(by == 0 or by > at for at, by in enumerate(answers[0], 1))


@given(st.text(alphabet="aA9 .,:->=为是用改成从不对的V/`\"'了", max_size=120))
def test_any_text_is_read(text: str) -> None:
    """No wording fails, and no sentence supersedes itself."""
    for sentence in sentences(text):
        assert superseded_by(sentence, sentence) == 0


@pytest.mark.parametrize(
    "wording",
    [
        "Actually, the port must be {n} now because billing{n} said so, never use {o} instead.",
        "We must actually keep the tests of module{n} as they are now, and no longer the old ones.",
        "其实现在必须保留模块{n}的测试，不要再改成旧的。",
    ],
)
def test_the_work_grows_with_the_texts_and_not_with_their_pairs(wording: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts full of "must", "now" and "actually", asked for at each of ten compactions."""
    compared = 0

    def counted(newer: Line, older: Line, /, *, next_to: bool = False) -> bool:
        nonlocal compared
        compared += 1
        return supersedes(newer, older, next_to=next_to)

    monkeypatch.setattr("context_kit.engrams._supersede.supersedes", counted)
    done: list[int] = []
    for many in (200, 400):
        compared, later, told = 0, Later(), [wording.format(n=n, o=n - 1) for n in range(many)]
        for number, text in enumerate(told, 1):
            later.add_text(number, text)
            if number % (many // 10) == 0:
                for at in range(1, number + 1):
                    taken_back(told[at - 1], at, later)
        done.append(compared)
    assert done[1] <= 2.5 * done[0]
