"""How models treat their own reasoning, as data: each row has its source and the day it was checked.

A model that isn't known is treated as bound: dropping reasoning that could have stayed costs a little,
keeping what is bound to bytes that are gone costs the request.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["EDITS", "binds_reasoning", "opens_with_thinking", "voids_reasoning"]

Version = tuple[int, int]


class Family(NamedTuple):
    """A family of models, recognised by a word at the start of the name's last part."""

    word: str
    bound_from: Version | None
    """First version whose reasoning is bound to its prefix; None: no version is."""
    manual_until: Version | None
    """Last version that takes manual thinking; None: none does."""
    source: str
    checked: str


FAMILIES = (
    Family(
        "claude",
        (5, 1),
        (4, 6),
        # Fable and Mythos 5.1 and 5.2, Opus, Sonnet and Haiku 5.5 check the prefix; `enabled` is deprecated on 4.6
        # and refused from 4.7 on.
        "support.claude.com article 16761192; platform.claude.com adaptive-thinking",
        "2026-11-30",
    ),
    Family("gpt-oss", None, None, "open weights: reasoning is plain text", "2026-11-30"),
    Family("gpt", (5, 6), None, "developers.openai.com preserved-reasoning, keep-prefix-unchanged", "2026-11-30"),
    Family("chatgpt", None, None, "developers.openai.com preserved-reasoning", "2026-11-30"),
    Family("o1", None, None, "developers.openai.com preserved-reasoning", "2026-11-30"),
    Family("o3", None, None, "developers.openai.com preserved-reasoning", "2026-11-30"),
    Family("o4", None, None, "developers.openai.com preserved-reasoning", "2026-11-30"),
    Family("deepseek", None, None, "api-docs.deepseek.com/guides/thinking_mode", "2026-11-30"),
    Family("gemini", None, None, "ai.google.dev/gemini-api/docs/thought-signatures", "2026-11-30"),
)


class Edit(NamedTuple):
    """A change of what was sent before, and the families whose later reasoning it makes worthless."""

    what: str
    families: tuple[str, ...]
    """Words of `FAMILIES`, of which only the versions that bind count; none where the edit harms nobody."""
    source: str
    checked: str
    until: Version | None = None
    """Last version that it harms; None: all."""


BIND = "support.claude.com article 16761192; platform.claude.com prefix checks"
KEEP = "developers.openai.com keep-prefix-unchanged, preserved-reasoning"
BOTH = f"{BIND}; {KEEP}"

EDITS: dict[str, Edit] = {
    "summary": Edit("turns replaced by a summary or a bridge", ("claude", "gpt"), BOTH, "2026-11-30"),
    "clip": Edit("a tool output masked or made shorter", ("claude", "gpt"), BOTH, "2026-11-30"),
    "late result": Edit("a placeholder swapped for the real result", ("claude", "gpt"), BOTH, "2026-11-30"),
    "tools": Edit("a tool added, removed or changed, recall tools too", ("claude", "gpt"), BOTH, "2026-11-30"),
    "deferred tools": Edit("the same of Claude's tools with defer_loading", (), BIND, "2026-11-30"),
    "system": Edit("the system prompt or a developer message edited", ("claude", "gpt"), BOTH, "2026-11-30"),
    "instructions": Edit("`instructions` of Responses changed", ("gpt",), KEEP, "2026-11-30", (6, 1)),
    "format": Edit("`text.format` of Responses changed", ("gpt",), KEEP, "2026-11-30"),
    "middle system": Edit("a system message in the middle moved or left out", ("claude", "gpt"), BOTH, "2026-11-30"),
    "gap": Edit("reasoning left out in the middle of the history", ("claude",), BIND, "2026-11-30"),
    "start": Edit("reasoning left out from the start of the history on", (), BOTH, "2026-11-30"),
    "cache marks": Edit("`cache_control` set or moved (implied, not confirmed)", (), BIND, "2026-11-30"),
    "their compaction": Edit("a compaction made by the provider itself", (), BOTH, "2026-11-30"),
}
"""By a short name, what may be changed between two requests (wire-facts 1.3 to 1.5, 3.2, 3.3)."""

PREFIXES = re.compile(r"^(?:.*[/:])?(?:(?:[a-z-]{2,12}\.)?(?:anthropic|openai|deepseek|google)\.)?")
"""Routes in front of a name: `openrouter/anthropic/...`, `us.anthropic....`, `bedrock:...`."""
LONGEST = 200
VERSION = re.compile(r"(?<![\d.])(\d{1,2})(?:[.-](\d{1,2}))?(?![\d])")
"""`claude-3-7-sonnet-20250219`, `claude-opus-4-5@20251101`, `gpt-5.6-mini`, `gpt-4o`: the first short numbers."""


def binds_reasoning(model: str | None, /) -> bool:
    """Whether a model's reasoning is worth nothing once a summary or a clip stands before it.

    True for the newer Claude and OpenAI models, and for every model that isn't known.
    """
    return voids_reasoning("summary", model)


def voids_reasoning(edit: str, model: str | None, /) -> bool:
    """Whether an edit, by its name in `EDITS`, makes a model's reasoning behind it worthless.

    A model that isn't known is taken for one of every family.
    """
    made = EDITS[edit]
    family, version = _known(model)
    if family is None or (version is None and family.bound_from is not None):
        return bool(made.families) and (family is None or family.word in made.families)
    if family.bound_from is None or version is None or family.word not in made.families:
        return False
    return version >= family.bound_from and (made.until is None or version <= made.until)


def opens_with_thinking(model: str | None, /) -> bool:
    """Whether an open tool loop must begin with its thinking block: Claude's manual thinking, up to 4.6.

    False for a model that isn't known: it is treated as bound, and no model is both (wire-facts 1.3.5).
    """
    family, version = _known(model)
    if family is None or family.manual_until is None or version is None:
        return False
    return version <= family.manual_until


def _known(model: str | None) -> tuple[Family | None, Version | None]:
    if not model or len(model) > LONGEST:
        return None, None
    lowered = model.lower().split("@")[0]
    # A Bedrock name ends in `-v1:0`; what stands behind the last colon is no name then.
    lowered = re.sub(r"-v\d+(?::\d+)?$", "", lowered)
    name = PREFIXES.sub("", lowered)
    for family in FAMILIES:
        if name.startswith(family.word):
            found = VERSION.search(name, len(family.word))
            return family, (int(found[1]), int(found[2] or 0)) if found else None
    return None, None
