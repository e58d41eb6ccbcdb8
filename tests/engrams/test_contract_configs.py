"""Key sections of settings, schemas and API descriptions are found whole."""

from __future__ import annotations

import pytest

from context_kit.engrams._contracts import Contract, contracts

PYPROJECT = """\
[project]
name = "x"
deps = [
  "a",
]

[tool.ruff]
line-length = 1
"""

PACKAGE = """\
{
  "name": "x",
  "scripts": {
    "a": "b",
    "c": {
      "d": 1
    }
  },
  "dependencies": {
    "r": "1"
  }
}
"""

SCHEMA = """\
{
  "type": "object",
  "properties": {
    "a": {"type": "string"}
  },
  "$defs": {
    "b": {}
  }
}
"""

OPENAPI = """\
openapi: 3.0.0
paths:
  /items:
    get:
      x: 1
  /items/{id}:
    get:
      x: 1
components:
  schemas:
    Item:
      type: object
"""

COMPOSE = """\
services:
  db:
    image: pg
  web:
    build: .
"""

NAMES = [
    ("pyproject.toml", PYPROJECT, ["project", "tool.ruff"]),
    ("web/package.json", PACKAGE, ["scripts", "dependencies"]),
    ("user.schema.json", SCHEMA, ["properties", "$defs"]),
    ("api/openapi.yaml", OPENAPI, ["/items", "/items/{id}", "Item"]),
    ("docker-compose.yml", COMPOSE, ["db", "web"]),
]


def _by_name(text: str, path: str) -> dict[str, Contract]:
    return {contract.name: contract for contract in contracts(text, path)}


@pytest.mark.parametrize(("path", "text", "names"), NAMES, ids=[path for path, _, _ in NAMES])
def test_declarations_by_language(path: str, text: str, names: list[str]) -> None:
    """Each language's declarations are found, in order, private ones marked."""
    found = contracts(text, path)
    assert [contract.name if contract.public else f"-{contract.name}" for contract in found] == names
    lines = text.splitlines()
    for contract in found:
        assert f"\n{contract.text}\n" in f"\n{text}"
        assert lines[contract.line - 1] in contract.text.splitlines()


@pytest.mark.parametrize(
    ("path", "text", "name", "expected"),
    [
        ("pyproject.toml", PYPROJECT, "project", PYPROJECT[: PYPROJECT.index("\n\n[tool")]),
    ],
)
def test_a_contract_is_whole_lines(path: str, text: str, name: str, expected: str) -> None:
    """Signatures end at their colon or brace; types, tables and sections are whole."""
    assert _by_name(text, path)[name].text == expected
