"""Acts as they may be shown: made from the whole texts of a call and its result without their secrets.

What is shown of an act is a piece: an error's last lines, the first line of a change, a part of a command. A secret
that was cut in two shows no more that it is one, so secrets go out before anything is taken from a text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from context_kit.tools import Act, failure, verifies
from context_kit.typing import Redact
from context_kit.wire import Part

__all__ = ["ends", "shown_acts", "without_secrets"]

DEEPEST = 20
"""Levels of a call's arguments that are looked into; beyond that nothing is shown."""


def ends(act: Act) -> bool:
    """True for a command whose end tells how the work stands."""
    return act.kind == "run" and act.ended and not act.refused and verifies(act.command)


def shown_acts(
    found: Sequence[Act], call: Part, said: str, again: Callable[[Part, str], Sequence[Act]], redact: Redact
) -> Sequence[Act]:
    """What a call did, with no secret in what may be shown of it; as many acts, in the same order.

    Args:
        found: what it did, as it is.
        call: the call.
        said: its result's text.
        again: gives what a call with other arguments and another result did.
        redact: takes the secrets out.

    Returns:
        Acts whose paths, commands, errors, replacements and plans hold no secret. `content` of a read and `output`
        of what neither failed nor told how the work stands are as they came.

    """
    if redact is str:  # nothing is taken out: no need to look into each argument
        return found
    clean_call = without_secrets(call, redact)
    told = any(act.failed or ends(act) for act in found)
    clean = redact(said) if told else said
    if clean_call is call and clean == said:
        return [_plain(act, redact) for act in found]
    made = again(clean_call, clean)
    if len(made) != len(found):
        return [_bare(act, clean, redact) for act in found]
    return [_plain(_judged(mine, act, clean), redact) for act, mine in zip(found, made, strict=True)]


def _plain(act: Act, redact: Redact) -> Act:
    """A command that goes on from an earlier call is no part of this one."""
    command = redact(act.command) if act.command else ""
    return act if command == act.command else replace(act, command=command)


def _judged(mine: Act, act: Act, clean: str) -> Act:
    """An act made from the clean texts, with whether it failed told by the ones that came."""
    if mine.failed == act.failed:
        return mine
    return replace(mine, failed=act.failed, error=failure(clean, flagged=True) if act.failed else "")


def _bare(act: Act, clean: str, redact: Redact) -> Act:
    """What is safe to show of an act whose call reads otherwise without its secrets."""
    return replace(
        act,
        path=redact(act.path),
        gone=redact(act.gone),
        command=redact(act.command),
        about=redact(act.about),
        content=None if act.content is None else redact(act.content),
        replacements=(),
        error=failure(clean, flagged=True) if act.failed else "",
        output=clean,
        todos=(),
    )


def without_secrets(call: Part, redact: Redact) -> Part:
    """A call without the secrets in its arguments, each text looked at as a whole; the same one where it has none."""
    arguments = call.arguments
    clean = _clean(arguments, redact, DEEPEST)
    return call if clean == arguments else call._replace(text=json.dumps(clean, ensure_ascii=False))


def _clean(value: Any, redact: Redact, deep: int) -> Any:
    if isinstance(value, str):
        return redact(value)
    if not isinstance(value, (dict, list)):
        return value
    if not deep:
        return None
    if isinstance(value, list):
        return [_clean(item, redact, deep - 1) for item in value]
    return {name: _clean(item, redact, deep - 1) for name, item in value.items()}
