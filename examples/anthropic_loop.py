"""An Anthropic loop with a hook and a session on disk: `python examples/anthropic_loop.py`.

Scripted, so it runs offline; for real, use `anthropic.Anthropic().messages` with `model`, `max_tokens`, `tools`.
"""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import Any

from anthropic.types import Message

from context_kit import ContextManager, PostCompact

SYSTEM, TASK, PAGES = "You audit ledgers.", "Check every page of the ledger.", 28


class ScriptedModel:
    """Reads one page after the other, then says what it found."""

    page = 0

    def create(self, **_request: Any) -> Message:
        """The next reply."""
        self.page += 1
        content: list[dict[str, Any]] = [{"type": "text", "text": f"I read page {self.page}."}]
        if self.page <= PAGES:
            call = {"id": f"toolu_{self.page}", "name": "read_page", "input": {"page": self.page}}
            content.append({"type": "tool_use", **call})
        usage = {"input_tokens": 0, "output_tokens": 0}
        reply = {"id": "1", "type": "message", "role": "assistant", "model": "scripted", "content": content}
        return Message.model_validate({**reply, "usage": usage})


def read_page(page: object) -> str:
    """The agent's one tool: a page of a long ledger."""
    return "\n".join(f"{page} line {line}: paid {line * 7 % 90} to account {line % 12}" for line in range(30))


def show(event: PostCompact) -> None:
    """A hook: one line for each compaction."""
    done = event.receipt
    print(f"{done.id} {done.trigger}: {done.tokens_before:,} -> {done.tokens_after:,} tokens")


model = ScriptedModel()
with TemporaryDirectory() as store:
    with ContextManager(10_000, system=SYSTEM, store=store, session="audit", post_compact=show) as ctx:
        ctx.add({"role": "user", "content": TASK})
        while True:
            reply = model.create(system=SYSTEM, messages=ctx.prepare())
            ctx.add(reply)
            calls = [block for block in reply.content if block.type == "tool_use"]
            if not calls:
                break
            results = [{"type": "tool_result", "tool_use_id": c.id, "content": read_page(c.input)} for c in calls]
            ctx.add({"role": "user", "content": results})
    with ContextManager.open(store, "audit") as ctx:
        print("recalled:", ctx.recall("m3")[0].text.splitlines()[1])
