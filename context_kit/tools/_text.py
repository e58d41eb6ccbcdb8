"""Agents that act in plain text: the action is the last thing they say, the next user message answers it.

Forms: SWE-agent's and mini-swe-agent's fenced command, OpenHands' and Cline's XML.
"""

from __future__ import annotations

import re
from typing import Any

from context_kit._lazily import regex
from context_kit.tools._act import Act, Call
from context_kit.tools._acts import meaning
from context_kit.tools._shell import runs
from context_kit.tools._shellwords import names, simples
from context_kit.tools._sweagent import COMMANDS, RANGE

__all__ = ["acts_in_text", "text_acts"]

TAIL = 200_000
TAGS = frozenset(("", "bash", "sh", "shell", "console", "mswea_bash_command", "command"))
"""What may stand behind the opening fence (SWE-agent, mini-swe-agent)."""
PROGRAM = regex(r"(?:\w+=\S* )*[a-z_./~][\w./+-]*(?:[ \n;|&]|$)")
"""How a command line begins; prose and logs begin otherwise."""
LINE = regex(r"[^\n]{0,200}")
FUNCTION = regex(r"<function=([\w.-]{1,80})>")
PARAMETER = regex(r"<parameter=([\w-]{1,80})>\n?")
EXECUTE = regex(r"<execute_(bash|ipython)>\n?")
CLINE = names("execute_command read_file write_to_file replace_in_file search_files list_files apply_diff")
TAG = regex(r"<([a-z_]{2,40})>")


def acts_in_text(said: str) -> bool:
    """True where an assistant's text ends in an action, so that the next user message may be what came of it.

    A chat that ends in a shell snippet looks the same: ask `looks_observed` of the answer as well.
    """
    return _action(said) is not None


def text_acts(said: str, observed: str, /) -> tuple[Act, ...]:
    """What an assistant's text did, with the observation that answers it; nothing where it did nothing."""
    found = _action(said)
    if found is None:
        return ()
    name, args = found
    call = Call.of(name, args, observed)
    if name == "bash":
        return runs(call, str(args["command"]))
    return meaning(call)


def _action(said: str) -> tuple[str, dict[str, Any]] | None:
    text = said[-TAIL:].rstrip()
    if text.endswith("```"):
        return _fenced(text)
    if text.endswith((">", "</function")):
        return _tagged(text)
    return None


def _fenced(text: str) -> tuple[str, dict[str, Any]] | None:
    inner = text[:-3]
    at = inner.rfind("\n```")
    at = at + 1 if at >= 0 else (0 if inner.startswith("```") else -1)
    if at < 0 or inner.count("\n```", 0, at) % 2:
        return None
    first = LINE.match(inner, at + 3)
    tag = first.group().strip() if first else ""
    if tag.lower() not in TAGS:
        return None
    block = inner[at + 3 + len(first.group() if first else "") :].strip("\n").rstrip()
    return _command(block) if block.strip() and (tag or PROGRAM.match(block)) else None


def _command(block: str) -> tuple[str, dict[str, Any]] | None:
    """A command of SWE-agent's own, or a command line of the shell."""
    head, _, rest = block.partition("\n")
    name, _, given = head.strip().partition(" ")
    given = given.strip()
    if name not in COMMANDS:
        return ("bash", {"command": block})
    plain = given.strip("\"'")
    if name in ("edit", "insert", "append"):
        text = rest.removesuffix("end_of_edit").removesuffix("end_of_insert").removesuffix("end_of_append")
        found = RANGE.match(plain)
        if name == "edit" and found:
            return name, {"start_line": int(found.group(1)), "end_line": int(found.group(2)), "text": text or "\n"}
        return name, {"text": text, "line": plain}
    if name == "open":
        found_words = simples(head)[:1]
        words = found_words[0].words if found_words else ["open"]
        return name, {"path": words[1] if len(words) > 1 else ""}
    if name == "create":
        return name, {"filename": plain}
    if name == "str_replace_editor":
        return "bash", {"command": block}
    return name, {"pattern": plain}


def _tagged(text: str) -> tuple[str, dict[str, Any]] | None:
    """`<function=name><parameter=x>…`, `<execute_bash>…` and Cline's `<tool><path>…</path></tool>`."""
    if text.endswith(("</function>", "</function")) and (found := _last(FUNCTION, text)):
        body = text[found.end() :].removesuffix("</function>").removesuffix("</function")
        args = {}
        for piece in body.split("</parameter>"):
            opened = PARAMETER.search(piece)
            if opened:
                args[opened.group(1)] = piece[opened.end() :].removesuffix("\n")
        return found.group(1), args
    if text.endswith(("</execute_bash>", "</execute_ipython>")) and (found := _last(EXECUTE, text)):
        body = text[found.end() : text.rfind("</execute_")].strip("\n")
        return ("bash" if found.group(1) == "bash" else "execute_ipython"), {"command": body}
    name = text[text.rfind("</") + 2 : -1]
    at = text.rfind(f"<{name}>") if name in CLINE else -1
    if at < 0:
        return None
    body = text[at + len(name) + 2 : text.rfind("</")]
    args = {}
    start = 0
    while opened := TAG.search(body, start):
        tag = opened.group(1)
        end = body.rfind(f"</{tag}>")
        if end < opened.end():
            break
        args[tag] = body[opened.end() : end].strip("\n")
        start = end + len(tag) + 3
    return name, args


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    newest = None
    for found in pattern.finditer(text):
        newest = found
    return newest
