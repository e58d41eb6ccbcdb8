"""What each block and item type is, as data: the one list that reading, rendering and the rules share.

Types by the request unions of openai 3.57 (`ChatCompletionContentPartParam`, `ResponseInputItemParam`) and
anthropic 2.14 (`ContentBlockParam`, `BetaContentBlockParam`). A type that isn't listed is opaque.
"""

from __future__ import annotations

from typing import NamedTuple

from context_kit.typing import Shape
from context_kit.wire._message import PartKind, Role

__all__ = ["BLOCKS", "EVENTS", "ITEMS", "ROLES", "Answer", "Kind", "answer_of"]

ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "system": "system",
    "developer": "system",
    "function": "tool",
}


class Kind(NamedTuple):
    """A block type: what part it makes, and which shape has it (None: more than one)."""

    part: PartKind
    shape: Shape | None = None
    key: str = ""
    """Where its text stands."""
    server: bool = False


BLOCKS: dict[str, Kind] = {
    "text": Kind("text", None, "text"),
    "refusal": Kind("text", None, "refusal"),
    "input_text": Kind("text", "responses", "text"),
    "output_text": Kind("text", "responses", "text"),
    "summary_text": Kind("reasoning", "responses", "text"),
    "reasoning_text": Kind("reasoning", "responses", "text"),
    "thinking": Kind("reasoning", "anthropic", "thinking"),
    "redacted_thinking": Kind("reasoning", "anthropic", "data"),
    "tool_use": Kind("call", "anthropic"),
    "server_tool_use": Kind("call", "anthropic", server=True),
    "mcp_tool_use": Kind("call", "anthropic", server=True),
    "tool_result": Kind("result", "anthropic"),
    "mcp_tool_result": Kind("result", "anthropic", server=True),
    "web_search_tool_result": Kind("result", "anthropic", server=True),
    "web_fetch_tool_result": Kind("result", "anthropic", server=True),
    "code_execution_tool_result": Kind("result", "anthropic", server=True),
    "bash_code_execution_tool_result": Kind("result", "anthropic", server=True),
    "text_editor_code_execution_tool_result": Kind("result", "anthropic", server=True),
    "tool_search_tool_result": Kind("result", "anthropic", server=True),
    "advisor_tool_result": Kind("result", "anthropic", server=True),
    "image_url": Kind("media", "chat"),
    "input_audio": Kind("media", "chat"),
    "video_url": Kind("media", "chat"),
    "audio_url": Kind("media", "chat"),
    "file": Kind("media", "chat"),
    "audio": Kind("media"),
    "video": Kind("media"),
    "image": Kind("media", "anthropic"),
    "document": Kind("media", "anthropic"),
    "input_image": Kind("media", "responses"),
    "input_file": Kind("media", "responses"),
    "computer_screenshot": Kind("media", "responses"),
    "search_result": Kind("opaque", "anthropic"),
    "container_upload": Kind("opaque", "anthropic"),
    "compaction": Kind("opaque", "anthropic"),
    "fallback": Kind("opaque", "anthropic"),
    "mcp_tool_listing": Kind("opaque", "anthropic"),
    "tool_addition": Kind("opaque", "anthropic"),
    "tool_removal": Kind("opaque", "anthropic"),
    "tool_reference": Kind("opaque", "anthropic"),
    "browser_state": Kind("opaque", "anthropic"),
}

ITEMS: dict[str, Role] = {
    "message": "user",  # has its own role
    "reasoning": "assistant",
    "function_call": "assistant",
    "custom_tool_call": "assistant",
    "computer_call": "assistant",
    "local_shell_call": "assistant",
    "shell_call": "assistant",
    "apply_patch_call": "assistant",
    "tool_search_call": "assistant",
    "function_call_output": "tool",
    "custom_tool_call_output": "tool",
    "computer_call_output": "tool",
    "local_shell_call_output": "tool",
    "shell_call_output": "tool",
    "apply_patch_call_output": "tool",
    "tool_search_output": "tool",
    "web_search_call": "assistant",
    "file_search_call": "assistant",
    "code_interpreter_call": "assistant",
    "image_generation_call": "assistant",
    "mcp_list_tools": "assistant",
    "mcp_call": "assistant",
    "mcp_approval_request": "assistant",
    "mcp_approval_response": "user",
    "program": "assistant",
    "program_output": "assistant",
    "compaction": "assistant",
    "item_reference": "assistant",
    "compaction_trigger": "user",
    # They say which tools and settings hold from here on: never dropped, so they belong to the head.
    "additional_tools": "system",
    "configuration_update": "system",
}

EVENTS = frozenset(
    {
        "message_start",
        "message_delta",
        "message_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "ping",
        "error",
    }
)
"""Events of an Anthropic stream; those of Responses start with `response.`."""


class Answer(NamedTuple):
    """A call kind of the Responses API that the caller answers."""

    output: str
    """Type of the item that answers it."""
    body: str
    """Key of the call that holds what is asked."""
    name: str
    """Tool name; empty where the call has its own."""


ANSWERS: dict[str, Answer] = {
    "function_call": Answer("function_call_output", "arguments", ""),
    "custom_tool_call": Answer("custom_tool_call_output", "input", ""),
    "computer_call": Answer("computer_call_output", "action", "computer"),
    "local_shell_call": Answer("local_shell_call_output", "action", "local_shell"),
    "shell_call": Answer("shell_call_output", "action", "shell"),
    "apply_patch_call": Answer("apply_patch_call_output", "operation", "apply_patch"),
    "tool_search_call": Answer("tool_search_output", "arguments", "tool_search"),
}
OUTPUTS = frozenset(answer.output for answer in ANSWERS.values())


def answer_of(kind: str, execution: object = None) -> Answer | None:
    """How a call item is answered; None where the provider runs it by itself."""
    if kind == "tool_search_call" and execution != "client":
        return None
    return ANSWERS.get(kind)
