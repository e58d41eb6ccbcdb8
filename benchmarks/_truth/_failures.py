"""Failures that nothing has resolved, each by the last line of its output that tells the error."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from benchmarks._truth._calls import Call, errors_in, failed, refused
from benchmarks._truth._files import command_of, edited_file
from benchmarks._truth._shell import simple_commands

__all__ = ["Failure", "failures_of", "last_error_line", "squeezed"]

_TELLS = re.compile(
    r"(?:error|exception|warning: |failed|failure|fatal|panic|cannot|can't|could not|couldn't|not found|no such|denied"
    r"|undefined|unexpected|invalid|not allowed|not permitted|missing|timed out|timeout|refused|unable|illegal"
    r"|not supported|does not exist|doesn't exist|already exists|did not appear|no replacement|multiple occurrences"
    r"|is required|has not been|has been modified|found \d+ matches|not read|no changes made|too long|declared and not"
    r"|command not|got \S+,? want|want \S+,? got|expected|not a |not formatted|never match|\d+ (?:errors?|failures?)"
    r"|错误|失败|异常|找不到|不存在|无法|拒绝|超时)|^\S+?:\d+(?::\d+)?:? |^[✗×✖] \S",
    re.IGNORECASE,
)
_LOCATED = re.compile(r"\s*\S+?:\d+(?::\d+)?:? ")
_STATUS_LINE = re.compile(
    r"^(?:exit(?:ed)? (?:code|with)|command exited|process (?:exited|group|running)|fail(?:ed)?$"
    r"|\[\w+\] error task failed$|\d+ issues?:$|wall time|chunk id|original token count"
    r"|output:?$|error:?$|stdout:|stderr:"
    r"|npm err(?:or|!) (?:lifecycle|code|command|path|workspace|location|errno|a complete log)"
    r"|string: |\(node:|node\.js v|\*\s\w+: \d+$|<returncode>|at (?:async )?\S+ \(|file \".*\", line \d+"
    r"|fail\s+\S+\s+(?:\[\w+ failed\]|[\d.]+m?s|\(cached\))$|\S+:\d+ \+0x|created by |panic\("
    r"|running it again|your changes have not|do not re-run|\*\*\* gpkg|fix these issues)|^\W*$",
    re.IGNORECASE,
)
_COMPLAINT = re.compile(r"No such file|Permission denied|nvalid|too long|arse error|timed out")
_FILTERS = {"head", "tail", "grep", "sed", "less", "cat", "tee", "wc", "sort", "awk"}
_QUIET = {"grep", "rg", "diff", "test", "[", "which", "cmp", "ls", "find", "xargs"}
SHORTEST = 12
"""Characters below which a line says nothing, such as `FAIL` or `Error`."""
LONGEST = 240
"""Of a longer line its first 160 characters count: no window should carry more of one."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that failed, with what it said last."""

    index: int
    answered: int
    key: str
    """What must succeed for it to be resolved."""
    line: str
    """The last line that tells the error, whitespace squeezed."""
    others: tuple[str, ...] = ()
    """The other lines that tell an error, the last five."""


def squeezed(text: str) -> str:
    """A text with every run of whitespace as one space."""
    return " ".join(text.split())


def _shortened(line: str) -> str:
    line = squeezed(line)
    return line if len(line) <= LONGEST else line[:160]


def last_error_line(call: Call) -> tuple[str, tuple[str, ...]]:
    """The last line that tells the error, and the others; nothing where no line does."""
    text = errors_in(call)
    if text.startswith("String to replace not found in file.") or "\nString: " in text[:400]:
        text = text[: text.find("\nString: ")]  # the rest is the caller's own text
    if text.startswith("Your proposed edit"):
        text = text.split("\n\nThis is how", 1)[0]
    if text.startswith("ERROR:\nNo replacement"):
        text = text.partition("\n")[2]
    lines = [
        line for line in text.splitlines() if len(line.strip()) >= SHORTEST and not _STATUS_LINE.match(line.strip())
    ]
    telling = [line for line in lines if _TELLS.search(line.strip())]
    # Indented lines are mostly quoted source; those that begin with a place are not.
    flush = [
        line for line in telling if not command_of(call) or not line[0].isspace() or _LOCATED.match(line)
    ] or telling
    told = [_shortened(line) for line in flush]
    return (told[-1], tuple(told[-6:-1])) if told and not _quiet(call) else ("", ())


def _quiet(call: Call) -> bool:
    """A search or comparison whose status 1 only means: nothing there."""
    simple = [each for each in simple_commands(command_of(call)) if each.words[0] != "cd"]
    return bool(simple) and simple[-1].words[0].rsplit("/", 1)[-1] in _QUIET and not _COMPLAINT.search(call.result)


def key_of(call: Call) -> str:
    """What makes two calls the same try: the command without its directory and filters, or tool and file."""
    command = command_of(call)
    if call.name == "typed" and command.startswith("edit "):
        return "edit " + " ".join(edited_file(call))
    if command:
        kept = [
            " ".join(each.words)
            for each in simple_commands(command)
            if each.words[0] != "cd" and not (each.piped and each.words[0] in _FILTERS)
        ]
        return "; ".join(kept)
    arguments = call.arguments
    path = next((str(arguments[key]) for key in ("file_path", "path", "filename", "url") if arguments.get(key)), None)
    kind = "read" if call.name.lower() in ("read", "read_file", "open", "view") else "edit"
    return f"{kind} {path}" if path else f"{call.name} {json.dumps(arguments, sort_keys=True)[:200]}"


def failures_of(calls: list[Call], upto: int, left: int) -> list[Failure]:
    """Failures among the messages before `left` that nothing before `upto` has resolved, one for each line."""
    found: dict[str, Failure] = {}
    passed: dict[str, int] = {}
    for call in calls:
        if call.answered < upto and not refused(call) and not failed(call):
            passed[key_of(call)] = call.index
    for call in calls:
        if call.answered >= left or call.index >= left or not failed(call):
            continue
        key = key_of(call)
        line, others = last_error_line(call)
        if line and passed.get(key, -1) < call.index:
            found[line] = Failure(call.index, call.answered, key, line, others)
    return list(found.values())
