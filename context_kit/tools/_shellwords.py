"""A command line as pipelines of simple commands, as far as plain reading goes.

Nothing is expanded and nothing is run. Text in quotes and in here-documents never counts as a
command. Linear in the command; what is longer than 64 KB is read up to there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from context_kit._lazily import regex

__all__ = ["LONGEST", "Simple", "names", "simples"]

LONGEST = 65_536
HEREDOC = regex(r"<<(-?)[ \t]*(?:'([^'\n]{1,80})'|\"([^\"\n]{1,80})\"|\\?([A-Za-z_][\w.-]{0,79}))")
TOKEN = regex(
    r"""(?P<space>[ \t\r]+|\\\r?\n)
    |(?P<end>&&|\|\|?&?|;;?|&(?!>)|\n|[()])
    |(?P<redirect>(?:\d?|&)>>?[|&]?|<<<|<)
    |(?P<word>(?:"[^"\\]*(?:\\.[^"\\]*)*"|'[^']*'|\\.|[^\s"'\\;|&<>()$]+|\$\([^()\n]*\)|["'\\$])+)""",
    re.VERBOSE | re.DOTALL,
)
UNQUOTE = regex(r""""([^"\\]*(?:\\.[^"\\]*)*)"|'([^']*)'|\\(.)""", re.DOTALL)
MARKED = regex(r"<<\x01(\d+)\x01")
ASSIGNED = regex(r"[A-Za-z_]\w*=")


def names(text: str) -> frozenset[str]:
    """A set of names that is written as one text."""
    return frozenset(text.split())


@dataclass(slots=True)
class Simple:
    """One simple command."""

    words: list[str] = field(default_factory=list[str])
    """Its words without quotes; assignments in front are left out."""
    writes: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    """Files that its output goes to, and whether it is put at their end."""
    reads: list[str] = field(default_factory=list[str])
    """Files that it reads from by `<`."""
    document: str | None = None
    """Its here-document, or here-string."""
    piped: bool = False
    """Its input is the output of the command before."""
    pipes: bool = False
    """Its output goes to the command behind."""
    link: str = ""
    """What stands before it: `&&`, `||`, `;`, `|` or nothing."""
    literal: bool = True
    """No word of it is to be expanded by the shell."""

    @property
    def name(self) -> str:
        """The program's name, without its folder."""
        return self.words[0].rpartition("/")[2] if self.words else ""


def simples(command: str) -> list[Simple]:
    """The simple commands of a command line, in order."""
    text, documents = _take_documents(command[:LONGEST])
    found: list[Simple] = []
    current, waiting, link, at, end = Simple(), "", "", 0, len(text)
    while at < end:
        if text[at] == "#" and (at == 0 or text[at - 1] in " \t\n;"):
            line_end = text.find("\n", at)
            at = line_end if line_end >= 0 else end
            continue
        if documents and (marked := MARKED.match(text, at)):
            at, current.document = marked.end(), documents[int(marked.group(1))]
            continue
        token = TOKEN.match(text, at)
        if token is None or token.end() == at:
            at += 1
            continue
        at = token.end()
        kind, word = token.lastgroup, token.group()
        if kind == "word":
            _put(current, waiting, word)
            waiting = ""
        elif kind == "redirect":
            waiting = word
        elif kind == "end":
            current.link, link = link, word
            current.pipes = word in ("|", "|&")
            _close(found, current)
            current, waiting = Simple(piped=word in ("|", "|&")), ""
    current.link = link
    _close(found, current)
    return found


def _close(found: list[Simple], simple: Simple) -> None:
    if simple.words or simple.writes or simple.document is not None:
        found.append(simple)


def _put(simple: Simple, redirect: str, word: str) -> None:
    plain = _plain(word)
    if "$" in word or "`" in word:
        simple.literal = simple.literal and word.startswith("'")
    if redirect == "<<<":
        simple.document = plain + "\n"
    elif redirect == "<":
        simple.reads.append(plain)
    elif redirect:
        if not redirect.endswith("&") and not redirect.startswith("2"):
            simple.writes.append((plain, ">>" in redirect))
    elif simple.words or not ASSIGNED.match(word):
        simple.words.append(plain)


def _plain(word: str) -> str:
    if '"' not in word and "'" not in word and "\\" not in word:
        return word
    return UNQUOTE.sub(_unquoted, word)


def _unquoted(found: re.Match[str]) -> str:
    double, single, escaped = found.groups()
    if single is not None:
        return str(single)
    if escaped is not None:
        return "" if escaped == "\n" else str(escaped)
    return re.sub(r'\\(["\\$`])', r"\1", double) if "\\" in double else str(double)


def _take_documents(command: str) -> tuple[str, list[str]]:
    """The command with a mark in place of each here-document, and their bodies in order."""
    if "<<" not in command:
        return command, []
    kept: list[str] = []
    bodies: list[str] = []
    lines = command.split("\n")
    ends = {line.strip("\t\r") for line in lines}
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if "<<" in line:
            pieces, done = [], 0
            for mark in HEREDOC.finditer(line):
                name = next(each for each in mark.groups()[1:] if each is not None)
                if name not in ends or line[max(0, mark.start() - 1) : mark.start()] == "<":
                    continue
                pieces += [line[done : mark.start()], f"<<\x01{len(bodies)}\x01"]
                done = mark.end()
                begin = at
                while at < len(lines) and (lines[at].strip("\t") if mark.group(1) else lines[at].rstrip("\r")) != name:
                    at += 1
                bodies.append("".join(each + "\n" for each in lines[begin:at]))
                at += 1
            line = "".join([*pieces, line[done:]])
        kept.append(line)
    return "\n".join(kept), bodies
