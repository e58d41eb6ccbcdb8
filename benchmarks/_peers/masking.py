"""Observation masking: old tool results give way to a placeholder, the agent's own words stay; then the oldest go."""

from __future__ import annotations

from benchmarks._peers._counts import lengths
from benchmarks._peers._cutting import Cutting
from benchmarks._peers._protocol import Message, serve
from benchmarks._peers._steps import newest

PLACEHOLDER = "[output left out]"


def masked(messages: list[Message], most: int) -> list[Message]:
    """Results masked from the oldest on until the rest has room; where masks don't suffice, the oldest steps go."""
    found, size = list(messages), lengths(messages)
    results = [at for at, message in enumerate(found) if message["role"] == "tool"]
    for at in results[:-1]:
        if size <= most:
            return found
        short = {**found[at], "content": PLACEHOLDER}
        saved = lengths([found[at]]) - lengths([short])
        if saved > 0:
            found[at], size = short, size - saved
    return found if size <= most else newest(found, most)


if __name__ == "__main__":
    serve(lambda job, _: Cutting(job, masked))
