"""Which files a call edits or reads, by the arguments it carries; a call that failed did neither."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from benchmarks._truth._calls import Call, failed, refused
from benchmarks._truth._shell import edits, reads, tests

__all__ = ["command_of", "edited", "edited_file", "named", "read", "run_tests", "same_files"]

_EDITORS = set("edit multiedit write replace write_file editor notebookedit create insert sandbox_write".split())
_READERS = {"read", "read_file", "open", "view"}
_PATH_KEYS = ("file_path", "path", "filename", "notebook_path", "absolute_path")
_OPEN_FILE = re.compile(r"\(Open file: ([^\n]+)\)\n\(Current directory: ([^\n]*)\)")
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_TYPED_EDIT = re.compile(r"\Aedit \d+:\d+\n")


def command_of(call: Call) -> str:
    """The shell text of a call, or nothing."""
    if call.name in ("str_replace_editor", "edit"):
        return ""
    raw = call.arguments.get("command", call.arguments.get("cmd", call.arguments.get("commands", "")))
    if isinstance(raw, list):
        return "\n".join(map(str, raw))
    return str(raw)


def _path(arguments: dict[str, Any]) -> list[str]:
    return [str(arguments[key]) for key in _PATH_KEYS if arguments.get(key)][:1]


def edited_file(call: Call) -> list[str]:
    """The file that a SWE-agent editor has open after the call."""
    match = _OPEN_FILE.search(call.result)
    return [match[1].strip()] if match and match[1].strip() != "n/a" else []


def _typed(call: Call, *, editing: bool) -> list[str]:
    command = command_of(call)
    verb, _, rest = command.partition(" ")
    if editing:
        if _TYPED_EDIT.match(command):
            return edited_file(call)
        return [rest.split()[0]] if verb == "create" else edits(command)
    return [rest.split()[0]] if verb == "open" else reads(command)


def edited(call: Call) -> list[str]:
    """Paths whose content the call changed, as it spells them."""
    if failed(call) or refused(call):
        return _authored(call)
    name = call.name.lower()
    if name == "typed":
        return _typed(call, editing=True)
    if name == "str_replace_editor":
        return _path(call.arguments) if call.arguments.get("command") in ("create", "str_replace", "insert") else []
    if name == "apply_patch":
        return _PATCHED.findall(str(call.arguments.get("input", "")))
    if name.rpartition("__")[2] in _EDITORS:
        return _path(call.arguments) or edited_file(call)
    return edits(command_of(call))


def _authored(call: Call) -> list[str]:
    """What a failed command wrote before: text that it carries; an in-place edit may be what failed."""
    if refused(call) or call.name.lower() == "typed" or not re.search(r"<<|echo |printf ", command_of(call)):
        return []
    return [path for path in edits(command_of(call)) if not re.search(r"\bsed\s+-\w*i", command_of(call))]


def read(call: Call) -> list[str]:
    """Paths whose content the call showed, as it spells them."""
    if failed(call) or refused(call) or not call.result.strip():
        return []
    name = call.name.lower()
    if name == "typed":
        return _typed(call, editing=False)
    if name == "str_replace_editor":
        viewed = call.arguments.get("command") == "view" and "files and directories up to" not in call.result[:200]
        return _path(call.arguments) if viewed else []
    if name == "read_files":
        return [str(each["path"]) for each in call.arguments.get("files") or [] if isinstance(each, dict)]
    if name in _READERS:
        return _path(call.arguments)
    return reads(command_of(call))


def run_tests(call: Call) -> list[str]:
    """The test commands of a call that was let run."""
    return [] if refused(call) else tests(command_of(call))


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".", "~")]


def same_files(paths: Iterable[str]) -> dict[str, list[str]]:
    """Spellings by file: a path that is the end of exactly one longer path is that file."""
    spelled = list(dict.fromkeys(paths))
    by_length = sorted(spelled, key=lambda path: -len(_parts(path)))
    files: dict[str, list[str]] = {}
    for path in by_length:
        parts = _parts(path)
        homes = [known for known in files if parts and _parts(known)[-len(parts) :] == parts]
        if path.startswith("/"):
            homes = [known for known in homes if known == path]
        if not homes:
            files[path] = [path]
        elif len(homes) == 1:
            files[homes[0]].append(path)
        # The end of several files: nobody can say which one is meant.
    return files


def named(path: str, spellings: Iterable[str], all_paths: Iterable[str], text: str) -> bool:
    """Does the text name the file: as it was spelled, or by the shortest end of its path that is its own."""
    others = [_parts(other) for other in all_paths if other != path]
    ends = set(spellings)
    parts = _parts(path)
    for size in range(min(2, len(parts)), len(parts) + 1):
        end = parts[-size:]
        if not any(other[-size:] == end for other in others):
            ends.add("/".join(end))
            break
    return any(
        each in text and re.search(rf"(?<![\w.-]){re.escape(each)}(?![\w/-]|\.\w)", text) is not None for each in ends
    )
