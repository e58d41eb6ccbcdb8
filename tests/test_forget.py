"""What is forgotten is nowhere: not one byte of the store's directory has it; the session goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from context_kit import BudgetError, ContextManager, StoreError
from context_kit.memory import FileStore, PostgresStore, forget
from context_kit.testing import Call, assistant, tool_round, user
from tests.talks import accepted, looks, prints
from tests.talks import told as said
from tests.test_store import ListStore

SECRET = 'The launch code is ALPHA-7731-XRAY.\nNobody but "Weber" may know: the vault opens at 04:15.'
CHINESE = "保险柜的密码是长城一九八四，除了老王以外，不要告诉任何人。"
CONTENT = """\
import os

TOKEN = 'quokka-9921'
HOST = 'db.internal.example'
def connect(host: str, token: str) -> str:
    return f'{host}/{token}/quokka-9921-session'"""
PATH = "src/vault.py"


Store = FileStore | PostgresStore
Stores = Callable[[], Store]


def everything(store: Store) -> Iterator[tuple[str, bytes]]:
    """All that a store has: each file of its directory, each table of its schema."""
    if isinstance(store, FileStore):
        yield from ((path.name, path.read_bytes()) for path in store.folder.rglob("*") if path.is_file())
        return
    tables = store._link.query("SELECT tablename FROM pg_tables WHERE schemaname = %s", store._link.schema)
    for (name,) in tables:
        query: Any = f"SELECT whole::text FROM {{schema}}.{name} AS whole"
        rows = store._link.query(query)
        text = "\n".join(row.replace("\\\\", "\\").replace('""', '"') for (row,) in rows)
        yield name, text.encode()


def found(store: Store, texts: Iterable[str]) -> list[tuple[str, str]]:
    """Where in a store a text stands, in any form that JSON gives it."""
    out = []
    data = list(everything(store))
    for text in texts:
        forms = {text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
        forms |= {json.dumps(form, ensure_ascii=plain)[1:-1] for form in list(forms) for plain in (True, False)}
        forms |= {" ".join(text.split())}
        out += [(name, text[:40]) for name, held in data for form in forms if form.encode() in held]
    return out


def contents(store: Store) -> list[Any]:
    """All lines of a store, as they are."""
    return [list(store.read("")), *(list(store.read(name)) for name in store.sessions()), store.finished()]


def numbered(text: str) -> str:
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(text.split("\n"), 1))


def talk(shape: Any, piece: str) -> list[Any]:
    """A session in which a piece is told, read, read again, edited and quoted."""
    lines = piece.split("\n")
    return [
        user(f"Keep the vault working. Do not touch tests/. {piece}"),
        *looks(shape, 1),
        *tool_round([Call("read_file", {"path": PATH}, result=piece, id="r1")], shape=shape, text="I read it."),
        *tool_round([Call("read_file", {"path": PATH}, result=numbered(piece), id="r2")], shape=shape, text="Again."),
        *tool_round(
            [Call("edit_file", {"path": PATH, "old_string": lines[-1], "new_string": f"{lines[-1]}  # x"}, id="e1")],
            shape=shape,
            text=f"I change what says {lines[-1]}",
        ),
        *tool_round(
            [Call("bash", {"command": "pytest -q"}, result=f"E   AssertionError: {lines[-1]}\nexit code 1", id="t1")],
            shape=shape,
            text="I try it.",
            reasoning="It is as I thought." if shape != "chat" else "",
        ),
        *assistant("It fails.", shape=shape),
    ]


def made(store: Store, shape: Any, piece: str) -> tuple[list[str], list[str]]:
    """A store whose session has a piece everywhere; the session's messages before, and its texts."""
    with ContextManager(5_000, store=store, session="s", model=None) as ctx:
        ctx.add(talk(shape, piece))
        ctx.compact()
        ctx.memory.append(action="decide", file=PATH, reason=f"because {piece}")
        for number in range(2, 30):
            ctx.prepare()
            ctx.add(looks(shape, number))
        ctx.compact()
        messages = [line["m"] for line in store.read("s") if line["k"] == "add"]
    with ContextManager(5_000, store=store, session="other") as ctx:
        ctx.add(user(f"As was said elsewhere: {piece}"))
        ctx.memory.append(action="note", reason=piece)
        ctx.compact()
        ctx.close(done=True)
    return prints(messages), [piece, *piece.split("\n")]


def bare(message: Any) -> Any:
    """A message without reasoning and what binds it: that may go where bytes before it have changed."""
    blocks = message.get("content")
    if isinstance(blocks, list):
        message = {**message, "content": [block for block in blocks if block.get("type") != "thinking"]}
    return {key: value for key, value in message.items() if key != "id"}


def checked(store: Store, shape: Any, before: list[str], whole: set[int]) -> None:
    """The session reopens, is legal, goes on; messages that had nothing of the piece are as they were."""
    lines = {line["n"]: line["m"] for line in store.read("s") if line["k"] == "add"}
    with ContextManager.open(store, "s") as ctx:
        accepted(ctx.prepare(), shape)
        for position, text in enumerate(before, 1):
            if position in whole:
                assert "[forgotten 2" in json.dumps(lines[position])
                assert "[forgotten 2" in ctx.recall(f"m{position}")[0].text
            elif "forgotten" not in json.dumps(lines.get(position, "forgotten")) and "I try it" not in text:
                assert bare(lines[position]) == bare(json.loads(text))
        ctx.add(looks(shape, 90))
        ctx.add(user("go on"))
        assert ctx.compact().outcome == "applied"
        accepted(ctx.prepare(), shape)
    store.search("vault")


PIECES = {"words": SECRET, "chinese": CHINESE, "file": CONTENT}
CASES = [
    ("m1", "words", "chat"),
    ("m1", "chinese", "responses"),
    ("m1", "file", "anthropic"),
    ("read", "words", "anthropic"),
    ("read", "chinese", "chat"),
    ("read", "file", "responses"),
    ("read", "file", "chat"),
]


@pytest.mark.parametrize(("address", "name", "shape"), CASES)
def test_a_message_is_forgotten_with_all_that_quotes_it(address: str, name: str, shape: Any, stores: Stores) -> None:
    """Later reads, edits, clips, bridges, receipts, checkpoint, journal, index, other sessions and the archive."""
    store, piece = stores(), PIECES[name]
    before, texts = made(store, shape, piece)
    store.search("vault")
    telling = [text for text in texts if len(text) > 14 or not text.isascii()]
    assert len({place for place, _ in found(store, telling)}) >= 2
    if address == "read":
        last = json.dumps(piece.split("\n")[-1])[1:-1]
        position = next(n for n, text in enumerate(before, 1) if '"r1"' in text and (last in text))
        address = f"m{position}"
    told = forget(store, address, session="s")
    assert told.pieces == 1
    assert found(store, telling) == []
    checked(store, shape, before, {int(address[1:])})
    assert found(store, telling) == []


@pytest.mark.parametrize("text", ["ALPHA-7731-XRAY", 'Nobody but "Weber" may know', "长城一九八四"])
def test_a_text_is_forgotten_wherever_it_stands(text: str, stores: Stores) -> None:
    """And nothing but the text: the words around it stay."""
    store = stores()
    made(store, "chat", f"{SECRET} {CHINESE}")
    assert found(store, [text])
    told = forget(store, matching=text)
    assert set(told.sessions) == {"s", "other"}
    assert found(store, [text]) == []
    assert found(store, ["the vault opens at 04:15"])
    with ContextManager.open(store, "s") as ctx:
        assert "[forgotten]" in ctx.recall("m1")[0].text
        accepted(ctx.prepare(), "chat")
        assert "forgotten" in {record.action for record in ctx.memory.records()}


@pytest.mark.parametrize("kind", ["compaction", "pin", "file", "record", "engram"])
def test_every_kind_of_address_can_be_forgotten(kind: str, stores: Stores) -> None:
    """What a compaction took out, a pin, a file's content, an engram, a journal record."""
    store = stores()
    with ContextManager(5_000, store=store, session="s") as ctx:
        ctx.add(talk("chat", CONTENT))
        ctx.add([message for number in range(2, 14) for message in looks("chat", number)])
        pin = ctx.pin("The port of the vault is 4711-quokka.")
        receipt = ctx.compact()
        record = ctx.memory.append(action="decide", reason="The port of the vault is 4711-quokka.")
        engram = next(each for each in receipt.engrams if each.kind == "file")
    wanted = {
        "compaction": (receipt.id, "quokka-9921"),
        "pin": (pin.id, "4711-quokka"),
        "file": (f"f:{PATH}@99", "quokka-9921"),
        "record": (record.id, "4711-quokka"),
        "engram": (engram.id, "quokka-9921"),
    }
    address, text = wanted[kind]
    assert found(store, [text])
    forget(store, address, session="s")
    assert found(store, [text]) == []
    with ContextManager.open(store, "s") as ctx:
        accepted(ctx.prepare(), "chat")
        (again, *_) = ctx.recall(address)
        assert "[forgotten" in again.text
        assert text not in said(ctx.messages)


def test_a_tombstone_says_when_and_not_what(stores: Stores) -> None:
    """In the message's place, with its role and ids; a second time changes nothing that was forgotten."""
    store = stores()
    made(store, "chat", SECRET)
    forget(store, "m1", session="s")
    lines = [line for line in store.read("s") if line["k"] == "add"]
    assert lines[0]["m"]["role"] == "user"
    assert lines[0]["m"]["content"].startswith("[forgotten 20")
    assert lines[0]["t"] < 40


def test_an_archived_record_is_forgotten_too(stores: Stores) -> None:
    """Tidied away is not gone: forgotten is."""
    store = stores()
    with ContextManager(6_000, store=store, session="s") as ctx:
        old = ctx.memory.append(action="decide", file="a.py", reason=SECRET)
        ctx.memory.append(action="decide", file="b.py", reason="x")
        ctx.memory.append(action="decide", file="a.py", reason=SECRET)
        assert ctx.memory.tidy().repeated == 1
    assert found(store, [SECRET])
    forget(store, old.id)
    assert found(store, [SECRET, "ALPHA-7731-XRAY"]) == []


def test_a_torn_line_and_a_draft_are_forgotten_too(tmp_path: Path) -> None:
    """What a killed process left half written is text as well."""
    made(FileStore(tmp_path), "chat", SECRET)
    with (tmp_path / "s" / "log.jsonl").open("a") as file:
        file.write('{"k":"add","n":999,"m":{"role":"user","content":"' + json.dumps(SECRET)[1:-1])
    (tmp_path / "s" / ".checkpoint.md.new").write_text(SECRET)
    forget(FileStore(tmp_path), "m1", session="s")
    assert found(FileStore(tmp_path), [SECRET, "ALPHA-7731-XRAY"]) == []
    ContextManager.open(tmp_path, "s").close()


def test_a_journal_behind_a_link_is_forgotten_too(tmp_path: Path) -> None:
    """The file that the link leads to is rewritten, and stays linked."""
    (tmp_path / "kept.jsonl").touch()
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "memory.jsonl").symlink_to(tmp_path / "kept.jsonl")
    with ContextManager(6_000, store=tmp_path / "store", session="s") as ctx:
        ctx.memory.append(action="note", reason=SECRET)
        ctx.memory.append(action="note", reason="stays")
    forget(FileStore(tmp_path / "store"), matching=SECRET)
    text = (tmp_path / "kept.jsonl").read_text()
    assert (tmp_path / "store" / "memory.jsonl").is_symlink()
    assert "ALPHA" not in text
    assert "stays" in text


def test_a_session_at_work_is_not_changed_behind_its_back(stores: Stores) -> None:
    """It has the piece in its window: whoever holds it is named, and nothing is changed anywhere."""
    store = stores()
    made(store, "chat", SECRET)
    before = contents(store)
    with ContextManager.open(store, "s"), pytest.raises(StoreError, match=r"held by.*close it"):
        forget(store, "m1", session="s")
    assert contents(store) == before


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"address": "m9999", "session": "s"}, StoreError),
        ({"address": "m1", "session": "nobody"}, StoreError),
        ({"address": "r000000000000"}, StoreError),
        ({"address": "the launch code", "session": "s"}, BudgetError),
        ({"address": "m1"}, BudgetError),
        ({"address": ""}, BudgetError),
        ({"matching": "a"}, BudgetError),
        ({"matching": "   "}, BudgetError),
        ({"address": "m1", "session": "s", "matching": "launch code"}, BudgetError),
    ],
)
def test_what_cannot_be_forgotten_is_told(arguments: dict[str, Any], error: type[Exception], stores: Stores) -> None:
    """And nothing is changed."""
    store = stores()
    made(store, "chat", SECRET)
    before = contents(store)
    with pytest.raises(error):
        forget(store, **arguments)
    assert contents(store) == before


def test_a_store_of_five_methods_cannot_forget() -> None:
    """It says what it lacks."""
    with pytest.raises(StoreError, match="IndexedStore"):
        forget(ListStore(), "m1")
