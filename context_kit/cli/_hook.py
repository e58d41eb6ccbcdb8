"""`context-kit hook EVENT`: what a coding agent calls.

The invariant guarded here: the exit code is 0, and standard output holds what the agent's protocol allows, nothing
else. What goes wrong is told on standard error and in a log. Neither typer nor rich is loaded.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

__all__ = ["SUBCOMMANDS", "hook", "is_event", "leave"]

SUBCOMMANDS = ("install", "uninstall", "--help", "-h")
"""What stands behind `hook` and is no event."""
OPTIONS = ("--agent", "--store")
MOST = 64 * 1024 * 1024
"""Bytes of an event that are read: a tool's whole result may be in it."""


def is_event(argv: Sequence[str]) -> bool:
    """Whether the arguments are those of an agent's call."""
    return list(argv[:1]) == ["hook"] and len(argv) > 1 and argv[1] not in SUBCOMMANDS


def hook(argv: Sequence[str]) -> int:
    """Answer one event; always 0."""
    collecting = gc.isenabled()
    gc.disable()  # a short life: nothing is worth collecting
    store: Path | None = None
    try:
        name, options, odd = _arguments(argv)
        from context_kit.harness.hooks import answer, event_of, printed, store_of

        notes: list[str] = [f"argument {each!r} is unknown" for each in odd]
        given, kept = options.get("--agent", ""), options.get("--store", "")
        store = store_of(kept or os.environ.get("CONTEXT_KIT_HOOK_STORE", ""), "", "")  # until the event tells more
        event = event_of(name, _fields(), agent=given, store=kept, note=notes.append)
        store = event.store
        text = answer(event)
        if not _print(printed(event, text)):
            event.give_back(text)
        for each in notes:
            _note(store, each)
    except KeyboardInterrupt:
        _note(store, "interrupted")
    except BaseException as error:  # noqa: BLE001 (an agent must never see a hook fail)
        _note(store, f"{' '.join(map(str, argv[:1]))}: {type(error).__name__}: {error}")
    finally:
        if collecting:
            gc.enable()
    return 0


def leave(code: int) -> NoReturn:
    """End the process at once: all is written, and taking its memory apart costs as much as some events."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(code)


def _arguments(argv: Sequence[str]) -> tuple[str, Mapping[str, str], list[str]]:
    """The event's name, the options, and what is neither."""
    name, options, odd = "", dict[str, str](), list[str]()
    waiting = ""
    for word in argv:
        option, equals, value = word.partition("=")
        if waiting:
            options[waiting], waiting = word, ""
        elif option in OPTIONS and equals:
            options[option] = value
        elif word in OPTIONS:
            waiting = word
        elif name or word.startswith("-"):
            odd.append(word)
        else:
            name = word
    return name, options, odd


def _fields() -> Mapping[str, Any]:
    """The event on standard input.

    Raises:
        ValueError: it is none.
    """
    if sys.stdin is None or sys.stdin.isatty():
        msg = "an agent's event is read from standard input, and a terminal is there"
        raise ValueError(msg)
    value = json.loads(sys.stdin.buffer.read(MOST).decode("utf-8-sig", "replace"))
    if not isinstance(value, dict):
        msg = "the event is no JSON object"
        raise ValueError(msg)  # noqa: TRY004 (all that is wrong with an event is one kind)
    return value


def _print(text: str) -> bool:
    """All of a text on standard output; False where nobody can have read it."""
    if not text:
        return True
    if sys.stdout is None:
        _note(None, "standard output can't be written: it is closed")
        return False
    try:
        sys.stdout.buffer.write(text.encode("ascii"))
        sys.stdout.buffer.flush()
    except OSError as error:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _note(None, f"standard output can't be written: {error}")
        return False
    return True


def _note(store: Path | None, text: str) -> None:
    line = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())[:800]
    with suppress(Exception):
        sys.stderr.write(f"context-kit hook: {line}\n")
        sys.stderr.flush()
    with suppress(Exception):
        from context_kit.harness.hooks import append_log

        append_log(store, line)
