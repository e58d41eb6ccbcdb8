"""After three failures in a row a summariser is left alone for a while: the call fails at once.

So a provider that is down costs a session no waiting; the reason stands on each receipt meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from context_kit.errors import ContextKitError

__all__ = ["Breaker"]

LIMIT = 3
"""Failures in a row that open it."""


class Breaker:
    """Counts failures in a row; thread-safe."""

    def __init__(self, cooldown: float, clock: Callable[[], float]) -> None:
        self._cooldown = cooldown
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._closed_until = 0.0
        self._last = ""

    def enter(self) -> None:
        """Let a call through, or refuse it while it is open; after the cool-down one call tries, alone.

        Raises:
            ContextKitError: with the last failure and when it will be tried again.
        """
        with self._lock:
            if self._failures < LIMIT:
                return
            now = self._clock()
            left = self._closed_until - now
            if left > 0:
                msg = (
                    f"the summariser failed {self._failures} times in a row and is not asked: "
                    f"it is tried again in {left:.0f} s; last: {self._last}"
                )
                raise ContextKitError(msg)
            self._closed_until = now + self._cooldown

    def failed(self, error: Exception) -> None:
        """A call failed."""
        with self._lock:
            self._failures += 1
            self._last = f"{type(error).__name__}: {error}"[:160]
            self._closed_until = self._clock() + self._cooldown

    def succeeded(self) -> None:
        """A call was answered: the count begins anew."""
        with self._lock:
            self._failures, self._last = 0, ""

    def left(self) -> None:
        """A call ended that says nothing of the provider, such as a cancelled one: the next may try."""
        with self._lock:
            self._closed_until = self._clock()
