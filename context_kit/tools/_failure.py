"""Whether it failed, and the error's own text: one piece of what was printed, word for word.

An exit code that the command line doesn't hide decides. Without one, signs at the beginning of
lines do, in the first 4 KB and the last 16 KB. What a viewer or a search prints is no sign.
"""

from __future__ import annotations

from context_kit._lazily import regex
from context_kit.tools._answer import answer_of
from context_kit.tools._commands import Manner, manner
from context_kit.tools._envelope import Envelope, unwrap
from context_kit.tools._signs import (
    CHINESE,
    COMPLAINT,
    EXCEPTION,
    FRAMES,
    GENERIC,
    REFUSALS,
    REFUSED_LINE,
    RUNNER,
    SHELL,
    SUMMED,
    TRACES,
    literals,
)

__all__ = ["LINES", "failure", "refusal"]

HEAD, TAIL = 4_096, 16_384
"""Characters of a huge output that are looked at."""
LINES = 40
"""An error's own text has at most so many lines ..."""
LENGTH = 6_000
"""... and so many characters."""
SHORT = 1_500
"""A tool's refusal is no longer than this, unless the result says that it is one."""
RAISED = regex(r"[A-Za-z_][\w.]{0,200}(?::|$)")
"""The line behind the frames of a Python traceback: the exception's class, whatever its name."""
NOTHING_FOUND = 1
"""Exit code of grep and its kin where they found nothing."""


def failure(text: str, /, *, command: str = "", flagged: bool = False) -> str:
    """The error's own text, or nothing where it succeeded.

    Args:
        text: a tool's result as the model saw it.
        command: the command line that printed it; empty where it isn't known.
        flagged: the result says itself that it is an error (`is_error`).

    Returns:
        At most 40 lines in one piece; the exit code's line where nothing was printed.

    """
    seen = unwrap(text)
    if seen.verdict == "running" and not flagged:
        return ""
    how = manner(command)
    told = flagged or seen.verdict == "error" or seen.code not in (None, 0)
    if told:
        if _found_nothing(seen, how, flagged=flagged):
            return ""
        return _cut(seen.body) or seen.mark or text.strip()[:LENGTH] or "failed without a word"
    if seen.code == 0 and not how.hides:
        return ""
    if not literals(seen.body[:HEAD]) and not literals(seen.body[-TAIL:]):
        return ""
    return _cut(seen.body) if _shows(seen.body, how, certain=seen.verdict == "ok") else ""


def refusal(text: str, /, *, flagged: bool = False, seen: Envelope | None = None, edits: bool = False) -> str:
    """Why a tool that is no shell didn't do it, or nothing where it did.

    Args:
        text: a tool's result as the model saw it.
        flagged: the result says itself that it is an error (`is_error`).
        seen: the result without its envelope, where that is known.
        edits: the tool was to change a file: what its answer says in words of its own counts as well.

    """
    seen = unwrap(text) if seen is None else seen
    if flagged or seen.verdict == "error":
        return _cut(seen.body) or text.strip()[:LENGTH] or "failed without a word"
    body = seen.body.lstrip()
    if body.startswith(REFUSALS) and (len(body) < SHORT or body.startswith(("<tool_use_error>", "Your proposed edit"))):
        return _cut(seen.body)
    if len(body) < SHORT and REFUSED_LINE.match(body):
        return _cut(seen.body)
    return _cut(seen.body) if edits and answer_of(text, seen) == "undone" else ""


def _found_nothing(seen: Envelope, how: Manner, *, flagged: bool) -> bool:
    """True where a search came back with nothing, which is an answer and no failure."""
    if not how.asks or (seen.code not in (None, NOTHING_FOUND, 123)):
        return False
    if seen.code is None and not flagged:
        return False
    body = seen.body.strip()
    return FRAMES.match(body) is not None or all(
        line.endswith(("binary file matches", " matches", "Is a directory", "is a directory"))
        for line in body.split("\n")
    )


def _shows(body: str, how: Manner, *, certain: bool) -> bool:
    """True where what was printed shows a failure, whatever the exit code was."""
    if how.views:
        return _complains(body)
    tail = body[-TAIL:].rstrip()
    lines = [line.rstrip() for line in tail.split("\n")]
    if any(COMPLAINT.match(line) for line in (*lines[-3:], *lines[:2])):
        return True
    if certain and not how.verifies:
        return False
    if _ends_in_trace(tail, lines):
        return True
    if (how.verifies or not how.known) and not _all_well(lines):
        if _broken(_ends(lines, body)):
            return True
    elif how.verifies:
        return False
    newest = [line for line in lines[-6:] if line]
    return _broken(newest) or any(SHELL.match(line) or CHINESE.match(line) for line in newest)


def _broken(lines: list[str]) -> bool:
    """One of the lines is how a compiler, a build or a test runner says that it went wrong."""
    if any(map(GENERIC.match, lines)):
        return True
    text = "\n".join(lines)
    words = [word for word in SUMMED if word in text]
    return any(RUNNER.match(line) for word in words for line in lines if word in line)


def _ends(lines: list[str], body: str) -> list[str]:
    """The lines that are looked at: the last 150, and the first 60 of a longer text."""
    return lines if len(lines) <= 210 and len(body) <= TAIL else [*body[:HEAD].split("\n")[:60], *lines[-150:]]


WELL = regex(
    r"(?:=+ )?[1-9]\d* passed(?![^\n]{0,200}(?:failed|error))[^\n]{0,200} in |OK(?: \(|$)|test result: ok|"
    r"Tests:\s+\d+ passed, \d+ total"
)


def _all_well(lines: list[str]) -> bool:
    """The summing-up of a test run says that all passed; what tests print in between is their own."""
    return any(WELL.match(line) for line in lines[-12:])


def _complains(body: str) -> bool:
    """A viewer's own complaint: the first or the last line, or the only ones."""
    lines = body.strip().split("\n", 400)
    return len(lines) < 400 and (COMPLAINT.match(lines[-1]) is not None or COMPLAINT.match(lines[0]) is not None)


def _ends_in_trace(tail: str, lines: list[str]) -> bool:
    """True where the output ends in an exception, with its stack before or behind it."""
    newest = [line for line in lines[-10:] if line]
    if not any(trace in tail for trace in TRACES):
        return False
    if newest and EXCEPTION.match(newest[-1]):
        return True
    if "Node.js v" in tail[-200:] or (tail.endswith("}") and "\n    at " in tail[-3_000:]):
        return True
    if any(
        line.startswith(("    at ", "goroutine ", "exit status ", "note: run with `RUST_BACKTRACE"))
        for line in newest[-3:]
    ):
        return True
    at = tail.rfind("Traceback (most recent call last)")
    return at >= 0 and _exception_ends(tail[at:])


def _exception_ends(trace: str) -> bool:
    """True where behind the exception's line come at most five lines: its message."""
    lines = trace.split("\n")[1:]
    for index, line in enumerate(lines):
        if line and not line[0].isspace():
            return RAISED.match(line) is not None and len(lines) - index <= 6
    return False


def _cut(body: str) -> str:
    """One piece of the text, where the error is: at most 40 lines, 6,000 characters."""
    body = body.strip("\n").rstrip()
    if body.startswith("<tool_use_error>"):
        body = body.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
    if body.startswith("ERROR:\n"):
        body = body.removeprefix("ERROR:\n")
    if len(body) <= LENGTH and body.count("\n") < LINES:
        return body
    return _piece(body[:HEAD] if _only_head(body) else body[-TAIL:])


def _only_head(body: str) -> bool:
    """The signs are in the first lines and none in the last: a refusal with a long echo behind it."""
    return not literals(body[-TAIL:]) or (body.startswith(REFUSALS))


def _piece(text: str) -> str:
    lines = text.split("\n")
    if text.startswith(REFUSALS):
        return _clip("\n".join(lines[:LINES]))
    signs = [index for index, line in enumerate(lines) if _is_sign(line)]
    if not signs:
        return _clip("\n".join(lines[-LINES:]))
    last = signs[-1]
    traced = any(line.startswith("Traceback (most") for line in lines)
    start = max(0, last - LINES + 3) if traced or last - signs[0] < LINES - 4 else max(0, signs[0] - 1)
    if not traced:
        start = min(start, signs[0]) if last - signs[0] < LINES else start
    return _clip("\n".join(lines[start : start + LINES]))


def _is_sign(line: str) -> bool:
    return bool(
        EXCEPTION.match(line)
        or GENERIC.match(line)
        or RUNNER.match(line)
        or COMPLAINT.match(line)
        or line.startswith("E  ")
    )


def _clip(text: str) -> str:
    """At most 6,000 characters of it, whole lines where there are any, the end rather than the beginning."""
    text = text.strip("\n")
    if len(text) <= LENGTH:
        return text
    text = text[-LENGTH:]
    at = text.find("\n")
    return text[at + 1 :] if 0 <= at < LENGTH // 2 else text
