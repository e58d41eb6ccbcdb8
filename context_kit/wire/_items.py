"""Items of the Responses API, read: each is a message, a piece of reasoning, a call, a result, or opaque."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from context_kit.wire._blocks import filled, read_blocks, read_output, refuse
from context_kit.wire._kinds import ANSWERS, ITEMS, OUTPUTS, answer_of
from context_kit.wire._message import Message, Part
from context_kit.wire._own import compact

__all__ = ["read_item"]

TEXT_BODIES = frozenset({"arguments", "input"})


def read_item(raw: dict[str, Any], kind: str) -> Message:
    """One item that is no message.

    Raises:
        InvalidMessageError: a call or result lacks its id, its name or its text.
    """
    role = ITEMS.get(kind, "assistant")
    reader = READERS.get(kind, _opaque)
    return Message(raw, "responses", role, tuple(reader(raw, kind)))


def _reasoning(raw: dict[str, Any], kind: str) -> list[Part]:
    parts: list[Part] = []
    for field in ("summary", "content"):
        found = raw.get(field)
        if found is None:
            continue
        if not isinstance(found, list):
            refuse(field, f"a {type(found).__name__} is no list of texts: give the item as it came")
        read_blocks(found, parts, field)
    text = "\n".join(part.text for part in parts)
    sealed = raw.get("encrypted_content")
    made = [Part("reasoning", text, name=kind)]
    if isinstance(sealed, str):
        made.append(Part("reasoning", sealed, name="encrypted_content"))
    return made


def _call(raw: dict[str, Any], kind: str) -> list[Part]:
    answer = answer_of(kind, raw.get("execution"))
    if answer is None:
        return _opaque(raw, kind)
    name = answer.name or filled(raw.get("name"), "name", "tool name")
    return [Part("call", _body(raw, answer.body), filled(raw.get("call_id"), "call_id", "call id"), name)]


def _body(raw: dict[str, Any], key: str) -> str:

    found = raw.get(key)
    if isinstance(found, str):
        return found
    if key in TEXT_BODIES and raw["type"] != "tool_search_call":
        refuse(key, f"{found!r:.60} is no text: give a string, '{{}}' where there are no arguments")
    # `computer_call` names one action or several.
    return compact(raw.get("actions") if found is None else found)


def _output(raw: dict[str, Any], kind: str) -> list[Part]:
    key = raw.get("call_id")
    if kind == "local_shell_call_output" and key is None:
        key = raw.get("id")
    if key is None and isinstance(raw.get("name"), str):
        # Legal by type: the output of a tool that nobody called (`call_id` is optional beside `name`).
        return _opaque(raw, kind)
    if kind == "tool_search_output" and raw.get("execution") != "client":
        return _opaque(raw, kind)
    text, media, failed = OUTPUT_READERS.get(kind, _plain)(raw)
    return [Part("result", text, filled(key, "call_id", "call id"), "", failed, -1, media or None)]


Output = tuple[str, "list[dict[str, Any]]", bool]


def _plain(raw: dict[str, Any]) -> Output:
    if raw.get("output") is None:
        refuse("output", "is missing: give the tool's output as a string")
    text, media = read_output(raw["output"], "output")
    return text, media, False


def _screenshot(raw: dict[str, Any]) -> Output:
    output = raw.get("output")
    if not isinstance(output, dict):
        refuse("output", f"a {type(output).__name__} is no screenshot: give a dict of type computer_screenshot")
    return "", [output], False


def _shell(raw: dict[str, Any]) -> Output:
    chunks = raw.get("output")
    if not isinstance(chunks, list):
        refuse("output", f"a {type(chunks).__name__} is no shell output: give a list of chunks")
    texts: list[str] = []
    failed = False
    for at, chunk in enumerate(chunks):
        if not isinstance(chunk, dict):
            refuse(f"output[{at}]", "is no dict: give stdout, stderr and outcome")
        texts += [chunk[key] for key in ("stdout", "stderr") if isinstance(chunk.get(key), str) and chunk[key]]
        outcome = chunk.get("outcome")
        failed = failed or (isinstance(outcome, dict) and outcome.get("exit_code") != 0)
    return "\n".join(texts), [], failed


def _patch(raw: dict[str, Any]) -> Output:
    text, media = read_output(raw.get("output"), "output")
    return text, media, raw.get("status") == "failed"


def _tools(raw: dict[str, Any]) -> Output:

    return compact(raw.get("tools")), [], False


def _opaque(raw: dict[str, Any], kind: str) -> list[Part]:
    if kind == "image_generation_call":
        return [Part("media", name=kind, block=raw)]

    return [Part("opaque", compact(raw), name=kind, block=raw)]


READERS: dict[str, Callable[[dict[str, Any], str], list[Part]]] = {
    "reasoning": _reasoning,
    **dict.fromkeys(ANSWERS, _call),
    **dict.fromkeys(OUTPUTS, _output),
}
OUTPUT_READERS: dict[str, Callable[[dict[str, Any]], Output]] = {
    "computer_call_output": _screenshot,
    "shell_call_output": _shell,
    "apply_patch_call_output": _patch,
    "tool_search_output": _tools,
}
