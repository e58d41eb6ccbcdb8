"""What one tool call meant, as one or several acts; and the call as a reader sees it.

An act never holds words of its own: paths, contents and errors are the agent's and the tool's,
cut where the docstrings say so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from context_kit.tools._answer import answer_of
from context_kit.tools._envelope import Envelope, unwrap
from context_kit.tools._failure import failure, refusal
from context_kit.tools._paths import plain_path
from context_kit.tools._spoken import declined

__all__ = ["Act", "Call", "Kind", "Reader", "Status", "Todo"]

Kind = Literal["edit", "read", "run", "search", "plan", "other"]
Status = Literal["pending", "in_progress", "completed"]
STATUSES: tuple[Status, ...] = get_args(Status)

PATHS = ("file_path", "path", "filePath", "filename", "file_name", "file", "target_file", "absolute_path")
PATHS_RARE = ("notebook_path", "TargetFile", "AbsolutePath", "relative_path", "relative_workspace_path", "filepath")
"""Argument names that hold a path, by agent: Claude Code, pi and Cline, opencode, SWE-agent, Cursor, Gemini CLI."""

TARGETS = (
    "url uri href link query search_query q pattern regex glob symbol skill description task name id shell_id task_id"
).split()
"""Argument names that tell one try of a tool from another, where it has neither a command nor a file of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Todo:
    """One item of the agent's own plan."""

    text: str
    """What is to be done; empty where a call only changes the status of item `id`."""
    status: Status = "pending"
    id: str = ""
    """The agent's number of the item, where it has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One thing that a tool call did."""

    kind: Kind
    tool: str = ""
    """Name of the tool."""
    id: str = ""
    """Id of the call."""
    path: str = ""
    """The file as the agent named it, without quotes and `./`; empty where none is known."""
    command: str = ""
    """The shell command line: of a run, and of what was done inside one."""
    place: str = ""
    """The folder in which the call says that its command runs; empty where it names none."""
    about: str = ""
    """What a search looks for, an address that is fetched, what any other tool was asked for; empty where unknown."""
    content: str | None = None
    """Whole new content of a write; what a read showed, without line numbers."""
    first: int = 0
    """First line of a partial read or edit, from 1; 0 where it is whole or unknown, -1 for text put at the end."""
    last: int = 0
    """Last line of it; `first - 1` in an edit that inserts before `first`; 0 where unknown."""
    whole: bool = False
    """`content` is the whole file, as far as can be told."""
    replacements: tuple[tuple[str, str], ...] = ()
    """(old, new) pairs of an edit, in order; an empty old is an insertion."""
    every: bool = False
    """All places where old is found were replaced, not only the first."""
    gone: str = ""
    """The path that is no more: a deleted file, or the old name of a moved one."""
    failed: bool = False
    error: str = ""
    """The error's own text when it failed, at most 40 lines of it in one piece."""
    refused: bool = False
    """A person refused it, so that it never ran: `failed`, and yet no failure of what it was to do."""
    vague: bool = False
    """The result of an edit says neither that it was made nor that it was not."""
    output: str = ""
    """The result's text, as it came."""
    ended: bool = True
    """False while the command still runs in the background: neither passed nor failed."""
    todos: tuple[Todo, ...] = ()
    """The plan's items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call and its result as the readers see them."""

    tool: str
    id: str
    args: Mapping[str, Any]
    said: str = ""
    """The result's text; empty where there is none yet."""
    answered: bool = True
    flagged: bool = False
    """The result says itself that it is an error."""
    running: MutableMapping[str, str] = field(default_factory=dict[str, str])
    """Commands that run in the background, by session id."""
    seen: Envelope = field(default_factory=Envelope)
    """The result without its envelope."""

    @classmethod
    def of(
        cls,
        tool: str,
        args: Mapping[str, Any],
        said: str,
        *,
        id: str = "",  # noqa: A002 (the providers' word)
        answered: bool = True,
        flagged: bool = False,
        running: MutableMapping[str, str] | None = None,
    ) -> Call:
        """A call with its result unwrapped."""
        return cls(
            tool=tool,
            id=id,
            args=args,
            said=said,
            answered=answered,
            flagged=flagged,
            running={} if running is None else running,
            seen=unwrap(said),
        )

    def words(self, *names: str) -> str | None:
        """The first of these arguments that is a text."""
        for name in names:
            found = self.args.get(name)
            if isinstance(found, str):
                return found
        return None

    def number(self, *names: str) -> int:
        """The first of these arguments that is a whole number, else 0."""
        for name in names:
            found = self.args.get(name)
            if isinstance(found, bool):
                continue
            if isinstance(found, (int, float)) and abs(found) < 1e9:
                return int(found)
            if isinstance(found, str) and found.isdecimal() and found.isascii() and len(found) < 10:
                return int(found)
        return 0

    def items(self, *names: str) -> list[Any]:
        """The first of these arguments that is a list, else nothing."""
        for name in names:
            found = self.args.get(name)
            if isinstance(found, list):
                return found
        return []

    @property
    def path(self) -> str:
        """The file that the call names."""
        return plain_path(self.words(*PATHS) or self.words(*PATHS_RARE) or "")

    @property
    def declined(self) -> str:
        """How a person refused it, in the result's own words; empty where nobody did."""
        return self.said.strip()[:400] if declined(self.said) else ""

    def refused(self, *, edits: bool = False) -> str:
        """Why a tool that is no shell did not do it; empty where it did."""
        return self.declined or refusal(self.said, flagged=self.flagged, seen=self.seen, edits=edits)

    def broke(self, command: str) -> str:
        """Why a command failed; empty where it passed."""
        return self.declined or failure(self.said, command=command, flagged=self.flagged)

    def act(self, kind: Kind, *, error: str | None = None, **known: Any) -> Act:
        """An act of this call; the error is judged as a tool's own refusal unless given."""
        edits = kind == "edit"
        error = self.refused(edits=edits) if error is None else error
        about = (self.words(*TARGETS) or "") if kind in ("search", "other") else ""
        return Act(
            kind=kind,
            tool=self.tool,
            id=self.id,
            about=about,
            output=self.said,
            failed=bool(error),
            error=error,
            refused=bool(error) and declined(self.said),
            vague=edits and not error and not answer_of(self.said, self.seen),
            **known,
        )


Reader: TypeAlias = Callable[[Call], "tuple[Act, ...]"]
"""What a tool's call meant."""
