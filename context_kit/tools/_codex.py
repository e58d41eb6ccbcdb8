"""Codex: a shell that goes on in the background, its input and output in later calls."""

from __future__ import annotations

from context_kit.tools._act import Act, Call
from context_kit.tools._shell import runs

__all__ = ["resume"]


def resume(call: Call) -> tuple[Act, ...]:
    """`write_stdin` and its like: what a running command printed since, or its end.

    The command stands in `Call.running` under the session's id where the call that started it
    was read before; else nothing is known but that something ran.
    """
    session = call.words("session_id", "bash_id", "shell_id", "task_id") or str(call.number("session_id"))
    command = call.running.get(session, "")
    if not command or call.words("chars"):
        error = call.broke(command)
        typed = call.words("chars") or ""
        return (
            call.act("run", error=error, command=command, content=typed or None, ended=call.seen.verdict != "running"),
        )
    if call.seen.verdict == "running":
        return (call.act("run", error="", command=command, ended=False),)
    return runs(call, command, resumed=True)
