"""What comes next in a session: the open items of the agent's newest plan, and how its last words end."""

from __future__ import annotations

import re
from typing import Any

from benchmarks._truth._calls import Call, content_text
from benchmarks._truth._failures import squeezed

__all__ = ["last_words", "open_items"]

_NUMBER = re.compile(r"Task #(\d+)")
LAST = 100
"""Characters at the end of the last words."""


def open_items(calls: list[Call]) -> list[str]:
    """The items in progress, else the first one to do; empty where the agent has no plan."""
    plan: dict[str, tuple[str, str]] = {}
    for call in calls:
        if call.answered < 0:
            continue
        name, arguments = call.name.lower(), call.arguments
        if name in ("todowrite", "update_plan", "write_todos"):
            listed = arguments.get("todos") or arguments.get("plan") or []
            plan = {str(at): (_text(item), str(item.get("status"))) for at, item in enumerate(listed)}
        elif name == "taskcreate" and (number := _NUMBER.search(call.result)):
            plan[number[1]] = (str(arguments.get("subject")), "pending")
        elif name == "taskupdate" and str(arguments.get("taskId")) in plan:
            key = str(arguments["taskId"])
            text, status = plan[key]
            plan[key] = (str(arguments.get("subject") or text), str(arguments.get("status") or status))
    doing = [text for text, status in plan.values() if status == "in_progress"]
    return doing or [text for text, status in plan.values() if status == "pending"][:1]


def _text(item: dict[str, Any]) -> str:
    return str(item.get("content") or item.get("step") or item.get("description") or "")


def last_words(document: dict[str, Any]) -> str:
    """The end of what the assistant said last, whitespace squeezed."""
    texts = [content_text(m.get("content")) for m in document["messages"] if m.get("role") == "assistant"]
    said = next((text for text in reversed(texts) if text.strip()), "")
    line = next((line for line in reversed(said.splitlines()) if line.strip()), "")
    return squeezed(line)[-LAST:]
