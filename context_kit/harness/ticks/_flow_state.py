"""`flow-state.json`: a small declared graph of nodes, and the one in which the work is. Only legal moves are made.

{
  "version": 1,
  "node": "build",
  "nodes": {"plan": ["build"], "build": ["review"], "review": ["build", "done"], "done": []},
  "moves": [{"at": "2026-05-01T10:00:00Z", "from": "plan", "to": "build", "why": "the plan stands"}]
}

Edited by hand it may have comments and commas too many; they stay, as keys do that are not known here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from context_kit.errors import BudgetError, StoreError

__all__ = ["FILE", "KEPT", "Flow", "declared", "moved", "parse_flow", "write_flow"]

FILE = "flow-state.json"
KEPT = "flow-state.before-context-kit.json"
"""A file as people wrote it, where the next one can't keep all of it."""
VERSION = 1
MOST_MOVES = 200
"""Moves that are kept; older ones leave the file."""
COMMENTS = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
"""Strings, which stay; comments, which don't."""
COMMAS = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])')
"""Strings, which stay; commas too many, which don't."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """Where the work is in its flow."""

    node: str = ""
    """Empty where no flow was declared."""
    nodes: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Every node with those that may come next."""
    moves: tuple[Mapping[str, str], ...] = ()
    """`at`, `from`, `to`, `why` of each move, oldest first."""
    more: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Keys of the file that are not known here."""

    @property
    def next(self) -> tuple[str, ...]:
        """The nodes that may come next."""
        return self.nodes.get(self.node, ())

    @property
    def ended(self) -> bool:
        """Whether this is a node from which no way leads on."""
        return self.node in self.nodes and not self.next


def parse_flow(text: str) -> Flow:
    """The flow that a file tells.

    Raises:
        StoreError: it is no JSON even without comments, or of a newer version; the text says where.
    """
    if not text.strip():
        return Flow()
    try:
        found = json.loads(COMMAS.sub(_string, COMMENTS.sub(_string, text)))
    except (ValueError, RecursionError) as error:
        msg = f"harness: {FILE} can't be read ({error}): mend it, or delete it to begin anew"
        raise StoreError(msg) from error
    if not isinstance(found, dict):
        msg = f"harness: {FILE} holds no object: mend it, or delete it to begin anew"
        raise StoreError(msg)
    version = found.get("version", VERSION)
    if isinstance(version, int) and version > VERSION:
        msg = f"harness: {FILE} is of schema {version}, this one reads {VERSION}: upgrade context-kit"
        raise StoreError(msg)
    known = {"version", "node", "nodes", "moves"}
    node, nodes = str(found.get("node") or ""), _nodes(found.get("nodes"))
    if node and nodes and node not in nodes:
        there = ", ".join(nodes) or "none"
        msg = f"harness: {FILE} says that the work is at {node!r}, which is no node, there are {there}: mend it"
        raise StoreError(msg)
    return Flow(
        node=node,
        nodes=nodes,
        moves=tuple(
            {str(key): str(value) for key, value in move.items()}
            for move in _list(found.get("moves"))
            if isinstance(move, dict)
        ),
        more={key: value for key, value in found.items() if key not in known},
    )


def _string(token: re.Match[str]) -> str:
    return token[0] if token[0][0] == '"' else ""


def _nodes(found: object) -> dict[str, tuple[str, ...]]:
    """The graph; what may come next as a list, or as names with commas between them."""
    if isinstance(found, list):
        return {str(node): () for node in found}
    if not isinstance(found, dict):
        return {}
    return {str(node): tuple(map(str, _list(following))) for node, following in found.items()}


def _list(found: object) -> list[Any]:
    if isinstance(found, str):
        return [name.strip() for name in found.split(",") if name.strip()]
    return list(found) if isinstance(found, (list, tuple)) else []


def write_flow(flow: Flow) -> str:
    """The file."""
    body = {
        "version": VERSION,
        "node": flow.node,
        "nodes": {node: list(following) for node, following in flow.nodes.items()},
        "moves": [dict(move) for move in flow.moves[-MOST_MOVES:]],
        **flow.more,
    }
    return json.dumps(body, ensure_ascii=False, indent=2) + "\n"


def declared(flow: Flow, nodes: Mapping[str, object], start: str | None) -> Flow:
    """The same place in a declared graph; its first node where the work has not begun.

    Raises:
        BudgetError: the graph names nodes that it doesn't have, or has no node in which the work is.
    """
    if not isinstance(nodes, Mapping):
        msg = f"nodes: {nodes!r} is no graph: give each node with those that may follow it, {{'a': ['b'], 'b': []}}"
        raise BudgetError(msg)
    graph = _nodes(dict(nodes))
    names = ", ".join(graph) or "none"
    for node, following in graph.items():
        if strange := [name for name in following if name not in graph]:
            msg = f"nodes: {node!r} leads to {strange[0]!r}, which is no node, there are {names}"
            raise BudgetError(msg)
    first = start or next(iter(graph), "")
    if first not in graph:
        msg = f"start: {first!r} is no node, there are {names}"
        raise BudgetError(msg)
    node = flow.node or first
    if node not in graph:
        msg = f"nodes: the work is at {node!r}, which the new graph doesn't have, there are {names}"
        raise BudgetError(msg)
    return Flow(node=node, nodes=graph, moves=flow.moves, more=flow.more)


def moved(flow: Flow, node: str, *, why: str, at: str) -> Flow:
    """The flow at another node; at the same one nothing changes.

    Raises:
        BudgetError: no way leads there; the text lists the ways.
    """
    if not isinstance(node, str):
        msg = f"node: {node!r} is no name, there are {', '.join(flow.nodes) or 'none'}"
        raise BudgetError(msg)
    if node == flow.node and node in flow.nodes:
        return flow
    if node not in flow.next:
        ways = ", ".join(flow.next) or "none"
        unknown = "" if node in flow.nodes else f", there are {', '.join(flow.nodes) or 'none: declare the flow first'}"
        msg = f"node: no way leads from {flow.node!r} to {node!r}, legal are {ways}{unknown}"
        raise BudgetError(msg)
    move = {"at": at, "from": flow.node, "to": node, "why": why}
    return Flow(node=node, nodes=flow.nodes, moves=(*flow.moves, move), more=flow.more)
