"""The frozen values that users see: summary, engrams, receipts, usage, hook events.

dataclasses where the library made the value, pydantic where it comes from a model or a file.
Tokens are those of the ledger; addresses are strings such as `m12`, `c3`, `f:src/a.py@12`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from context_kit._events import (
    Pin,
    Plan,
    PostCompact,
    PreCompact,
    ProbeCounts,
    ProbeRequest,
    Replace,
    SummaryReply,
    SummaryRequest,
    Tool,
    Veto,
)

__all__ = [
    "Compaction",
    "Decision",
    "Engram",
    "EngramKind",
    "EngramStatus",
    "FailedAttempt",
    "Fidelity",
    "FileState",
    "Level",
    "Outcome",
    "Pin",
    "Plan",
    "PostCompact",
    "PreCompact",
    "ProbeCounts",
    "ProbeRequest",
    "Recollection",
    "Record",
    "Replace",
    "Rung",
    "Source",
    "Step",
    "Summariser",
    "SummaryReply",
    "SummaryRequest",
    "Survival",
    "TaskSummary",
    "Tool",
    "Trigger",
    "Usage",
    "Veto",
]

EngramKind = Literal["user", "file", "error", "contract", "note", "promoted"]
EngramStatus = Literal["active", "released", "superseded"]
Level = Literal["ok", "soft", "hard"]
Outcome = Literal["applied", "not_reduced", "failed", "vetoed"]
Rung = Literal["llm", "llm_clipped", "extractive", "tail", "clip"]
Summariser = Literal["llm", "extractive", "none"]
Trigger = Literal["soft", "hard", "manual", "overflow"]


class _Field(BaseModel):
    """One entry of a summary field; unknown keys of a model's reply are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)


class Step(_Field):
    """A thing that was done, with the files it touched."""

    text: str
    files: list[str] = Field(default_factory=list)


class FileState(_Field):
    """A file in work and how it stands."""

    path: str
    state: str = ""


class Decision(_Field):
    """What was decided and why; rejections included."""

    decision: str
    reason: str = ""


class FailedAttempt(_Field):
    """What was tried and the error's own text."""

    attempt: str
    error: str = ""


class TaskSummary(BaseModel):
    """The six-field structured summary, in the order in which the bridge shows it.

    Six fields, no more: with too many they are filled carelessly.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    original_goal: str = ""
    """The first text that a person wrote, whole; set by code, never by a model."""
    completed_steps: list[Step] = Field(default_factory=list)
    """What was done, oldest first."""
    current_files: list[FileState] = Field(default_factory=list)
    """The files in work."""
    key_decisions: list[Decision] = Field(default_factory=list)
    """What was decided and why."""
    failed_attempts: list[FailedAttempt] = Field(default_factory=list)
    """What was tried and failed, with the error's own text."""
    todo: list[str] = Field(default_factory=list)
    """What comes next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """How full the window is."""

    tokens: int
    """Tokens of the next request, system prompt and tools included."""
    window: int
    """The model's window, in tokens."""
    share: float
    """`tokens / window`."""
    level: Level
    """`ok` below the band, `soft` from 70 %, `hard` from 75 % (by default)."""
    source: Literal["provider", "estimate"]
    """`provider` where a reported usage anchors the figure, else `estimate`."""
    margin: int
    """Error bound of `tokens`, in tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engram:
    """A fragment kept word for word because later decisions hang on it."""

    id: str
    """`e1`, `e2`, ...: stays with the fragment for its life."""
    kind: EngramKind
    """`user`, `file`, `error`, `contract` by rule; `note` pinned by the caller."""
    text: str
    """The words as the source had them; a clipped one names the address of the rest."""
    label: str
    """What it is, in a few words, such as a path or a command."""
    tokens: int
    """What it costs in the bridge."""
    source: str
    """Address of the whole text."""
    status: EngramStatus = "active"
    """`active`, `released` (its reason ended) or `superseded` (a newer one took its place)."""
    hits: int = 0
    """How often later steps referred to it."""
    clipped: bool = False
    """Only a part of the source's text is held; the address has all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survival:
    """What became of one class of facts."""

    expected: int
    """Facts of this class in the log."""
    present: int
    """Word for word in the window."""
    recoverable: int
    """Not in the window, but brought back by an address or words that stand in it."""
    lost: tuple[str, ...] = ()
    """Neither; always empty unless something is broken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fidelity:
    """What a compaction kept, judged by code."""

    classes: Mapping[str, Survival] = field(default_factory=dict[str, Survival])
    """By class: `files`, `errors` (with the commands that verify the work), `user`, `contracts`, `names`, `numbers`."""
    ungrounded: tuple[str, ...] = ()
    """Names in the summary that the source never mentions; they were removed."""

    @property
    def lost(self) -> tuple[str, ...]:
        """Everything lost, of all classes."""
        return tuple(item for survival in self.classes.values() for item in survival.lost)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """The frozen receipt of one compaction."""

    id: str
    """`c1`, `c2`, ...; also the address of all that it took out."""
    trigger: Trigger
    rung: Rung
    """The lowest rung of the ladder that was used."""
    tokens_before: int
    tokens_after: int
    kept: tuple[str, ...]
    """Addresses of the tail's messages, oldest first."""
    summarised: tuple[str, ...]
    """Addresses of the messages that left the window."""
    clipped: tuple[str, ...]
    """Addresses of messages and engrams that stand shortened in the window."""
    pinned: tuple[str, ...]
    """Addresses of the engrams on the board."""
    evicted: tuple[str, ...]
    """Addresses of engrams that found no room on the board."""
    summary: TaskSummary | None
    engrams: tuple[Engram, ...]
    summariser: Summariser
    """`none` only where nothing was applied."""
    failures: tuple[str, ...]
    """Each failed try of the summariser or a hook, and each step down the ladder, with its reason."""
    coverage: float
    """Share of the compressible old tokens that the summariser saw; 1.0 unless said."""
    written: int
    """Journal records of what was done, written by this compaction."""
    read: int
    """Those read back after it; what was learned and other sessions' records are told in their own places."""
    fidelity: Fidelity
    seconds: float
    """Wall time, the summariser's included."""
    usage: Mapping[str, int] | None
    """Usage of the summary calls, summed, where the summariser told it."""
    outcome: Outcome
    reason: str = ""
    """Why nothing was applied: the veto's reason, or why it would not shrink. Also what holds the window above the
    trigger all the same, with what to do: told once, until it was below."""
    others: tuple[str, ...] = ()
    """Ids of the journal records of other sessions that stand in the bridge."""
    retrieved: tuple[str, ...] = ()
    """Addresses of this session's own texts that were retrieved into the bridge (policy `layered`)."""
    changes: int = 0
    """Contracts of this session that others changed, told to it since the last compaction."""
    repaired: tuple[str, ...] = ()
    """Addresses of texts that a recall check found missing and that were put back word for word, after the commit."""
    probed: ProbeCounts = field(default_factory=ProbeCounts)
    """How a model answered the recall checks of this receipt's hooks; all 0 where none was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recollection:
    """A piece of text brought back by recall."""

    text: str
    """The piece around the match, or the whole text where an address was asked for."""
    address: str
    kind: str
    """`user`, `assistant`, `tool`, `file`, `error`, `journal`, ..."""
    tokens: int
    score: float
    """Higher is better; 1.0 for an address."""
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a recollection comes from."""

    session: str
    position: int
    """Position in that session's log; 0 where there is none."""
    age: int
    """How many messages ago."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record of the journal: an atomic step that was taken."""

    id: str
    ts: str
    """ISO 8601, UTC; what an older file says is kept as it stands."""
    session: str = ""
    agent: str = ""
    action: str = ""
    """`edit`, `fail`, `run`, `decide`, `contract`, `pitfall`, `constraint`, `revise` or the caller's own word."""
    file: str = ""
    cmd: str = ""
    reason: str = ""
    result: str = ""
    """How it ended; of a contract the declaration as it now stands, empty where it is gone."""
    error: str = ""
    name: str = ""
    """What a contract declares, qualified by its class; of a decision the id of the one that it takes back."""
    was: str = ""
    """The declaration that a contract took the place of; of a decision the words of the one that it takes back."""
