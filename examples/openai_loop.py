"""An OpenAI chat loop that outlives its window: `python examples/openai_loop.py`.

The model is scripted, so this runs offline. To run it for real, put `openai.OpenAI().chat.completions`
in its place and give `create` a `model`.
"""

from __future__ import annotations

from typing import Any

from openai.types.chat import ChatCompletion

from context_kit import ContextManager

PAGES = 28
TOOLS = [{"type": "function", "function": {"name": "read_page", "parameters": {"type": "object", "properties": {}}}}]


class ScriptedModel:
    """Reads one page after the other, then says what it found."""

    page = 0

    def create(self, **_request: Any) -> ChatCompletion:
        """The next reply."""
        self.page += 1
        message: dict[str, Any] = {"role": "assistant", "content": f"I read page {self.page}."}
        if self.page <= PAGES:
            call = {"name": "read_page", "arguments": f'{{"page": {self.page}}}'}
            message["tool_calls"] = [{"id": f"call_{self.page}", "type": "function", "function": call}]
        else:
            message["content"] = f"The ledger is fine up to page {PAGES}."
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "scripted", "choices": [choice]}
        return ChatCompletion.model_validate(reply)


def read_page(page: str) -> str:
    """The agent's one tool: a page of a long ledger."""
    return "\n".join(f"{page} line {line}: paid {line * 7 % 90} to account {line % 12}" for line in range(30))


model = ScriptedModel()
ctx = ContextManager(10_000, tools=TOOLS)
ctx.add({"role": "system", "content": "You audit ledgers."})
ctx.add({"role": "user", "content": "Check every page of the ledger. Do not change anything."})
while True:
    reply = model.create(messages=ctx.prepare(), tools=TOOLS)
    ctx.add(reply)
    message = reply.choices[0].message
    if not message.tool_calls:
        break
    for call in message.tool_calls:
        assert call.type == "function"
        ctx.add({"role": "tool", "tool_call_id": call.id, "content": read_page(call.function.arguments)})
for done in ctx.compactions:
    print(f"{done.id} {done.trigger}: {done.tokens_before:,} -> {done.tokens_after:,} tokens")
print(message.content)
