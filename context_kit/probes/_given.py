"""What a check may be given: refused where it is asked for, not at the first compaction."""

from __future__ import annotations

from context_kit.errors import BudgetError

__all__ = ["check_given"]

WANTED = {"llm": "a ProbeRequest that returns text", "judge": "a probe and an answer"}


def check_given(k: object, llm: object, judge: object) -> None:
    """Refuse what can't work.

    Raises:
        BudgetError: `k` is no whole number above 0, or `llm` or a `judge` can't be called.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        msg = f"k: {k!r} is no whole number above 0"
        raise BudgetError(msg)
    for name, function in {"llm": llm, "judge": judge}.items():
        if not callable(function) and not (name == "judge" and function is None):
            msg = f"{name}: {function!r} can't be called: give a function of {WANTED[name]}"
            raise BudgetError(msg)
