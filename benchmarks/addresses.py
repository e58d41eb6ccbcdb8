"""Addresses after fifty compactions and a reopen: `python -m benchmarks.addresses [--only ID] [--compactions N]`.

Each shared transcript (Anthropic and OpenAI chat as they are, each again in the Responses shape) is played into a
session on disk until it has compacted fifty times, over and over where it is short, with pins, journal records and
recalls in between. Then it is closed and opened again. Every message (`m12`), every compaction (`c3`), every content
of a file that was noted on the way (`f:PATH@12`), every pin and every record comes back by its address, byte for
byte: with `redact=False` as it came in, with `redact=True` as the redaction leaves it. Exit 1 where one does not.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks._judge import count_tokens
from benchmarks.transcripts import TRANSCRIPTS, documents
from context_kit import ContextManager

LEAST = 3_000
"""Tokens of the smallest window."""
THOUGHTS = ("thinking", "redacted_thinking", "reasoning")


@dataclass
class Row:
    """One transcript in one shape."""

    id: str
    shape: str
    redact: bool
    compactions: int = 0
    checked: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def check(self, kind: str, address: str, wanted: str, ctx: ContextManager) -> None:
        """One address asked for."""
        self.checked[kind] = self.checked.get(kind, 0) + 1
        found = [each.text for each in ctx.recall(address)]
        if found != [wanted]:
            self.faults.append(f"{address}: {_apart(found, wanted)}")


def _apart(found: Sequence[str], wanted: str) -> str:
    if len(found) != 1:
        return f"{len(found)} texts came"
    at = next((i for i, pair in enumerate(zip(found[0], wanted, strict=False)) if pair[0] != pair[1]), -1)
    sizes = f"{len(found[0])} characters for {len(wanted)}"
    return f"{sizes}, apart at {at}: {found[0][at : at + 40]!r} {wanted[at : at + 40]!r}"


def _blocks(content: object) -> list[dict[str, Any]]:
    found = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return [block for block in found if isinstance(block, dict)] if isinstance(found, list) else []


def said(message: dict[str, Any]) -> str | None:
    """The words of a message as they came in; None where media is among them."""
    if message.get("type") in ("function_call", "function_call_output"):
        body = message.get("output", f"{message.get('name')} {message.get('arguments')}")
        return body if isinstance(body, str) else None
    pieces: list[str] = []
    for block in _blocks(message.get("content")):
        if block["type"] in THOUGHTS:
            continue
        piece = _piece(block)
        if piece is None:
            return None
        pieces.append(piece)
    calls = (call["function"] for call in message.get("tool_calls") or ())
    pieces += [f"{call['name']} {call['arguments']}" for call in calls]
    return "\n".join(pieces)


def _piece(block: dict[str, Any]) -> str | None:
    if block["type"] in ("text", "input_text", "output_text"):
        return str(block["text"])
    if block["type"] == "tool_use":
        return f"{block['name']} {json.dumps(block['input'], ensure_ascii=False, separators=(',', ':'))}"
    if block["type"] == "tool_result":
        inner = _blocks(block.get("content"))
        return "\n".join(str(each["text"]) for each in inner) if all(each["type"] == "text" for each in inner) else None
    return None


def responses_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    """A document's messages as items of the Responses API, converted here, text and calls alone."""
    items: list[dict[str, Any]] = []
    for message in document["messages"]:
        role, text = message["role"], message.get("content")
        for block in _blocks(text):
            if block["type"] == "text" and block["text"] and role != "tool":
                items.append({"role": role, "content": block["text"]})
            elif block["type"] == "tool_use":
                body = json.dumps(block["input"], ensure_ascii=False)
                items.append(
                    {"type": "function_call", "call_id": block["id"], "name": block["name"], "arguments": body}
                )
            elif block["type"] == "tool_result":
                body = _piece(block) or "(picture)"
                items.append({"type": "function_call_output", "call_id": block["tool_use_id"], "output": body})
        calls = message.get("tool_calls") or ()
        items += [{"type": "function_call", "call_id": call["id"], **call["function"]} for call in calls]
        if role == "tool":
            output = "\n".join(block.get("text", "") for block in _blocks(text))
            items.append({"type": "function_call_output", "call_id": message["tool_call_id"], "output": output})
    return items


def rounds(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The messages over and over; the ids of calls are new each time."""
    number = 0
    while True:
        number += 1
        for message in messages:
            yield _renamed(deepcopy(message), f"_{number}") if number > 1 else message


def _renamed(node: Any, ending: str) -> Any:
    if isinstance(node, dict):
        ids = ("id", "call_id", "tool_call_id", "tool_use_id")
        for key, value in node.items():
            node[key] = f"{value}{ending}" if key in ids and isinstance(value, str) else _renamed(value, ending)
    return [_renamed(each, ending) for each in node] if isinstance(node, list) else node


@dataclass
class Kept:
    """What was written down on the way: texts by address, and what came in by position."""

    messages: dict[int, dict[str, Any]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    pins: dict[str, str] = field(default_factory=dict)
    compactions: dict[str, str] = field(default_factory=dict)
    records: dict[str, str] = field(default_factory=dict)


def run(messages: list[dict[str, Any]], row: Row, most: int, folder: Path) -> None:
    """Play, close, open, ask for everything."""
    window = max(LEAST, min(count_tokens(messages) // 8, 20_000))
    kept = Kept()
    with ContextManager(window, store=folder, session="s", redact=row.redact) as ctx:
        for message in rounds(messages):
            if message.get("role") == "assistant" or message.get("type") == "function_call":
                ctx.prepare()
            ctx.add(message)
            kept.messages[ctx._session.log.newest] = message  # noqa: SLF001 - pins that are shown have places, too
            applied = sum(receipt.outcome == "applied" for receipt in ctx.compactions)
            if applied > row.compactions:
                row.compactions = applied
                _note(ctx, applied, kept)
            if applied >= most:
                break
        kept.compactions = {each.id: ctx.recall(each.id)[0].text for each in ctx.compactions if each.summarised}
    with ContextManager.open(folder, "s", redact=row.redact) as ctx:
        _ask(ctx, kept, row)


def _ask(ctx: ContextManager, kept: Kept, row: Row) -> None:
    clean = ctx._session.settings.redact  # noqa: SLF001 - what the redaction leaves is the measure
    for position, message in kept.messages.items():
        text = said(message)
        if text is not None:
            row.check("messages", f"m{position}", clean(text), ctx)
    for kind, found in (("files", kept.files), ("compactions", kept.compactions), ("pins", kept.pins)):
        for address, text in found.items():
            row.check(kind, address, text, ctx)
    for address, reason in kept.records.items():
        row.checked["records"] = row.checked.get("records", 0) + 1
        if not any(reason in each.text for each in ctx.recall(address)):
            row.faults.append(f"{address}: the record's words did not come")


def _note(ctx: ContextManager, number: int, kept: Kept) -> None:
    """After a compaction: a record, now and then a pin or a recall, and the files that its receipt names."""
    reason = f"Round {number}: {'keep the parser, ' * 40}and 日志 stays."
    kept.records[ctx.memory.append(action="decide", reason=reason).id] = reason
    if number % 10 == 1:
        pin = ctx.pin(f"Pin of round {number}.")
        kept.pins[pin.id] = pin.text
    if number % 10 == 6:
        ctx.recall("error in the file")
    for address in (each.source for each in ctx.compactions[-1].engrams if each.source.startswith("f:")):
        if address not in kept.files and (found := ctx.recall(address)):
            kept.files[address] = found[0].text


def main(argv: list[str] | None = None) -> int:
    """Every transcript, its own shape and Responses; 1 where a text did not come back."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only")
    parser.add_argument("--compactions", type=int, default=50)
    args = parser.parse_args(argv)
    if not TRANSCRIPTS.is_dir():
        print(f"no transcripts at {TRANSCRIPTS.parent.name}/{TRANSCRIPTS.name}: nothing to run")
        return 0
    rows: list[Row] = []
    for document in documents(args.only):
        own = document["format"].partition("-")[0]
        for shape, messages in ((own, document["messages"]), ("responses", responses_of(document))):
            row = Row(document["id"], shape, redact=len(rows) % 2 == 0)
            with tempfile.TemporaryDirectory() as folder:
                run(messages, row, args.compactions, Path(folder))
            rows.append(row)
            told = "  ".join(f"{kind} {count}" for kind, count in row.checked.items())
            fault = f"{len(row.faults)} FAULTS: {row.faults[0][:200]}" if row.faults else "ok"
            print(
                f"{row.id:26} {shape:9} redact {row.redact!s:5} compactions {row.compactions:3}  {told}  {fault}",
                flush=True,
            )
    total = sum(sum(row.checked.values()) for row in rows)
    print(f"{len(rows)} runs, {total} addresses, {sum(len(row.faults) for row in rows)} faults")
    return 1 if any(row.faults for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
