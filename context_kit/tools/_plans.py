"""The agent's own plan: the newest list of what is to be done, word for word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from context_kit._lazily import regex
from context_kit.tools._act import STATUSES, Act, Call, Status, Todo
from context_kit.tools._shellwords import names

__all__ = ["plan", "plan_after"]

TEXTS = ("content", "step", "text", "title", "task", "description", "subject", "name")
LISTS = ("todos", "plan", "items", "tasks", "todo_list", "steps")
DONE = names("completed complete done finished x cancelled canceled closed deleted")
DOING = names("in_progress in-progress inprogress doing active started current")
BOX = regex(r"[ \t]*(?:[-*+]|\d{1,4}[.)])[ \t]+(?:\[([ xX~/-]?)\][ \t]*)?(\S[^\n]*)")
NUMBER = regex(r"#(\w{1,20})")


def plan(call: Call) -> tuple[Act, ...]:
    """A tool that sets the plan, or one item of it."""
    todos = tuple(_todos(call))
    content = None if todos else call.words("plan", "content", "text")
    return (call.act("plan", todos=todos, content=content),)


def plan_after(before: tuple[Todo, ...], act: Act) -> tuple[Todo, ...]:
    """The plan after an act: a list replaces it, an item with a number is put in or changed."""
    if act.kind != "plan" or act.failed or not act.todos:
        return before
    todo, *others = act.todos
    if others or not todo.id:
        return act.todos
    if todo.id not in {each.id for each in before}:
        return (*before, todo) if todo.text else before
    return tuple(
        Todo(text=todo.text or each.text, status=todo.status, id=each.id) if each.id == todo.id else each
        for each in before
    )


def _todos(call: Call) -> Iterable[Todo]:
    for name in LISTS:
        found = call.args.get(name)
        if isinstance(found, list):
            return [todo for each in found if (todo := _todo(each))]
        if isinstance(found, str) and name != "plan":
            return _boxes(found)
    progress = call.words("task_progress", "todo_md", "markdown")
    if progress:
        return _boxes(progress)
    return _single(call)


def _single(call: Call) -> list[Todo]:
    """Claude Code's TaskCreate and TaskUpdate: one item, numbered."""
    number = call.words("taskId", "task_id", "id") or (str(call.number("taskId", "task_id", "id") or ""))
    text = call.words("subject", "title") or ""
    if not number and text:
        found = NUMBER.search(call.said[:200])
        number = found.group(1) if found else ""
    if not number and not text:
        return []
    return [Todo(text=text.strip(), status=_status(call.args.get("status")), id=number)]


def _todo(item: Any) -> Todo | None:
    if isinstance(item, str):
        return Todo(text=item.strip()) if item.strip() else None
    if not isinstance(item, dict):
        return None
    text = next((item[name] for name in TEXTS if isinstance(item.get(name), str) and item[name].strip()), "")
    if not text:
        return None
    status = item.get("status", "completed" if item.get("done") is True or item.get("completed") is True else "")
    return Todo(text=text.strip(), status=_status(status))


def _boxes(text: str) -> list[Todo]:
    """A Markdown list: `- [x] done`, `- [ ] open`."""
    todos: list[Todo] = []
    for line in text.split("\n"):
        found = BOX.match(line)
        if found:
            mark = (found.group(1) or "").lower()
            status: Status = (
                "completed" if mark == "x" else "in_progress" if mark in ("~", "/", "-") and mark else "pending"
            )
            todos.append(Todo(text=found.group(2).strip(), status=status))
    return todos


def _status(value: object) -> Status:
    word = str(value or "").lower()
    if word in DONE:
        return "completed"
    return "in_progress" if word in DOING else STATUSES[0]
