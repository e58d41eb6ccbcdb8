"""A shell command as the simple commands it runs: words, files written, files shown, tests run."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["Simple", "edits", "reads", "simple_commands", "tests"]

_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_SHOWS = {"cat", "head", "tail", "less", "more", "nl", "bat", "tac"}
_AUTHORS = {"cat", "echo", "printf", "tee"}
_PREFIX = {"sudo", "time", "env", "nohup", "exec", "then", "do", "else", "if", "!", "npx", "bunx", "command"}
_PYTHON = r"python\d?(?:\.\d+)?\s+(?:-\S+\s+)*"
_TEST = re.compile(
    rf"{_PYTHON}-m\s+(?:pytest|unittest|nose2?|django\s+test)"
    rf"|{_PYTHON}(?:\S*/)?(?:test_\w+|\w+_tests?|runtests|manage)\.py(?:\s|$)"
    r"|(?:py\.?test|tox|nox|vitest|jest|mocha|ctest|rspec|phpunit)\b"
    r"|(?:go|cargo|mix|swift|dotnet|gradle|\./gradlew|mvn|deno|zig\s+build)\s+(?:-\S+\s+)*(?:test|nextest)\b"
    r"|(?:npm|yarn|pnpm|bun)\s+(?:--?\S+\s+)*(?:run\s+)?(?:test|t)(?:[:\w-]*)(?=\s|$)"
    r"|mise\s+run\s+test[:\w-]*|make\s+(?:\S+\s+)*(?:test|check)\b|(?:\S*/)?(?:manage|runtests)\.py(?:\s|$)"
)


@dataclass(slots=True)
class Simple:
    """One simple command."""

    words: list[str] = field(default_factory=list)
    outs: list[str] = field(default_factory=list)
    """Files that its output goes into."""
    start: int = 0
    end: int = 0
    """Where its words stand in the command, redirections left out."""
    fed: bool = False
    """A heredoc is its input."""
    piped: bool = False
    """It reads from the command before it."""
    body: str = ""
    """The heredoc's text."""


def _bodies(command: str) -> tuple[str, list[str]]:
    """The command with heredoc bodies blanked out (same length), and the bodies in order."""
    lines = command.splitlines(keepends=True)
    out: list[str] = []
    bodies: list[str] = []
    waiting: list[str] = []
    for line in lines:
        if waiting:
            out.append(" " * (len(line) - 1) + "\n" if line.endswith("\n") else " " * len(line))
            if line.strip() == waiting[0]:
                waiting.pop(0)
                bodies.append("")
            else:
                bodies[-1] += line
            continue
        out.append(line)
        if waiting := [match[2] for match in _HEREDOC.finditer(line)]:
            bodies.append("")
    return "".join(out), bodies


def _word(text: str, at: int) -> tuple[str, int]:
    """One word from `at`: quotes and `$(…)` kept together, quotes removed."""
    out: list[str] = []
    depth = 0
    while at < len(text):
        char = text[at]
        if char == "\\" and at + 1 < len(text):
            out.append("" if text[at + 1] == "\n" else text[at + 1])
            at += 2
            continue
        if char in "'\"":
            close = at + 1
            while close < len(text) and text[close] != char:
                close += 2 if char == '"' and text[close] == "\\" else 1
            out.append(text[at + 1 : close])
            at = close + 1
            continue
        depth += (char == "(" and (depth > 0 or text[at - 1 : at] == "$")) - (char == ")" and depth > 0)
        if not depth and (char.isspace() or char in "|&;<>()") and not (char == ")" and out and text[at - 1] == "("):
            break
        out.append(char)
        at += 1
    return "".join(out), max(at, 1)


def simple_commands(command: str) -> list[Simple]:
    """The simple commands of a shell text, in order."""
    text, bodies = _bodies(command)
    found = [Simple()]
    at, piped = 0, False
    while at < len(text):
        now, char = found[-1], text[at]
        if char == "#" and (at == 0 or text[at - 1].isspace()):
            at = text.find("\n", at) if "\n" in text[at:] else len(text)
        elif char.isspace() and char != "\n":
            at += 1
        elif char in "\n;|&()" and not text.startswith("&>", at):
            piped = char == "|" and not text.startswith("||", at)
            at += 2 if text.startswith(("||", "&&"), at) else 1
            if now.words or now.outs:
                found.append(Simple(piped=piped))
            else:
                now.piped = piped
        elif match := _HEREDOC.match(text, at):
            now.fed, now.body = True, bodies.pop(0) if bodies else ""
            at = match.end()
        elif match := re.compile(r"(?:\d|&)?(>>?|<<<|<)(&\d|&-)?\s*").match(text, at):
            target, at = _word(text, match.end()) if not match[2] else ("", match.end())
            if match[1] in (">", ">>") and target not in ("", "/dev/null"):
                now.outs.append(target)
        else:
            word, end = _word(text, at)
            now.start = now.start if now.words else at
            now.words.append(word)
            now.end = at = end if end > at else at + 1
    return [each for each in found if each.words]


def _program(simple: Simple) -> list[str]:
    words = simple.words
    while words and (words[0] in _PREFIX or re.match(r"\w+=|-n$|-\w$", words[0])):
        words = words[1:]
    if words and words[0] == "timeout":
        words = words[2:]
    return words


def _is_path(word: str) -> bool:
    return bool(re.fullmatch(r"[\w.~/@+-][^\s*?{}$`|<>:;,'\"()=]*", word)) and ("/" in word or "." in word.strip("."))


def edits(command: str) -> list[str]:
    """Files whose text the command writes: authored output, `sed -i`, patches, `open(…, "w")` in a script."""
    found: list[str] = []
    for simple in simple_commands(command):
        words = _program(simple)
        if not words:
            continue
        name = words[0].rsplit("/", 1)[-1]
        if name in _AUTHORS and (simple.outs or name == "tee") and (simple.fed or name != "cat"):
            found += simple.outs + ([word for word in words[1:] if _is_path(word)] if name == "tee" else [])
        elif name in ("sed", "perl") and any(re.match(r"-\w*i|--in-place", word) for word in words[1:]):
            operands = [word for word in words[1:] if not word.startswith("-")]
            scripted = any(word in ("-e", "-f") for word in words)
            found += [word for word in operands[0 if scripted else 1 :] if _is_path(word) and not word.startswith("s/")]
        elif (name in ("patch", "apply_patch") or words[:2] == ["git", "apply"]) and simple.body:
            found += re.findall(
                r"^(?:\+\+\+ (?:b/)?|\*\*\* (?:Update|Add|Delete) File: )(\S+)", simple.body, re.MULTILINE
            )
        elif name.startswith("python"):
            script = simple.body or " ".join(words[1:])
            found += re.findall(r"open\(\s*['\"]([^'\"]+)['\"]\s*,\s*['\"][wa]", script)
    return [path for path in found if not path.startswith("/dev/")]


def reads(command: str) -> list[str]:
    """Files whose text the command shows."""
    found: list[str] = []
    for simple in simple_commands(command):
        words = _program(simple)
        if not words or simple.outs or simple.fed:
            continue
        name = words[0].rsplit("/", 1)[-1]
        if name in _SHOWS:
            found += [word for word in words[1:] if _is_path(word)]
        elif name == "sed" and "-n" in words and not any(word.startswith("-i") for word in words):
            found += [word for word in [word for word in words[1:] if not word.startswith("-")][1:] if _is_path(word)]
    return found


def tests(command: str) -> list[str]:
    """The test commands in it, as they stand there, redirections and pipes left out."""
    found: list[str] = []
    for simple in simple_commands(command):
        words = _program(simple)
        if words and _TEST.match(" ".join(words)):
            text = command[simple.start : simple.end]
            at = text.find(words[0])
            found.append(text[max(at, 0) :].strip())
    return found
