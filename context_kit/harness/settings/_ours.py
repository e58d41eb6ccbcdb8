"""Our hooks in an agent's settings text: put in, found again, taken out.

The invariant guarded here: only ours are touched, told by their command, never by their place.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Iterator
from typing import Any

from context_kit.harness.hooks import Agent
from context_kit.harness.settings._jsonc import Item, Node, SettingsError, appended, parse, removed, twice

__all__ = ["entries", "installed", "standing", "with_hooks", "without_hooks"]

COMMENT = re.compile(r"//|/\*")
OURS = re.compile(r"(?:context-kit(?:\.exe)?|context_kit\.cli)[\"']?\s+hook\s+\w")
"""A command of ours, whatever launcher stands before it."""


def entries(agent: Agent, command: str, store: str = "") -> dict[str, dict[str, Any]]:
    """What is put into the settings, by event."""
    found: dict[str, dict[str, Any]] = {}
    more = f" --store {shlex.quote(store)}" if store else ""
    for event in agent.events:
        each: dict[str, Any] = {"type": "command", "command": f"{command} hook {event} --agent {agent.name}{more}"}
        if agent.named:
            each = {"name": f"context-kit-{event}", **each}
        each["timeout"] = agent.timeout
        matcher = agent.matchers.get(event)
        found[event] = {**({"matcher": matcher} if matcher else {}), "hooks": [each]}
    return found


def installed(text: str) -> dict[str, list[str]]:
    """Commands of ours, by event.

    Raises:
        SettingsError: the text can't be read.
    """
    found: dict[str, list[str]] = {}
    for event, _, _, hook in _ours(_parsed(text)):
        found.setdefault(event, []).append(str(hook.node.plain()["command"]))
    return found


def with_hooks(text: str, agent: Agent, command: str, store: str = "") -> str:
    """The settings with our hooks, one for each event; unchanged where they are there already.

    Raises:
        SettingsError: they can't be put in without harming what stands there.
    """
    wanted = entries(agent, command, store)
    if installed(text) == {event: [each["hooks"][0]["command"]] for event, each in wanted.items()}:
        return text
    before = _others(_parsed(text))
    text = without_hooks(text, standing(text))
    newline = "\r\n" if "\r\n" in text else "\n"
    unit = _unit(text)
    if not text.strip("\ufeff \t\r\n"):
        text += "{" + newline + "}" + newline
    for event, entry in wanted.items():
        text = _added(text, event, entry, unit, newline)
    if _others(_parsed(text)) != before:
        msg = "it is laid out so that nothing can be put in safely: add the hooks by hand, as --dry-run shows them"
        raise SettingsError(msg)
    return text


def without_hooks(text: str, standing: Collection[str] = ()) -> str:
    """The settings without our hooks; an entry, event or `hooks` that is empty by that goes, too.

    Args:
        text: the settings.
        standing: `hooks` and events in it that stood there before ours: they stay, though empty.

    Raises:
        SettingsError: the text can't be read.
    """
    before = _others(_parsed(text))
    while True:
        root = _parsed(text)
        found = next(_ours(root), None)
        if found is None:
            break
        event, entry, hooks, hook = found
        parents = _parents(root, event, entry, hooks, hook)
        node, item = parents[0]
        for outer in parents[1:]:
            inside = text[outer[1].start : outer[1].node.end]
            if len(node.items) > 1 or COMMENT.search(inside) or outer[1].key in standing:
                break
            node, item = outer
        text = removed(text, node, item)
    if _others(_parsed(text)) != before:
        msg = "our hooks stand so that they can't be taken out safely: take them out by hand"
        raise SettingsError(msg)
    return text


def standing(text: str) -> tuple[str, ...]:
    """`hooks` and the events in it, as far as they stand in a text that is not ours.

    Raises:
        SettingsError: the text can't be read.
    """
    hooks = _parsed(text).get("hooks")
    return () if hooks is None else ("hooks", *(item.key for item in hooks.items))


def _others(root: Node) -> Any:
    """All that isn't ours; empty lists and objects under `hooks` aside, which may have held it."""
    value = root.plain()
    if root.get("hooks") is None:
        return value
    kept = {event: _without_ours(entries) for event, entries in value["hooks"].items()}
    kept = {event: entries for event, entries in kept.items() if entries not in ([], None)}
    rest = {key: each for key, each in value.items() if key != "hooks"}
    return {**rest, "hooks": kept} if kept else rest


def _without_ours(found: Any) -> Any:
    if not isinstance(found, list):
        return found
    kept: list[Any] = []
    for entry in found:
        hooks = entry.get("hooks") if isinstance(entry, dict) else None
        if not isinstance(hooks, list):
            kept.append(entry)
            continue
        rest = [hook for hook in hooks if not _is_ours(hook)]
        if rest or not hooks:
            kept.append({**entry, "hooks": rest})
    return kept


def _is_ours(hook: Any) -> bool:
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and OURS.search(command) is not None


def _parents(root: Node, event: str, entry: Item, hooks: Node, hook: Item) -> list[tuple[Node, Item]]:
    """What holds a hook, from inside out, up to `hooks` itself."""
    top = next(item for item in root.items if item.key == "hooks")
    place = next(item for item in top.node.items if item.key == event)
    return [(hooks, hook), (place.node, entry), (top.node, place), (root, top)]


def _parsed(text: str) -> Node:
    """The settings with places; only what can be edited safely."""
    mark = text.startswith("\ufeff")
    bare = f" {text[1:]}" if mark else text
    if not bare.strip():
        return Node(0, 0, kind="object")
    root = parse(bare)
    if root.kind != "object":
        msg = "is no JSON object"
        raise SettingsError(msg)
    hooks = root.get("hooks")
    for node, what in ((root, "the settings"), (hooks, "`hooks`")):
        for key in twice(node) if node is not None else ():
            if node is hooks or key == "hooks":
                msg = f"the key {key!r} stands twice in {what}: leave one, the agent reads only one of them"
                raise SettingsError(msg)
    if hooks is not None and hooks.kind != "object":
        msg = f"`hooks` must be an object, not {json.dumps(hooks.plain())[:40]}"
        raise SettingsError(msg)
    return root


def _ours(root: Node) -> Iterator[tuple[str, Item, Node, Item]]:
    """Each hook of ours: event, entry, the list that holds it, the hook."""
    top = root.get("hooks")
    for place in top.items if top is not None else ():
        for entry in place.node.items if place.node.kind == "list" else ():
            hooks = entry.node.get("hooks") if entry.node.kind == "object" else None
            for hook in hooks.items if hooks is not None and hooks.kind == "list" else ():
                if hooks is not None and _is_ours(hook.node.plain()):
                    yield place.key, entry, hooks, hook


def _added(text: str, event: str, entry: dict[str, Any], unit: str, newline: str) -> str:
    root = _parsed(text)
    hooks = root.get("hooks")
    if hooks is None:
        return _put(text, root, "hooks", {event: [entry]}, unit, newline)
    place = hooks.get(event)
    if place is None:
        return _put(text, hooks, event, [entry], unit, newline)
    if place.kind != "list":
        msg = f"`hooks.{event}` must be a list, not {json.dumps(place.plain())[:40]}"
        raise SettingsError(msg)
    return _put(text, place, "", entry, unit, newline)


def _put(text: str, node: Node, key: str, value: Any, unit: str, newline: str) -> str:
    piece = json.dumps(value, indent=unit, ensure_ascii=False)
    piece = f"{json.dumps(key)}: {piece}" if key else piece
    return appended(text, node, piece, indent=_indent(text, node), unit=unit, newline=newline)


def _indent(text: str, node: Node) -> str:
    """White space at the beginning of the line on which an object or list closes, or opens where it is one line."""
    line = text.rfind("\n", 0, node.end) + 1
    if text[line : node.end - 1].strip():
        line = text.rfind("\n", 0, node.start) + 1
    found = re.compile(r"[ \t]*").match(text, line)
    return found[0] if found else ""


def _unit(text: str) -> str:
    """One step of indentation, as the first key of the settings has it; two blanks where nothing tells."""
    found = re.search(r'\{[^\n"]*\r?\n(?:[ \t]*(?://[^\n]*)?\r?\n)*([ \t]+)"', text)
    return found[1] if found else "  "
