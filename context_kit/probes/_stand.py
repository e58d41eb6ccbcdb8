"""The static check: whether an answer stands in the window, comes back by recall, or neither. No model is asked.

It tells what an agent could know, not what it does: an answer that stands nowhere can't be given honestly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias

from context_kit._verify import bare, window_text
from context_kit.probes._types import Probe
from context_kit.types import Recollection

__all__ = ["Stand", "Standing"]

Stand: TypeAlias = Literal["window", "recoverable", "lost", "none"]
"""Where an answer stands; `none` for a distractor, whose answer stands nowhere and shouldn't."""
SHORT = 12
"""Characters below which an answer may stand in a window by chance: then a name of its question stands near it."""
AROUND = 400
"""Characters on both sides that are near."""
QUOTED = re.compile(r"`([^`]+)`|“([^”]+)”")
NAME = re.compile(r"[\w./-]{3,}")


class Standing:
    """A window and its recall, in which answers are looked for."""

    def __init__(self, messages: Sequence[Any], recall: Callable[[str], Sequence[Recollection]]) -> None:
        """Take the window as it is sent.

        Args:
            messages: the window.
            recall: gives the pieces for a query within recall's default budget.
        """
        self._text = window_text(messages)
        self._recall = recall

    @cached_property
    def _bare(self) -> str:
        return bare(self._text)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"\w+", self._text))

    def of(self, probe: Probe) -> Stand:
        """Where the answer of a probe stands.

        An answer is recoverable where the address of its message stands in the window, or where a recall by the
        question's own words brings it back.
        """
        if probe.distractor:
            return "none"
        if any(self._has(answer, probe.question) for answer in (probe.answer, *probe.also)):
            return "window"
        if probe.address in self._words or self._back(probe):
            return "recoverable"
        return "lost"

    def _has(self, answer: str, question: str) -> bool:
        if len(answer) >= SHORT:
            return bare(answer) in self._bare
        names = {name for quoted in QUOTED.findall(question) for name in NAME.findall("".join(quoted))}
        for found in re.finditer(rf"(?<!\w){re.escape(answer)}(?!\w)", self._text):
            near = self._text[max(found.start() - AROUND, 0) : found.end() + AROUND]
            if not names or any(name in near for name in names):
                return True
        return False

    def _back(self, probe: Probe) -> bool:
        wanted = bare(probe.answer)
        quoted = " ".join("".join(found) for found in QUOTED.findall(probe.question))
        queries = dict.fromkeys(filter(None, (probe.question, quoted)))
        return any(wanted in bare(piece.text) for query in queries for piece in self._recall(query))
