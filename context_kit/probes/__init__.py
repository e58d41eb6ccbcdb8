"""Recall checks: questions about what left the window, made by rule from the log, that tell memory from pretence."""

from context_kit.probes._grade import Grade, Has, grade, honest
from context_kit.probes._hook import probing
from context_kit.probes._live import check
from context_kit.probes._made import MOST, made
from context_kit.probes._stand import Stand, Standing
from context_kit.probes._types import NOT_KNOWN, Difficulty, Judging, Probe, ProbeKind, ProbeReport, ProbeRequest

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
