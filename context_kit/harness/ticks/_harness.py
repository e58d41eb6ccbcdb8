"""The state of a long job in files that a person can read and mend: `flow-state.json`, `progress.md`,
`acceptance-criteria.md` and one `tick-N-summary.md` a tick.

What is told of the job is read from the files each time; nothing is remembered beside them.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Mapping
from datetime import datetime, timezone

from context_kit._redact import redactor
from context_kit.errors import BudgetError, StoreError
from context_kit.harness.ticks import _criteria, _flow_state, _progress
from context_kit.harness.ticks._criteria import Criterion, Verdict
from context_kit.harness.ticks._flow_state import Flow
from context_kit.harness.ticks._folder import Folder
from context_kit.harness.ticks._page import Page, parse_page
from context_kit.harness.ticks._progress import Entry
from context_kit.memory._files._lines import append_bytes

__all__ = ["FOLDER", "Harness", "now"]

report = logging.getLogger("context_kit")
FOLDER = ".harness"
PAGE = re.compile(r"tick-([1-9]\d{0,8})-summary\.md")
NUMBERED = re.compile(r"tick-([1-9]\d{0,8})(?:-summary\.md|\.draft\.json)")


def now() -> str:
    """The time, as it stands in the files."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Harness:
    """The files of a long job. Several processes may use one folder: each change is made under its lock.

    Args:
        folder: where they stand; made at the first change.
        redact: takes the secrets out of what is written: `True` (built-in rules), `False`, or a function of a text.

    Raises:
        BudgetError: the folder is no path.
    """

    def __init__(self, folder: str | os.PathLike[str] = FOLDER, *, redact: bool | Callable[[str], str] = True) -> None:
        try:
            self.name = os.fspath(folder)
            self.folder = Folder(self.name)
        except (TypeError, RuntimeError) as error:
            msg = f"harness: {folder!r} is no folder ({error}): give a path"
            raise BudgetError(msg) from error
        if not self.name or "\0" in self.name:
            msg = f"harness: {folder!r} is no folder: give a path"
            raise BudgetError(msg)
        self.redact = redactor(redact)
        self.tick = 0
        """Number of the tick that is under way, for the narrative; 0 where none is."""

    # -- the flow ------------------------------------------------------------------

    @property
    def flow(self) -> Flow:
        """Where the work is in its flow.

        Raises:
            StoreError: the file can't be read; the text says where it is wrong.
        """
        return _flow_state.parse_flow(self.folder.read(_flow_state.FILE))

    def declare(self, nodes: Mapping[str, object], *, start: str | None = None) -> Flow:
        """Say which nodes the flow has and which may come next; the work stays where it is.

        Args:
            nodes: each node with those that may follow it: `{"plan": ["build"], "build": []}`.
            start: where the work begins; by default the first node.

        Raises:
            BudgetError: a node leads to one that isn't there, or the work is at one that isn't there.
            StoreError: the file can't be read or written.
        """
        with self.folder.locked():
            before = self.flow
            flow = _flow_state.declared(before, nodes, start)
            if flow != before:
                self._write_flow(before, flow)
        return flow

    def move(self, node: str, *, why: str = "") -> Flow:
        """Go on to another node.

        Raises:
            BudgetError: no way leads there; the text lists the legal ones. Nothing was changed.
            StoreError: the file can't be read or written.
        """
        with self.folder.locked():
            before = self.flow
            flow = _flow_state.moved(before, node, why=self.redact(str(why)), at=now())
            if flow != before:
                self._write_flow(before, flow)
        return flow

    def _write_flow(self, before: Flow, flow: Flow) -> None:
        """Put a flow into its file: what people wrote into it stays, or stands in a copy beside it."""
        text = self.folder.read(_flow_state.FILE)
        fresh = _flow_state.write_flow(flow)
        if text.strip() and text != _flow_state.write_flow(before):
            from context_kit.harness.ticks._flow_text import rewritten  # only for a file that was edited by hand

            found = rewritten(text, flow)
            if found is None and not self.folder.read(_flow_state.KEPT):
                self.folder.write(_flow_state.KEPT, text)
                report.warning(
                    "%s: what is no data in it can't be kept; as it was it stands in %s",
                    self.folder / _flow_state.FILE,
                    _flow_state.KEPT,
                )
            fresh = fresh if found is None else found
        self.folder.write(_flow_state.FILE, fresh)

    # -- the narrative -------------------------------------------------------------

    def note(self, text: str) -> None:
        """Append an entry to the narrative, with the time, the node and the tick; durable on return.

        Raises:
            BudgetError: there are no words in it.
            StoreError: it can't be written.
        """
        if not str(text or "").strip():
            msg = f"text: {text!r} says nothing: tell what was done and why"
            raise BudgetError(msg)
        with self.folder.locked():
            self.append_note(text)

    def append_note(self, text: str) -> None:
        """The same for a caller who holds the folder."""
        try:
            node = self.flow.node
        except StoreError:  # the narrative goes on beside a state file that waits to be mended
            node = ""
        empty = not self.folder.read(_progress.FILE).strip()
        entry = _progress.entry_text(self.redact(str(text)), at=now(), node=node, tick=self.tick, empty=empty)
        append_bytes(self.folder / _progress.FILE, entry.encode("utf-8", "replace"), sync=True)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The narrative, oldest first."""
        return tuple(_progress.parse_progress(self.folder.read_end(_progress.FILE)))

    # -- the criteria --------------------------------------------------------------

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """What the work must hold, in the order of the file."""
        return tuple(_criteria.parse_criteria(self.folder.read_all(_criteria.FILE)))

    def require(self, text: str) -> Criterion:
        """Add a criterion; one with the same words stays the one, whatever its state.

        Raises:
            BudgetError: there are no words in it.
            StoreError: it can't be written.
        """
        if not str(text or "").strip():
            msg = f"text: {text!r} says nothing: tell what must hold"
            raise BudgetError(msg)
        with self.folder.locked():
            before = self.folder.read_all(_criteria.FILE)
            after, criterion = _criteria.require_criterion(before, self.redact(str(text)))
            if after != before:
                self.folder.write(_criteria.FILE, after)
        return criterion

    def judge(self, id: str, state: Verdict, *, evidence: str = "") -> Criterion:  # noqa: A002 - the field's own name
        """Say how a criterion stands. Every criterion of the file has its name in it from then on.

        Args:
            id: its name, `A1`, in small letters or capitals.
            state: `open`, `met`, `failed` or `dropped`; `met` needs evidence, and one that is judged anew keeps the
                old evidence where none is given.
            evidence: what shows it, in one line: a command and its result, or who looked. Secrets are taken out.

        Raises:
            BudgetError: there is no such criterion or state, or no evidence. Nothing was changed.
            StoreError: it can't be written.
        """
        with self.folder.locked():
            text = self.folder.read_all(_criteria.FILE)
            after, criterion = _criteria.judge_criterion(text, id, state, self.redact(str(evidence or "")))
            self.folder.write(_criteria.FILE, after)
        return criterion

    # -- the tick files ------------------------------------------------------------

    @property
    def pages(self) -> tuple[Page, ...]:
        """Every tick file, oldest first."""
        return tuple(self._page(number) for number in self.numbers())

    def numbers(self) -> list[int]:
        """The numbers of the tick files, lowest first."""
        return sorted(int(found[1]) for name in self.folder.names() if (found := PAGE.fullmatch(name)))

    def page(self, number: int) -> Page | None:
        """One tick file; None where there is none."""
        return self._page(number) if number in self.numbers() else None

    def page_text(self, number: int) -> str:
        """A tick file as it stands; empty where there is none."""
        return self.folder.read(f"tick-{number}-summary.md")

    def _page(self, number: int) -> Page:
        return parse_page(self.page_text(number), number)

    def free(self) -> int:
        """The number of the next tick: one more than any that was given out."""
        return 1 + max(
            (int(found[1]) for name in self.folder.names() if (found := NUMBERED.fullmatch(name))), default=0
        )
