"""Tail only: when the window is full, the first user message and the newest steps stay."""

from __future__ import annotations

from benchmarks._peers._cutting import Cutting
from benchmarks._peers._protocol import serve
from benchmarks._peers._steps import newest

if __name__ == "__main__":
    serve(lambda job, _: Cutting(job, newest))
