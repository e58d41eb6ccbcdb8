"""SWE-agent: a file window that commands open, scroll and edit; as tool calls and as plain text.

Which file is open stands in the footer of each observation, so an edit that names no file is
known by it.
"""

from __future__ import annotations

from context_kit._lazily import regex
from context_kit.tools._act import Act, Call
from context_kit.tools._editors import edit, seen_file, text_editor
from context_kit.tools._numbered import shown
from context_kit.tools._paths import plain_path
from context_kit.tools._shellwords import names

__all__ = ["COMMANDS", "RANGE", "create", "line_edit", "open_file", "opened", "sub_insert"]

COMMANDS = names(
    "open goto scroll_up scroll_down create edit insert append find_file search_file search_dir submit exit_cost "
    "str_replace_editor filemap view_image"
)
"""Commands of SWE-agent's own shell (SWE-agent/SWE-agent, tools/)."""
FOOTER = regex(r"\(Open file: ([^\n]*)\)\n\(Current directory: ")
WINDOW = regex(r"\[File: ([^\n]*?) \(\d+ lines total\)\]\r?\n")
RANGE = regex(r"(\d{1,8})(?::|,| )(\d{1,8})$")


def opened(call: Call) -> str:
    """The file that is open after the call; empty where the observation doesn't say."""
    found = FOOTER.search(call.said[-1_000:])
    path = found.group(1) if found else ""
    return "" if path == "n/a" else plain_path(path)


def open_file(call: Call) -> tuple[Act, ...]:
    """`open`, `goto`, `scroll_up`, `scroll_down`: the window shows a part of a file."""
    window = WINDOW.search(call.seen.body[:2_000])
    path = call.path or opened(call)
    body = call.seen.body[window.start() :] if window else call.seen.body
    return (seen_file(call, path, body),)


def line_edit(call: Call) -> tuple[Act, ...]:
    """`edit`: a search and its replacement, or a range of lines and their new text."""
    if "search" in call.args or "old_string" in call.args or "oldText" in call.args or "edits" in call.args:
        return tuple(_with_window(call, act) for act in edit(call))
    text = call.words("replacement_text", "text", "content", "new_text")
    first, last = call.number("start_line", "line_number"), call.number("end_line")
    if text is None:
        return edit(call)
    act = call.act("edit", path=call.path or opened(call), first=first, last=last, replacements=(("", _lines(text)),))
    return (_with_window(call, act),)


def sub_insert(call: Call) -> tuple[Act, ...]:
    """`insert` and `append`: text behind a line, or at the end of the open file."""
    if call.words("command") in ("insert", "view", "create", "str_replace"):
        return text_editor(call)
    text = _lines(call.words("text", "content", "new_text", "new_str") or "")
    at = call.number("line", "line_number", "insert_line")
    path = call.path or opened(call)
    if at:
        act = call.act("edit", path=path, first=at + 1, last=at, replacements=(("", text),))
    else:
        act = call.act("edit", path=path, first=-1, replacements=(("", text),))
    return (_with_window(call, act),)


def create(call: Call) -> tuple[Act, ...]:
    """`create`: a new file with one empty line, open from now on."""
    return (call.act("edit", path=call.path or opened(call), content="\n", whole=True),)


def _lines(text: str) -> str:
    return text if text.endswith("\n") or not text else text + "\n"


def _with_window(call: Call, act: Act) -> Act:
    """The edit with the file's whole content where the window behind it shows all of it."""
    path = act.path or opened(call)
    window = WINDOW.search(call.seen.body[:2_000])
    known = {"content": act.content, "whole": act.whole}
    if window and not act.failed:
        told = shown(call.seen.body[window.start() :].partition("\nFile updated.")[0])
        if told.first == 1 and not told.cut:
            known = {"content": _lines(told.text), "whole": True}
    return call.act(
        "edit",
        error=act.error,
        path=path,
        first=act.first,
        last=act.last,
        replacements=act.replacements,
        every=act.every,
        **known,
    )
