"""A command line apart from the circumstances that it runs in: its environment, its folder, how long it waits.

What they are is often what cures a failure, so they are told apart from the command and not lost.
"""

from __future__ import annotations

from dataclasses import dataclass

from context_kit._lazily import regex
from context_kit.tools._commands import normal_command
from context_kit.tools._shellwords import LONGEST

__all__ = ["Attempt", "attempted"]

_THEN = r"\s*(?:&&|;)\s*"
_WORD = r"(?:\"[^\"\n]*\"|'[^'\n]*'|\$\([^()\n]*\)|[^\s;&|()\"'`])"
_PART = regex(
    rf"(?P<place>cd\s+{_WORD}+){_THEN}"
    rf"|(?:export\s+|env\s+)?(?P<setting>[A-Za-z_]\w*={_WORD}*)(?:{_THEN}|\s+(?=\S))"
    rf"|(?P<shell>(?:source|\.)\s+{_WORD}+|(?:conda|mamba|micromamba|pyenv|nvm|fnm|rbenv|asdf)\s+"
    rf"(?:activate|shell|use|local)\s+{_WORD}+|(?:unset|umask|ulimit)\s+[^;&|\n]{{1,80}}?){_THEN}"
    rf"|(?P<leave>g?timeout\s+(?:-\S+\s+)*[\d.]+[smhd]?|sudo(?:\s+-\w+)*)\s+(?=\S)"
    rf"|(?:time\s+|set\s+-\w+(?:\s+pipefail)?{_THEN})"
)
_WAIT = regex(rf"(?:^|(?<=[;&] ))(sleep\s+[\d.]+[smhd]?){_THEN}")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A command line, read."""

    core: str
    """The command itself, in a form in which two tries compare equal."""
    place: str = ""
    """The folder that it goes to first: `cd services/api`; empty where it names none."""
    settings: tuple[str, ...] = ()
    """What it sets or takes first, as it stands: `DEBUG=1`, `source .venv/bin/activate`, `sudo`, `sleep 15`."""


def attempted(command: str) -> Attempt:
    """The command of a command line and its circumstances; linear in the line."""
    text = " ".join(command[:LONGEST].split())
    places: list[str] = []
    settings: list[str] = []
    at = 0
    while found := _PART.match(text, at) or _WAIT.match(text, at):
        at = found.end()
        if found.lastgroup == "place":
            places.append(found["place"])
        elif told := next(filter(None, found.groups()), ""):
            settings.append(told)
    settings += _WAIT.findall(text, at)
    return Attempt(normal_command(_WAIT.sub("", text[at:])), " && ".join(places), tuple(settings))
