"""Before anything is put back: what the log has contradicted since it was asked for stays where it is."""

from __future__ import annotations

from collections.abc import Sequence

from context_kit._log import Log
from context_kit._settings import Settings
from context_kit.engrams import Trail
from context_kit.probes._made import still
from context_kit.probes._types import Probe

__all__ = ["still_sure"]


def still_sure(
    probes: Sequence[Probe], log: Log, trail: Trail, settings: Settings, failures: list[str]
) -> Sequence[Probe]:
    """Those of these probes whose answers hold in the log as it is now; `failures` is told of the others."""
    if not probes:
        return probes
    trail.follow(log.entries)
    kept = still(log, trail, probes, redact=settings.redact, beside=settings.beside)
    if len(kept) < len(probes):
        addresses = dict.fromkeys(probe.address for probe in probes if probe not in kept)
        failures.append(f"changed since it was asked, not put back: {', '.join(addresses)}")
    return kept
