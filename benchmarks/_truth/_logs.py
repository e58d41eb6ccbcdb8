"""Coding agents' own logs as documents that the other judges read, made without the library."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["Log", "document_of"]

Row = Mapping[str, Any]


class Log:
    """One raw log: its rows as the agent wrote them, and the text of each."""

    def __init__(self, path: Path, agent: str) -> None:
        self.path, self.agent = path, agent
        text = path.read_text("utf-8")
        self.listed = path.suffix == ".json"
        """One JSON list, written anew each time, not a line for each row."""
        self.rows: list[Row] = (
            json.loads(text) if self.listed else [json.loads(line) for line in text.split("\n") if line.strip()]
        )
        self.lines: list[str] = [] if self.listed else [line for line in text.split("\n") if line.strip()]

    def written(self, upto: int) -> str:
        """What the file holds after so many rows."""
        if self.listed:
            return json.dumps(self.rows[:upto], ensure_ascii=False)
        return "".join(f"{line}\n" for line in self.lines[:upto])

    @property
    def compacted(self) -> list[int]:
        """Rows before which the agent recorded a compaction."""
        return [number for number, row in enumerate(self.rows) if row.get("subtype") == "compact_boundary"]

    def results(self, number: int) -> int:
        """How many tool results a row holds."""
        row = self.rows[number]
        payload = row.get("payload")
        if isinstance(payload, dict):
            return int(row["type"] == "response_item" and str(payload.get("type")).endswith("_output"))
        return sum(block.get("type") == "tool_result" or "functionResponse" in block for block in _blocks(row))

    def ends_turn(self, number: int) -> bool:
        """Whether the agent's turn ended with a row."""
        row = self.rows[number]
        if self.agent == "gemini":
            following = self.rows[number + 1] if number + 1 < len(self.rows) else {}
            return (
                row.get("role") == "model"
                and not any("functionCall" in part for part in row["parts"])
                and bool(following.get("role") == "user")
            )
        payload = row.get("payload")
        if isinstance(payload, dict):
            return payload.get("type") == "task_complete"
        return row.get("subtype") in ("stop_hook_summary", "turn_duration")

    def quiet(self, number: int) -> bool:
        """Whether no call is open after a row: where a compaction may be drawn."""
        waiting: set[str] = set()
        for row in self.rows[: number + 1]:
            for kind, name in _ties(row):
                (waiting.add if kind == "call" else waiting.discard)(name)
        return not waiting


def _blocks(row: Row) -> list[dict[str, Any]]:
    message = row.get("message", row)
    found = message.get("content", message.get("parts")) if isinstance(message, dict) else None
    return [block for block in found if isinstance(block, dict)] if isinstance(found, list) else []


def _ties(row: Row) -> list[tuple[str, str]]:
    payload = row.get("payload")
    if isinstance(payload, dict):
        if row["type"] != "response_item" or "call_id" not in payload:
            return []
        return [("result" if str(payload["type"]).endswith("_output") else "call", str(payload["call_id"]))]
    found: list[tuple[str, str]] = []
    for block in _blocks(row):
        if block.get("type") == "tool_use":
            found.append(("call", block["id"]))
        elif block.get("type") == "tool_result":
            found.append(("result", block["tool_use_id"]))
        for key, kind in (("functionCall", "call"), ("functionResponse", "result")):
            if key in block:
                found.append((kind, str(block[key].get("id") or block[key]["name"])))
    return found


def document_of(log: Log, upto: int) -> dict[str, Any]:
    """The first rows of a log as a document: messages, one call one answer."""
    return {"messages": READERS[log.agent](log.rows[:upto])}


def _of_claude(rows: Sequence[Row]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    seen: set[str] = set()
    for row in rows:
        message = row.get("message")
        if row.get("type") not in ("user", "assistant") or not isinstance(message, dict) or row.get("isSidechain"):
            continue
        if row.get("isMeta") or row.get("isApiErrorMessage") or str(row.get("uuid")) in seen:
            continue
        seen.add(str(row.get("uuid")))
        messages.append({"role": message["role"], "content": message["content"]})
    return messages


def _of_codex(rows: Sequence[Row]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for row in rows:
        item = row.get("payload")
        if row.get("type") != "response_item" or not isinstance(item, dict):
            continue
        kind = item.get("type")
        if kind == "message":
            text = "\n".join(str(block.get("text") or "") for block in item["content"])
            messages.append({"role": item["role"], "content": text})
        elif kind in ("function_call", "custom_tool_call"):
            asked = {"name": item["name"], "arguments": item.get("arguments", item.get("input"))}
            messages.append({"role": "assistant", "tool_calls": [{"id": item["call_id"], "function": asked}]})
        elif kind in ("function_call_output", "custom_tool_call_output"):
            messages.append({"role": "tool", "tool_call_id": item["call_id"], "content": _output(item["output"])})
    return messages


def _output(output: object) -> str:
    """The text of a result; a patch's stands in JSON with its exit code."""
    if isinstance(output, str) and output.startswith('{"output"'):
        read = json.loads(output)
        code = read.get("metadata", {}).get("exit_code", 0)
        return f"Process exited with code {code}\n{read['output']}"
    return output if isinstance(output, str) else json.dumps(output)


def _of_gemini(rows: Sequence[Row]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    waiting: list[tuple[str, str]] = []
    for number, row in enumerate(rows):
        blocks: list[dict[str, Any]] = []
        for at, part in enumerate(row["parts"]):
            if part.get("text") and not part.get("thought"):
                blocks.append({"type": "text", "text": part["text"]})
            elif "functionCall" in part:
                call = part["functionCall"]
                waiting.append((f"{number}.{at}", call["name"]))
                made = {"id": f"{number}.{at}", "name": call["name"], "input": call.get("args") or {}}
                blocks.append({"type": "tool_use", **made})
            elif "functionResponse" in part:
                key = next((each for each in waiting if each[1] == part["functionResponse"]["name"]), None)
                if key is not None:
                    waiting.remove(key)
                    blocks.append(_response(key[0], part["functionResponse"]["response"]))
        if blocks:
            messages.append({"role": "user" if row["role"] == "user" else "assistant", "content": blocks})
    return messages


def _response(key: str, response: Mapping[str, Any]) -> dict[str, Any]:
    said = response.get("output", response.get("error", response))
    text = said if isinstance(said, str) else json.dumps(said)
    return {"type": "tool_result", "tool_use_id": key, "content": text, "is_error": "error" in response}


READERS: dict[str, Callable[[Sequence[Row]], list[dict[str, Any]]]] = {
    "claude-code": _of_claude,
    "codex": _of_codex,
    "gemini": _of_gemini,
}
