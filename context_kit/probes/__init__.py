"""Recall checks: questions about what left the window, made by rule from the log, that tell memory from pretence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_kit._lazily import names_of

if TYPE_CHECKING:
    from context_kit.probes._grade import Grade, grade, honest
    from context_kit.probes._hook import probing
    from context_kit.probes._live import check
    from context_kit.probes._made import MOST, made
    from context_kit.probes._stand import Stand, Standing
    from context_kit.probes._types import (
        NOT_KNOWN,
        Difficulty,
        Has,
        Judging,
        Probe,
        ProbeKind,
        ProbeReport,
        ProbeRequest,
    )

__all__ = [
    "MOST",
    "NOT_KNOWN",
    "Difficulty",
    "Grade",
    "Has",
    "Judging",
    "Probe",
    "ProbeKind",
    "ProbeReport",
    "ProbeRequest",
    "Stand",
    "Standing",
    "check",
    "grade",
    "honest",
    "made",
    "probing",
]

if not TYPE_CHECKING:
    __getattr__ = names_of(
        __name__,
        {
            "_grade": "Grade grade honest",
            "_hook": "probing",
            "_live": "check",
            "_made": "MOST made",
            "_stand": "Stand Standing",
            "_types": "NOT_KNOWN Difficulty Has Judging Probe ProbeKind ProbeReport ProbeRequest",
        },
    )
