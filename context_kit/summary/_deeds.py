"""What was done for good (commits, pushes, pull requests) as steps: without room, the newest of each kind."""

from __future__ import annotations

import re
from collections.abc import Sequence

from context_kit.tools import lasts
from context_kit.types import Step

__all__ = ["deed", "newest_deeds"]

COUNTED = re.compile(r" \((m[0-9]{1,9})(?:, ([0-9]{1,9})×)?\)$")
"""The address that such a step ends in, and how many it stands for."""


def deed(step: Step) -> str:
    """What it is that was done, such as `git commit`; empty where the step is of another sort."""
    what = step.text[1:].partition("`")[0] if step.text.startswith("`") else ""
    return what if lasts(what) else ""


def newest_deeds(steps: Sequence[Step]) -> list[tuple[int, Step]]:
    """The newest of each kind with how many there were, and its place among them; oldest kind first."""
    places: dict[str, int] = {}
    times: dict[str, int] = {}
    for at, step in enumerate(steps):
        what, found = deed(step), COUNTED.search(step.text)
        times[what] = times.get(what, 0) + (int(found[2] or 1) if found else 1)
        places[what] = at
    return [(at, _counted(steps[at], times[what])) for what, at in places.items()]


def _counted(step: Step, times: int) -> Step:
    return Step(text=COUNTED.sub(rf" (\1, {times}×)", step.text)) if times > 1 else step
