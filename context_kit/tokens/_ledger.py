"""The size of the next request: the last reported usage plus the estimate of what came since.

Where no usage was ever reported it is the sum of the costs, exactly. A compaction drops the report it stood
on, not what was learned: the size of the parts that were never shown (`overhead`) and the ratio of the
provider's tokens to ours (`scale`). Every call is O(1).
"""

from __future__ import annotations

from typing import Literal

from context_kit.wire import Reported

__all__ = ["Ledger"]

LEAST, MOST = 0.5, 2.0
"""Bounds of the scale: no tokeniser in use differs from o200k_base by more on agents' texts."""
PRIOR = 4_000
"""Tokens of evidence that stand for a scale of 1, so that a few odd increments don't move it."""
INCREMENTS = 3
"""Reports in a row that it takes to learn a scale at all."""
ODD = 1.6
"""An increment counts at most this many times its estimate, and `ODD_TOKENS`, and at least the inverse:
what is beyond was put in or taken out outside the log."""
ODD_TOKENS = 60
FADE = 0.95
"""What older evidence is worth at each new increment: the scale follows a change of content in about 20."""
OVERHEAD_SHARE = 0.25
"""Most of a window that parts never shown may be taken to fill after a compaction. Larger claims have other
causes (a smaller tokeniser, a gateway's own prompt), and believing them would leave no room to work in."""
UNKNOWN = 0.25
"""Error bound of an estimate that no report was ever compared with, as a share of it ..."""
LEARNED = 0.1
"""... and of one by a learned scale."""
STUB = 0.5
"""A reported output below this share of the reply's own estimate is a stub (interrupted streams log 1 to 8
tokens) and isn't believed."""
SURE = 0.15
"""Error of an increment, as a share of it, that is assumed at first ..."""
SURPRISE = 0.15
"""... and what each new increment weighs in it."""
CONTENT = 0.75
"""Of the ratio that was seen, what any other content may have at least: code, prose and CJK differ by tokeniser."""
HABIT = 0.9
"""What older evidence is worth on whether replies come back at their reported output or at our estimate."""


class Ledger:
    """What the window costs, anchored on the provider's own numbers where there are any.

    Args:
        window: the model's window in tokens; a larger report is ignored.
    """

    __slots__ = (
        "_anchor",
        "_at",
        "_error",
        "_given",
        "_in_row",
        "_last",
        "_model",
        "_overhead",
        "_reply",
        "_sum",
        "_taken",
        "_window",
    )

    def __init__(self, window: int) -> None:
        self._window = window
        self._sum = 0  # costs of all that is in the window
        self._anchor: float | None = None  # tokens of the window up to and with the last report's reply
        self._at = 0  # the sum at that point
        self._last: tuple[int, int] | None = None  # input of the last report, and our cost of the same request
        self._given = self._taken = 0.0  # the provider's and our tokens of the increments seen, fading
        self._in_row = 0
        self._overhead = 0.0
        self._error = SURE  # usual error of an increment, as a share of it, fading
        self._reply = _Reply()
        self._model: str | None = None

    def narrow(self, window: int) -> None:
        """The model's window was found to be of so many tokens."""
        self._window = window

    def added(self, cost: int) -> None:
        """A message of so many estimated tokens was added."""
        self._sum += cost

    def reported(self, usage: Reported, *, cost: int) -> None:
        """The message just added, of estimated `cost`, answers a request of `usage.input_tokens`.

        `usage.output_tokens` replaces the message's own estimate where it is plausible for what the message
        shows. Usage that is zero or larger than the window is ignored.
        """
        if not 0 < usage.input_tokens <= self._window:
            return
        asked = self._sum - cost
        if usage.model is not None and usage.model != self._model:
            if self._model is not None:
                self._forget()
            self._model = usage.model
        if self._last is not None:
            self._learn(usage.input_tokens - self._last[0], asked - self._last[1], asked - self._at)
        self._last = (usage.input_tokens, asked)
        self._overhead = max(0.0, usage.input_tokens - self.scale * asked)
        self._anchor = usage.input_tokens + self._reply.expect(usage.output_tokens, self.scale * cost)
        self._at = self._sum

    def compacted(self, cost: int) -> None:
        """The window was replaced by one of estimated `cost`; the report it stood on is dropped."""
        self._sum = cost
        self._anchor = self._last = None

    def _learn(self, given: int, taken: int, rest: int) -> None:
        """One increment: what the provider says came since the last report, and what we say."""
        if taken <= 0 or given <= 0:
            return
        self._reply.learn(given - self.scale * rest)
        self._error += (min(1.0, abs(given - self._moved(rest)) / taken) - self._error) * SURPRISE
        self._given = self._given * FADE + min(max(given, taken / ODD), taken * ODD + ODD_TOKENS)
        self._taken = self._taken * FADE + taken
        self._in_row += 1

    def _moved(self, rest: int) -> float:
        """Tokens since the last report's request: its reply, and `rest` estimated ones."""
        return self._reply.size + self.scale * rest

    def _forget(self) -> None:
        self._given = self._taken = 0.0
        self._in_row = 0
        self._last = None

    @property
    def scale(self) -> float:
        """Provider's tokens for one of ours, learned from increments; 1.0 until there are enough."""
        if self._in_row < INCREMENTS:
            return 1.0
        return min(MOST, max(LEAST, (self._given + PRIOR) / (self._taken + PRIOR)))

    @property
    def overhead(self) -> int:
        """Tokens of what is never shown (a system prompt or tools that weren't given), as learned; bounded."""
        return round(min(self._overhead, OVERHEAD_SHARE * self._window))

    @property
    def tokens(self) -> int:
        """Size of the next request in tokens."""
        if self._anchor is not None:
            return max(0, round(self._anchor + self.scale * (self._sum - self._at)))
        return round(self.overhead + self.scale * self._sum)

    @property
    def source(self) -> Literal["provider", "estimate"]:
        """`provider` while a report anchors the figure, else `estimate`."""
        return "estimate" if self._anchor is None else "provider"

    @property
    def margin(self) -> int:
        """Error bound of `tokens`, in tokens: what the estimated part of it was usually off by, and some."""
        if self._anchor is not None:
            return round(32 + 2.5 * self._error * self._moved(self._sum - self._at))
        if self._last is None and not self._in_row:
            return round(UNKNOWN * self._sum)
        return round(LEARNED * self.scale * self._sum + UNKNOWN * self.overhead)

    @property
    def cost(self) -> int:
        """Estimated tokens of all that is in the window."""
        return self._sum

    @property
    def model(self) -> str | None:
        """The model that reported last."""
        return self._model

    def least(self, cost: int) -> int:
        """Fewest tokens that a provider can count for messages of estimated `cost`, if it reads all of them."""
        known = self._in_row >= INCREMENTS and self._taken > 0
        ratio = max(LEAST, CONTENT * self._given / self._taken) if known else LEAST
        return round(ratio * cost)

    @property
    def last(self) -> tuple[int, int] | None:
        """Input of the last report and our cost of the same request; None since a compaction."""
        return self._last

    @property
    def grown(self) -> tuple[int, int]:
        """Fewest tokens that a provider can count if it reads all and only messages came since the last report,
        and the most for these messages alone.
        """
        given, asked = self._last or (0, self._sum)
        new = self._sum - asked
        return given + round(LEAST * new), round(MOST * new) + ODD_TOKENS

    def raw(self, tokens: int) -> int:
        """How many estimated tokens a window of `tokens` by this ledger may have, once it is compacted."""
        return max(0, int((tokens - self.overhead) / self.scale))


class _Reply:
    """How large a reply comes back: at its reported output, or, where hidden reasoning is dropped, as it reads."""

    __slots__ = ("_as_read", "_as_reported", "_read", "_reported")

    def __init__(self) -> None:
        self._reported = self._read = 0.0  # the two sizes of the last reply
        self._as_reported = self._as_read = 0.0  # usual errors of the two, fading

    def expect(self, output: int | None, estimate: float) -> float:
        """A new reply of reported `output` that reads as `estimate`; the size it is taken to have."""
        self._read = estimate
        self._reported = estimate if output is None or output < STUB * estimate else float(output)
        return self.size

    @property
    def size(self) -> float:
        """Tokens of the last reply when it comes back."""
        return self._read if self._as_read < self._as_reported else self._reported

    def learn(self, found: float) -> None:
        """The reply was found to have come back at so many tokens."""
        self._as_reported = self._as_reported * HABIT + abs(found - self._reported)
        self._as_read = self._as_read * HABIT + abs(found - self._read)
