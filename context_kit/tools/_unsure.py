"""What a command line may have changed without saying how, as patterns of paths: more rather than less.

Where a file's text is rebuilt, only what is known counts; here what is no longer sure does. A pattern is a file, a
folder or a glob; `EVERY` stands for any file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from types import MappingProxyType

from context_kit._lazily import regex
from context_kit.tools._commands import program
from context_kit.tools._paths import same_file
from context_kit.tools._scripts import script_writes
from context_kit.tools._shelledits import UNSURE, operands
from context_kit.tools._shellwords import Simple, simples

__all__ = ["EVERY", "matches", "unsure"]

EVERY = "*"
FORMATS = regex(
    r"\b(?:autopep8|yapf|2to3|jscodeshift|codemod|comby|ast-grep|sg|stylua|shfmt|ktlint|rubocop|gofumpt|autoflake|"
    r"pyupgrade|docformatter|terraform fmt|dotnet format|cargo (?:fix|clippy)|pre-commit run|lint[:-]fix|lint:f|"
    r"(?:npm|yarn|pnpm|bun)(?: run)? (?:format|fmt|fix)|(?:make|just|task) (?:format|fmt|fix))\b"
)
"""Formatters, codemods and their targets, beside those that rebuild nothing at all."""
PASSES_ON = ("-exec", "-execdir", "-ok", "-delete")
NAMED = ("-name", "-iname", "-path", "-wholename")
SCRIPT_WRITES = regex(
    r"write_text|write_bytes|writeFile|appendFile|\.write\(|open\([^)\n]{0,200}[\"'][wa]b?\+?[\"']|inplace=|"
    r"shutil\.|os\.(?:rename|replace|remove|unlink)|rename\(|unlink\("
)
IN_PLACE = regex(r"-(?:-in-place|[a-zA-Z]{0,3}ie?)(?:\b|[.=])")


def unsure(command: str) -> tuple[str, ...]:
    """Patterns of the files that a command line may have changed in a way that it doesn't tell."""
    if FORMATS.search(command):
        return (EVERY,)
    return tuple(dict.fromkeys(found for simple in simples(command) for found in _of(simple)))


def _of(simple: Simple) -> Iterator[str]:
    words = program(simple)
    while words and words[0] == "do":
        words = words[1:]
    name = words[0].rpartition("/")[2] if words else ""
    found = _script(words, simple.document) if name in SCRIPTS else READERS[name](words) if name in READERS else ()
    for pattern in found:
        yield EVERY if pattern in (".", "./", "..") or any(sign in pattern for sign in "$`") else pattern


def _open_ended(paths: list[str]) -> Iterator[str]:
    """Globs and folders; a single file is told by the acts of the command."""
    for path in paths:
        if any(sign in path for sign in UNSURE) or path.endswith("/") or "." not in path.rpartition("/")[2].lstrip("."):
            yield path


def _edited(words: list[str]) -> Iterator[str]:
    """`sed -i`, `perl -pi`, `awk -i inplace`: the first plain word is a script, which a glob may look like."""
    if any(IN_PLACE.match(word) for word in words[1:6]):
        scripted = any(word in ("-e", "-f", "-pe", "-pie", "-ne") or word.startswith("--expression") for word in words)
        plain = operands(words, takes=("-e", "-f", "-pe", "-pie"))
        yield from _open_ended(plain if scripted else plain[1:])


def _moved(words: list[str]) -> Iterator[str]:
    yield from _open_ended(operands(words)[:-1])


def _copied(words: list[str]) -> Iterator[str]:
    """What several files, or the files of a folder, were copied over."""
    *sources, target = operands(words) or [""]
    if target and (len(sources) > 1 or any(True for _ in _open_ended(sources))):
        yield target


def _removed(words: list[str]) -> Iterator[str]:
    yield from _open_ended(operands(words))


def _git(words: list[str]) -> Iterator[str]:
    verb, rest = (words[1], words[2:]) if len(words) > 1 else ("", [])
    if verb in ("mv", "rm"):
        yield from _open_ended(operands(words[1:])[: -1 if verb == "mv" else None])
    elif verb == "clean" and not any(word in ("-n", "--dry-run") for word in rest):
        yield EVERY
    elif verb in ("checkout", "restore") and ("--" in rest or verb == "restore") and "--staged" not in rest:
        yield from _open_ended(rest[rest.index("--") + 1 :] if "--" in rest else operands(words[1:], takes=("-s",)))


def _found(words: list[str]) -> Iterator[str]:
    """`find` that deletes, or hands what it finds to a program that changes it."""
    at = next((at for at, word in enumerate(words) if word in PASSES_ON), 0)
    if at and (words[at] == "-delete" or _changes(words[at + 1 :])):
        named = [words[at + 1] for at, word in enumerate(words[:-1]) if word in NAMED]
        yield from named or [EVERY]


def _handed_on(words: list[str]) -> Iterator[str]:
    """`xargs` with such a program."""
    at = next((at for at, word in enumerate(words) if at and word.rpartition("/")[2] in READERS), 0)
    if at and _changes(words[at:]):
        yield EVERY


def _changes(words: list[str]) -> bool:
    """Whether a program that is handed names changes their files."""
    name = words[0].rpartition("/")[2] if words else ""
    editor = READERS.get(name) is _edited and any(IN_PLACE.match(word) for word in words[1:6])
    return editor or READERS.get(name) in (_moved, _removed)


def _script(words: list[str], document: str | None) -> Iterator[str]:
    """A script in the command itself that writes files which it doesn't name."""
    text = "\n".join([*words[1:], document or ""])
    if ("-c" in words or "-e" in words or document is not None) and SCRIPT_WRITES.search(text):
        name = words[0].rpartition("/")[2]
        if not any(script_writes(name, words, document)) or "glob(" in text or "walk(" in text:
            yield EVERY


SCRIPTS = ("python", "python3", "node")
READERS: Mapping[str, Callable[[list[str]], Iterator[str]]] = MappingProxyType(
    {
        **dict.fromkeys(("sed", "gsed", "perl", "ruby", "awk", "gawk"), _edited),
        **dict.fromkeys(("mv", "rename"), _moved),
        **dict.fromkeys(("cp", "rsync"), _copied),
        **dict.fromkeys(("rm", "rmdir", "unlink", "truncate", "sd"), _removed),
        "git": _git,
        "find": _found,
        "xargs": _handed_on,
    }
)


def matches(pattern: str, path: str) -> bool:
    """Whether a pattern may mean a file: by its name, by a folder of it, or as a glob."""
    if pattern == EVERY:
        return True
    bare = pattern.removeprefix("./").rstrip("/")
    if any(sign in bare for sign in "*?[{"):
        glob = bare.replace("{", "*{").partition("{")[0] if "{" in bare else bare
        return fnmatchcase("/" + path, f"*/{glob.lstrip('/')}")
    return same_file(bare, path) or f"/{bare.strip('/')}/" in f"/{path.lstrip('/')}"
