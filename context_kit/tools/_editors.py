"""Tools that read, write, edit or search one file, whatever their agent calls the arguments.

Claude Code, MyCodeAgent, pi, opencode, Gemini CLI, Cursor, Copilot, Anthropic's and OpenHands' text
editor: the names of the arguments differ, the meaning doesn't.
"""

from __future__ import annotations

from typing import Any

from context_kit.tools._act import Act, Call
from context_kit.tools._numbered import Shown, shown
from context_kit.tools._patch import parse_patch, search_blocks
from context_kit.tools._paths import plain_path

__all__ = [
    "CONTENTS",
    "NEWS",
    "OLDS",
    "edit",
    "edit_or_write",
    "patch",
    "pieces",
    "read",
    "search",
    "seen_file",
    "text_editor",
    "write",
]

CONTENTS = ("content", "contents", "file_text", "text", "CodeContent", "fileContent", "file_content", "new_source")
OLDS = (
    "old_string",
    "old_str",
    "oldText",
    "old_text",
    "oldString",
    "search",
    "old",
    "TargetContent",
    "find",
    "original",
)
NEWS = (
    "new_string",
    "new_str",
    "newText",
    "new_text",
    "newString",
    "replace",
    "new",
    "ReplacementContent",
    "replacement",
    "updated",
)
EVERY = ("replace_all", "replaceAll", "allow_multiple", "AllowMultiple", "multiple")
FIRSTS = ("offset", "start_line", "startLine", "line_start", "StartLine", "start_line_one_indexed", "line_number")
LASTS = ("end_line", "endLine", "line_end", "EndLine", "end_line_one_indexed_inclusive", "end_line_one_indexed")
PAGE = 2_000
"""Lines that Claude Code, opencode, pi and Gemini CLI show at most where no limit is given."""
MASKED = ("<tool_output_masked>", "Output too large. Showing first", "<persisted-output>")
LISTINGS = ("Here's the files and directories", "Here are the files and directories")


def read(call: Call) -> tuple[Act, ...]:
    """A tool that shows a file."""
    if call.seen.body[:80].startswith(LISTINGS):
        return (call.act("search", path=call.path),)
    first, limit = call.number(*FIRSTS), call.number("limit", "max_lines", "num_lines")
    last = call.number(*LASTS) or (max(first, 1) + limit - 1 if limit else 0)
    window = call.items("view_range", "range", "lines")
    if len(window) == 2 and all(isinstance(each, int) for each in window):
        first, last = window[0], max(window[1], 0)
    return (seen_file(call, call.path, call.seen.body, first, last),)


def seen_file(call: Call, path: str, body: str, first: int = 0, last: int = 0) -> Act:
    """The read of a file, from what a viewer printed of the lines that were asked for."""
    error = call.refused()
    if error or not call.answered:
        return call.act("read", error=error, path=path, first=max(first, 0), last=last)
    if body.startswith(MASKED) or not body.strip():
        return call.act("read", error="", path=path, first=first, last=last)
    told = shown(body)
    count = told.text.count("\n") + (not told.text.endswith("\n")) if told.text else 0
    begin = told.first or max(first, 1)
    end = told.last or begin + max(count - 1, 0)
    whole = begin == 1 and not told.cut and not _pages(told, count, last) and not _partial(call)
    return call.act(
        "read",
        error="",
        path=path,
        content=told.text,
        whole=whole,
        first=0 if whole else begin,
        last=0 if whole else end,
    )


def _pages(told: Shown, count: int, last: int) -> bool:
    """True where the viewer may have stopped at the limit and not at the file's end."""
    return (last > 0 and count >= last) or (not last and told.last > 0 and count == PAGE)


def _partial(call: Call) -> bool:
    data = call.seen.items[0].get("data") if len(call.seen.items) == 1 else None
    return isinstance(data, dict) and data.get("truncated") is True


def write(call: Call) -> tuple[Act, ...]:
    """A tool that writes a whole file."""
    content = call.words(*CONTENTS)
    return (call.act("edit", path=call.path, content=content, whole=content is not None),)


def edit(call: Call) -> tuple[Act, ...]:
    """A tool that replaces text in a file: one pair, or a list of them."""
    pairs = pieces(call.items("edits", "replacements", "changes", "chunks") or [call.args])
    if not pairs:
        blocks = search_blocks(call.words("diff", "edits", "content", "code_edit") or "")
        return (call.act("edit", path=call.path, replacements=blocks, every=False),)
    every = any(bool(call.args.get(name)) for name in EVERY)
    at = call.number("insert_line", "insertLine")
    if "insert_line" in call.args or "insertLine" in call.args:
        text = pairs[0][1]
        text = text if text.endswith("\n") else text + "\n"
        return (call.act("edit", path=call.path, first=at + 1, last=at, replacements=(("", text),)),)
    if len(pairs) == 1 and not pairs[0][0]:
        return (_created(call, pairs[0][1]),)
    return (call.act("edit", path=call.path, replacements=tuple(pairs), every=every),)


def _created(call: Call, text: str) -> Act:
    """An empty old text creates the file in Claude Code and Gemini CLI; others insert."""
    told = call.said[:200].lower()
    if "created" in told or "new file" in told:
        return call.act("edit", path=call.path, content=text, whole=True)
    return call.act("edit", path=call.path, replacements=(("", text),))


def edit_or_write(call: Call) -> tuple[Act, ...]:
    """A tool that edits where it is given an old text, and writes the whole file where it isn't."""
    olds = any(name in call.args for name in OLDS) or call.items("edits", "replacements", "changes", "chunks")
    if not olds and call.words(*CONTENTS) is not None:
        return write(call)
    return edit(call)


def pieces(edits: list[Any]) -> list[tuple[str, str]]:
    """(old, new) pairs of a list of edits."""
    found: list[tuple[str, str]] = []
    for each in edits:
        if not hasattr(each, "get"):
            continue
        old = next((each[name] for name in OLDS if isinstance(each.get(name), str)), None)
        new = next((each[name] for name in NEWS if isinstance(each.get(name), str)), None)
        if new is not None or old:
            found.append((old or "", new or ""))
    return found


def patch(call: Call) -> tuple[Act, ...]:
    """A tool that takes a patch over one or several files."""
    operation = call.args.get("operation")
    if isinstance(operation, dict):
        return _operation(call, operation)
    text = call.words("input", "patch", "patch_text", "patchText", "diff", "content") or ""
    if not text and (words := call.items("command")) and len(words) == 2:
        text = str(words[1])
    changes = parse_patch(text)
    if not changes:
        return (call.act("edit", path=call.path),)
    error = call.refused(edits=True) or call.broke("apply_patch")
    return tuple(
        call.act(
            "edit",
            error=error,
            path=change.path,
            content=change.content,
            whole=change.content is not None,
            replacements=change.hunks,
            gone=change.gone,
        )
        for change in changes
    )


def _operation(call: Call, operation: dict[str, Any]) -> tuple[Act, ...]:
    """OpenAI's own apply_patch tool: one file, its diff without headers."""
    path, kind, diff = (
        plain_path(str(operation.get("path", ""))),
        str(operation.get("type", "")),
        str(operation.get("diff", "")),
    )
    verb = {"create_file": "Add", "delete_file": "Delete"}.get(kind, "Update")
    changes = parse_patch(f"*** Begin Patch\n*** {verb} File: {path}\n{diff}\n*** End Patch")
    if not changes:
        return (call.act("edit", path=path),)
    change = changes[0]
    content = change.content
    return (
        call.act(
            "edit", path=path, content=content, whole=content is not None, replacements=change.hunks, gone=change.gone
        ),
    )


def search(call: Call) -> tuple[Act, ...]:
    """A tool that searches or lists."""
    path = (
        call.words("path", "dir", "dir_path", "directory", "include_pattern", "file_path", "DirectoryPath", "folder")
        or ""
    )
    return (call.act("search", path=plain_path(path)),)


def text_editor(call: Call) -> tuple[Act, ...]:
    """Anthropic's and OpenHands' text editor: one tool, told what to do by `command`."""
    verb = call.words("command") or ""
    if verb == "view":
        return read(call)
    if verb == "create":
        return write(call)
    if verb == "delete":
        return (call.act("edit", path=call.path, gone=call.path),)
    if verb == "rename":
        moved = plain_path(call.words("new_path") or "")
        return (call.act("edit", path=moved, gone=plain_path(call.words("old_path") or "")),)
    return edit(call)
