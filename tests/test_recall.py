"""Recall: what left the window comes back, whole by its address, by the piece for words and paths."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_kit import BudgetError, ContextManager
from context_kit.testing import Call, assistant, tool_round, user
from context_kit.tokens import counter
from tests.talks import CODE, FAILED, GOAL, GOAL_ZH, SHAPES, filler, looks, reads, runs, session, told, writes

COUNT = counter()
NEEDLE = "The staging database listens on port 54329 behind bastion-7."


def compacted(
    *more: Any, window: int = 8_000, shape: Any = "chat", language: str = "en", **arguments: Any
) -> ContextManager:
    ctx = ContextManager(window, **arguments)
    ctx.add([*session(shape, language)[:4], *more, *session(shape, language)[4:]])
    assert ctx.compact().outcome == "applied"
    return ctx


# -- by address ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_an_address_brings_exactly_that_text(shape: Any) -> None:
    """Whole, whatever `max_tokens` says; one piece, with score 1."""
    ctx = ContextManager(8_000)
    big = filler(7, 900)
    talk = [user(GOAL), *tool_round([Call("Bash", {"command": "cat big"}, result=big, id="c1")], shape=shape)]
    ctx.add(talk)
    ctx.prepare()
    (found,) = ctx.recall("m3", k=1, max_tokens=10)
    assert found.text == big
    assert (found.address, found.kind, found.score) == ("m3", "tool", 1.0)
    assert found.tokens == COUNT(big)
    assert (found.source.session, found.source.position, found.source.age) == (ctx.session, 3, 0)


def test_a_compactions_address_brings_all_that_it_took_out() -> None:
    """Every message, in order, under its own address."""
    ctx = compacted(*assistant(NEEDLE))
    (found,) = ctx.recall("c1")
    places = [found.text.index(f"[{address} ") for address in ctx.compactions[0].summarised]
    assert places == sorted(places)
    assert NEEDLE in found.text


def test_a_files_address_brings_its_content_as_of_then() -> None:
    """Not today's: rebuilt from the reads and edits up to that position."""
    ctx = ContextManager(8_000)
    ctx.add(
        [user(GOAL), *reads("chat", "src/calc.py", CODE, id="r1"), *writes("chat", "src/calc.py", "new = 1\n", id="w1")]
    )
    assert ctx.recall("f:src/calc.py@3")[0].text == CODE
    assert ctx.recall("f:src/calc.py@5")[0].text == "new = 1\n"
    assert ctx.recall("f:src/calc.py@99")[0].text == "new = 1\n"


def test_engrams_and_records_have_addresses_too() -> None:
    """`e1`, `p1`, a record's id."""
    ctx = compacted()
    pin = ctx.pin("The port is 4711.")
    record = ctx.memory.append(action="decide", reason="use decimals")
    engram = ctx.engrams[1]
    assert ctx.recall(engram.id)[0].text == engram.text
    assert ctx.recall(pin.id)[0].text == "The port is 4711."
    assert "use decimals" in ctx.recall(record.id)[0].text


@pytest.mark.parametrize(
    "address",
    ["m0", "m999", "m99999999999999999999", "c9", "f:nowhere.py@3", "e99", "p99", "rffffffffffff", "m", "f:@", "m-1"],
)
def test_an_unknown_address_brings_nothing_wrong(address: str) -> None:
    """No text that isn't the address's own."""
    assert [piece for piece in compacted().recall(address) if piece.score == 1.0] == []


@pytest.mark.parametrize("address", ["m0", "m999", "c9", "f:src/calc.py@0", "rffffffffffff"])
def test_what_is_an_address_is_never_taken_for_words(address: str) -> None:
    """Nothing is better than another text: an empty list says that the address is wrong."""
    assert compacted().recall(address) == []


def test_every_address_in_the_window_is_good() -> None:
    """What the bridge and the stubs tell the model to recall can be recalled."""
    import re

    ctx = ContextManager(4_000)
    ctx.add([*session(), *runs("chat", f"Exit code 1\n{FAILED}", id="t9"), user("word " * 1_500)])
    ctx.prepare()
    ctx.compact()
    addresses = re.findall(r'recall\("([^"]+)"\)', told(ctx.messages))
    assert addresses
    assert all(ctx.recall(address)[0].text for address in addresses)


# -- by words and paths ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "staging database",
        "54329",
        "bastion-7",
        "which PORT does the staging database listen on?",
        "the staging database listens on port",
    ],
)
def test_words_find_what_left(query: str) -> None:
    """By any of its words, in any case; the best piece first."""
    found = compacted(*assistant(NEEDLE)).recall(query)
    assert NEEDLE in found[0].text
    assert found[0].address == "m5"
    assert [piece.score for piece in found] == sorted((piece.score for piece in found), reverse=True)


def test_a_path_finds_what_was_done_with_it() -> None:
    """A file is known by its name."""
    ctx = compacted(*writes("chat", "src/parsers/tokens.py", "def split() -> list[str]:\n    return []\n", id="w9"))
    assert any(
        "def split()" in piece.text or "tokens.py" in piece.text for piece in ctx.recall("src/parsers/tokens.py")
    )
    assert ctx.recall("tokens.py")[0].address in ("m5", "m6")


@pytest.mark.parametrize("query", ["登录接口", "先修复登录", "补充文档"])
def test_chinese_is_found_without_spaces(query: str) -> None:
    """By pairs of characters."""
    ctx = compacted(*assistant("先修复登录接口，再补充文档。"), language="zh")
    assert any("先修复登录接口" in piece.text for piece in ctx.recall(query))


def test_what_stands_in_the_window_is_not_brought_again() -> None:
    """Recall is for what left; the tail is there already."""
    ctx = compacted()
    ctx.add(assistant(NEEDLE))
    assert ctx.recall("staging database") == []


def test_nothing_has_left_yet() -> None:
    """Before a compaction there is nothing to recall by words."""
    ctx = ContextManager(60_000)
    ctx.add(session())
    assert ctx.recall("calc") == []
    assert ctx.recall("m2")[0].text == GOAL


def test_the_journal_is_searched_too(tmp_path: Path) -> None:
    """And that of other sessions of the store."""
    with ContextManager(8_000, store=tmp_path, session="old") as old:
        old.memory.append(action="decide", file="src/money.py", reason="use decimals for money")
    with ContextManager(8_000, store=tmp_path, session="new") as new:
        (found, *_) = new.recall("decimals money")
        assert "use decimals for money" in found.text
        assert (found.kind, found.source.session) == ("journal", "old")


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 8), st.integers(1, 3_000), st.sampled_from(["listing value", "line 3", "ls", "part2", "calc py"]))
def test_all_pieces_together_are_within_the_limit(k: int, limit: int, query: str) -> None:
    """At most `k`, at most `max_tokens`; each a piece of the original."""
    found = RICH.recall(query, k=k, max_tokens=limit)
    assert len(found) <= k
    assert sum(piece.tokens for piece in found) <= limit
    assert all(piece.tokens == COUNT(piece.text) for piece in found)
    assert all(piece.text in RICH.recall(piece.address)[0].text for piece in found if piece.kind != "journal")


RICH = compacted(*(message for number in range(30, 50) for message in looks("chat", number)))


def test_the_piece_is_the_one_around_the_match() -> None:
    """Out of a large text comes the part that was asked for."""
    hay = f"{filler(1, 300)}\n{NEEDLE}\n{filler(2, 300)}"
    ctx = compacted(*tool_round([Call("Bash", {"command": "cat x"}, result=hay, id="h1")]), window=16_000)
    (found,) = ctx.recall("staging database port", k=1, max_tokens=300)
    assert NEEDLE in found.text
    assert found.tokens <= 300


@pytest.mark.parametrize("query", ["", "   ", "\n", "？！", "...", "\ud83d", "a" * 10_000, "(" * 500, "\\"])
def test_any_query_is_answered(query: str) -> None:
    """With what is there, or with nothing; never with an error."""
    assert isinstance(compacted().recall(query), list)


@pytest.mark.parametrize("arguments", [{"k": 0}, {"k": -1}, {"max_tokens": 0}, {"max_tokens": -5}])
def test_limits_below_one_bring_nothing_or_are_refused(arguments: dict[str, int]) -> None:
    """No text above the limit."""
    with contextlib.suppress(BudgetError):
        assert compacted().recall("calc", **arguments) == []


def test_recalled_text_holds_no_secrets() -> None:
    """The log keeps the original; what comes back is redacted."""
    key = "sk-ant-api03-" + "a1B2" * 12
    ctx = compacted(*assistant(f"The key of staging is {key}."))
    assert key not in ctx.recall("key of staging")[0].text
    assert key not in ctx.recall("m5")[0].text
    assert "[redacted:anthropic-key]" in ctx.recall("m5")[0].text
    plain = compacted(*assistant(f"The key of staging is {key}."), redact=False)
    assert key in plain.recall("m5")[0].text


def test_goal_and_language_do_not_matter() -> None:
    """A Chinese goal is recalled by its address as well."""
    assert compacted(language="zh").recall("m2")[0].text == GOAL_ZH


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("[m3]", ["m3"]),
        ("M3", ["m3"]),
        ('recall("m3")', ["m3"]),
        ("m2–m4", ["m2", "m3", "m4"]),
        ("m2-4", ["m2", "m3", "m4"]),
        ("m2, m5", ["m2", "m5"]),
        ("m2、m5", ["m2", "m5"]),
        ("f:src/m1.py", ["f:src/m1.py"]),
    ],
)
def test_an_address_is_taken_as_a_model_writes_it(query: str, found: list[str]) -> None:
    """In quotes or brackets, several, as the range that a bridge's title shows, a file without its position."""
    ctx = ContextManager(8_000)
    ctx.add(user("Read them all."))
    for number in range(12):
        read = Call("read_file", {"path": f"src/m{number}.py"}, result=f"x = {number}\n" * 90, id=f"c{number}")
        ctx.add(tool_round([read], text=f"Step {number}."))
    ctx.compact()
    assert [each.address for each in ctx.recall(query)] == found


def test_what_only_looks_like_an_address_is_words() -> None:
    """An error code such as E007 is found where it stands."""
    ctx = ContextManager(8_000)
    ctx.add(user("What does E007 mean?"))
    for number in range(12):
        listed = Call("bash", {"command": f"codes {number}"}, result=f"E00{number}: reason\n" * 90, id=f"c{number}")
        ctx.add(tool_round([listed], text=f"Step {number}."))
    ctx.compact()
    assert "E007" in ctx.recall("E007")[0].text


# -- the ranking ----------------------------------------------------------------------------------


def worked(*more: Any) -> ContextManager:
    """A session of which all but the end left the window."""
    ctx = ContextManager(8_000)
    ctx.add([user("Make the parser work."), *more])
    for number in range(40):
        ctx.add(assistant(f"Step {number}: {filler(number, 24)}"))
        ctx.prepare()
    ctx.compact()
    return ctx


def listed(result: str, command: str, id: str) -> list[Any]:  # noqa: A002
    return tool_round([Call("bash", {"command": command}, result=result, id=id)])


@pytest.mark.parametrize(
    "query",
    [
        "user session token",
        "getUserSessionToken",
        "get_user_session_token",
    ],
)
def test_a_name_is_met_by_its_parts(query: str) -> None:
    """However it is joined, in snake or camel; before a text that has the same words apart."""
    apart = f"The user has a token. {filler(77, 20)} A session is long."
    ctx = worked(*assistant(apart), *listed("x = getUserSessionToken(request)", "grep -rn x", "n1"))
    assert "getUserSessionToken" in ctx.recall(query)[0].text


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("edited tokens.py", "edit"),
        ("where was tokens.py changed", "edit"),
        ("修改 tokens.py", "edit"),
        ("read tokens.py", "read"),
        ("看过的 tokens.py 的内容", "read"),
    ],
)
def test_a_verb_says_which_piece_is_meant(query: str, kind: str) -> None:
    """What a call did counts, not only which words it holds."""
    read = reads("chat", "src/tokens.py", "def split(text):\n    return text.split()\n", id="rd")
    edit = writes("chat", "src/tokens.py", "def split(text):\n    return text.splitlines()\n", id="wr")
    found = worked(*read, *edit).recall(query)[0]
    assert found.source.position in ({"read": (2, 3), "edit": (4, 5)}[kind])


@pytest.mark.parametrize("query", ["error widget missing", "widget.h 报错", "why did make fail on widget"])
def test_an_error_is_found_where_it_was_told(query: str) -> None:
    """Not where somebody speaks of the widget."""
    talk = "The widget is drawn by the widget code, the widget is blue. " * 6
    failed = "Exit code 2\nmain.c:3: fatal error: widget.h: No such file or directory"
    assert "fatal error" in worked(*assistant(talk), *listed(failed, "make all", "mk")).recall(query)[0].text


def test_equal_texts_come_once_and_the_newest_version_first() -> None:
    """A listing that was made three times is given once; of two readings of a file the later one leads."""
    same = [message for number in range(3) for message in listed("zebra quagga okapi", "ls zoo", f"z{number}")]
    old, new = (reads("chat", "zoo.py", f"zebra = {value}\nquagga = 1\n", id=f"v{value}") for value in (1, 2))
    ctx = worked(*same, *old, *new)
    texts = [each.text for each in ctx.recall("zebra quagga okapi")]
    assert texts.count("zebra quagga okapi") == 1
    found = [each.text for each in ctx.recall("read zoo.py quagga", k=8) if "zebra = " in each.text]
    assert "zebra = 2" in found[0]


def test_the_index_grows_with_the_log() -> None:
    """What leaves the window after a question is found by the next one."""
    ctx = worked()
    assert ctx.recall("staging database") == []
    ctx.add(assistant(NEEDLE))
    for number in range(40):
        ctx.add(assistant(f"More {number}: {filler(number, 24)}"))
        ctx.prepare()
    ctx.compact()
    assert NEEDLE in ctx.recall("staging database")[0].text


@pytest.mark.parametrize("at", [10, 70_000, 200_000])
def test_a_needle_is_found_anywhere_in_a_large_text(at: int) -> None:
    """However long a text is, all of it is indexed."""
    hay = "".join(f"line {number} of the log, all is well\n" for number in range(7_000))
    ctx = ContextManager(60_000)
    ctx.add([user("Look at the log."), *listed(f"{hay[:at]}\n{NEEDLE}\n{hay[at:]}", "cat big.log", "big")])
    for number in range(60):
        ctx.add(assistant(f"Step {number}: {filler(number, 60)}"))
        ctx.prepare()
    ctx.compact()
    assert NEEDLE in ctx.recall("staging database port")[0].text


def test_a_record_comes_back_whole(tmp_path: Path) -> None:
    """By its id, however long its fields are."""
    reason = "Use decimals, never floats. " * 40
    with ContextManager(8_000, store=tmp_path, session="s") as ctx:
        record = ctx.memory.append(action="decide", file="src/money.py", reason=reason)
    with ContextManager.open(tmp_path, "s") as ctx:
        assert reason in ctx.recall(record.id)[0].text
        assert ctx.recall("decimals floats money")[0].address == record.id


@pytest.mark.parametrize("number", [1, 3, 11])
def test_words_quoted_whole_find_where_they_stand(number: int) -> None:
    """Texts that hold the same words more often, in another order, come behind the one that says it."""
    ctx = ContextManager(6_000)
    ctx.add(user("Look at the listings."))
    for listing in range(16):
        call = Call(
            "run",
            {"command": f"list {listing}"},
            result="\n".join(f"line {n} of listing {listing}: {n * 7}" for n in range(30)),
        )
        ctx.add(tool_round([call]))
    ctx.compact()
    quote = f"line 2 of listing {number}: 14"
    assert quote in ctx.recall(quote, k=1)[0].text
