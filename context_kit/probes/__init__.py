"""Recall checks: questions about what left the window, made by rule from the log, that tell memory from pretence."""

from context_kit.probes._made import MOST, made
from context_kit.probes._stand import Stand, Standing
from context_kit.probes._types import NOT_KNOWN, Difficulty, Probe, ProbeKind, ProbeReport, ProbeRequest

__all__ = [
    "MOST",
    "NOT_KNOWN",
    "Difficulty",
    "Probe",
    "ProbeKind",
    "ProbeReport",
    "ProbeRequest",
    "Stand",
    "Standing",
    "made",
]
