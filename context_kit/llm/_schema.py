"""The six fields' schema in the strict form that the providers ask for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

__all__ = ["TOOL", "TOOL_WORDS", "strict"]

TOOL = "write_record"
"""Name of the tool that is offered where a server knows tools and no JSON schema."""
TOOL_WORDS = "Writes the record of the session: all six fields."

LEFT_OUT = ("default", "title")
"""Keywords that a strict schema may not have or that say nothing."""


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema in which each object is closed and each of its properties required.

    Both OpenAI's strict mode and Anthropic's structured outputs demand closed objects, OpenAI's also that all
    is required; neither takes defaults there.
    """
    made: dict[str, Any] = json.loads(_strict(json.dumps(schema)))
    return made


@cache
def _strict(text: str) -> str:
    return json.dumps(_closed(json.loads(text)))


def _closed(node: Any) -> Any:
    if isinstance(node, list):
        return [_closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    made = {key: _closed(value) for key, value in node.items() if key not in LEFT_OUT or isinstance(value, dict)}
    if made.get("type") == "object":
        made["additionalProperties"] = False
        made["required"] = list(made.get("properties", {}))
    return made
