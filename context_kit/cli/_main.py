"""The entry point: exit code 0 done, 1 the library could not, 2 bad usage or input; one line each, never a traceback.

The invariant guarded here: nothing but this file decides what an error costs and how it is told.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from context_kit.cli._hook import hook, is_event, leave

__all__ = ["main"]

NEEDS = ("typer", "rich")
INTERRUPTED = 130
"""What shells give for a program that was interrupted."""
LOWEST = 3
"""The first file number that is no standard stream's."""
LONG = 800
"""Characters of an error's text that are shown: its beginning, and its end with the advice."""


SAID = (
    ("pass it in tokens, as in ContextManager(128_000)", "give it in tokens with --window"),
    ("or matching=...", "or --matching TEXT"),
    ("with schema=...", "with --schema"),
    ("say whose address it is", "say whose address it is with --session"),
)
"""Advice of the library in a program's words, and in those of the command line."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `context-kit` with arguments (default: the process's own); returns the exit code."""
    given = list(sys.argv[1:] if argv is None else argv)
    if is_event(given):
        code = hook(given[1:])
        return leave(code) if argv is None else code
    import importlib.util

    if any(importlib.util.find_spec(name) is None for name in NEEDS):
        return _tell("the command line needs typer and rich: pip install 'context-kit[cli]'", 2)
    _have_streams()
    _never_fail_on_letters()
    from context_kit.cli._app import USAGE, run
    from context_kit.errors import BudgetError, ContextKitError, InvalidMessageError
    from context_kit.harness.settings import HookError
    from context_kit.harness.transcripts import TranscriptError

    try:
        code = run(argv)
        sys.stdout.flush()
    except USAGE as error:
        return _tell(error.format_message(), 2)
    except (TranscriptError, BudgetError, InvalidMessageError, HookError) as error:
        return _tell(str(error), 2)
    except ContextKitError as error:
        return _tell(str(error), 1)
    except RecursionError:
        return _tell("a message of this transcript is nested too deeply", 2)
    except BrokenPipeError:
        code = _leave_pipe()
    except OSError as error:  # a full disk below standard output, no room for a process
        where = f"{error.filename}: " if error.filename else ""
        return _tell(f"{where}{(error.strerror or str(error)).lower()}", 1)
    except KeyboardInterrupt:
        code = INTERRUPTED
    return _tell("interrupted", code) if code == INTERRUPTED else code


def _tell(text: str, code: int) -> int:
    for program, command in SAID:
        text = text.replace(program, command)
    shown = text if len(text) <= LONG else f"{text[: LONG // 2]} … {text[-LONG // 2 :]}"
    from context_kit.cli._text import one_line

    with suppress(OSError):
        sys.stderr.write(f"context-kit: {one_line(shown, most=2 * LONG)}\n")
        sys.stderr.flush()
    return code


def _have_streams() -> None:
    """Where a stream was closed before the start, what goes there goes nowhere, and no file takes its number."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while (spare := os.open(os.devnull, os.O_RDWR)) < LOWEST:
            pass
        os.close(spare)
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


def _leave_pipe() -> int:
    """Who reads has had enough, as `head` has: nothing is wrong, and what is left unwritten goes nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def _never_fail_on_letters() -> None:
    """Where the terminal's encoding lacks a letter, write `?`; the lines are worth more than the letter."""
    import io

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
