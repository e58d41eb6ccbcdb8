"""Declarations of Go, Rust, Java, C, SQL and protobuf are found whole."""

from __future__ import annotations

import pytest

from context_kit.engrams._contracts import Contract, contracts

GO = """\
package a
type Store interface {
	Get(ctx context.Context, id string) (*Item, error)
}
type Fn func(a int) error
func New(a int, b map[string]interface{}) (*Store, error) {
	return nil, nil
}
func (s *store) get(id string) error {
}
func (s *Server[T]) Run(
	ctx context.Context,
) error {
}
"""

RUST = """\
use a::b;
pub struct P { pub x: i32 }
struct T(u8);
pub trait Tr {
    fn a(&self) -> u8;
}
impl<T> Tr for P<T> where T: X {
    fn a(&self) -> u8 { 1 }
}
impl P {
    pub fn new(x: i32) -> Self
    where X: Y,
    {
    }
    fn hid(&self) {}
}
pub(crate) async fn run<T>(a: T) -> Result<(), E> {
}
"""

JAVA = """\
package a;
public class Foo extends Bar {
    private final int x = compute(1);
    public Foo(int x) {
        if (a) { foo(b); }
    }
    public static <T> List<T> list(Map<String, T> m,
            int n) throws IOException {
        return new ArrayList<>(n);
    }
    private void hid() {}
}
interface Shape {
    double area();
}
"""

C = """\
#include <a.h>
typedef struct node {
  int x;
} node_t;
typedef struct {
  int y;
} anon_t;
enum color { RED, GREEN };
int add(int a, int b);
static void *hid(const char *s)
{
  if (s) return foo(s);
  return NULL;
}
struct foo *make(void);
"""

SQL = """\
CREATE TABLE IF NOT EXISTS users (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL DEFAULT ('x')
);
create unique index u on users (name);
"""

PROTO = """\
syntax = "proto3";
message A {
  string id = 1;
  message B { int32 x = 1; }
}
service S {
  rpc Get(A) returns (A);
}
"""

NAMES = [
    ("a.go", GO, ["Store", "Fn", "New", "-store.get", "Server.Run"]),
    ("a.rs", RUST, ["P", "-T", "Tr", "-P.a", "P.new", "-P.hid", "run"]),
    ("Foo.java", JAVA, ["Foo", "Foo.Foo", "Foo.list", "-Foo.hid", "Shape"]),
    ("a.c", C, ["node", "anon_t", "color", "add", "-hid", "make"]),
    ("a.sql", SQL, ["users", "u"]),
    ("a.proto", PROTO, ["A", "S"]),
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
        ("a.go", GO, "Server.Run", "func (s *Server[T]) Run(\n\tctx context.Context,\n) error {"),
        ("a.rs", RUST, "P.new", "    pub fn new(x: i32) -> Self\n    where X: Y,\n    {"),
        ("a.c", C, "node", "typedef struct node {\n  int x;\n} node_t;"),
        ("a.sql", SQL, "users", SQL[: SQL.index("\ncreate")]),
    ],
)
def test_a_contract_is_whole_lines(path: str, text: str, name: str, expected: str) -> None:
    """Signatures end at their colon or brace; types, tables and sections are whole."""
    assert _by_name(text, path)[name].text == expected
