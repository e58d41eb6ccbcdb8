"""What a person said through a tool: a call refused, the words beside it, an answer to what was asked.

A tool prints whatever it reads, so a person's words are taken only from an agent's own frame: at the beginning of a
result that says itself that it failed, of a tool of the agent's own; and from tools that do nothing but ask. Each
piece stands in the result word for word, or in the JSON string that it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from context_kit._lazily import regex
from context_kit.tools._shellwords import names

__all__ = ["declined", "spoken"]

LOOKED = 400
"""Characters at a result's beginning in which a refusal stands."""
NO = regex(
    r"\s*(?:\{\s*\"error\":\s*\"|Error: )?(?:"
    r"The user doesn't want to (?:proceed|take this action)"  # Claude Code
    r"|The agent proposed a plan that was rejected by the user"
    r"|Permission for this tool use was denied"
    r"|\[Operation Cancelled\] Reason: User "  # Gemini CLI, Qwen Code
    r"|(?:exec command|exec_command failed: exec command|command|patch|tool call) rejected by user"  # Codex
    r"|The user (?:denied|rejected|declined) (?:this|the|permission)"  # Cline, Roo, opencode
    r"|(?:The )?[Uu]ser (?:has )?(?:denied|rejected|declined|refused) "
    r"|(?:(?:The |Your )?[A-Za-z]{4,20} )?(?:was |has been )?(?:[Rr]ejected|[Dd]eclined|[Dd]enied|[Rr]efused) by "
    r"(?:the )?user\b"
    r"|(?:(?:该|此|本次|编辑|修改|操作)\S{0,6})?(?:已?被)?用户(?:已|已经)?(?:拒绝|取消|否决|驳回)"
    r"|Tool execution was rejected"
    r")"
)
SIGNS = ("ser", "denied", "rejected", "用户")
"""A cheap look first: a text that begins without these is no refusal."""
SAID = regex(
    r"[Tt]he user said:\n"  # Claude Code
    r"|with the following feedback: "  # opencode
    r"|following feedback:\s*<feedback>\n?"  # Cline, Roo
)
NOTES = ("\n\nNote: The user's next message may contain", "</feedback>", "\n\n<system-reminder>")
"""What an agent puts behind a person's words."""

ASKING = names(
    "askuserquestion ask_user ask_user_question ask_followup_question request_user_input question ask_question"
)
"""Tools that ask the person and do nothing else: Claude Code, Gemini CLI, Qwen Code, Cline, Codex, opencode."""
FRAMES = (
    ("User has answered your questions: ", ". You can now continue"),  # Claude Code, opencode
    ("User has provided the following answers:\n", ""),  # Qwen Code
    ("<answer>", "</answer>"),  # Cline, Roo
)


def declined(text: str, /) -> bool:
    """Whether a result says that a person refused the call, so that it was never carried out."""
    head = text[:LOOKED]
    return any(sign in head for sign in SIGNS) and NO.match(head) is not None


def spoken(tool: str, text: str, /, *, flagged: bool) -> str:
    """A person's own words in a tool's result; empty where there are none.

    Args:
        tool: the tool's name.
        text: its result.
        flagged: the result says itself that it is an error. A server's tool can say so, too, and never counts.
    """
    name = tool.strip().lower().replace("-", "_")
    if name in ASKING and not flagged:
        return _answer(text)
    if "__" in name or not declined(text):
        return ""
    found = SAID.search(text[: 4 * LOOKED])
    return _until(text[found.end() :], NOTES) if found and (flagged or "feedback" in found[0]) else ""


def _until(text: str, ends: tuple[str, ...]) -> str:
    places = [at for end in ends if (at := text.find(end)) >= 0]
    return text[: min(places, default=len(text))].strip()


def _answer(text: str) -> str:
    body = text.strip()
    for begin, end in FRAMES:
        if body.startswith(begin):
            inner = body[len(begin) :]
            at = inner.rfind(end) if end else -1
            return (inner[:at] if at >= 0 else inner).strip()
    if body[:1] != "{":
        return ""
    try:
        return "\n".join(_texts(json.loads(body).get("answers"), 4))
    except (ValueError, RecursionError, AttributeError):
        return ""


def _texts(value: Any, deep: int) -> Iterator[str]:
    """The texts in a value, the names of its fields aside."""
    if isinstance(value, str) and value.strip():
        yield value.strip()
    elif isinstance(value, (list, dict)) and deep:
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each, deep - 1)
