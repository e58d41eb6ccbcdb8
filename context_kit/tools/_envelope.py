"""The result without its envelope: exit code, what was printed, whether it still runs.

Every agent wraps what a tool printed in its own frame. The frame is looked for in the first
400 and the last 700 characters only, and never inside what was printed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from context_kit._lazily import regex

__all__ = ["Envelope", "unwrap"]

HEAD, TAIL = 400, 700
"""Characters in which a frame is looked for."""

Verdict = Literal["", "ok", "error", "running"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What a result says besides its text."""

    code: int | None = None
    """Exit code, where it is told."""
    body: str = ""
    """What was printed, without the frame."""
    verdict: Verdict = ""
    """What the frame says of it, where it says something."""
    mark: str = ""
    """The line of the frame that says so, word for word."""
    session: str = ""
    """Id of what still runs, or the number of a task."""
    items: tuple[dict[str, Any], ...] = ()
    """The results of a call that did several things, where they come as JSON objects."""


OPENING = regex(
    r"\s*(?:"
    r"(?P<mini><returncode>\s*(?P<a>-?\d+)\s*</returncode>)\n?(?:<output(?:_head)?>\n?)?"  # mini-swe-agent
    r"|(?P<claude>Exit code (?P<b>-?\d+))(?:\n|$)"  # Claude Code
    r"|(?P<cua>EXIT CODE: (?P<c>-?\d+))\n"  # trycua
    r"|(?:Chunk ID: \w+\n)?(?:Wall time: [\d.]+ seconds\n)"
    r"(?P<codex>Process exited with code (?P<d>-?\d+))\n(?:Original token count: \d+\n)?(?:Output:\n?)?"  # Codex
    r"|(?:Chunk ID: \w+\n)?(?:Wall time: [\d.]+ seconds\n)"
    r"(?P<live>Process running with session ID (?P<sid>\d+))\n(?:Original token count: \d+\n)?(?:Output:\n?)?"  # Codex
    r"|(?P<codex0>Exit code: (?P<e>-?\d+))\n(?:Wall time: [^\n]*\n)?(?:Total output lines: \d+\n)?(?:Output:\n)?"
    r"|(?P<bg>Command running in background with ID: (?P<bid>\w+))"  # Claude Code
    r"|<status>(?P<bg2>running|completed|failed)</status>\n+(?:<exit_code>(?P<f>-?\d+)</exit_code>\n+)?"  # Claude Code
    r"|Command executed in terminal[^\n]*?(?P<roo>Exit code: (?P<g>-?\d+))\n(?:Output:\n)?"  # Roo
    r")"
)
CLOSING = regex(
    r"\n*(?:"
    r"(?P<pi>Command (?:exited|failed) with (?:exit )?code (?P<a>-?\d+))\s*$"  # pi
    r"|(?P<oh>\[The command completed with exit code (?P<b>-?\d+)\.\])[^\n]*(?:\n\[[^\n]*)*\s*$"  # OpenHands
    r"|(?P<gem>Exit Code: (?P<c>-?\d+))\n?(?:(?:Signal|Background PIDs|Process Group PGID)"
    r": [^\n]*\n?)*$"  # Gemini CLI
    r"|(?:Signal: [^\n]*\n)?(?:Background PIDs: [^\n]*\n)?Process Group PGID: [^\n]*\s*$"  # Gemini CLI, exit code 0
    r"|(?P<plain>\[?\(?(?:[Pp]rocess |[Cc]ommand )?(?:exit(?:ed)?|Exit(?:ed)?|EXIT|finished|failed)[ _]?(?:with )?"
    r"(?:exit )?(?:code|status|CODE)?[:= ] ?(?P<d>-?\d+)\)?\]?\.?)\s*$"  # go run, `echo "exit: $?"`
    r"|\n?\(Open file: [^\n]*\)\n\(Current directory: [^\n]*\)\nbash-\$\s*$"  # SWE-agent
    r"|Shell cwd was reset to [^\n]*\s*$"  # Claude Code
    r"|</output(?:_tail)?>\s*$"  # mini-swe-agent
    r")"
)
SIGNS = (
    "<returncode>",
    "Exit code",
    "EXIT CODE",
    "Process exited",
    "Process running",
    "running in background",
    "<status>",
)
"""A cheap look first: a text that begins without these has no opening."""
ENDINGS = (
    "exit", "Exit", "EXIT", "finished", "failed", "Process Group PGID: ", "(Open file: ", "Shell cwd was", "</output",
)  # fmt: skip
"""Each end that `CLOSING` matches holds one of these."""
GEMINI = ("Process Group PGID: ", "Exit Code: ", "Background PIDs: ")
REMINDER = "<system-reminder>"
STATES: dict[str, Verdict] = {"running": "running", "failed": "error", "completed": "ok"}
JSON_SIGNS = ('"exit_code"', '"exitCode"', '"status"', '"success"', '"error"', '"result"', '"stdout"', '"is_error"')


@lru_cache(maxsize=8)
def unwrap(text: str, /) -> Envelope:
    """Take the frame off a tool's result; a text without one is its own body. One result is asked for several times."""
    if not text:
        return Envelope()
    if text[0] in "{[" or (text[0].isspace() and text[:50].lstrip()[:1] in ("{", "[")):
        found = _unwrap_json(text)
        if found is not None:
            return found
    return _unwrap_text(text)


def _unwrap_text(text: str) -> Envelope:
    code: int | None = None
    mark, session = "", ""
    verdict: Verdict = ""
    begin, end = 0, len(text)
    if text.startswith("Output: ") and any(sign in text[-TAIL:] for sign in GEMINI):
        begin = len("Output: ")
    elif any(sign in text[:HEAD] for sign in SIGNS) and (opening := OPENING.match(text[:HEAD])):
        begin = opening.end()
        code, mark, session, verdict = _opened(opening)
    if REMINDER in text[-6_000:]:
        cut = text.find(REMINDER, max(begin, end - 6_000))
        end = cut if cut >= 0 and text.rstrip().endswith("</system-reminder>") else end
    start = max(begin, end - TAIL)
    closing = _last(text[start:end])
    if closing:
        end = start + closing.start()
        if code is None and closing.lastgroup:
            code, mark = _closed(closing)
    return Envelope(code=code, body=text[begin:end], verdict=verdict, mark=mark, session=session)


def _last(text: str) -> re.Match[str] | None:
    """The frame's end: looked for from each of the last lines, the earliest that reaches the end."""
    if not any(ending in text for ending in ENDINGS):
        return None
    starts = [0]
    starts.extend(match.end() for match in re.finditer(r"\n+", text))
    for start in starts[-14:]:
        found = CLOSING.match(text, start)
        if found:
            return found
    return None


def _opened(found: re.Match[str]) -> tuple[int | None, str, str, Verdict]:
    for name, digits in (("mini", "a"), ("claude", "b"), ("cua", "c"), ("codex", "d"), ("codex0", "e"), ("roo", "g")):
        if found.group(name):
            return int(found.group(digits)), found.group(name), "", ""
    if found.group("live"):
        return None, found.group("live"), found.group("sid"), "running"
    if found.group("bg"):
        return None, found.group("bg"), found.group("bid"), "running"
    if found.group("bg2"):
        code = found.group("f")
        return int(code) if code else None, found.group("bg2"), "", STATES[found.group("bg2")]
    return None, "", "", ""


def _closed(found: re.Match[str]) -> tuple[int | None, str]:
    for name, digits in (("pi", "a"), ("oh", "b"), ("gem", "c"), ("plain", "d")):
        if found.group(name):
            return int(found.group(digits)), found.group(name)
    return None, ""


def _unwrap_json(text: str) -> Envelope | None:
    if not any(sign in text[:2_000] or sign in text[-2_000:] for sign in JSON_SIGNS):
        return None
    found = _objects(text)
    if not found:
        return None
    if len(found) == 1:
        return _from_object(found[0], text)
    if not all("result" in item and "success" in item for item in found):
        return None
    failed = next((item for item in found if item["success"] is False), None)
    body = "\n".join(_string(item["result"]) for item in found)
    if failed is None:
        return Envelope(body=body, verdict="ok", items=tuple(found))
    return Envelope(body=_string(failed.get("error") or failed["result"]), verdict="error", items=tuple(found))


def _objects(text: str) -> list[dict[str, Any]]:
    """The JSON objects that the whole text consists of: one, a list, or one after the other."""
    decoder = json.JSONDecoder()
    found: list[dict[str, Any]] = []
    at, end = 0, len(text)
    while at < end:
        while at < end and text[at] in " \t\r\n":
            at += 1
        if at == end:
            break
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return []
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(item, dict) for item in values):
            return []
        found.extend(values)
    return found


def _from_object(found: dict[str, Any], text: str) -> Envelope | None:
    """The frames seen: Codex's, MyCodeAgent's, Cline's, Gemini CLI's error, MCP's, plain exit codes."""
    keys = found.keys()
    data = found.get("data")
    if isinstance(data, dict) and isinstance(found.get("status"), str) and "text" in keys:
        return _from_parts(data, found, error=found["status"] == "error", text=text)
    metadata = found.get("metadata")
    if isinstance(found.get("output"), str) and (isinstance(metadata, dict) or len(keys) == 1):
        return _from_parts(metadata if isinstance(metadata, dict) else {}, found, error=False, text=text)
    if {"exit_code", "exitCode", "returncode"} & keys and {"stdout", "stderr", "output"} & keys:
        return _from_parts(found, found, error=False, text=text)
    if {"query", "result"} <= keys or ("success" in keys and len(keys) <= 6):
        error = found.get("success") is False
        body = found.get("error") if error and found.get("error") else found.get("result", found.get("message", text))
        return Envelope(body=_string(body), verdict="error" if error else "ok", items=(found,))
    if (found.get("error") and len(keys) <= 4) or found.get("status") == "error" or found.get("is_error") is True:
        return Envelope(
            body=_string(found.get("error") or found.get("message") or text), verdict="error", items=(found,)
        )
    return None


def _from_parts(data: dict[str, Any], found: dict[str, Any], *, error: bool, text: str) -> Envelope:
    code = next(
        (data[name] for name in ("exit_code", "exitCode", "returncode") if isinstance(data.get(name), int)), None
    )
    mark = f'"exit_code": {code}' if code is not None and f'"exit_code": {code}' in text else ""
    printed = [data[name] for name in ("stdout", "stderr", "content") if isinstance(data.get(name), str) and data[name]]
    if error:
        told = found.get("error")
        told = told.get("message") if isinstance(told, dict) else told
        return Envelope(
            code=code, body=_string(told or found.get("text") or text), verdict="error", mark=mark, items=(found,)
        )
    body = (
        "\n".join(printed)
        if printed
        else _string(found.get("output", "" if code is not None else found.get("text", "")))
    )
    return Envelope(code=code, body=body, mark=mark, verdict="" if code is not None else "ok", items=(found,))


def _string(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
