"""Texts in the user role that no person wrote: what a terminal or a tool printed.

A person may paste a log; so only frames that an agent puts around an observation count, never
the look of what is inside.
"""

from __future__ import annotations

import re

from context_kit._lazily import regex

__all__ = ["looks_observed"]

STARTS = (
    "<returncode>",  # mini-swe-agent 2
    "<output>\n",
    "<exception>",
    "Observation:",  # ReAct prompts, SWE-agent's default template
    "OBSERVATION:",
    "观察结果:",
    "观察结果：",
    "EXECUTION RESULT of [",  # OpenHands without native tool calls
    "OBSERVATION from [",
    "[The command completed with exit code",
    "Your command ran successfully and did not produce any output.",  # SWE-agent
    "Your proposed edit has introduced new syntax error(s)",
    "Your edit was not applied",
    "<local-command-stdout>",  # Claude Code: what the user ran by `!` or a slash command
    "<local-command-stderr>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<tool_response>",  # Qwen's chat template
    "<tool_result>",
    "<tool_output>",
    "<function_results>",
    "<environment_details>",  # Cline
    "[execute_command for ",  # Cline: `[tool for 'x'] Result:`
    "[read_file for ",
    "[write_to_file for ",
    "[replace_in_file for ",
    "[search_files for ",
    "[list_files for ",
    "[apply_diff for ",
    "[ERROR] You did not use a tool in your previous response",
    "The command completed with exit code",
    "Exit code: 0\nWall time:",
)
ENDS = regex(
    r"(?:\(Open file: [^\n]*\)\n)?\(Current directory: [^\n]*\)\n(?:\([^\n]*\)\n)?bash-\$\s*$"  # SWE-agent
    r"|\[(?:The command completed|Command finished) with exit code -?\d+\.?\](?:\n\[[^\n]*\]){0,4}\s*$"  # OpenHands
    r"|</output>\s*$"
)
TASKS = (
    "We're currently solving the following issue",  # SWE-agent's instance template, whose footer is the prompt's
    "Here is a demonstration of how to correctly accomplish this task",
    "<uploaded_files>",
    "<pr_description>",
    "Please solve this issue:",
)
"""How a task begins that an agent hands over with a prompt's footer behind it."""


def looks_observed(text: str) -> bool:
    """True for a user-role text that a terminal or a tool wrote."""
    body = text.lstrip() if text[:1].isspace() else text
    if body.startswith(TASKS):
        return False
    if body.startswith(STARTS):
        return True
    tail = body[-600:]
    if "bash-$" not in tail and "exit code" not in tail and not tail.rstrip().endswith("</output>"):
        return False
    starts = [0, *(match.end() for match in re.finditer("\n", tail))]
    if not any(ENDS.match(tail, start) for start in starts[-8:]):
        return False
    return "</output>" not in tail or "<output>" in body
