"""Builders: a call and its result as the wire reads them."""

from __future__ import annotations

import json
from typing import Any

from context_kit.tools import Act, acts
from context_kit.types import Tool
from context_kit.wire import Part


def call(
    name: str, args: dict[str, Any] | str, said: str | None = "", *, failed: bool = False
) -> tuple[Part, Part | None]:
    """A call with its result; none where `said` is None."""
    text = args if isinstance(args, str) else json.dumps(args, ensure_ascii=False)
    result = None if said is None else Part("result", text=said, id="c1", failed=failed)
    return Part("call", text=text, id="c1", name=name), result


def did(
    name: str,
    args: dict[str, Any] | str,
    said: str | None = "",
    *,
    failed: bool = False,
    semantics: dict[str, Tool] | None = None,
) -> tuple[Act, ...]:
    """What the call meant."""
    return acts(*call(name, args, said, failed=failed), semantics=semantics or {})


def ran(command: str, said: str = "", *, failed: bool = False) -> tuple[Act, ...]:
    """What a shell command meant."""
    return did("bash", {"command": command}, said, failed=failed)
