"""A judge of windows that knows nothing of the library: count, wire, order, growth."""

from __future__ import annotations

import functools
import json
from typing import Any

MEDIA = {"image", "image_url", "input_image", "document", "file", "input_file", "input_audio"}
UNSENT = {"type", "role", "id", "call_id", "tool_call_id", "tool_use_id", "signature", "status"}
LONGEST = 200_000
"""Characters that are counted at once: the tokeniser refuses much more."""
REASONING = {"thinking", "redacted_thinking"}


@functools.lru_cache(maxsize=1)
def _encoding() -> Any:
    import importlib

    return importlib.import_module("bpe_openai").get_encoding("o200k_base")


@functools.lru_cache(maxsize=20_000)
def _count_text(text: str) -> int:
    clean = text.encode("utf-8", "replace").decode("utf-8")
    pieces = (clean[at : at + LONGEST] for at in range(0, len(clean), LONGEST))
    return sum(len(_encoding().encode_ordinary(piece)) for piece in pieces)


def forget() -> None:
    """Let go of the texts that were counted."""
    _count_text.cache_clear()


def count_tokens(node: object) -> int:
    """o200k tokens of every text in a message; media and ids are free."""
    if isinstance(node, str):
        return _count_text(node)
    if isinstance(node, dict):
        kind = node.get("type")
        if isinstance(kind, str) and kind in MEDIA:
            return 0
        return sum(count_tokens(value) for key, value in node.items() if key not in UNSENT)
    return sum(map(count_tokens, node)) if isinstance(node, (list, tuple)) else 0


@functools.lru_cache(maxsize=2)
def request_types(*, anthropic: bool) -> Any:
    """The SDK's own request types for a list of messages, as a pydantic adapter."""
    from pydantic import TypeAdapter

    if anthropic:
        from anthropic.types.beta import BetaMessageParam

        return TypeAdapter(list[BetaMessageParam])
    from openai.types.chat import ChatCompletionMessageParam

    return TypeAdapter(list[ChatCompletionMessageParam])


class Judge:
    """Holds every promise about the lists of one session."""

    def __init__(
        self, originals: list[dict[str, Any]], window: int, fixed: int, types: Any, faults: list[str] | None
    ) -> None:
        self.originals = originals
        self.window = window
        self.fixed = fixed
        self.types = types
        self.faults: list[str] = faults if faults is not None else []
        self.last: list[str] = []
        self.made = -1

    def look(self, out: list[dict[str, Any]], given: int, compactions: int) -> None:
        """Judge one list that was about to be sent after `given` messages came in."""
        where = f"before message {given}: "
        size = count_tokens(out) + self.fixed
        if size > self.window:
            self.faults.append(f"{where}{size} tokens in a window of {self.window}")
        if fault := pairs_fault(out):
            self.faults.append(where + fault)
        if fault := roles_fault(out, self.originals):
            self.faults.append(where + fault)
        try:
            self.types.validate_python(out)
        except ValueError as error:
            self.faults.append(f"{where}the SDK's types refuse it: {str(error)[:200]}")
        if fault := self._tail_fault(out, self.originals[:given]):
            self.faults.append(where + fault)
        prints = [json.dumps(message, ensure_ascii=True) for message in out]
        if compactions == self.made and prints[: len(self.last)] != self.last:
            self.faults.append(f"{where}earlier bytes changed without a compaction")
        self.last, self.made = prints, compactions

    def _tail_fault(self, out: list[dict[str, Any]], given: list[dict[str, Any]]) -> str | None:
        """From the end on, each message is the original one, reasoning and marked clips aside."""
        for back, message in enumerate(reversed(out), 1):
            if back > len(given):
                return "more messages than came in"
            original = given[-back]
            if message == original or bare(message) == bare(original):
                continue
            text = json.dumps(message, ensure_ascii=False)
            if "recall(" in text and message.get("role") == original.get("role") and "[context record" not in text[:80]:
                continue
            return None if "[context record" in text else f"message -{back} is not the original"
        return None


def bare(message: dict[str, Any]) -> dict[str, Any]:
    """A message without its reasoning."""
    content = message.get("content")
    if not isinstance(content, list):
        return message
    left = [block for block in content if not (isinstance(block, dict) and block.get("type") in REASONING)]
    return {**message, "content": left}


def _ids(message: dict[str, Any]) -> tuple[list[str], list[str]]:
    calls = [call["id"] for call in message.get("tool_calls") or []]
    results = [message["tool_call_id"]] if message.get("role") == "tool" else []
    content = message.get("content")
    for block in content if isinstance(content, list) else []:
        calls += [block["id"]] if block.get("type") == "tool_use" else []
        results += [block["tool_use_id"]] if block.get("type") == "tool_result" else []
    return calls, results


def pairs_fault(out: list[dict[str, Any]]) -> str | None:
    """Each call is answered right after it, each result has its call."""
    waiting: list[str] = []
    for index, message in enumerate(out):
        calls, results = _ids(message)
        for result in results:
            if result not in waiting:
                return f"message {index}: result {result!r} without its call"
            waiting.remove(result)
        if waiting and (calls or message.get("role") not in ("tool", "user") or not results):
            return f"message {index}: calls {waiting} not answered right after"
        waiting += calls
    return f"calls {waiting} never answered" if waiting else None


def roles_fault(out: list[dict[str, Any]], originals: list[dict[str, Any]]) -> str | None:
    """The first message after the system ones is a user's (if it was), and nothing became empty."""
    body = [message for message in out if message.get("role") not in ("system", "developer")]
    if body and body[0]["role"] != "user" and originals[0]["role"] == "user":
        return f"a message of role {body[0]['role']} stands first"
    for index, message in enumerate(out):
        if message.get("content") in ("", []) and not message.get("tool_calls") and message not in originals:
            return f"message {index} is empty"
    return None
