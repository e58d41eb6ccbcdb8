"""Conversations with everything that agents really send: giants, hidden reasoning of every vendor, provider's blocks.

Each step is legal for `add`; what the wire needs besides (placeholders, order, marks) is the library's to mend.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from context_kit.testing import Call, assistant, image, tool_round, user
from context_kit.testing._draw import _Talk
from context_kit.typing import Message, Shape
from tests.talks import speaks

__all__ = ["Wild", "agent_call"]

LINES = {
    "log": "2026-11-30T17:52:36Z INFO worker-{n} handled request {n} in 12 ms\n",
    "one line": '{{"id":{n},"name":"item {n}","tags":["a","b"]}},',
    "base64": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ{n}",
    "no blanks": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa{n}",
    "Chinese": "第{n}行：修好登录接口，再补充文档。",
    "emoji": "👩‍💻🚀🇨🇳{n}",
}
"""What a giant is made of, again and again; `n` counts."""
URL = "https://example.com/a.png"
PICTURES: dict[Shape, tuple[dict[str, Any], ...]] = {
    "chat": (image(), {"type": "image_url", "image_url": {"url": URL}}),
    "responses": (image(shape="responses"), {"type": "input_image", "detail": "auto", "image_url": URL}),
    "anthropic": (image(shape="anthropic"), {"type": "image", "source": {"type": "url", "url": URL}}),
}
"""One of a single pixel, and one whose size nobody knows: it counts as a large one."""
FAILURE = "\nTraceback (most recent call last):\nValueError: bad token\nProcess exited with code 3"


class Wild(_Talk):
    """A conversation in the making, handed out message by message."""

    def __init__(self, draw: Any, shape: Shape, *, giant: int, name: str = "call") -> None:
        super().__init__(draw, shape, giant=giant, interrupted=True)
        self.name = name
        self.seal = draw(st.sampled_from(("", "gemini")))
        self.queue: deque[Message] = deque()
        self.taken = 0
        self.begin()
        self._take()

    # -- handing out -----------------------------------------------------------------------

    def next(self) -> Message:
        """The next message that an agent's loop adds."""
        if not self.queue:
            self.step()
            self._take()
        return self.queue.popleft()

    def asks(self) -> bool:
        """Whether the model speaks next: here the loop sends a request."""
        if not self.queue:
            self.step()
            self._take()
        return speaks(self.queue[0])

    def reply(self) -> list[Message]:
        """The next reply of the model: one message, or the items of one Responses reply."""
        found = [self.next()]
        while self.shape == "responses" and self.queue and speaks(self.queue[0]):
            found.append(self.queue.popleft())
        return found

    def asked(self) -> tuple[str, dict[str, Any] | str]:
        """A tool and its arguments, now and then giants."""
        tool, arguments = super().asked()
        if self.often(1, of=16) and isinstance(arguments, dict):
            return tool, {**arguments, "content": self.giant_text()}
        return tool, arguments

    def _take(self) -> None:
        self.queue += self.messages[self.taken :]
        self.taken = len(self.messages)

    # -- what is drawn ---------------------------------------------------------------------

    def giant_text(self) -> str:
        """A text that may be larger than the window."""
        line = LINES[self.pick(tuple(LINES))]
        size = self.draw(st.integers(1, 4)) * self.giant // 4
        text = "".join(line.format(n=number) for number in range(size // len(line)))
        return text + (FAILURE if self.often(2) else "")

    def output(self) -> str:
        """A tool's output, now and then a giant."""
        return self.giant_text() if self.often(1) else super().output()

    def turn(self) -> None:
        """What a person says: short, a pasted giant, or pictures in a heap."""
        self.open = False
        number = self.draw(st.integers(0, 10**6))
        if self.often(1, of=12):
            self.messages.append(user(f"Look at this, number {number}:\n{self.giant_text()}", shape=self.shape))
        elif self.often(1, of=12):
            block = {"type": "input_text" if self.shape == "responses" else "text", "text": f"Pictures {number}."}
            heap = [self.draw(st.sampled_from(PICTURES[self.shape]))] * self.draw(st.integers(2, 12))
            self.messages.append({"role": "user", "content": [block, *heap]})
        else:
            text = f"{self.words(most=self.draw(st.sampled_from((60, 300, 1_500))))} request {number}"
            self.messages.append(self.marked(user(text, shape=self.shape, picture=self.often(1))))

    def step(self) -> None:
        """The next step; the model's own words at the end are a prefill where a request follows them."""
        if not self.open and self.often(1, of=12):
            text = self.words(most=60) + self.pick(("", " ", "\n"))
            self.messages += assistant(text, shape=self.shape, reasoning=self.reasoning())
            return
        super().step()

    def blank(self, step: list[Message]) -> list[Message]:
        """The step with what only this shape, or one server of it, knows."""
        step = super().blank(step)
        if self.shape == "chat":
            return self._chat(step)
        if self.shape == "responses":
            return self._responses(step)
        return self._anthropic(step)

    def _chat(self, step: list[Message]) -> list[Message]:
        calls = step[0].get("tool_calls")
        if not calls or not self.seal:
            return step
        signed = {**calls[0], "extra_content": {"google": {"thought_signature": "QUJDREVG" * 12}}}
        return [{**step[0], "tool_calls": [signed, *calls[1:]]}, *step[1:]]

    def _responses(self, step: list[Message]) -> list[Message]:
        if not self.often(1, of=12):
            return step
        number = self.draw(st.integers(0, 10**6))
        return [{"type": "compaction", "id": f"cmp_{number}", "encrypted_content": "QUJD" * 40}, *step]

    def _anthropic(self, step: list[Message]) -> list[Message]:
        said, *rest = step
        if self.often(1, of=12):
            block = {"type": "compaction", "content": f"They talked. {self.words(most=200)}"}
            block |= self.draw(st.sampled_from(({}, {"encrypted_content": "QUJD" * 40, "signature": "c2ln" * 20})))
            said = {**said, "content": [block, *said["content"]]}
        return [said, *map(self.marked, rest)]

    def marked(self, raw: Message) -> Message:
        """The message, now and then with a cache mark, as callers set them."""
        content = raw.get("content")
        if self.shape != "anthropic" or not self.often(2):
            return raw
        blocks: Sequence[dict[str, Any]] = (
            [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        )
        last = {**blocks[-1], "cache_control": {"type": "ephemeral"}}
        return {**raw, "content": [*blocks[:-1], last]}


def agent_call(shape: Shape, name: str, task: str) -> list[Message]:
    """A round that asks for a subagent and waits."""
    return tool_round([Call("agent", {"task": task}, result=None, id=name)], shape=shape)
