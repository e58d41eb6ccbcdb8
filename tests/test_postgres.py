"""PostgreSQL as the store: one server, many processes, and every way in which it may be away. No mock."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from benchmarks._postgres import USER, Server
from benchmarks._proxy import Proxy
from context_kit import BudgetError, ContextManager, StoreError
from context_kit.cli import main
from context_kit.memory import FileStore, PostgresStore
from context_kit.memory._postgres._doubt import Append, Doubts
from context_kit.testing import user
from context_kit.typing import Archiving, IndexedStore
from tests.talks import GOAL, looks, prints, session, told

ROOT = Path(__file__).resolve().parents[1]
Begin = Callable[..., PostgresStore]
SOON = 10.0
"""Seconds within which something has to be seen."""


@pytest.fixture
def proxy(server: Server) -> Iterator[Proxy]:
    with Proxy(server.port) as made:
        yield made


def proxied(proxy: Proxy) -> str:
    """The server's address by the proxy."""
    return f"postgresql://{USER}@127.0.0.1:{proxy.port}/postgres"


def reasons(store: PostgresStore) -> list[str]:
    return [line["reason"] for line in store.read("")]


def note(reason: str, **more: Any) -> dict[str, Any]:
    return {"id": f"r{abs(hash(reason)):012x}"[:13], "session": "s", "action": "decide", "reason": reason, **more}


def until(done: Callable[[], bool]) -> bool:
    """Whether it is so, soon."""
    end = time.monotonic() + SOON
    while not done() and time.monotonic() < end:
        time.sleep(0.01)
    return done()


def lose_locks(server: Server) -> None:
    """End the connections that hold locks, as a network does that fails."""
    server.query("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
    assert until(lambda: not server.query("SELECT FROM pg_locks WHERE locktype = 'advisory'"))


# -- what it needs ------------------------------------------------------------------------------


WITHOUT = """
import sys
sys.modules["psycopg"] = None
from context_kit.memory import PostgresStore
try:
    PostgresStore("postgresql://localhost/x")
except ImportError as error:
    print(error)
"""


def test_without_its_extra_the_error_says_what_to_install() -> None:
    """And only a store that is made needs it: the import doesn't."""
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True, cwd=ROOT)
    assert "pip install 'context-kit[postgres]'" in done.stdout


def test_importing_the_package_loads_no_driver() -> None:
    """Nor does importing the room of the stores."""
    code = "import sys, context_kit, context_kit.memory; print([n for n in sys.modules if n.startswith('psycopg')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_an_address_is_no_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`store=` with a server's address is refused with advice, and no folder of that name is made."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BudgetError, match="PostgresStore"):
        ContextManager(8_000, store="postgresql://localhost/agents")
    assert list(tmp_path.iterdir()) == []


def test_both_stores_are_indexed_and_archive(stores: Callable[[], FileStore | PostgresStore]) -> None:
    """What the library asks a store for beside the five methods, both have."""
    store = stores()
    assert isinstance(store, IndexedStore)
    assert isinstance(store, Archiving)


@pytest.mark.parametrize("schema", ["", "a b", 'x"; DROP TABLE y; --', "1st", "x" * 64])
def test_a_schema_has_a_plain_name(schema: str) -> None:
    """It is refused before anything is asked of a server."""
    with pytest.raises(BudgetError, match="plain name"):
        PostgresStore("postgresql://localhost:1/x", schema=schema)


@pytest.mark.parametrize("server", ["nonsense", "postgresql://h/d?colour=red", "host=a passw0rd=secret"])
def test_what_is_no_address_is_refused_with_an_example(server: str) -> None:
    """Without repeating it: it may hold a password."""
    with pytest.raises(StoreError, match="postgresql://user@host/database") as caught:
        PostgresStore(server)
    assert server not in str(caught.value)


# -- the schema ---------------------------------------------------------------------------------


def test_many_open_a_new_schema_at_once(postgres: Begin) -> None:
    """One makes it, the others wait and find it made."""
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: postgres(), range(8)))
    stores[0].append("", [note("one")])
    assert [reasons(store) for store in stores] == [["one"]] * 8


def test_looking_at_a_schema_makes_none(server: Server, postgres: Begin, capsys: pytest.CaptureFixture[str]) -> None:
    """Where there is no store the error names the schemas that have one; `--schema` reads those."""
    there = postgres()
    there.append("", [note("one")])
    schema = there._link.schema
    absent = f"{schema}_absent"
    with pytest.raises(StoreError, match=f"none in the schema '{absent}'.*{schema}"):
        PostgresStore(server.url, schema=absent, create=False)
    for command in (["session", "list"], ["memory", "show"], ["memory", "search"], ["memory", "tidy"]):
        words = ["x"] if command[-1] == "search" else []
        assert main([*command, server.url, *words, "--schema", absent]) == 1
        assert "--schema" in capsys.readouterr().err
    assert server.query(f"SELECT count(*) FROM pg_namespace WHERE nspname = '{absent}'") == [(0,)]
    assert main(["memory", "show", server.url, "--schema", schema]) == 0
    assert "1 record" in capsys.readouterr().out


def test_a_newer_schema_is_refused_with_advice(postgres: Begin, server: Server) -> None:
    """Guessing would corrupt: upgrade. What is in it stays."""
    schema = postgres()._link.schema
    server.query(f'INSERT INTO "{schema}".version VALUES (99, now())')
    with pytest.raises(StoreError, match="upgrade"):
        postgres()


def test_stores_of_two_schemas_know_nothing_of_each_other(server: Server, postgres: Begin) -> None:
    """Two projects in one database: records, sessions, locks and news are each one's own."""
    one = postgres()
    with PostgresStore(server.url, schema=f"{one._link.schema}_b") as two:
        one.append("", [note("one")])
        with one.lock("s"), two.lock("s"):
            two.append("s", [{"k": "open"}])
        assert (reasons(two), two.newest(), one.sessions(), two.sessions()) == ([], 0, [], ["s"])
    server.query(f'DROP SCHEMA "{one._link.schema}_b" CASCADE')


def test_a_role_that_may_make_nothing_works_in_a_schema_made_for_it(server: Server) -> None:
    """Without the right to the extension parts of words are found all the same, only more slowly."""
    server.query("CREATE ROLE plain LOGIN")
    server.query("CREATE DATABASE own TEMPLATE template0")
    url = server.url.replace("/postgres", "/own")
    import psycopg

    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("CREATE SCHEMA agents AUTHORIZATION plain")
    for _ in range(2):
        with PostgresStore(url.replace("//ck@", "//plain@"), schema="agents") as store:
            assert store._trigrams is False
            store.append("", [note("reconnect after errors")])
            assert next(iter(store.search("onnec")))["reason"] == "reconnect after errors"
    with pytest.raises(StoreError, match="grant"):
        PostgresStore(url.replace("//ck@", "//plain@"), schema="other")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [("/nowhere", "create the database first"), ("/postgres?user=nobody_such", "does not exist")],
)
def test_a_refusal_is_told_at_once(wrong: str, says: str, server: Server) -> None:
    """Nobody waits for what can't pass."""
    began = time.monotonic()
    with pytest.raises(StoreError, match=says):
        PostgresStore(server.url.replace("/postgres", wrong), patience=60)
    assert time.monotonic() - began < SOON


# -- the caller's pool --------------------------------------------------------------------------


def test_a_pool_that_is_given_stays_the_callers(server: Server, postgres: Begin) -> None:
    """Whatever it is set to: it is used, put back as it was, and not closed."""
    from psycopg_pool import ConnectionPool

    with ConnectionPool(server.url, min_size=1, max_size=1, open=True) as pool:
        store = postgres(pool)
        with ContextManager(6_000, store=store, session="s") as ctx:
            ctx.add(user("hi"))
        store.close()
        with pool.connection() as conn:
            assert conn.autocommit is False
            assert conn.execute("SELECT 1").fetchone() == (1,)
    assert [line["k"] for line in postgres().read("s")][:2] == ["open", "add"]


def test_a_pool_that_is_not_open_is_told_at_once(server: Server) -> None:
    """With what to do; nobody waits for it."""
    from psycopg_pool import ConnectionPool

    with pytest.raises(StoreError, match="open the pool"):
        PostgresStore(ConnectionPool(server.url, open=False), patience=60)


def test_a_fork_has_connections_of_its_own(postgres: Begin) -> None:
    """Parent and child go on with one store object, and neither ends what the other has."""
    store = postgres()
    with store.lock("s"):
        store.append("s", [{"k": "parent"}])
        child = os.fork()
        if child == 0:
            code = 1
            try:
                store.append("", [note("child")])
                with pytest.raises(StoreError, match="held by"), store.lock("s"):
                    pass
                store.close()
                code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        store.append("", [note("parent")])
        store.append("s", [{"k": "parent"}])
    assert reasons(store) == ["child", "parent"]


def test_a_closed_store_says_so(postgres: Begin) -> None:
    """Reading and writing both."""
    store = postgres()
    store.close()
    for act in (lambda: store.append("", [note("x")]), store.newest, store.sessions, lambda: list(store.read(""))):
        with pytest.raises(StoreError, match="closed"):
            act()


# -- lines --------------------------------------------------------------------------------------


def test_lines_come_back_byte_for_byte(postgres: Begin) -> None:
    """NULs, lone surrogates, emoji, large ones: in the session's log and in the journal."""
    texts = ["\0", "\ud800", "a\0b\ud83d", "👩‍💻\u2028\u0085\r\n", "\\u0000", "'\"%s%%", "x" * 3_000_000, ""]
    lines = [{"k": "x", "text": text, "n": 1.5, "deep": [{"a": None}]} for text in texts]
    store = postgres()
    store.append("s", lines)
    store.append("", lines)
    for name in ("s", ""):
        assert [json.dumps(line) for line in postgres().read(name)] == [json.dumps(line) for line in lines]


def test_a_finished_session_makes_room_for_a_new_one_of_its_name(postgres: Begin) -> None:
    """`close(done=True)` ends the task: it isn't live any more, its journal stays searchable."""
    store = postgres()
    for text in ("old", "new"):
        with ContextManager(8_000, store=store, session="s") as ctx:
            assert ctx.messages == []
            ctx.add(user(f"{text} task"))
            ctx.memory.append(action="decide", reason=f"use decimals, {text}")
            ctx.close(done=True)
        assert store.sessions() == []
    assert len(list(store.search("decimals"))) == 2


def test_a_compaction_reads_its_checkpoint_back_from_the_server(postgres: Begin, server: Server) -> None:
    """What stands in the bridge is what was written."""
    store = postgres()
    with ContextManager(6_000, store=store, session="s") as ctx:
        ctx.add(session())
        assert ctx.compact().outcome == "applied"
        ((kept,),) = server.query(f'SELECT checkpoint FROM "{store._link.schema}".sessions')
        assert json.loads(kept).strip() in told(ctx.messages)


# -- one writer ---------------------------------------------------------------------------------


HOLDER = """
import sys
from context_kit.memory import PostgresStore
store = PostgresStore(sys.argv[1], schema=sys.argv[2])
with store.lock("s"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_killed_holders_session_is_free(postgres: Begin, server: Server) -> None:
    """While it lives it is named, by process and host; once it was killed the next one takes over."""
    store = postgres()
    command = [sys.executable, "-c", HOLDER, server.url, store._link.schema]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert child.stdout is not None
    assert child.stdin is not None
    assert child.stdout.readline() == "held\n"
    with pytest.raises(StoreError, match=f"held by.*{child.pid}"), store.lock("s"):
        pass
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    child.stdin.close()
    with store.lock("s"):
        store.append("s", [{"k": "open"}])


def test_who_lost_the_lock_can_write_no_more(postgres: Begin, server: Server) -> None:
    """Its connection was cut and another took the session over: its append is refused and tells by whom."""
    old, new = postgres(), postgres()
    with old.lock("s"):
        old.append("s", [{"k": "first"}])
        lose_locks(server)
        with new.lock("s"):
            new.append("s", [{"k": "second"}])
            for _ in range(2):
                with pytest.raises(StoreError, match=f"taken over by.*{os.getpid()}"):
                    old.append("s", [{"k": "late"}])
            with pytest.raises(StoreError, match="taken over"):
                old.archive("s")
            with pytest.raises(StoreError, match="taken over"):
                old.checkpoint("s", "late")
        with pytest.raises(StoreError, match="taken over"):
            old.append("s", [{"k": "late"}])
    assert [line["k"] for line in new.read("s")] == ["first", "second"]
    with old.lock("s"):
        old.append("s", [{"k": "third"}])


def test_an_old_holder_never_writes_into_a_new_session_of_the_same_name(postgres: Begin, server: Server) -> None:
    """The session was archived meanwhile, and a new one began."""
    old, new = postgres(), postgres()
    with old.lock("s"):
        old.append("s", [{"k": "old"}])
        lose_locks(server)
        with new.lock("s"):
            new.archive("s")
        with new.lock("s"):
            new.append("s", [{"k": "new"}])
        with pytest.raises(StoreError, match="taken over"):
            old.append("s", [{"k": "late"}])
    assert [line["k"] for line in new.read("s")] == ["new"]


def test_a_holder_keeps_its_session_over_a_restart_of_the_server(postgres: Begin, server: Server) -> None:
    """Its next append takes the lock again, so that no second writer comes in."""
    one, two = postgres(), postgres()
    with ContextManager(6_000, store=one, session="s") as ctx:
        ctx.add(user("before"))
        server.restart()
        ctx.add(user("after"))
        with pytest.raises(StoreError, match="held by"):
            ContextManager.open(two, "s")
    with ContextManager.open(two, "s") as ctx:
        assert ctx.messages == [user("before"), user("after")]


def test_a_lock_that_its_own_dead_connection_still_has_is_taken_again(
    postgres: Begin, proxy: Proxy, server: Server
) -> None:
    """The way was cut without a word: for the server the old connection still lives, and it is ended."""
    store = postgres(proxied(proxy))
    with store.lock("s"):
        store.append("s", [{"k": "first"}])
        proxy.cut()
        assert store._locks.conn is not None
        store._locks.conn.close()
        proxy.heal()
        store.append("s", [{"k": "second"}])
        with pytest.raises(StoreError, match="held by"), postgres().lock("s"):
            pass


# -- answers that are lost ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "s"], ids=["journal", "session"])
def test_an_append_whose_answer_is_lost_is_there_once(name: str, postgres: Begin, proxy: Proxy) -> None:
    """It was committed, nobody was told, it is tried again: the key tells that it is the same."""
    store = postgres(proxied(proxy))
    store.append(name, [note("before")])
    proxy.lose_answers()
    timer = threading.Timer(1.0, proxy.keep_answers)
    timer.start()
    store.append(name, [note("one"), note("two")])
    timer.join()
    assert [line["reason"] for line in postgres().read(name)] == ["before", "one", "two"]


@pytest.mark.parametrize("name", ["", "s"], ids=["journal", "session"])
def test_an_append_that_was_given_up_is_not_there_after_the_next_one(name: str, postgres: Begin, proxy: Proxy) -> None:
    """The caller was told that it failed: what it writes next is there, and that isn't, though it had arrived."""
    store = postgres(proxied(proxy), patience=0.5)
    store.append(name, [note("before")])
    for text in ("lost", "lost too"):
        proxy.lose_answers()
        with pytest.raises(StoreError, match="can't be reached"):
            store.append(name, [note(text)])
        proxy.keep_answers()
    assert [line["reason"] for line in postgres().read(name)][:2] == ["before", "lost"]
    proxy.reset()
    store.append(name, [note("after")])
    assert [line["reason"] for line in postgres().read(name)] == ["before", "after"]


@pytest.mark.parametrize("name", ["", "s"], ids=["journal", "session"])
def test_an_append_that_is_tried_again_by_its_caller_is_there_once(name: str, postgres: Begin, proxy: Proxy) -> None:
    """The same lines after an error are the same append."""
    store = postgres(proxied(proxy), patience=0.5)
    proxy.lose_answers()
    with pytest.raises(StoreError, match="can't be reached"):
        store.append(name, [note("once")])
    proxy.keep_answers()
    store.append(name, [note("once")])
    store.append(name, [note("once")])
    assert [line["reason"] for line in postgres().read(name)] == ["once", "once"]


def test_a_session_that_is_finished_while_the_answer_is_lost_is_finished_once(postgres: Begin, proxy: Proxy) -> None:
    """It was archived, nobody was told, it is tried again; a new session of its name is not touched by it."""
    store = postgres(proxied(proxy))
    with store.lock("s"):
        store.append("s", [{"k": "open"}])
        proxy.lose_answers()
        timer = threading.Timer(1.0, proxy.keep_answers)
        timer.start()
        store.archive("s")
        timer.join()
    other = postgres()
    assert other.sessions() == []
    other.append("s", [{"k": "new"}])
    assert [line["k"] for line in other.read("s")] == ["new"]


# -- the server is away ---------------------------------------------------------------------------


def test_while_the_server_is_away_nothing_is_lost_and_then_it_works_again(postgres: Begin, server: Server) -> None:
    """`StoreError` that says what to do, the session as it was; once it is back the session goes on."""
    store = postgres(patience=0.5)
    with ContextManager(6_000, store=store, session="s") as ctx:
        ctx.add(session())
        ctx.memory.append(action="decide", reason="first")
        before = prints(ctx.messages)
        server.stop()
        try:
            for change in (
                lambda: ctx.add(user("x")),
                ctx.compact,
                lambda: ctx.memory.append(action="a"),
                store.newest,
            ):
                with pytest.raises(StoreError, match="see that the server runs"):
                    change()
            with pytest.raises(StoreError, match="see that the server runs"):
                postgres(patience=0.1)
            assert prints(ctx.messages) == before
        finally:
            server.start()
        assert ctx.compact().outcome == "applied"
        ctx.memory.append(action="decide", reason="second")
        after = prints(ctx.messages)
    with ContextManager.open(postgres(), "s") as ctx:
        assert prints(ctx.messages) == after
        reasons = [record.reason for record in ctx.memory.records()]
        assert [reason for reason in reasons if reason in ("first", "second")] == ["first", "second"]


@pytest.mark.parametrize("how", ["restart", "kill", "kill_backend"])
def test_an_append_waits_for_a_server_that_comes_back(how: str, postgres: Begin, server: Server) -> None:
    """Stopped, killed, or one backend killed: appends under way are there once each, and nobody saw an error."""
    stores = [postgres() for _ in range(3)]
    stop = threading.Event()

    def writes(at: int) -> int:
        for number in itertools.count():
            stores[at].append("", [note(f"{at}:{number}")])
            if stop.is_set():
                return number + 1
        return 0

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(writes, at) for at in range(3)]
        for _ in range(3):
            time.sleep(0.2)
            if how == "kill_backend":
                server.kill_backend()
            elif how == "kill":
                server.kill()
                server.start()
            else:
                server.restart()
        time.sleep(0.2)
        stop.set()
        written = [each.result() for each in running]
    found = reasons(postgres())
    assert sorted(found) == sorted(f"{at}:{number}" for at in range(3) for number in range(written[at]))
    for at in range(3):
        assert [text for text in found if text.startswith(f"{at}:")] == [f"{at}:{n}" for n in range(written[at])]


def test_statements_that_lose_a_race_are_tried_again(postgres: Begin, server: Server) -> None:
    """A serialisation failure passes: under the strictest isolation, too, every append arrives once."""
    strict = [postgres(f"{server.url}?options=-c%20default_transaction_isolation%3Dserializable") for _ in range(4)]

    def writes(at: int) -> None:
        for n in range(10):
            strict[at].append("", [note(f"{at}:{n}")])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(writes, range(4)))
    assert sorted(reasons(postgres())) == sorted(f"{at}:{n}" for at in range(4) for n in range(10))


# -- positions and news -----------------------------------------------------------------------------


def test_a_reader_that_asks_for_what_is_new_misses_nothing(postgres: Begin) -> None:
    """Positions are seen in the order of their commits: each record once, while many write."""
    stores, reader = [postgres() for _ in range(4)], postgres()
    seen: list[str] = []
    at = 0

    def look() -> None:
        nonlocal at
        for line in reader.records(after=at):
            assert line["at"] > at
            at = line["at"]
            seen.append(line["reason"])

    def writes(writer: int) -> None:
        for n in range(60):
            stores[writer].append("", [note(f"{writer}:{n}:{part}") for part in range(2)])

    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(writes, writer) for writer in range(4)]
        while not all(each.done() for each in running):
            look()
        for each in running:
            each.result()
    look()
    assert seen == reasons(reader)
    assert len(seen) == 4 * 60 * 2
    for first, second in zip(seen[::2], seen[1::2], strict=True):
        assert (first[:-1], first[-1], second[-1]) == (second[:-1], "0", "1")


def test_what_others_write_is_heard(postgres: Begin) -> None:
    """Without a query while the connection lives, by a query after it broke."""
    one, two = postgres(), postgres()
    assert (one.newest(), two.newest()) == (0, 0)
    one.append("", [note("a"), note("b")])
    assert one.newest() == 2
    assert until(lambda: two.newest() == 2)
    assert two._news.conn is not None
    two._news.conn.close()
    one.append("", [note("c")])
    assert two.newest() == 3


def test_the_newest_position_is_never_behind_what_was_shown(postgres: Begin) -> None:
    """A look at the records may be quicker than the news."""
    one, two = postgres(), postgres()
    two.newest()
    for number in range(1, 50):
        one.append("", [note(str(number))])
        assert [line["at"] for line in two.records(after=number - 1)] == [number]
        assert two.newest() == number


def test_each_session_hears_the_changes_of_the_others(postgres: Begin) -> None:
    """Once each, whichever store it has."""
    with (
        ContextManager(8_000, store=postgres(), session="a") as one,
        ContextManager(8_000, store=postgres(), session="b") as two,
    ):
        one.memory.append(action="decide", reason="first")
        two.memory.append(action="decide", reason="mine")
        heard: list[str] = []

        def hears() -> bool:
            heard.extend(record.reason for record in two.memory.changes())
            return bool(heard)

        assert until(hears)
        assert heard == ["first"]
        assert two.memory.changes() == ()


# -- finding ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("parse header", "parseHeader drops the last byte"),
        ("parse_header", "parseHeader drops the last byte"),
        ("parseHeader", "parseHeader drops the last byte"),
        ("net/http_client.py", "retry three times"),
        ("http_client", "retry three times"),
        ("数据库", "数据库迁移必须先备份"),
        ("迁移", "数据库迁移必须先备份"),
        ("备", "数据库迁移必须先备份"),
        ("3.10.2", "pin python 3.10.2"),
        ("eader drops", "parseHeader drops the last byte"),
        ("100%", "cover 100% of it"),
        ("bytte", "parseHeader drops the last byte"),
    ],
)
def test_records_are_found_by_words_parts_and_likeness(query: str, says: str, postgres: Begin) -> None:
    """Identifiers in both cases, paths, Chinese without spaces, parts of words, a slip of the pen."""
    store = postgres()
    store.append("", [note(f"nothing of the kind {number}") for number in range(20)])
    for text, file in (
        ("parseHeader drops the last byte", "src/wire.py"),
        ("retry three times", "src/net/http_client.py"),
        ("数据库迁移必须先备份", ""),
        ("pin python 3.10.2", "pyproject.toml"),
        ("cover 100% of it", ""),
    ):
        store.append("", [note(text, file=file)])
    assert next(iter(store.search(query)))["reason"] == says


@pytest.mark.parametrize("query", ["".join(map(chr, range(0x4E00, 0x9000))), "x" * 100_000, "-- '; | & !( " * 9_000])
def test_a_query_of_any_length_is_answered(query: str, postgres: Begin) -> None:
    """A page without spaces is one word: the server is never asked for more than it can parse."""
    store = postgres()
    store.append("", [{"id": "r1", "action": "note", "reason": query[:200]}], sync=True)
    assert len(list(store.search(query))) <= 1
    assert len(list(store.related(query, files=[query]))) <= 1


def test_related_records_are_about_the_files_and_the_rare_words(postgres: Begin) -> None:
    """A line about the file first, then what shares a rare word; not the session's own, only of the actions asked for."""
    store = postgres()
    store.append("", [note(f"run the tests again {n}", file=f"src/part{n}.py", action="run") for n in range(40)])
    store.append("", [note("the ledger rounds down", session="old"), note("keep the names", file="lib/calc.py")])
    found = list(store.related("tests for the ledger", files=["src/calc.py"], limit=3))
    assert [line["reason"] for line in found[:2]] == ["keep the names", "the ledger rounds down"]
    assert found[0]["score"] >= found[1]["score"] >= found[2]["score"] > 0
    assert all(line["session"] != "s" for line in store.related("tests ledger", without="s"))
    assert {line["action"] for line in store.related("tests ledger", actions=["run"])} == {"run"}
    assert list(store.related("", files=[])) == []


def test_both_stores_give_the_same_answers(postgres: Begin, tmp_path: Path) -> None:
    """The same records and questions: the same ones are found, and the best ones are the same."""
    rng = random.Random(7)
    words = "parse header cache retry config session lock 数据库 迁移 缓存 decimal".split()
    lines = [
        note(" ".join(rng.choices(words, k=5)), id=f"r{n}", session=f"s{n % 3}", file=f"src/m{n}.py")
        for n in range(250)
    ]
    kept: tuple[FileStore | PostgresStore, ...] = (FileStore(tmp_path), postgres())
    for store in kept:
        store.append("", lines)

    def ids(found: Iterable[dict[str, Any]]) -> list[str]:
        return [line["id"] for line in found]

    for _ in range(20):
        query, files = " ".join(rng.sample(words, k=rng.choice((1, 2, 3)))), [f"lib/m{rng.randrange(250)}.py"]
        one, two = (ids(store.search(query, limit=400)) for store in kept)
        assert sorted(one) == sorted(two)
        one, two = (ids(store.related(query, files=files, without="s1", limit=5)) for store in kept)
        assert one == two


# -- rewriting ------------------------------------------------------------------------------------------


def test_lines_are_rewritten_in_their_places(postgres: Begin) -> None:
    """Each becomes itself, others or nothing; positions stay, what changed is in the archive, the index knows."""
    store = postgres()
    store.append("", [note(text) for text in ("keep", "drop", "split", "last")])

    def change(line: dict[str, Any]) -> list[dict[str, Any]]:
        return {"drop": [], "split": [note("one half"), note("other half")]}.get(line["reason"], [line])

    assert store.rewrite("", change, archive=True) == 2
    assert [(line["reason"], line["at"]) for line in store.records()] == [
        ("keep", 1),
        ("one half", 3),
        ("other half", 3),
        ("last", 4),
    ]
    assert [line["reason"] for line in store.search("other half")][:1] == ["other half"]
    assert all("split" not in line["reason"] for line in store.search("split"))
    assert store.newest() == 4
    assert store.rewrite("", change, archive=True) == 0


def test_what_is_forgotten_is_nowhere(postgres: Begin, server: Server) -> None:
    """Without an archive: not in the log, live and finished, not in the archive of earlier rewrites, nor the checkpoint."""
    store = postgres()
    for _ in range(2):
        with ContextManager(6_000, store=store, session="s") as ctx:
            ctx.add([user(f"{GOAL} The port is tangerine."), *looks("chat", 1)])
            ctx.compact()
            ctx.close(done=True)
    store.append("", [note("tangerine one")])
    store.rewrite("", lambda line: [{**line, "reason": "orange"}], archive=True)

    def forget(line: dict[str, Any]) -> list[dict[str, Any]]:
        return [json.loads(json.dumps(line).replace("tangerine", "[forgotten]"))]

    assert store.rewrite("", forget, archive=False) >= 1
    assert store.rewrite("s", forget, archive=False) >= 2
    tables = ("sessions", "lines", "journal", "archive")
    left = [server.query(f'SELECT * FROM "{store._link.schema}".{table}') for table in tables]
    assert "tangerine" not in str(left)
    assert "[forgotten]" in str(left)


def test_lines_that_are_appended_during_a_rewrite_stay(postgres: Begin) -> None:
    """And two rewrites at once do the work once."""
    store, other = postgres(), postgres()
    store.append("", [note(f"old {number}") for number in range(200)])

    def change(line: dict[str, Any]) -> list[dict[str, Any]]:
        if line["reason"] == "old 50":
            other.append("", [note(f"meanwhile {time.monotonic()}")])
        return [{**line, "reason": line["reason"].replace("old", "new")}]

    with ThreadPoolExecutor(2) as pool:
        counts = list(pool.map(lambda each: each.rewrite("", change, archive=True), (store, other)))
    found = reasons(store)
    assert found[:200] == [f"new {number}" for number in range(200)]
    assert all(text.startswith("meanwhile") for text in found[200:])
    assert len(found) > 200
    assert sum(counts) == 200


# -- what is in doubt -----------------------------------------------------------------------------------


def test_two_appends_that_fail_at_once_are_both_taken_back() -> None:
    """Two threads of one process were told that theirs failed: the next append gives both keys up."""
    doubts, sent = Doubts(), list[Append]()

    def fails(append: Append) -> bool:
        sent.append(append)
        raise StoreError

    def arrives(append: Append) -> bool:
        sent.append(append)
        return True

    def while_another_fails(append: Append) -> bool:
        with pytest.raises(StoreError):
            doubts.write("", ["other"], fails)
        return fails(append)

    with pytest.raises(StoreError):
        doubts.write("", ["one"], while_another_fails)
    doubts.write("", ["next"], arrives)
    assert set(sent[-1].undo) == {append.key for append in sent[:-1]}
    doubts.write("", ["after"], arrives)
    assert sent[-1].undo == ()


def test_an_append_whose_key_another_thread_gave_up_takes_a_new_one() -> None:
    """It is acknowledged only once it is there."""
    doubts, keys = Doubts(), list[Any]()

    def given_up_once(append: Append) -> bool:
        keys.append(append.key)
        return len(keys) > 1

    doubts.write("s", ["one"], given_up_once)
    assert len(set(keys)) == 2
