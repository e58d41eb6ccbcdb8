"""Every number of the library: window, trigger band, shares, reserve, target.

Shares are fractions of the window; the numbers are told in docs/how-it-decides.md and come
from the articles (a 70-75 % band, engrams under 20 %).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from context_kit.errors import BudgetError

__all__ = ["TASKS", "Budget", "Shares", "Task", "share_out"]

Task = Literal["code", "chat", "shell"]
TASKS: tuple[Task, ...] = get_args(Task)

BANDS: dict[Task, tuple[float, float]] = {"code": (0.75, 0.78), "chat": (0.70, 0.75), "shell": (0.60, 0.65)}
"""Output that fills fast compacts early (first article, 5.5)."""

RESERVE = 8_192
"""Tokens kept free for the reply, at most ..."""
RESERVE_SHARE = 0.20
"""... and never more than this share of the window."""

GROWTH = 0.05
"""Two automatic compactions are at least this share of the window apart."""
HEAVY_HEAD = 0.20
"""A head above this share moves the target to head + this share ..."""
HEAVY_TARGET = 0.65
"""... at most this share."""
TINY_WINDOW = 2_000
"""Below this many tokens the bridge gets the shortest headings."""
USUAL_STEPS = 16
"""The usual next step is the median of so many newest ones."""
LEAST_NOTES = 160
"""Tokens below which notes shrink only after summary and pins did."""
LEAST_SUMMARY = 0.9
"""Of its ceiling, what the summary keeps while pins still have room to give."""
LEAST_WORDS = 160
"""Tokens of goal and newest user text in the smallest bridge."""
MOST_PINS = 0.6
"""Of the board, what the caller's pins may have: the rest is for the goal, constraints and the newest user text."""
LEAST_PINS = 0.5
"""Of their ceiling, what pins keep where the target is missed all the same ..."""
FEWEST_PINS = 0.2
"""... and where giving up more of them reaches it, as long as ..."""
FEWEST_TOKENS = 2_000
"""... the board has as many tokens: a large one is worth less than the target, a small one more."""
HALF_BOARD = 0.5
"""No single engram holds more of the board while others wait."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How the window is shared out.

    Raises:
        BudgetError: a number is out of range, or the shares leave no room.
    """

    window: int
    """Tokens of the model's context window."""
    reserve: int = field(default=-1, kw_only=True)
    """Tokens kept free for the reply; by default the smaller of 8,192 and 20 % of the window."""
    soft: float = field(default=0.70, kw_only=True)
    """Share at which a turn boundary compacts."""
    hard: float = field(default=0.75, kw_only=True)
    """Share at which any step boundary compacts."""
    target: float = field(default=0.40, kw_only=True)
    """Share that head, bridge and tail have together after a compaction."""
    pins: float = field(default=0.20, kw_only=True)
    """Ceiling of the engrams, the goal included."""
    summary: float = field(default=0.06, kw_only=True)
    """Ceiling of the summary's other five fields."""
    notes: float = field(default=0.04, kw_only=True)
    """Ceiling of checkpoint, journal, ticks, live state and records of other sessions."""
    tail: float = field(default=0.10, kw_only=True)
    """What the newest steps get at least, where there is room."""

    def __init__(
        self,
        window: int,
        *,
        reserve: int | None = None,
        soft: float = 0.70,
        hard: float = 0.75,
        target: float = 0.40,
        pins: float = 0.20,
        summary: float = 0.06,
        notes: float = 0.04,
        tail: float = 0.10,
    ) -> None:
        _whole("window", window, least=1)
        if reserve is not None:
            _whole("reserve", reserve, least=0)
        put = object.__setattr__
        put(self, "window", window)
        put(self, "reserve", min(RESERVE, int(RESERVE_SHARE * window)) if reserve is None else reserve)
        shares = {
            "soft": soft,
            "hard": hard,
            "target": target,
            "pins": pins,
            "summary": summary,
            "notes": notes,
            "tail": tail,
        }
        for name, share in shares.items():
            put(self, name, _share(name, share))
        self._validate()

    def _validate(self) -> None:
        if not 0 < self.target < self.soft <= self.hard < 1:
            msg = (
                f"need 0 < target < soft <= hard < 1, got target={self.target!r}, soft={self.soft!r}, "
                f"hard={self.hard!r}: {self._advice()}"
            )
            raise BudgetError(msg)
        parts = self.pins + self.summary + self.notes + self.tail
        if parts > self.target + 1e-9:
            msg = (
                f"pins + summary + notes + tail = {parts:.3f} is above target={self.target!r}: "
                "lower one of them or raise target"
            )
            raise BudgetError(msg)
        if self.hard * self.window + self.reserve > self.window + 1e-9:
            taken = self.hard * self.window + self.reserve
            msg = (
                f"hard * window + reserve = {taken:.0f} is above window={self.window!r}: "
                f"lower reserve={self.reserve!r} or hard={self.hard!r}"
            )
            raise BudgetError(msg)

    def _advice(self) -> str:
        """What to change where the order of target, soft and hard is broken: the first pair that breaks it."""
        if self.target <= 0:
            return "raise target above 0"
        if self.hard >= 1:
            return "lower hard below 1"
        return "lower soft or raise hard" if self.soft > self.hard else "lower target or raise soft"

    @classmethod
    def for_task(cls, task: Task, window: int) -> Budget:
        """A budget with the trigger band of a kind of work: `code`, `chat` or `shell`.

        Raises:
            BudgetError: the task is unknown; the text lists the known ones.
        """
        if not any(task == known for known in TASKS):
            msg = f"task: {task!r} is unknown, use one of {', '.join(TASKS)}"
            raise BudgetError(msg)
        soft, hard = BANDS[task]
        return cls(window, soft=soft, hard=hard)

    @property
    def room(self) -> int:
        """Tokens that a request may have: the window less the reserve."""
        return self.window - self.reserve

    def within(self, window: int) -> Budget:
        """The same shares of a smaller window; of a larger one, this budget."""
        if window >= self.window:
            return self
        free = max(0.0, 1 - self.hard)
        return replace(self, window=window, reserve=min(self.reserve, int(min(free, RESERVE_SHARE) * window)))

    def tokens(self, share: float) -> int:
        """A share of the window, in tokens."""
        return int(share * self.window)


def _whole(name: str, value: object, *, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        msg = f"{name}: {value!r} is not a whole number of tokens"
        raise BudgetError(msg)
    if value < least:
        msg = f"{name}: {value!r} is below {least}; give it in tokens"
        raise BudgetError(msg)


def _share(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        msg = f"{name}: {value!r} is not a share of the window; give a number from 0 to 1"
        raise BudgetError(msg)
    return float(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """What each part of the window may have after one compaction, in tokens."""

    total: int
    """Head, bridge and tail together: the target."""
    head: int
    floor: int
    """What the tail has at least."""
    tail: int
    """What the tail may have while the bridge takes all its ceilings."""
    notes: int
    summary: int
    pins: int

    def widened(self, budget: Budget, *, window: int, left: int) -> Shares:
        """The same with what board and tail left over given back: to the summary first, then to notes."""
        summary = max(self.summary, min(int(budget.summary * window), left - self.notes))
        notes = max(self.notes, min(int(budget.notes * window), left - summary))
        return replace(self, summary=summary, notes=notes)


def share_out(budget: Budget, *, window: int, head: int, floor: int) -> Shares:
    """The shares of one compaction (docs/how-it-decides.md, "How much").

    Args:
        budget: the shares as fractions.
        window: the window in the unit of `head` and `floor` (estimated tokens).
        head: tokens of system prompt, tools and system messages.
        floor: tokens of the shortest tail.

    Head and floor come first; then notes, summary and pins shrink in that order until the
    rest fits.
    """
    total = int(budget.target * window)
    if head > HEAVY_HEAD * window:
        total = int(min(head + HEAVY_HEAD * window, HEAVY_TARGET * window))
    notes, summary, pins = (int(share * window) for share in (budget.notes, budget.summary, budget.pins))
    over = notes + summary + pins - max(total - head - floor, 0)
    notes, over = _shrink(notes, min(notes, LEAST_NOTES), over)
    summary, over = _shrink(summary, int(LEAST_SUMMARY * summary), over)
    least, fewest = int(LEAST_PINS * pins), max(int(FEWEST_PINS * pins), FEWEST_TOKENS)
    pins, over = _shrink(pins, min(fewest, least) if pins - over >= fewest else least, over)
    tail = max(total - head - notes - summary - pins, floor)
    return Shares(total=total, head=head, floor=floor, tail=tail, notes=notes, summary=summary, pins=pins)


def _shrink(size: int, least: int, over: int) -> tuple[int, int]:
    """A share made smaller by what is over, down to its least; what is still over."""
    given = max(min(size - least, over), 0)
    return size - given, over - given
