"""The terms of a text: whoever asks in other letters, in part or in another script finds it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_kit.memory._index._terms import LONGEST, MOST, asked, begins, path_terms, terms

TEXTS = [
    ("the parse_header function", "parse header"),
    ("the parseHeader function", "parse_header"),
    ("call parse_header()", "parseHeader"),
    ("HTTPServerError raised", "http server error"),
    ("two errors were found", "error"),
    ("an error was found", "errors"),
    ("several dependencies", "dependency"),
    ("edited src/app/foo_bar.py", "foo_bar.py"),
    ("edited src/app/foo_bar.py", "app/foo_bar.py"),
    ("edited src/app/foo_bar.py", "/home/me/src/app/foo_bar.py"),
    ("edited C:\\code\\app\\main.cpp", "app/main.cpp"),
    ("edited src/app/foo_bar.py", "foo bar"),
    ("src/calc.py:12: ValueError", "calc.py ValueError"),
    ("os.path.join(a)", "path.join"),
    ("needs python 3.10.2", "3.10"),
    ("needs v2.1", "2.1"),
    ("port 4711 is taken", "4711"),
    ("sha256 differs", "SHA256"),
    ("a C++ and a C# file", "c++"),
    ("a C++ and a C# file", "c#"),
    ("--dry-run was given", "dry-run"),
    ("数据库迁移失败", "迁移"),
    ("数据库迁移失败", "数据库"),
    ("数据库迁移失败", "库"),
    ("数据库迁移失败", "败"),
    ("用 Decimal 表示金额", "decimal 金额"),
    ("データベースの移行", "移行"),
    ("데이터베이스 마이그레이션", "마이그레이션"),
    ("Ｆｕｌｌ　ｗｉｄｔｈ", "full width"),
    ("café au lait", "cafe"),
    ("Переименовать файл", "файл"),
]


def answers(text: str, query: str) -> bool:
    """Whether a text holds all that a query needs."""
    found = terms(text)
    return all(
        any(term.startswith(need) for term in found) if begins(need) else need in found for need in asked(query).needed
    )


@pytest.mark.parametrize(("text", "query"), TEXTS)
def test_a_text_is_found_by_its_words(text: str, query: str) -> None:
    """In any letters, whole or in part, in scripts without spaces, too."""
    assert asked(query).needed
    assert answers(text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("edited src/foo.py", "bar.py"),
        ("parse_header", "parse_footer"),
        ("数据库迁移", "据移"),
        ("python 3.1", "3.10"),
        ("class", "clas"),
        ("status", "statu"),
    ],
)
def test_what_is_not_there_is_not_found(text: str, query: str) -> None:
    """Alike is not the same."""
    assert not answers(text, query)


@given(st.text(max_size=300))
def test_every_text_answers_itself(text: str) -> None:
    """Index and query are read by one function, whatever the text is; lone surrogates included."""
    assert answers(text, text)


@given(st.text(max_size=300))
def test_a_term_has_no_syntax(text: str) -> None:
    """Letters, digits and six signs: nothing that a search engine reads as its own, nothing that can't be stored."""
    query = asked(text)
    for term in [*terms(text), *query.needed, *query.better, *query.parts, *path_terms(text)]:
        assert re.fullmatch(r"(?:[A-Za-z0-9_./\-+#]|[^\x00-\x7f\s]){1,128}", term), term
        assert term.encode("utf-8")


def test_a_path_ends_in_its_name() -> None:
    """The longest end first; the way it is written doesn't matter."""
    assert path_terms("./src/App/main.py") == ["src/app/main.py", "app/main.py", "main.py"]
    assert path_terms("src\\App\\main.py") == path_terms("src/App/main.py")
    assert path_terms("") == path_terms("/") == []


def test_a_huge_text_gives_a_bounded_number_of_terms() -> None:
    """What stands first counts."""
    assert len(terms("word " * 1_000_000)) <= LONGEST
    assert [len(term) for term in terms("x" * 1_000_000)] == [128]


RUN = "".join(map(chr, range(0x4E00, 0x9000)))
"""A run without spaces of 16,896 different characters."""


@pytest.mark.parametrize(
    "query", [RUN, "中" * 100_000, "_".join(f"aB{n}" for n in range(9_000)), RUN[:4_000] + " a/b" * 9_000]
)
def test_one_word_asks_for_a_bounded_number_of_terms(query: str) -> None:
    """However long it is: a page without spaces is one word."""
    found = asked(query)
    assert all(len(word) <= MOST and len(set(word)) == len(word) for word in found.words)
    assert found.needed
