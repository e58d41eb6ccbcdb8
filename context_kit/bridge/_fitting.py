"""Lines from the front, as many as fit."""

from __future__ import annotations

from collections.abc import Sequence

from context_kit.tokens import clip
from context_kit.typing import Count

__all__ = ["fitting"]


def fitting(found: Sequence[str], room: int, count: Count, *, clip_first: bool = False) -> list[str]:
    """Lines from the front that fit into `room` tokens."""
    kept: list[str] = []
    for line in found:
        size = count(line) + 3
        if size > room:
            if clip_first and not kept and room > 8:
                kept.append(clip(line, room, count=count, mark="…"))
            if clip_first:
                break
            continue
        kept.append(line)
        room -= size
    return kept
