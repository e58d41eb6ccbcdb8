"""Ticks: rounds of a long job, each closed by a file that code writes; the state files of the job."""

from context_kit.harness.ticks._criteria import Criterion
from context_kit.harness.ticks._findings import Finding
from context_kit.harness.ticks._flow_state import Flow
from context_kit.harness.ticks._harness import FOLDER, Harness
from context_kit.harness.ticks._page import Page
from context_kit.harness.ticks._progress import Entry
from context_kit.harness.ticks._tick import Tick
from context_kit.harness.ticks._ticking import Ticking

__all__ = ["FOLDER", "Criterion", "Entry", "Finding", "Flow", "Harness", "Page", "Tick", "Ticking"]
