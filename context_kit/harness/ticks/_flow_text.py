"""A move put into a `flow-state.json` that people edited: comments, layout and unknown keys of every depth stay.

The invariant guarded here: the new text tells exactly the new flow, or there is none.
"""

from __future__ import annotations

import json
from typing import Any

from context_kit.errors import StoreError
from context_kit.harness.settings._jsonc import Node, SettingsError, appended, parse, removed, twice
from context_kit.harness.ticks._flow_state import MOST_MOVES, Flow, parse_flow

__all__ = ["rewritten"]

UNIT = "  "


def rewritten(text: str, flow: Flow) -> str | None:
    """The file's text with a flow in it, all else as it was; None where that can't be done for sure."""
    wanted = Flow(node=flow.node, nodes=flow.nodes, moves=flow.moves[-MOST_MOVES:], more=flow.more)
    try:
        for edit in (_with_node, _with_graph, _with_moves):
            text = edit(text, flow)
        return text if parse_flow(text) == wanted else None
    except (SettingsError, StoreError):
        return None


def _root(text: str) -> Node:
    root = parse(text)
    objects = [root, *(item.node for item in root.items if item.node.kind == "object")]
    if root.kind != "object" or any(key for each in objects for key in twice(each)):
        msg = "a key stands twice"
        raise SettingsError(msg)
    return root


def _with_node(text: str, flow: Flow) -> str:
    node = _root(text).get("node")
    if node is None:
        return _added(text, _root(text), flow.node, "node")
    return text if node.plain() == flow.node else _replaced(text, node, flow.node)


def _with_graph(text: str, flow: Flow) -> str:
    nodes = _root(text).get("nodes")
    graph = {name: list(following) for name, following in flow.nodes.items()}
    if parse_flow(text).nodes == flow.nodes:
        return text
    if nodes is None:
        return _added(text, _root(text), graph, "nodes")
    if nodes.kind != "object":
        return _replaced(text, nodes, graph)
    for item in reversed(nodes.items):  # what stands behind an edit has been edited already
        if item.key not in graph:
            return _with_graph(removed(text, nodes, item), flow)
        if _told(item.node) != graph[item.key]:
            text = _replaced(text, item.node, graph[item.key])
    for name, following in graph.items():
        nodes = _root(text).get("nodes")
        if nodes is not None and nodes.get(name) is None:
            text = _added(text, nodes, following, name)
    return text


def _told(node: Node) -> Any:
    """The nodes that may follow one, as a list or as names with commas between them."""
    found = node.plain()
    return [name.strip() for name in found.split(",") if name.strip()] if isinstance(found, str) else found


def _with_moves(text: str, flow: Flow) -> str:
    known = parse_flow(text).moves
    new = [dict(move) for move in flow.moves[len(known) :]]
    if _root(text).get("moves") is None:
        return _added(text, _root(text), new, "moves") if new else text
    for move in new:
        text = _added(text, _moves(text), move)
    while len((moves := _moves(text)).items) > MOST_MOVES:
        text = removed(text, moves, moves.items[0])
    return text


def _moves(text: str) -> Node:
    moves = _root(text).get("moves")
    if moves is None or moves.kind != "list":
        msg = "the moves are no list"
        raise SettingsError(msg)
    return moves


def _replaced(text: str, node: Node, value: Any) -> str:
    return f"{text[: node.start]}{json.dumps(value, ensure_ascii=False)}{text[node.end :]}"


def _added(text: str, node: Node, value: Any, key: str = "") -> str:
    """One more member of an object, or element of a list."""
    piece = json.dumps(value, ensure_ascii=False, indent=UNIT)
    line = text[text.rfind("\n", 0, node.end) + 1 : node.end]
    indent = line[: len(line) - len(line.lstrip())]
    newline = "\r\n" if "\r\n" in text else "\n"
    piece = f"{json.dumps(key, ensure_ascii=False)}: {piece}" if key else piece
    return appended(text, node, piece, indent=indent, unit=UNIT, newline=newline)
