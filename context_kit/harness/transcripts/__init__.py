"""The transcripts that coding agents write themselves: read whole, or from where the last reading ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_kit._lazily import names_of

if TYPE_CHECKING:
    from context_kit.harness.transcripts._growth import Growth, grown
    from context_kit.harness.transcripts._load import load
    from context_kit.harness.transcripts._transcript import Transcript, TranscriptError

__all__ = ["Growth", "Transcript", "TranscriptError", "grown", "load"]

if not TYPE_CHECKING:
    __getattr__ = names_of(
        __name__,
        {
            "_growth": "Growth grown",
            "_load": "load",
            "_transcript": "Transcript TranscriptError",
        },
    )
