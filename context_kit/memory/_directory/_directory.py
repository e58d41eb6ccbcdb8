"""The directory behind Anthropic's own memory tool (`memory_20250818`): what the model writes stays inside of it.

Replies and complaints are worded as Anthropic documents them (the SDK's own local backend, anthropic 2.14). A command
is never answered with an exception: what is wrong is told to the model.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from context_kit.errors import BudgetError, StoreError
from context_kit.memory._directory._command import ROOT, file_in, path_in, range_of, size_text, words_in
from context_kit.memory._directory._confined import Confined, Refused
from context_kit.memory._files._private import private_directory

__all__ = ["MemoryDirectory"]

MISSING = "The path {path} does not exist. Please provide a valid path."
SHOWN = 2
"""Folders deep that a view lists."""
MOST_LISTED = 500
"""Names that a view lists."""
WIDTH = 6
"""Characters of a line's number."""
AROUND = 2
"""Lines shown around a change."""
MOST_TOLD = 200
"""Characters of a model's own text that a complaint repeats."""
MOST_PLACES = 20
"""Places of a text that a complaint tells."""


class MemoryDirectory:
    """Files that a model keeps for itself, under `/memories` as it sees them.

    Args:
        folder: where they are on disk; made where it isn't there, for its user alone.
        file_bytes: the most that one file may hold.
        total_bytes: the most that all of them may hold.
        files: the most files and folders.

    Raises:
        StoreError: the folder can't be made, or the system can't keep names inside of it.
        BudgetError: a limit is no whole number above 0.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        file_bytes: int = 100_000,
        total_bytes: int = 10_000_000,
        files: int = 1_000,
    ) -> None:
        for name, value in (("file_bytes", file_bytes), ("total_bytes", total_bytes), ("files", files)):
            given: object = value
            if isinstance(given, bool) or not isinstance(given, int) or given < 1:
                msg = f"{name}: {value!r} is no whole number above 0"
                raise BudgetError(msg)
        if os.open not in os.supports_dir_fd:
            msg = "memory: this system can't open names relative to a folder, so nothing would be kept inside of it"
            raise StoreError(msg)
        self.folder = Path(folder).expanduser()
        private_directory(self.folder)
        self.file_bytes, self.total_bytes, self.files = file_bytes, total_bytes, files
        self._at = Confined(self.folder.resolve())

    def answer(self, arguments: object) -> tuple[str, bool]:
        """The reply to one command, and whether it is a complaint.

        Args:
            arguments: the tool's input, as a mapping or as JSON.
        """
        try:
            given = json.loads(arguments) if isinstance(arguments, str) else arguments
            if not isinstance(given, Mapping):
                return f"Invalid input: a {type(given).__name__} is no command", True
            command: Any = given.get("command")
            run = self._commands().get(command) if isinstance(command, str) else None
            if run is None:
                return f"Unknown command: {command!r:.60}. Use one of {', '.join(self._commands())}", True
            return run(given), False
        except Refused as refused:
            return str(refused), True
        except (ValueError, RecursionError) as error:
            return f"Invalid input: {error}"[:400], True
        except OSError as error:
            return f"Not done: {error.strerror or 'the directory is not usable'}", True

    def tool(self) -> Any:
        """The same directory as a tool of the anthropic SDK's runner: `client.beta.messages.tool_runner(tools=[...])`.

        Raises:
            ImportError: the SDK isn't installed.
        """
        from importlib import import_module

        tools = import_module("anthropic.lib.tools")

        def run(_: object, command: Any) -> str:
            text, failed = self.answer(command.model_dump())
            if failed:
                raise tools.ToolError(text)
            return text

        return type("MemoryTool", (tools.BetaAbstractMemoryTool,), dict.fromkeys(self._commands(), run))()

    def _commands(self) -> dict[str, Callable[[Mapping[str, Any]], str]]:
        return {
            "view": self._view,
            "create": self._create,
            "str_replace": self._replace,
            "insert": self._insert,
            "delete": self._delete,
            "rename": self._rename,
        }

    # -- commands ------------------------------------------------------------------

    def _view(self, given: Mapping[str, Any]) -> str:
        path, names = path_in(given, "path")
        if self._at.kind(names) == "folder":
            return self._listing(path, names)
        lines = self._text(path, names).split("\n")
        first, last = range_of(given.get("view_range"), len(lines))
        numbered = [f"{number:>{WIDTH}}\t{lines[number - 1]}" for number in range(first, last + 1)]
        return f"Here's the content of {path} with line numbers:\n" + "\n".join(numbered)

    def _listing(self, path: str, names: Sequence[str]) -> str:
        found = list(self._at.listed(names, SHOWN))
        sizes = [f"{size_text(size)}\t{path}/{'/'.join(below)}{'/' * folder}" for below, size, folder in found]
        head = f"Here're the files and directories up to {SHOWN} levels deep in {path}, excluding hidden items:"
        more = [f"… and {len(sizes) - MOST_LISTED} more"] if len(sizes) > MOST_LISTED else []
        total = size_text(sum(size for _, size, folder in found if not folder))
        return "\n".join([head, f"{total}\t{path}", *sizes[:MOST_LISTED], *more])

    def _create(self, given: Mapping[str, Any]) -> str:
        path, names = file_in(given, "path")
        text = words_in(given, "file_text")
        with self._at.writing():
            if self._at.kind(names):
                msg = f"File {path} already exists"
                raise Refused(msg)
            self._fits(text, new=self._at.missing(names))
            try:
                self._at.write(names, text.encode(), new=True)
            except FileExistsError:
                msg = f"File {path} already exists"
                raise Refused(msg) from None
            except OSError as error:
                msg = f"{path} can't be made ({error.strerror}): a part of the path is no folder"
                raise Refused(msg) from error
        return f"File created successfully at: {path}"

    def _replace(self, given: Mapping[str, Any]) -> str:
        path, names = file_in(given, "path")
        old, new = words_in(given, "old_str"), words_in(given, "new_str", "")
        with self._at.writing():
            text = self._text(path, names)
            places = _places(text, old)
            if not places:
                msg = f"No replacement was performed, old_str `{_short(old)}` did not appear verbatim in {path}."
                raise Refused(msg)
            if len(places) > 1:
                lines = ", ".join(str(text.count("\n", 0, at) + 1) for at in places[:MOST_PLACES])
                lines += ", …" * (len(places) > MOST_PLACES)
                told = (
                    f"No replacement was performed. Multiple occurrences of old_str `{_short(old)}` in lines: {lines}."
                )
                msg = f"{told} Please ensure it is unique"
                raise Refused(msg)
            changed = text[: places[0]] + new + text[places[0] + len(old) :]
            self._put(names, changed, len(changed) - len(text))
        at, lines_now = text.count("\n", 0, places[0]), changed.split("\n")
        shown = range(max(at - AROUND, 0), min(at + AROUND + 1, len(lines_now)))
        snippet = "\n".join(f"{number + 1:>{WIDTH}}\t{lines_now[number]}" for number in shown)
        return (
            f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
        )

    def _insert(self, given: Mapping[str, Any]) -> str:
        path, names = file_in(given, "path")
        line, added = given.get("insert_line"), words_in(given, "insert_text")
        with self._at.writing():
            text = self._text(path, names)
            lines = text.split("\n")
            lines = lines[:-1] if not lines[-1] else lines
            if isinstance(line, bool) or not isinstance(line, int) or not 0 <= line <= len(lines):
                within = f"It should be within the range [0, {len(lines)}]."
                msg = f"Invalid `insert_line` parameter: {line!r:.60}. {within}"
                raise Refused(msg)
            lines.insert(line, added.rstrip("\n"))
            changed = "\n".join(lines) + "\n"
            self._put(names, changed, len(changed) - len(text))
        return f"The file {path} has been edited."

    def _delete(self, given: Mapping[str, Any]) -> str:
        path, names = path_in(given, "path")
        if not names:
            msg = f"Cannot delete the {ROOT} directory itself"
            raise Refused(msg)
        with self._at.writing():
            if not self._at.kind(names):
                msg = f"The path {path} does not exist"
                raise Refused(msg)
            self._at.delete(names)
        return f"Successfully deleted {path}"

    def _rename(self, given: Mapping[str, Any]) -> str:
        (old, before), (new, after) = path_in(given, "old_path"), file_in(given, "new_path")
        if not before:
            msg = f"Cannot rename the {ROOT} directory itself"
            raise Refused(msg)
        with self._at.writing():
            if not self._at.kind(before):
                msg = f"The path {old} does not exist"
                raise Refused(msg)
            if after[: len(before)] == before and after != before:
                msg = f"{old} can't be moved into itself"
                raise Refused(msg)
            self._holds(new=self._at.missing(after[:-1]))
            try:
                self._at.rename(before, after)
            except FileExistsError:
                msg = f"The destination {new} already exists"
                raise Refused(msg) from None
        return f"Successfully renamed {old} to {new}"

    # -- files ---------------------------------------------------------------------

    def _text(self, path: str, names: Sequence[str]) -> str:
        kind = self._at.kind(names)
        if kind != "file":
            raise Refused(f"The path {path} is not a file." if kind else MISSING.format(path=path))
        return self._at.read(names, max(self.file_bytes, self.total_bytes)).decode("utf-8", "replace")

    def _put(self, names: Sequence[str], text: str, grown: int) -> None:
        self._fits(text, more=max(grown, 0))
        self._at.write(names, text.encode(), new=False)

    def _fits(self, text: str, *, new: int = 0, more: int | None = None) -> None:
        """Refuse what is too much.

        Args:
            text: the file as it would be.
            new: files and folders that come to be.
            more: characters by which it grew; all of them where it is new.
        """
        size = len(text.encode())
        if size > self.file_bytes:
            msg = f"The file would have {size:,} bytes, at most {self.file_bytes:,} are allowed: split it up"
            raise Refused(msg)
        self._holds(new=new, more=size if more is None else more)

    def _holds(self, *, new: int, more: int = 0) -> None:
        """Refuse so many more files and folders, or bytes, than there is room for."""
        found = list(self._at.listed(()))
        total = sum(bytes_ for _, bytes_, folder in found if not folder) + more
        if total > self.total_bytes or len(found) + new > self.files:
            most = f"{self.total_bytes:,} bytes and {self.files:,} files"
            msg = f"The memory is full, it holds at most {most}: delete what is not needed any more"
            raise Refused(msg)


def _places(text: str, old: str) -> list[int]:
    """Where a text begins in another one, overlapping ones too; no more than are told, and one."""
    if not old:
        msg = "old_str: is empty: give the text to replace"
        raise Refused(msg)
    found, at = list[int](), text.find(old)
    while at >= 0 and len(found) <= MOST_PLACES:
        found.append(at)
        at = text.find(old, at + 1)
    return found


def _short(text: str) -> str:
    return text if len(text) <= MOST_TOLD else f"{text[:MOST_TOLD]}…"
