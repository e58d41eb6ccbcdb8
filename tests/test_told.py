"""What is told of other sessions: how much, in which order, how long it stays, and that it says nothing false."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from pathlib import Path

import pytest

from context_kit import ContextManager
from context_kit.bridge import Line, listed
from context_kit.memory import FileStore
from context_kit.testing import user
from context_kit.typing import Store
from tests.talks import CODE, GOAL, looks, prints, reads, runs, writes
from tests.test_other_sessions import CHANGED, NEXT, WIDER, WINDOW, begins, begun, changed, grown, met, worked
from tests.test_store import ListStore

RULES = ("Always use Decimal for money, never float.", "Never touch the migrations folder.")
CHOSEN = "We chose Postgres instead of Redis, because the queue has to be durable."
HEADING = "## From other sessions"


@pytest.fixture(params=["files", "lists"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """A store with an index, and one with the five methods only."""
    return FileStore(tmp_path) if request.param == "files" else ListStore()


def noted(store: Store, *records: dict[str, str], session: str = "first") -> None:
    """A session of others that left these records."""
    with ContextManager(WINDOW, store=store, session=session) as ctx:
        for record in records:
            ctx.memory.append(**record)


def ruled(store: Store) -> None:
    noted(
        store,
        *({"action": "constraint", "reason": rule} for rule in RULES),
        {"action": "decide", "reason": CHOSEN},
        session="ruled",
    )


def declared(store: Store, texts: dict[str, str]) -> None:
    """Declarations of one file, as a session of others records them."""
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    same = {"ts": now, "session": "first", "action": "contract", "file": "src/calc.py"}
    lines = enumerate(texts.items())
    store.append(
        "", [{"id": f"a{number:012x}", **same, "name": name, "result": text} for number, (name, text) in lines]
    )


def section(ctx: ContextManager) -> str:
    """What the bridge says of others; empty where it says nothing."""
    return str(ctx.messages[0]["content"]).partition(HEADING)[2]


def more(ctx: ContextManager, start: int) -> None:
    ctx.add([message for number in range(start, start + 8) for message in looks("chat", number)])


# -- what stays told ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("again", [False, True], ids=["open", "opened again"])
def test_rules_and_decisions_told_at_the_start_stay_told(again: bool, store: Store) -> None:
    """In every later bridge, though they share no word with the step, and with other records written since."""
    ruled(store)
    ctx = begun(store, "second", user(NEXT))
    assert all(words in met(ctx) for words in (*RULES, CHOSEN))
    noted(store, *({"action": "note", "reason": f"Entry {n} of the diary."} for n in range(30)), session="diary")
    for start in (0, 20, 40):
        more(ctx, start)
        if again:
            ctx.close()
            ctx = ContextManager.open(store, "second")
        receipt = ctx.compact()
        assert receipt.outcome == "applied"
        assert all(section(ctx).count(words) == 1 for words in (*RULES, CHOSEN))
        assert len(receipt.others) >= 3


def test_rules_stay_told_beside_much_that_is_nearer(store: Store) -> None:
    """However many records of others are about the step's own file."""
    ruled(store)
    ctx = begun(store, "second", user(NEXT))
    met(ctx)
    near = ({"action": "decide", "reason": f"src/calc.py total() keeps digit {n} of a sum."} for n in range(90))
    noted(store, *near, session="near")
    more(ctx, 0)
    ctx.compact()
    assert all(rule in section(ctx) for rule in RULES)
    assert "keeps digit" in section(ctx)


def test_a_rule_that_was_taken_back_since_is_told_no_more(store: Store) -> None:
    """By the user, in any session."""
    noted(store, {"action": "constraint", "reason": "Always use tabs in Python files."})
    ctx = begun(store, "second", user(NEXT))
    assert "tabs" in met(ctx)
    with begun(store, "third", user("Don't use tabs in Python files any more: use four spaces.")):
        pass
    more(ctx, 0)
    ctx.compact()
    assert "Always use tabs" not in section(ctx)


def test_rules_come_first_then_what_concerns_the_step(store: Store) -> None:
    """Contracts behind the words."""
    worked(store)
    ruled(store)
    ctx = begun(store, "second", user(NEXT))
    met(ctx)
    more(ctx, 0)
    ctx.compact()
    text = section(ctx)
    places = [text.index(words) for words in (*RULES, "ZeroDivisionError", CHOSEN)]
    assert max(places[:2]) < min(places[2:])
    assert places[2] < places[3]


@pytest.mark.parametrize("compacted", [False, True], ids=["start", "bridge"])
def test_what_has_no_room_is_counted(compacted: bool, store: Store) -> None:
    """One line says how many more there are and how to get them; it counts what is not told."""
    noted(store, *({"action": "decide", "reason": f"src/calc.py total() keeps digit {n} of a sum."} for n in range(30)))
    ctx = begun(store, "second", user(NEXT))
    text = met(ctx)
    if compacted:
        more(ctx, 0)
        ctx.compact()
        text = section(ctx)
    (left,) = re.findall(r"^… (\d+) more, .*recall", text, re.MULTILINE)
    assert 0 < text.count("- decided") == 30 - int(left)


def test_a_bridge_without_others_counts_nothing(store: Store) -> None:
    """Nothing is left out where there is nothing."""
    ctx = grown(store, "only", user(NEXT))
    ctx.compact()
    assert section(ctx) == ""


# -- a start that has nothing to do with them -------------------------------------------------------------------


def test_an_unrelated_task_is_told_little(store: Store) -> None:
    """The user's rules, a few decisions and pitfalls, and of the newest contracts the signatures."""
    worked(store)
    ruled(store)
    noted(store, *({"action": "decide", "reason": f"Choice {n} of many."} for n in range(20)), session="many")
    text = met(begun(store, "second", user("What is the capital of France?")))
    assert all(rule in text for rule in RULES)
    assert text.count("- decided") == 3
    assert text.count("- pitfall") <= 2
    assert text.count("def ") + text.count("class ") <= 10
    assert "    " not in text


LONG = "class Order:\n    id: int\n" + "".join(f"    field_{n}: str\n" for n in range(30))
WRAPPED = "def settle(\n    order: Order,\n    digits: int,\n) -> float:\n    field: int"


@pytest.mark.parametrize(
    ("text", "shown"),
    [(LONG, "class Order:"), (WRAPPED + "\n" * 9, "def settle(\n    order: Order,\n    digits: int,\n)")],
)
def test_a_long_declaration_is_told_by_its_signature(text: str, shown: str, store: Store) -> None:
    """With the record's id for the rest, and not cut in the middle."""
    declared(store, {"x": text + "    last: int"})
    told = met(begun(store, "second", user(NEXT)))
    assert shown in told
    assert "field_" not in told
    (name,) = re.findall(r'recall\("(a\w+)"\)', told)
    with begun(store, "asks", user("Look it up.")) as ctx:
        assert "last: int" in ctx.recall(name)[0].text


def test_contracts_of_one_file_stand_under_its_path_once(store: Store) -> None:
    """A member behind its class, whichever is nearer to the task."""
    texts = {
        "Rate.round": "    def round(self, total: float) -> float:",
        "Rate": "class Rate:",
        "apply": "def apply() -> None:",
    }
    declared(store, texts)
    told = met(begun(store, "second", user(f"{NEXT} Rate.round and apply() change.")))
    assert told.count("src/calc.py") == 1
    assert "class Rate:\n    def round(self, total: float) -> float:\ndef apply" in told


# -- nothing that means something else here ----------------------------------------------------------------------


def test_addresses_of_another_log_are_not_shown(store: Store) -> None:
    """They would bring other messages here: what was changed is told in words, the record by its own id."""
    talk = [
        user(GOAL),
        *reads("chat", "src/calc.py", CODE, id="r1"),
        *runs("chat", "Exit code 1\nZeroDivisionError: division by zero", id="t1", failed=True),
        *writes("chat", "src/calc.py", WIDER, id="w1", text="Now guard it."),
        *runs("chat", "3 passed", id="t2"),
    ]
    with begun(store, "first", *talk) as ctx:
        ctx.memory.append(action="decide", file="src/calc.py", reason="The guard returns 0 (m6)")
    ctx = begun(store, "second", user(NEXT))
    assert "pitfall (first" in met(ctx)
    assert "The guard returns 0" in met(ctx)
    assert re.findall(r"\bm\d+\b", met(ctx)) == []
    found = ctx.recall("ZeroDivisionError division by zero guard")
    assert found
    assert all(re.findall(r"\bm\d+\b", each.text) == [] for each in found if each.source.session == "first")


# -- one repository in two folders ----------------------------------------------------------------------------------

ANN, BOB = "/home/ann/repo", "/home/bob/repo"


def left(store: Store, session: str, *acts: tuple[str, str]) -> None:
    """A session that wrote these files."""
    talk = (m for n, (path, text) in enumerate(acts) for m in writes("chat", path, text, id=f"w{n}"))
    with begun(store, session, user(GOAL), *talk):
        pass


@pytest.mark.parametrize(
    ("older", "newer", "one"),
    [
        ([f"{ANN}/src/calc.py"], [f"{BOB}/src/calc.py"], True),
        (["src/calc.py"], [f"{BOB}/src/calc.py"], True),
        (["/w/one/src/calc.py"], ["/w/two/src/calc.py"], True),
        (["/w/one/src/calc.py", "/w/two/src/calc.py"], ["/w/two/src/calc.py"], False),
        (["/w/one/src/calc.py"], ["/w/one/old/src/calc.py"], False),
        ([f"{ANN}/calc.py"], [f"{BOB}/pages/calc.py"], False),
        (["a/src/calc.py"], ["b/src/calc.py"], False),
    ],
)
def test_the_newest_counts_in_whichever_folder_it_was_made(
    older: list[str], newer: list[str], one: bool, store: Store
) -> None:
    """Where a session worked in both, or the names don't end alike, they are two files."""
    left(store, "older", *((path, CODE) for path in older))
    left(store, "newer", *((path, WIDER) for path in newer))
    text = met(begun(store, "third", user(NEXT)))
    assert "start: float = 0) -> float:" in text
    assert ("def total(values: list[float]) -> float:" not in text) is one


@pytest.mark.parametrize(("both", "told_again"), [(False, False), (True, True)])
def test_a_file_seen_in_ones_own_folder_is_known_better(both: bool, told_again: bool, store: Store) -> None:
    """Unless this session works in both folders."""
    left(store, "older", (f"{ANN}/src/calc.py", CODE))
    talk = [user(NEXT), *reads("chat", f"{BOB}/src/calc.py", WIDER, id="r1")]
    talk += reads("chat", f"{ANN}/src/other.py", "x = 1\n", id="r2") if both else []
    assert ("def total" in met(begun(store, "third", *talk))) is told_again


# -- beside this session's own texts (policy `layered`) --------------------------------------------------------------


def test_layered_tells_nothing_twice_and_leaves_others_their_share(store: Store) -> None:
    """What stands on the board is not brought back, nor what says nothing; lines and words are whole."""
    ruled(store)
    line = "The invoice table of src/calc.py total() has one row for each currency, and number {} of them is EUR-{}."
    ctx = begun(store, "second", user(NEXT), policy="layered")
    met(ctx)
    ctx.add(writes("chat", "src/calc.py", WIDER, id="w1"))
    ctx.add(runs("chat", "\n".join(line.format(n, n) for n in range(60)), id="n1", command="./invoice --table"))
    ctx.add(runs("chat", "Exit code 1\nTypeError: total() got 3 arguments", id="t1", failed=True))
    more(ctx, 0)
    ctx.add(user("Round the invoice table of total() in src/calc.py."))
    ctx.compact()
    bridge = str(ctx.messages[0]["content"])
    back = bridge.partition("## Left the window, of use now")[2].partition("\n## ")[0]
    rows = {line.format(n, n) for n in range(60)}
    brought = [text for text in back.splitlines() if text and not text.startswith(("[", "`"))]
    assert brought
    assert set(brought) <= rows
    assert all(rule in section(ctx) for rule in RULES)


# -- what others change --------------------------------------------------------------------------------------------


def test_a_second_change_says_what_was_told_before(store: Store) -> None:
    """Not what this session read first."""
    wider = WIDER.replace("start: float = 0", "start: float = 0, digits: int = 2")
    ctx = begun(store, "mine", user(GOAL), *reads("chat", "src/calc.py", CODE, id="r1"))
    ctx.prepare()
    changed(store, "theirs", CODE, WIDER)
    ctx.prepare()
    ctx.add(looks("chat", 1, lines=3))
    changed(store, "thirds", WIDER, wider)
    text = begins(ctx.prepare(), CHANGED)[-1]
    was, _, now = text.partition("it is now:")
    assert "start: float = 0) ->" in was
    assert "digits: int = 2) ->" in now


def test_what_was_told_as_gone_and_is_back_is_told(store: Store) -> None:
    """Though it is as this session read it first."""
    gone = CODE.partition("\n\n\n")[0] + "\n"
    ctx = begun(store, "mine", user(GOAL), *reads("chat", "src/calc.py", CODE, id="r1"))
    ctx.prepare()
    changed(store, "theirs", CODE, gone)
    assert begins(ctx.prepare(), CHANGED)[-1].endswith("it is gone.")
    ctx.add(looks("chat", 1, lines=3))
    changed(store, "thirds", gone, CODE)
    text = begins(ctx.prepare(), CHANGED)[-1]
    assert "it was gone." in text
    assert "def total(values: list[float]) -> float:" in text.partition("it is now:")[2]


@pytest.mark.parametrize(
    ("new", "named"),
    [("def sum_up(values: list[float])", True), ("def sum_up(rows: list[str])", False)],
    ids=["renamed", "another one"],
)
def test_a_declaration_that_took_the_place_is_named(new: str, named: bool, store: Store) -> None:
    """With the same parameters, in the same file, by the same change; and it is told the same when opened again."""
    ctx = begun(store, "mine", user(GOAL), *reads("chat", "src/calc.py", CODE, id="r1"))
    ctx.prepare()
    changed(store, "theirs", CODE, CODE.replace("def total(values: list[float])", new))
    sent = ctx.prepare()
    (text,) = begins(sent, CHANGED)
    assert "it is gone" in text
    assert ("it is gone; in the same file now stands:" in text) is named
    assert (new in text) is named
    ctx.close()
    with ContextManager.open(store, "mine") as again:
        assert prints(again.prepare()) == prints(sent)


# -- within their room -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", [0, 10, 25, 60, 120, 300, 1_000])
def test_lines_keep_within_their_room(room: int) -> None:
    """Of one heading or several, short or whole, with the line about the rest."""
    lines = [
        Line(
            head=f"- contract src/m{n % 3}.py:", body=f"class C{n}:\n    x: int", short=f"class C{n}:", order=(f"C{n}",)
        )
        for n in range(12)
    ]
    found = listed(lines, room, len, more="… {count} more")
    assert len("\n".join(found)) <= room
    text = "\n".join(found)
    left = sum(map(int, re.findall(r"… (\d+) more", text)))
    told = sum(line.stands_in(text) for line in lines)
    assert told + left == 12 or (room < 60 and not left and told < 2)
