"""What one call meant: the caller's own table first, then the tools known by name, then by arguments.

Never raises, whatever a model wrote as arguments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from context_kit._lazily import regex
from context_kit.tools import _cline, _codex, _editors, _plans, _shell, _sweagent
from context_kit.tools._act import Act, Call, Reader
from context_kit.tools._failure import failure, refusal
from context_kit.tools._paths import plain_path
from context_kit.wire import Part

if TYPE_CHECKING:
    from context_kit.types import Tool

__all__ = ["acts", "meaning"]

READERS: dict[str, Reader] = {}
"""Reader by tool name, lower case, `-` as `_`."""


def _known(reader: Reader, names: str) -> None:
    READERS.update(dict.fromkeys(names.split(), reader))


# Claude Code, mini-swe-agent, pi, OpenHands, Codex, Gemini CLI, Cline, Copilot, Cursor, trycua
_known(
    _shell.run,
    "bash execute_bash run_shell_command execute_command shell exec_command local_shell container.exec run_in_terminal",
)
_known(
    _shell.run, "run_terminal_cmd run_command terminal sandbox_run run_bash exec shell_command bash_tool cmd powershell"
)
_known(_codex.resume, "write_stdin bashoutput bash_output get_terminal_output taskoutput task_output")
_known(_cline.run_commands, "run_commands")
# Claude Code, pi, opencode, Gemini CLI, Cline, Cursor, Copilot, LangChain's deepagents
_known(
    _editors.read,
    "read read_file view view_file cat read_text_file notebookread read_notebook get_file_contents open_file",
)
_known(_cline.read_files, "read_files read_many_files read_multiple_files")
_known(
    _editors.write,
    "write write_file write_to_file create_file sandbox_write save_file new_file create_new_file write_text_file",
)
_known(
    _editors.edit_or_write,
    "replace multiedit multi_edit edit_file search_replace replace_in_file str_replace replace_string_in_file",
)
_known(
    _editors.edit_or_write,
    "insert_edit_into_file multi_replace_string_in_file editor notebookedit edit_notebook apply_diff",
)
_known(
    _editors.edit_or_write,
    "search_and_replace insert_content replace_file_content multi_replace_file_content morph_edit fsedit",
)
_known(
    _editors.text_editor,
    "str_replace_editor str_replace_based_edit_tool text_editor file_editor str_replace_edit",
)
_known(_editors.patch, "apply_patch applypatch patch apply_patch_call git_apply")
_known(
    _editors.search,
    "grep glob ls list list_dir list_directory list_files grep_search search_file_content search_files find_file",
)
_known(
    _editors.search,
    "search_file search_dir search_codebase codebase_search file_search find websearch web_search google_web_search",
)
_known(
    _editors.search, "filemap semantic_search list_code_definition_names toolsearch find_files grep_files glob_files"
)
# SWE-agent
_known(_sweagent.open_file, "open goto scroll_up scroll_down")
_known(_sweagent.line_edit, "edit")
_known(_sweagent.sub_insert, "insert append")
# Claude Code, Codex, opencode, Gemini CLI, deepagents
_known(
    _plans.plan,
    "todowrite todo_write update_plan write_todos taskcreate taskupdate exitplanmode exit_plan_mode update_todo_list",
)
_known(_plans.plan, "manage_todo_list todo set_plan task_tracker plan")


def _other(call: Call) -> tuple[Act, ...]:
    return (call.act("other", path=call.path),)


_known(
    _other,
    "task think agent skill webfetch web_fetch fetch update_topic enterplanmode submit finish "
    "killbash killshell todoread",
)


def _notes(call: Call) -> tuple[Act, ...]:
    """Anthropic's memory tool: the model's own notes, which are no files of the project and no failures of its work."""
    return (call.act("other", error=""),)


_known(_notes, "memory")


def acts(
    call: Part,
    result: Part | None,
    /,
    *,
    semantics: Mapping[str, Tool] = {},
    running: MutableMapping[str, str] | None = None,
) -> tuple[Act, ...]:
    """What a tool call meant, a run before what it did.

    Args:
        call: a part of kind `call`.
        result: the part that answers it, if there is one yet.
        semantics: the caller's own tools by name; they win over the names known here.
        running: commands that go on in the background, by session id. Give the same dict each
            time and Codex' `write_stdin` is known by the command that it goes on with.

    Returns:
        One act or more, in order. Never raises for what stands in the arguments.

    """
    said = "" if result is None else result.text
    flagged = result is not None and result.failed
    view = Call.of(
        call.name, call.arguments, said, id=call.id, answered=result is not None, flagged=flagged, running=running
    )
    own = semantics.get(call.name)
    return _own(view, own) if own is not None else meaning(view)


def meaning(call: Call) -> tuple[Act, ...]:
    """What a call meant, by the tool's name or, where that is unknown, by its arguments."""
    name = _plain_name(call.tool)
    if name == "create":
        return _sweagent.create(call) if call.words(*_editors.CONTENTS) is None else _editors.write(call)
    reader = READERS.get(name) or READERS.get(name.rpartition("__")[2]) or READERS.get(name.rpartition(".")[2])
    found = reader(call) if reader else _by_arguments(call, name)
    return found or _other(call)


@lru_cache(maxsize=512)
def _plain_name(tool: str) -> str:
    return tool.strip().lower().replace("-", "_").removeprefix("functions.")


READS = regex(r"read|open|view|cat|show|get_file|load")
WRITES = regex(r"edit|write|replace|patch|create|insert|update|modif|append|delete|save")
RUNS = regex(r"run|exec|bash|shell|command|terminal|cmd")
SEARCHES = regex(r"search|grep|glob|find|list|(?:^|_)ls(?:_|$)")
PLANS = regex(r"todo|(?:^|_)plan(?:_|$)|checklist")


def _by_arguments(call: Call, name: str) -> tuple[Act, ...]:
    """An unknown tool: what its arguments say plainly, helped by its name."""
    path = call.path
    if isinstance(call.args.get("input"), str) and "*** Begin Patch" in call.args["input"]:
        return _editors.patch(call)
    if path and (any(part in call.args for part in (*_editors.NEWS, "edits", "diff", "patch")) or WRITES.search(name)):
        return _editors.edit_or_write(call)
    if path and call.words(*_editors.CONTENTS) is not None and not READS.search(name) and not SEARCHES.search(name):
        return _editors.write(call)
    if call.words("command", "cmd") and (not path or RUNS.search(name)):
        return _shell.run(call)
    if PLANS.search(name) and any(part in call.args for part in _plans.LISTS):
        return _plans.plan(call)
    if SEARCHES.search(name) and (path or any(part in call.args for part in ("pattern", "regex", "glob"))):
        return _editors.search(call)
    if path and READS.search(name):
        return _editors.read(call)
    return _other(call)


def _own(call: Call, tool: Tool) -> tuple[Act, ...]:
    """One of the caller's own tools."""
    path = plain_path(_argument(call, tool.path) or "") if tool.path else call.path
    command = _argument(call, tool.command) or ""
    error = _own_error(call, tool, command)
    if tool.kind == "run":
        if command:
            return _shell.runs(call, command, error=error)
        error = call.broke(command) if error is None else error
        return (call.act("run", error=error, command=command, path=path, ended=call.seen.verdict != "running"),)
    if tool.kind == "read":
        found = _editors.seen_file(call, path, call.seen.body)
        if error is None:
            return (found,)
        return (
            call.act(
                "read",
                error=error,
                path=path,
                content=None if error else found.content,
                whole=not error and found.whole,
            ),
        )
    if tool.kind == "plan":
        return _plans.plan(call)
    if tool.kind == "edit":
        content, old, new = _argument(call, tool.content), _argument(call, tool.old), _argument(call, tool.new)
        pairs = ((old or "", new or ""),) if new is not None or old else ()
        made = call.act("edit", error=error, path=path, content=content, whole=content is not None, replacements=pairs)
        return (made if error is None else replace(made, vague=False),)
    return (call.act(tool.kind, error=error, path=path, command=command),)


def _argument(call: Call, name: str | None) -> str | None:
    return call.words(name) if name else None


MARKER = regex(
    r"(?:\W*(?:exit(?:ed)?|code|status|rc|ret|return(?:ed|code)?|result|fail(?:ed|ure)?|error|process|command|cmd|with|"
    r"finished|non-?zero|退出码?|状态码?|命令|失败|-?\d{1,9})(?![^\W_\d]))+\W*",
    re.IGNORECASE,
)
"""A line that says that it failed and not why."""


def _own_error(call: Call, tool: Tool, command: str) -> str | None:
    """The error's own text where the caller's pattern says that it failed; None where there is no pattern.

    The pattern says that it failed, not where it says why: that is looked for as without one.
    """
    if tool.failed is None:
        return None
    if call.flagged:
        return call.broke(command) if tool.kind == "run" else call.refused()
    try:
        found = re.search(tool.failed, call.said, re.MULTILINE)
    except re.error:
        return None
    if found is None:
        return ""
    said = _unmarked(call.said)
    told = failure(said, command=command, flagged=True) if tool.kind == "run" else refusal(said, flagged=True)
    return told or found.group().strip() or "failed"


def _unmarked(said: str) -> str:
    """A result without a first or last line that only says that it failed, where more is said."""
    body = said.strip()
    first, _, rest = body.partition("\n")
    body = rest.strip("\n") if rest.strip() and MARKER.fullmatch(first.strip()) else body
    rest, _, last = body.rpartition("\n")
    return rest.rstrip() if rest.strip() and MARKER.fullmatch(last.strip()) else body
