"""The harness: ticks, the state files of a long job."""

from context_kit.harness._criteria import Criterion
from context_kit.harness._findings import Finding
from context_kit.harness._flow_state import Flow
from context_kit.harness._harness import FOLDER, Harness
from context_kit.harness._page import Page
from context_kit.harness._progress import Entry
from context_kit.harness._tick import Tick
from context_kit.harness._ticking import Ticking

__all__ = ["FOLDER", "Criterion", "Entry", "Finding", "Flow", "Harness", "Page", "Tick", "Ticking"]
