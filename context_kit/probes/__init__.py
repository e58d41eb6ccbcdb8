"""Recall checks: questions about what left the window, made by rule from the log, that tell memory from pretence."""

from context_kit.probes._grade import Grade, Has, grade, honest
from context_kit.probes._types import NOT_KNOWN, Difficulty, Probe, ProbeKind, ProbeReport, ProbeRequest

__all__ = [
    "NOT_KNOWN",
    "Difficulty",
    "Grade",
    "Has",
    "Probe",
    "ProbeKind",
    "ProbeReport",
    "ProbeRequest",
    "grade",
    "honest",
]
