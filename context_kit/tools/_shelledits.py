"""What a shell command changed: redirections, `sed -i`, patches, moves and removals.

Content is taken over only where the command says it word for word.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import pairwise
from typing import TypeAlias

from context_kit.tools._act import Act, Call
from context_kit.tools._patch import Change, parse_patch
from context_kit.tools._paths import join_path, plain_path
from context_kit.tools._scripts import script_writes
from context_kit.tools._shellwords import Simple, simples

__all__ = ["UNSURE", "changes_of", "edits", "later_error", "operands"]

Edit: TypeAlias = Callable[..., None]
"""Notes the edit of a path."""

NOWHERE = frozenset(("/dev/null", "/dev/stderr", "/dev/stdout", "/dev/tty", "-", ""))
WRITE_BROKE = ("No such file or directory", "ermission denied", "s a directory", "Read-only file system")
PATCH_BROKE = (
    "patch failed",
    "does not apply",
    "corrupt patch",
    "FAILED at",
    "malformed patch",
    "can't find file to patch",
)
UNSURE = "*?{$`"


def edits(call: Call, command: str, simple: Simple, words: list[str], folder: str, error: str) -> list[Act]:
    name = words[0].rpartition("/")[2] if words else ""
    acts: list[Act] = []

    def edit(path: str, gone: str = "", **known: object) -> None:
        path, gone = join_path(folder, plain_path(path)), join_path(folder, plain_path(gone))
        if path not in NOWHERE and not any(sign in path + gone for sign in UNSURE):
            acts.append(call.act("edit", error=error, command=command, path=path, gone=gone, **known))

    _plain_edits(edit, simple, name, words, command)
    for change in changes_of(_patch_text(simple, name, words), error):
        edit(
            change.path,
            content=change.content,
            whole=change.content is not None,
            replacements=change.hunks,
            gone=change.gone,
        )
    for path in script_writes(name, words, simple.document):
        edit(path)
    return acts


def _plain_edits(edit: Edit, simple: Simple, name: str, words: list[str], command: str) -> None:
    """Redirections, `tee`, and the programs that change files in place."""
    for path, appended in simple.writes:
        _write(edit, path, _written(simple, name, words), appended=appended)
    if name == "tee":
        for path in (word for word in words[1:] if not word.startswith("-")):
            _write(edit, path, simple.document, appended="-a" in words)
    elif name in ("mv", "cp"):
        _move(edit, words, _used(command, simple))
    elif name in EDITORS:
        EDITORS[name](edit, words)
    elif name == "git" and len(words) > 1:
        _git(edit, words)


def changes_of(patch: str, error: str = "") -> list[Change]:
    """The changes of a patch, as the names of its files stand in it; the files alone where it failed."""
    changes = parse_patch(patch) if patch else []
    return [Change(verb="update", path=change.gone or change.path) for change in changes] if error else changes


def _patch_text(simple: Simple, name: str, words: list[str]) -> str:
    if name in ("apply_patch", "applypatch"):
        return simple.document or (words[1] if len(words) > 1 else "")
    return simple.document or "" if name == "patch" or words[:2] == ["git", "apply"] else ""


def _write(edit: Edit, path: str, content: str | None, *, appended: bool) -> None:
    if appended:
        edit(path, first=-1, replacements=(("", content),) if content is not None else ())
    else:
        edit(path, content=content, whole=content is not None)


def _written(simple: Simple, name: str, words: list[str]) -> str | None:
    """What goes into the file, where the command says it word for word."""
    if name in ("cat", "tee", "") and simple.document is not None and len(words) <= 1:
        return simple.document
    if name == "echo" and simple.literal and len(words) > 1 and not words[1].startswith("-"):
        return " ".join(words[1:]) + "\n"
    if name in (":", "true", "") and simple.document is None and not simple.piped:
        return ""
    return None


def _in_place(edit: Edit, words: list[str]) -> None:
    if not any(word.startswith(("-i", "--in-place", "-pi", "-p")) and "i" in word for word in words[1:6]):
        return
    plain = operands(words, takes=("-e", "-f", "-E") if words[0].endswith("sed") else ("-e",))
    scripted = any(
        word.startswith("-e") or word == "-f" or (word[:1] == "-" and word.endswith("e") and len(word) < 6)
        for word in words[1:]
    )
    for path in plain if scripted else plain[1:]:
        edit(path)


def operands(words: list[str], takes: tuple[str, ...] = ()) -> list[str]:
    kept: list[str] = []
    skip = False
    for word in words[1:]:
        if skip:
            skip = False
        elif word in takes and word != "-E":
            skip = True
        elif word and not word.startswith("-"):
            kept.append(word)
    return kept


def _move(edit: Edit, words: list[str], files: Collection[str] = ()) -> None:
    """Files under other names; what the same line also uses as a file is no folder."""
    plain = operands(words)
    if len(plain) < 2:
        return
    *sources, target = plain
    sure = len(sources) > 1 or target.endswith("/") or target in (".", "..")
    into = sure or (target not in files and _is_folder(target, sources[0]))
    for source in sources:
        path = target.rstrip("/") + "/" + source.rpartition("/")[2] if into else target
        if not source.endswith("/"):
            edit(path, gone=source if words[0].endswith("mv") else "")


def _used(command: str, simple: Simple) -> frozenset[str]:
    """What the other commands of a line read, write or move as files."""
    others = [other for other in simples(command) if other.words != simple.words]
    moved = (word for other in others if other.name in ("mv", "cp") for word in operands(other.words)[:-1])
    return frozenset(
        [*moved, *(word for other in others for word in [*other.reads, *(path for path, _ in other.writes)])]
    )


def _is_folder(target: str, source: str) -> bool:
    """A target without an extension, for a source that has one, is a folder; names can't tell for sure."""
    return "." not in target.rpartition("/")[2] and "." in source.rpartition("/")[2].lstrip(".")


def _remove(edit: Edit, words: list[str]) -> None:
    recursive = any(word.startswith("-") and "r" in word.lower() for word in words[1:4])
    for path in operands(words):
        if not path.endswith("/") and not (recursive and "." not in path.rpartition("/")[2]):
            edit(path, gone=path)


def _git(edit: Edit, words: list[str]) -> None:
    verb, rest = words[1], words[2:]
    if verb == "mv":
        _move(edit, ["mv", *rest])
    elif verb == "rm" and "--cached" not in rest:
        _remove(edit, ["rm", *rest])
    elif verb in ("checkout", "restore") and ("--" in rest or verb == "restore") and "--staged" not in rest:
        for path in rest[rest.index("--") + 1 :] if "--" in rest else operands(["", *rest]):
            if path not in (".", "*"):
                edit(path)


def _rewritten(edit: Edit, words: list[str]) -> None:
    """`awk -i inplace program file ...`."""
    if ("-i", "inplace") in pairwise(words):
        for path in operands(words, takes=("-i", "-v", "-F", "-f"))[0 if "-f" in words else 1 :]:
            edit(path)


def _by_lines(edit: Edit, words: list[str]) -> None:
    for path in operands(words, takes=("-p",))[:1]:
        edit(path)


EDITORS = {
    "sed": _in_place,
    "gsed": _in_place,
    "perl": _in_place,
    "awk": _rewritten,
    "gawk": _rewritten,
    "ed": _by_lines,
    "rm": _remove,
    "unlink": _remove,
}


def later_error(error: str, simple: Simple) -> str:
    """The error as far as it is that of a command before the last one: the files that it names."""
    names = [path for path, _ in simple.writes] or simple.words[1:]
    lines = error.split("\n") if error else []
    return "\n".join(
        line
        for line in lines
        if any(sign in line for sign in PATCH_BROKE)
        or (any(sign in line for sign in WRITE_BROKE) and any(name and name in line for name in names))
    )
