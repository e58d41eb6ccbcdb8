"""What the tests of probes share: a coding session that compacts, in two languages, and its probes."""

from __future__ import annotations

from typing import Any

from context_kit import ContextManager
from context_kit.testing import Call, assistant, tool_round, user
from context_kit.typing import Message, Shape

__all__ = ["KEY", "coding", "compacted", "texts"]

KEY = "sk-proj-" + "Ab3" * 14
"""A secret that stands in the session."""
LEDGER = "\n".join(
    [
        "import decimal",
        "",
        "RETRY_SECONDS = 37.5",
        f'SERVICE_KEY = "{KEY}"',
        "",
        "class StatementReader:",
        "    def openQuarter(self, quarter, *, currency='CHF'):",
        "        balance = self.ledger.opening_balance(quarter, currency=currency)",
        "        return balance.quantize(decimal.Decimal('0.0005'))",
        "",
        "def reconcileBranches(branches, tolerance):",
        "    differences = [branch.total - branch.expected for branch in branches]",
        "    return max(differences, key=abs, default=tolerance)",
    ]
)
WORDS = {
    "en": ("Repair the importer. Do not touch the folder archive/statements_2019 in any way.", "Now the tests."),
    "zh": ("修复账单导入程序。不要改动 archive/statements_2019 这个目录下的任何文件。", "现在运行测试。"),
}


def coding(language: str = "en", *, shape: Shape = "chat", rounds: int = 24) -> list[Message]:
    """A session that reads, edits, fails and goes on until its first part leaves a small window."""
    goal, said = WORDS[language]
    path = "src/bank/importer.py"
    messages: list[Any] = [user(goal, shape=shape)]

    def step(name: str, arguments: dict[str, Any], result: str, text: str = "") -> None:
        call = Call(name, arguments, result=result, id=f"call_{len(messages)}")
        messages.extend(tool_round([call], shape=shape, text=text))

    step("Read", {"file_path": path}, LEDGER, "I read the importer first.")
    old, new = "RETRY_SECONDS = 37.5", "RETRY_SECONDS = 81.25"
    step("Edit", {"file_path": path, "old_string": old, "new_string": new}, "The file has been updated.")
    failed = "FAILED tests/test_importer.py::test_quarter\nLedgerError: column currency_code is missing in row 417"
    step("Bash", {"command": "pytest -q tests/test_importer.py"}, f"Exit code 1\n{failed}", said)
    messages.extend(assistant("I use reconcileBranches because openQuarter drops rows of branch_4711.", shape=shape))
    messages.append(user("Go on.", shape=shape))
    for number in range(rounds):
        body = "\n".join(f"entry_{number}_{line} was booked at counter {line * 7 + number}" for line in range(30))
        step("Bash", {"command": f"ledgerctl show --page {number}"}, body)
    return messages


def compacted(messages: list[Message], window: int = 6_000, **settings: Any) -> ContextManager:
    """A session that was fed so far that its first part left."""
    ctx = ContextManager(window, **settings)
    for message in messages:
        if message.get("role") == "assistant" or message.get("type") in ("function_call", "message"):
            ctx.prepare()
        ctx.add(message)
    ctx.prepare()
    assert any(receipt.outcome == "applied" for receipt in ctx.compactions)
    return ctx


def texts(node: object) -> str:
    """Every string of a message, joined."""
    if isinstance(node, str):
        return node
    if isinstance(node, dict):
        return "\n".join(texts(value) for value in node.values())
    return "\n".join(texts(each) for each in node) if isinstance(node, (list, tuple)) else ""
