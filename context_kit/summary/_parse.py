"""A model's reply, read as the six fields or refused; its text is never stored as it came.

JSON is found bare, fenced, or with prose or thinking tags around it; the six headings in
either of the articles' wordings, in English or Chinese, are read as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from context_kit.errors import SummaryError
from context_kit.types import TaskSummary

__all__ = ["parse", "spoken"]

FIELDS = tuple(TaskSummary.model_fields)

HEADINGS: dict[str, str] = {
    "original goal": "original_goal",
    "task goal": "original_goal",
    "goal": "original_goal",
    "completed steps": "completed_steps",
    "completed": "completed_steps",
    "done": "completed_steps",
    "current files": "current_files",
    "current file": "current_files",
    "current file state": "current_files",
    "key decisions": "key_decisions",
    "key decisions and reasons": "key_decisions",
    "failed attempts": "failed_attempts",
    "known pitfalls": "failed_attempts",
    "pitfalls": "failed_attempts",
    "todo": "todo",
    "to do": "todo",
    "next steps": "todo",
    "任务目标": "original_goal",
    "原始目标": "original_goal",
    "已完成": "completed_steps",
    "已完成步骤": "completed_steps",
    "当前文件状态": "current_files",
    "当前编辑文件": "current_files",
    "当前文件": "current_files",
    "关键决策": "key_decisions",
    "关键决策及原因": "key_decisions",
    "已知坑": "failed_attempts",
    "失败尝试": "failed_attempts",
    "待办": "todo",
    "待办事项": "todo",
}
"""Both articles' wordings of the six headings, and the field's own."""

THINKING = ("think", "thinking", "analysis", "scratchpad")
"""Tags that models put their reasoning in, before the answer."""
EMPTY = {"", "none", "none.", "n/a", "-", "无", "无。", "没有", "null"}
MAIN = {"completed_steps": "text", "current_files": "path", "key_decisions": "decision", "failed_attempts": "attempt"}
SECOND = {"current_files": "state", "key_decisions": "reason", "failed_attempts": "error"}


def parse(reply: str) -> TaskSummary:
    """The six fields that a reply gives.

    Raises:
        SummaryError: it doesn't give the six fields with at least one of them filled.
    """
    text = spoken(reply).replace("\ufeff", "").strip()
    if not text:
        msg = "the reply is empty: give the six fields as JSON"
        raise SummaryError(msg)
    for found in _objects(text):
        if set(FIELDS) - {"original_goal"} <= found.keys():
            return _filled(found)
    sections = _sections(text)
    if set(FIELDS) - {"original_goal"} <= sections.keys():
        return _filled(sections)
    msg = f"the reply does not give the six fields {', '.join(FIELDS)}: give all of them as one JSON object"
    raise SummaryError(msg)


def spoken(reply: str) -> str:
    """A reply without its reasoning: up to the last closing tag of each kind, from its first opening one."""
    for tag in THINKING:
        start, end = reply.find(f"<{tag}>"), reply.rfind(f"</{tag}>")
        if 0 <= start < end:
            reply = reply[:start] + reply[end + len(tag) + 3 :]
    return reply


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every JSON object that starts somewhere in the text, outermost first; bounded work."""
    decoder = json.JSONDecoder()
    at, tries = text.find("{"), 0
    while at >= 0 and tries < 50:
        tries += 1
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(found, dict):
            yield found
        at = text.find("{", end)


def _sections(text: str) -> dict[str, Any]:
    """Text under the six headings, list items as entries."""
    found: dict[str, Any] = {}
    field = ""
    for line in text.splitlines():
        name, rest = _heading(line)
        if name:
            field = name
            found.setdefault(field, [])
        item = (rest if name else line).strip().lstrip("-*•").strip()
        if field and item and not item.startswith("#"):
            found[field].append(item)
    if "original_goal" in found:
        found["original_goal"] = "\n".join(found["original_goal"])
    return found


def _heading(line: str) -> tuple[str, str]:
    bare = line.strip().lstrip("#-*0123456789. ").replace("**", "")
    head, colon, rest = re.sub("[:：]", ":", bare, count=1).partition(":")
    name = HEADINGS.get(head.strip().lower().replace("_", " "))
    if name is None or (rest and not colon):
        return "", line
    return name, rest


def _filled(found: dict[str, Any]) -> TaskSummary:
    shaped = {name: _entries(name, found.get(name)) for name in FIELDS if name != "original_goal"}
    goal = found.get("original_goal")
    try:
        summary = TaskSummary.model_validate({"original_goal": goal if isinstance(goal, str) else "", **shaped})
    except ValidationError as error:
        first = error.errors()[0]
        msg = f"field {'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise SummaryError(msg) from error
    if not any(getattr(summary, name) for name in FIELDS):
        msg = "all six fields are empty: fill at least one"
        raise SummaryError(msg)
    return summary


def _entries(name: str, value: object) -> list[Any]:
    """A field's entries in their declared form; plain strings are taken as the main part."""
    items = value if isinstance(value, list) else [value] if value else []
    return [made for item in items if (made := _entry(name, item)) is not None]


def _halves(name: str, item: str) -> tuple[str, str, str]:
    """An entry's two parts; a file's state may stand behind a colon as well."""
    if name not in SECOND:
        return item, "", ""
    if name == "current_files" and " — " not in item:
        return re.sub("： ?", ": ", item, count=1).partition(": ")
    return item.partition(" — ")


def _entry(name: str, item: object) -> object:
    main = MAIN.get(name)
    if isinstance(item, str):
        if item.strip().lower() in EMPTY:
            return None
        if main is None:
            return item.strip()
        first, dash, second = _halves(name, item)
        return {main: first.strip(), **({SECOND[name]: second.strip()} if dash else {})}
    if isinstance(item, dict):
        if main is None:
            words = [str(value) for value in item.values() if isinstance(value, str)]
            return " ".join(words) or None
        clean = {key: value for key, value in item.items() if value is not None}
        return clean if str(clean.get(main, "")).strip() else None
    return None
