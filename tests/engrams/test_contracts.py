"""Declarations on which other code hangs are found in the languages that agents edit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_kit.engrams._contracts import Contract, contract_key, contracts

PYTHON = '''\
from x import y

@dataclass(frozen=True)
class Point(Base):
    """Doc: a
    field: nope
    """

    x: int
    y: int = 0
    """unit"""
    z: str = field(default="a")

    @property
    def norm(self) -> float:
        return 1

    async def fetch(
        self,
        url: str,
        *,
        timeout: float = 1.0,  # seconds: (
    ) -> dict[str, Any]:
        def inner(): pass
        return {}

    def _private(self): ...

def top(a: int = 3, b: dict = {}) -> None: return None

@app.get("/items/{id}")
@auth
async def items(id: int) -> Item:
    pass
'''

TYPESCRIPT = """\
import {x} from 'y';
export interface User {
  id: string;
  tags: { a: number }[];
}
export type Mode = 'a' | 'b';
type Long =
  | { kind: 'x' }
  | { kind: 'y' };
export async function load(
  id: string,
  opts: { a?: number } = {},
): Promise<User> {
  if (x) {
    foo();
  }
}
function helper(a) {
}
export const add = (a: number, b: number): number => {
  return a + b;
};
export const CONF = {
  a: 1,
};
const inner = 3;
export abstract class Session extends Base<Foo> {
  private x = 1;
  constructor(private readonly a: A) {
    foo(1);
  }
  async prompt(text: string): Promise<void> {
    for (const a of b) {
      this.x(a);
    }
  }
  private _run() {
  }
}
module.exports = { a, b };
"""

NAMES = [
    ("a.py", PYTHON, ["Point", "Point.norm", "Point.fetch", "-Point._private", "top", "items"]),
    (
        "a.ts",
        TYPESCRIPT,
        [
            "User",
            "Mode",
            "-Long",
            "load",
            "-helper",
            "add",
            "CONF",
            "Session",
            "Session.constructor",
            "Session.prompt",
            "-Session._run",
            "exports",
        ],
    ),
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
        ("a.py", PYTHON, "Point", PYTHON[PYTHON.index("@dataclass") : PYTHON.index("\n\n    @property")]),
        ("a.py", PYTHON, "Point.norm", "    @property\n    def norm(self) -> float:"),
        (
            "a.py",
            PYTHON,
            "Point.fetch",
            PYTHON[PYTHON.index("    async def fetch") : PYTHON.index("\n        def inner")],
        ),
        ("a.py", PYTHON, "items", '@app.get("/items/{id}")\n@auth\nasync def items(id: int) -> Item:'),
        ("a.ts", TYPESCRIPT, "User", "export interface User {\n  id: string;\n  tags: { a: number }[];\n}"),
        ("a.ts", TYPESCRIPT, "Long", "type Long =\n  | { kind: 'x' }\n  | { kind: 'y' };"),
        (
            "a.ts",
            TYPESCRIPT,
            "load",
            "export async function load(\n  id: string,\n  opts: { a?: number } = {},\n): Promise<User> {",
        ),
    ],
)
def test_a_contract_is_whole_lines(path: str, text: str, name: str, expected: str) -> None:
    """Signatures end at their colon or brace; types, tables and sections are whole."""
    assert _by_name(text, path)[name].text == expected


def test_a_region_of_a_file_is_enough() -> None:
    """A piece from the middle of a class gives its methods, without the class's name."""
    region = TYPESCRIPT[TYPESCRIPT.index("  async prompt") : TYPESCRIPT.index("module.exports")]
    assert [contract.name for contract in contracts(region, "a.ts")] == ["prompt", "_run"]
    region = PYTHON[PYTHON.index("    @property") : PYTHON.index("def top")]
    assert [contract.name for contract in contracts(region, "a.py")] == ["norm", "fetch", "_private"]


def test_a_text_without_a_path_is_looked_at() -> None:
    """The language is told from the text where there is no suffix, and prose declares nothing."""
    assert [contract.name for contract in contracts(PYTHON)][:2] == ["Point", "Point.norm"]
    assert [contract.name for contract in contracts("package a\n\nfunc New(a int) error {\n}\n")] == ["New"]
    assert contracts("def is a word.\nfunc too.\nclass dismissed") == ()
    assert contracts(PYTHON, "notes.md") == ()


def test_tests_are_nobodys_contract() -> None:
    """What stands in a test file ranks as private."""
    for path in ("tests/test_a.py", "src/a.test.ts", "a_test.go"):
        assert not any(contract.public for contract in contracts("def f(): ...\n", path))


def test_a_redefinition_has_the_same_key() -> None:
    """The newer signature of a function replaces the older; overloads stay apart."""
    old, new = contracts("def f(a): ...\n", "a.py"), contracts("x = 1\ndef f(a, b): ...\n", "a.py")
    assert contract_key(old[0], "a.py") == contract_key(new[0], "a.py")
    assert contract_key(old[0], "a.py") != contract_key(new[0], "b.py")
    overloads = contracts("int f(int a);\nint f(char b);\n", "a.h")
    assert [contract.name for contract in overloads] == ["f", "f#2"]


def test_bounds() -> None:
    """At most 200 contracts of at most 40 lines; public ones stay."""
    many = "".join(f"def _hidden{at}(): ...\n" for at in range(300)) + "def shown(): ...\n"
    found = contracts(many, "a.py")
    assert len(found) == 200
    assert found[-1].name == "shown"
    long = "export interface A {\n" + "".join(f"  f{at}: string;\n" for at in range(100)) + "}\n"
    assert len(contracts(long, "a.ts")[0].text.splitlines()) == 40
    assert contracts("class A: " + "x" * 1_000_000, "a.py") == ()


SUFFIXES = "py ts go rs java c sql proto kt rb ex php swift sh graphql schema.json"
PATHS = [f"a.{suffix}" for suffix in SUFFIXES.split()]
LANGUAGES = [*PATHS, "pyproject.toml", "package.json", "openapi.yaml", "compose.yml", ""]


@given(
    st.sampled_from(LANGUAGES),
    st.lists(
        st.sampled_from(
            [
                "def f(",
                "class A:",
                "class A {",
                "}",
                "\n",
                "  ",
                '"""',
                "type B =",
                "| {",
                "{",
                ")",
                "func (",
                "fn x",
                "impl A",
            ]
            + [
                '"properties": {',
                "[a]",
                "typedef struct",
                "@x",
                "export const a = ",
                "create table t (",
                "int f(int a",
                ";",
            ]
        ),
        max_size=30,
    ),
)
def test_broken_code_is_read_as_far_as_it_goes(path: str, pieces: list[str]) -> None:
    """Whatever the text, every contract is made of its whole lines, but for the white space at their ends."""
    text = "".join(pieces)
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    for contract in contracts(text, path):
        told = "\n".join(line.rstrip() for line in contract.text.split("\n"))
        assert f"\n{told}\n" in f"\n{lines}\n"
        assert 1 <= contract.line <= text.count("\n") + 1
