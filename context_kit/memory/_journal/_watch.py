"""The journal writes itself: one record per atomic step, made from the tool calls by code.

An atomic step is an edit and its verification (first article, 4.4). If another edit, a
compaction or the session's end comes first, the edit is recorded at once as not verified. Ids
come from the session and the position, so a session that is opened again writes nothing twice.
What equals the record before it is a repetition, however long it took: the log has no clock, and
the same session gives the same journal at any speed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from context_kit.engrams import Deed, Trail
from context_kit.memory._journal._book import LONGEST, last_sentence, own_id, typed
from context_kit.memory._journal._memory import Memory
from context_kit.memory._journal._settled import NOT_VERIFIED
from context_kit.tools import attempted, error_line, normal_command

__all__ = ["Watch"]


@dataclass(slots=True)
class Watch:
    """What of a session's trail is in the journal already."""

    memory: Memory
    earlier: int = 0
    """Journal records of an older session of this name: they are none of this one's."""
    since: int = 0
    """Position in the journal when the session began, where the store has one."""
    read_to: int = 0
    """Index of the first deed that was not looked at."""
    written: int = 0
    """How many records it has written."""
    _pending: Deed | None = None
    """An edit that waits for its verification."""
    known: set[str] = field(default_factory=set[str])
    """Ids of the session's own records."""
    _before: tuple[object, ...] = ()
    """What the record before says."""

    def __post_init__(self) -> None:
        self.known = {record.id for record in self.memory.mine(earlier=self.earlier, since=self.since)}

    def follow(self, trail: Trail, *, flush: bool = False) -> None:
        """Write what is new in the trail; with `flush` the waiting edit, too.

        Raises:
            StoreError: the journal can't be written; what was not written is tried again next time.
        """
        while self.read_to < len(trail.deeds):
            self._look(trail.deeds[self.read_to])
            self.read_to += 1
        if flush:
            self._settle()

    def _look(self, deed: Deed) -> None:
        act = deed.act
        if act.command and act.kind == "run":
            self._ran(deed)
        elif act.kind == "edit" and not act.failed:
            self._settle()
            self._pending = deed
        elif act.kind == "edit" and not act.command:
            self._write(deed, action="fail", file=act.path, error=act.error)

    def _ran(self, deed: Deed) -> None:
        act = deed.act
        if not act.ended or not (act.failed or deed.told):
            return
        command, told = act.command, deed.told
        edit, self._pending = self._pending, None
        if edit is not None:
            if not deed.told:
                self._pending = edit
            else:
                result = f"failed: {told}" if act.failed else told or "passed"
                self._write(edit, action="edit", file=edit.act.path, cmd=command, result=result)
        if act.failed:
            self._write(deed, action="fail", cmd=command, error=act.error)
        elif edit is None:
            self._write(deed, action="run", cmd=command, result=told)

    def _settle(self) -> None:
        """The waiting edit, as it is."""
        if self._pending is not None:
            edit = self._pending
            self._write(edit, action="edit", file=edit.act.path, result=NOT_VERIFIED)
            self._pending = None

    def _write(
        self, deed: Deed, *, action: str, file: str = "", cmd: str = "", result: str = "", error: str = ""
    ) -> None:
        about = file or normal_command(cmd)
        what = f"{self.memory.session}:{self.earlier or self.since or ''}:{deed.position}:{action}:{about}"
        name = own_id(what)
        says = (action, file, attempted(cmd), result, error)
        if name in self.known or says == self._before:
            self._before = says
            return
        self.memory.write(
            name,
            action=action,
            file=file,
            cmd=typed(cmd),
            reason=last_sentence(deed.why),
            result=result[:LONGEST],
            error=error_line(error)[:LONGEST],
        )
        self.known.add(name)
        self._before = says
        self.written += 1
