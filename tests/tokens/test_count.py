"""Tokens of a text: exact for ordinary text, linear and close for any other, never an exception."""

from __future__ import annotations

import os
import socket
import threading
import warnings
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from context_kit.errors import BudgetError, StoreError
from context_kit.tokens import _encodings as encodings
from context_kit.tokens import counter
from context_kit.tokens._encodings import SPECS, Spec, encoding, encoding_of
from context_kit.tokens._pieces import CHUNK, LONG, pieces
from context_kit.typing import Count

count = counter()
MIXED = (
    "def f(x):\n\treturn {'a': [1, 22, 333_444]}  # naïve café\r\n\n"
    "会话历史压缩之后仍然很长。はい、そうです。 대화 기록 नमस्ते ที่นี่ 👩‍👩‍👧‍👦 🇩🇪 e\u0301\n"
    "<|endoftext|> <|im_start|>system we'll they'RE   \t  \n\n\n  ==== ------ "
    "https://a.b/c?d=e&f=%20 ABCdefGHI\u200b\u3000x"
)


@cache
def independent(name: str) -> Any:
    """An implementation with ranks and an algorithm of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it opens its data the old way
        return import_module("bpe_openai").get_encoding(name)


def reference(text: str, name: str = "o200k_base") -> int:
    return len(independent(name).encode_ordinary(text))


@given(st.text(max_size=300))
@example(MIXED)
@example(MIXED * 40)
@settings(max_examples=100, deadline=None)
def test_counts_are_exact(text: str) -> None:
    """Ordinary text has exactly the tokens that an independent implementation finds."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    assert count(text) == reference(text)
    assert counter("gpt-4")(text) == reference(text, "cl100k_base")


def test_long_ordinary_text_is_exact() -> None:
    """A text that is counted in pieces has exactly its tokens."""
    text = "".join(f"line {n}: {MIXED}\n" for n in range(1500))
    assert sum(1 for _ in pieces(text)) > 1
    assert count(text) == len(encoding("o200k_base").encode_ordinary(text))
    assert counter("gpt-4")(text) == len(encoding("cl100k_base").encode_ordinary(text))


UNITS = [
    "a",
    "A",
    "^",
    "_",
    " ",
    "\n",
    "\t",
    "\r\n",
    " \n",
    "=",
    "会",
    "😀",
    "\0",
    "é",
    "_-~\u0303",
    "नमस्ते",
    "1",
    "\u200b",
]


@pytest.mark.parametrize("unit", UNITS)
def test_unbroken_runs_are_counted_in_bounded_pieces(unit: str) -> None:
    """A run of anything is within 0.5 % of its tokens, and no piece of it is long."""
    text = "x " + unit * (40_000 // len(unit))
    exact = len(encoding("o200k_base").encode_ordinary(text))
    assert abs(count(text) - exact) <= 0.005 * exact + 1
    assert count(unit * (1_000_000 // len(unit))) > 0


@given(st.lists(st.tuples(st.sampled_from([*UNITS, "word ", "x\n"]), st.integers(1, 3 * CHUNK)), max_size=6))
@settings(max_examples=100, deadline=None)
def test_pieces_are_the_text(runs: list[tuple[str, int]]) -> None:
    """Pieces joined are the text, in order and never empty; no run in them is longer than two chunks."""
    text = "".join(unit * times for unit, times in runs)
    parts = list(pieces(text))
    assert "".join(parts) == text
    assert all(parts)
    assert all("a" * (2 * CHUNK) not in part for part in parts)


def test_lone_surrogates_count() -> None:
    """A lone surrogate counts as the replacement character, alone and in a long text."""
    assert count("a\ud800b") == count("a\ufffdb")
    assert count("\ud83d word " * LONG) > LONG


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo-2024-04-09", "cl100k_base"),
        ("azure/gpt-35-turbo", "cl100k_base"),
        ("ft:gpt-3.5-turbo:acme", "cl100k_base"),
        ("text-embedding-3-large", "cl100k_base"),
        ("gpt-4o-mini", "o200k_base"),
        ("openai/gpt-4.1", "o200k_base"),
        ("gpt-4.5-preview", "o200k_base"),
        ("o3", "o200k_base"),
        ("gpt-5.4-mini", "o200k_base"),
        ("claude-opus-4-5", "o200k_base"),
        ("no-such-model", "o200k_base"),
        ("", "o200k_base"),
        (None, "o200k_base"),
    ],
)
def test_the_encoding_is_the_models(model: str | None, name: str) -> None:
    """OpenAI's models have their own encoding, every other model o200k_base."""
    assert encoding_of(model) == name


def test_nothing_but_the_package_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Encodings are built once, by many threads at a time, with no network and past a damaged tiktoken cache."""

    def refuse(*_: object) -> None:
        msg = "no network in this test"
        raise OSError(msg)

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setitem(os.environ, "TIKTOKEN_CACHE_DIR", str(tmp_path))
    (tmp_path / "fb374d419588a4632f3f557e76b4b70aebbca790").write_text("x\n")
    monkeypatch.setattr(encodings, "_built", {})
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(encoding("cl100k_base"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(one is found[0] for one in found)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["x\n"]


def test_damaged_ranks_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rank file that isn't the expected one is an error that says what to do."""
    monkeypatch.setattr(encodings, "_built", {})
    monkeypatch.setitem(SPECS, "cl100k_base", Spec("0" * 64, "x", {}))
    with pytest.raises(StoreError, match="reinstall"):
        encoding("cl100k_base")


def test_the_callers_count_is_used_and_checked() -> None:
    """A caller's counter counts every text; what is no whole number of tokens is an error that names it."""
    assert counter("gpt-4", lambda text: len(text.split()))("a b c") == 3
    for wrong in (-1, 1.5, True, None, "3"):
        with pytest.raises(BudgetError, match="count"):
            counter(None, cast("Count", lambda _, found=wrong: found))("text")
