"""Small sessions whose messages have left the window, and what is asked of them."""

from __future__ import annotations

from typing import Any

from context_kit import ContextManager, Probe
from context_kit.testing import Call, tool_round, user
from context_kit.typing import Message

__all__ = ["PATH", "RAISED", "TEXT", "asked", "did", "edit", "ran", "read", "session"]

PATH = "src/rates.py"
TEXT = (
    "LIMIT_RATE = 37.5\n"
    'OWNER_TEAM = "team-heron-9"\n'
    "def settleInvoice(invoice, ledger_name):\n"
    "    return ledger_name.settle(invoice, tolerance_seconds=41, currency_code='CHF')\n"
)


def did(name: str, arguments: dict[str, Any], result: str, id_: str) -> list[Message]:
    return list(tool_round([Call(name, arguments, result=result, id=id_)]))


def ran(command: str, result: str = "", id_: str = "r1") -> list[Message]:
    return did("Bash", {"command": command}, result, id_)


def read(path: str = PATH, text: str = TEXT, id_: str = "a0") -> list[Message]:
    return did("Read", {"file_path": path}, text, id_)


def edit(old: str, new: str, id_: str = "a1", path: str = PATH) -> list[Message]:
    return did("Edit", {"file_path": path, "old_string": old, "new_string": new}, "The file was updated.", id_)


RAISED = edit("LIMIT_RATE = 37.5", "LIMIT_RATE = 81.25")


def session(*messages: Message) -> ContextManager:
    """These messages, and so many more that they left the window."""
    ctx = ContextManager(6_000, policy="template")
    more = [each for number in range(30) for each in ran(f"make s{number}", "row ok nothing\n" * 60, f"d{number}")]
    ctx.add([user("Work on it."), *messages, *more])
    ctx.compact()
    return ctx


def asked(messages: list[Message], answer: str, about: str = "") -> list[Probe]:
    """The probes with this answer, of this thing."""
    return [each for each in session(*messages).probes if each.answer == answer and about in each.question]
