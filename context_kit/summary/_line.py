"""One line of a text."""

from __future__ import annotations

from context_kit._lazily import regex

__all__ = ["LINE", "changed_line", "first_line", "short_name"]

SIGNS = regex(r"\W+")
LINE = 240
"""Characters of a sentence or result in one line."""
QUOTED = regex(r"\"[^\"\n]{25,}\"|'[^'\n]{25,}'")
"""A long text inside a command, such as a commit's message."""
QUOTE = 20
"""Characters of it that tell which."""
COMMON = regex(
    r" (?:-[qvsx]{1,3}|--?(?:quiet|verbose|silent|no-header|color(?:=[^\s`]+)?|tb=[^\s`]+|maxfail=\d+|ci)|"
    r"-p no:[^\s`]+|-n \d+|-W [^\s`]+|2>&1)(?=[ `]|$)|(?<=[` ])python3? -m (?=\w)|(?<=^`)cd [^\s;&|]{1,300} && "
)
"""Words of a command that say how it runs, not what: two checks seldom differ in them alone."""
BEFORE = 12
"""Characters of what may stand before a command: "Open:"."""
SHORTEST_NAME = 16
"""Characters under which a command is cut at its end."""
HEAD = 0.35
"""Of a command that is cut in its middle, its beginning; what tells two apart stands mostly at the end."""


def first_line(text: str, limit: int = LINE) -> str:
    """The first non-empty line of a text, clipped at `limit` characters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def short_name(name: str, limit: int) -> str:
    """What was tried, in one line of at most `limit` characters: common options go first, then the middle.

    What is in backticks is a command, and keeps them and a short word before them; anything else is cut at its end.
    """
    line = first_line(name, len(name) + 1)
    before, quoted, _ = line.partition("`")
    if len(line) <= limit or not quoted or not line.endswith("`") or len(before) > BEFORE:
        return first_line(line, limit)
    if before:
        return f"{before}{short_name(line[len(before) :], max(limit - len(before), SHORTEST_NAME))}"
    line = QUOTED.sub(lambda found: f"{found[0][:QUOTE].rstrip()}…{found[0][0]}", line)
    if len(line) > limit:
        line = COMMON.sub("", line)
    if len(line) <= limit or limit < SHORTEST_NAME:
        return first_line(line, limit)
    inner, room = line.strip("`"), limit - 3
    head = inner[: int(HEAD * room)]
    tail = inner[len(head) - room :]
    head = head.rpartition(" ")[0] or head
    return f"`{head.rstrip()}…{tail.lstrip()}`"


def changed_line(old: str, new: str) -> str:
    """The first line of `new` that says something else than each line of `old`, else one with other signs; or ''."""
    before = old.splitlines()
    lines = {stripped: None for line in new.splitlines() if (stripped := line.strip()) and line not in before}
    known = {SIGNS.sub("", line) for line in before} | {""}
    return next((line for line in lines if SIGNS.sub("", line) not in known), next(iter(lines), ""))
