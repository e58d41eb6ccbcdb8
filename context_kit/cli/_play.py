"""The demo: a bundled session of a coding agent, replayed in a window too small for it.

The invariant guarded here: the same receipts every time, with no model and no network.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from context_kit.cli._measure import measure
from context_kit.cli._replay import manager, replay
from context_kit.cli._tables import console, receipt_table
from context_kit.cli._text import count, share
from context_kit.harness.transcripts import Transcript, load
from context_kit.types import Compaction

if TYPE_CHECKING:
    from context_kit._manager import ContextManager

__all__ = ["play", "session"]

TRIES = 40
"""So many addresses are tried for one that has something to tell."""


def session() -> Transcript:
    """The bundled session: an agent brings a small Python project to its next release."""
    with as_file(files("context_kit.cli") / "_demo" / "session.json") as path:
        return load(str(path))


def play(window: int, *, bridge: bool = False) -> None:
    """Replay the bundled session and show each compaction as it happens, then the total.

    Raises:
        BudgetError: a window that is out of range.
        WindowExceededError: a window too small even for the session's system prompt and tools.
    """
    transcript = session()
    out = console()
    ctx = manager(transcript, window)
    found = measure(transcript)
    out.print(
        f"A coding session of {count(found.steps, 'step')}, {count(found.messages, 'message')} and "
        f"{count(found.tokens, 'token')}, replayed in a window of {count(window, 'token')}; no model is asked."
    )
    _watch(out, ctx, transcript)
    _total(out, ctx, found.tokens)
    text = _bridge(ctx)
    if bridge and text:
        out.print("\nThe bridge that the model reads now:\n", style="bold")
        out.print(text, soft_wrap=True)
    elif text:
        out.print("`context-kit demo --bridge` prints what the model reads in place of all that left.")


def _watch(out: Console, ctx: ContextManager, transcript: Transcript) -> None:
    """Replay with a progress bar, and a table for each compaction when it happens."""
    columns = (TextColumn("replaying"), BarColumn(bar_width=40), MofNCompleteColumn())
    with Progress(*columns, console=out, disable=not out.is_terminal) as progress:
        task = progress.add_task("replaying", total=len(transcript.messages))
        shown = 0

        def added(index: int) -> None:
            nonlocal shown
            progress.update(task, completed=index + 1)
            for receipt in ctx.compactions[shown:]:
                shown += 1
                table = receipt_table(
                    receipt, window=ctx.usage.window, recalled=_recalled(ctx, receipt), room=out.width
                )
                progress.console.print(table, crop=False)

        replay(ctx, transcript, added=added)


def _recalled(ctx: ContextManager, receipt: Compaction) -> tuple[str, str] | None:
    """An address of the receipt and a line that a recall of it really brings back; an error where there is one."""
    found: list[tuple[str, str]] = []
    for address in (*receipt.clipped, *reversed(receipt.summarised), *receipt.evicted)[:TRIES]:
        for one in ctx.recall(address)[:1]:
            lines = [line for line in one.text.splitlines() if line.strip()]
            if telling := [line for line in lines if "Error" in line or "FAILED" in line or "FIRE" in line]:
                return one.address, telling[0]
            found += [(one.address, line) for line in lines[:1]]
    return found[0] if found else None


def _total(out: Console, ctx: ContextManager, tokens: int) -> None:
    applied = [receipt for receipt in ctx.compactions if receipt.outcome == "applied"]
    usage = ctx.usage
    gone = sum(receipt.tokens_before - receipt.tokens_after for receipt in applied)
    spent = sum(receipt.seconds for receipt in applied)
    lost = sum(len(receipt.fidelity.lost) for receipt in applied)
    out.print(
        f"{count(len(applied), 'compaction')} in {spent:.2f} s took {count(gone, 'token')} out of the window. "
        f"It holds {count(usage.tokens)} of {count(tokens, 'token')} now ({share(usage.tokens, usage.window)} of the "
        f"window); {count(lost, 'fact')} lost, the rest is there or recallable.",
        style="bold",
    )


def _bridge(ctx: ContextManager) -> str:
    """The text of the last bridge: the user message that stands first once there was a compaction."""
    if not any(receipt.outcome == "applied" for receipt in ctx.compactions):
        return ""
    first: dict[str, object] = next((message for message in ctx.messages if message.get("role") == "user"), {})
    content = first.get("content")
    return content if isinstance(content, str) else ""
