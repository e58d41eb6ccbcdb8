"""A real model behind any OpenAI-compatible server: it fills the six fields and writes the free-form texts."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks._judge import count_tokens
from benchmarks._refactoring._prose import ASKED, Prose, plain
from context_kit import from_openai
from context_kit.typing import LLM

__all__ = ["Model"]

WISH = """Summarise this conversation of a coding agent for the agent itself, which goes on from your summary alone. \
Say what the user asked for, what was done, how things stand. Plain text, at most {words} words. Only the summary."""
LONGEST = 24_000
"""Characters of a conversation that are sent; the middle of a longer one is left out."""


@dataclass(frozen=True, slots=True)
class Model:
    """Where it is and what it is called."""

    base_url: str
    """With its `/v1`, as SDKs want it."""
    name: str

    @contextmanager
    def connected(self) -> Generator[tuple[LLM, Prose], None, None]:
        """The library's own adapter, and a writer of free-form texts, while the connection is open."""
        import openai

        with openai.OpenAI(base_url=self.base_url, api_key="none", timeout=600.0) as client:
            yield from_openai(client, self.name, deadline=900.0, timeout=600.0), partial(_written, client, self.name)


def _written(client: Any, name: str, messages: Sequence[Mapping[str, Any]], limit: int) -> str:
    """A free-form summary; a reply that is too long is cut at its end."""
    wish, text = WISH.format(words=limit * 2 // 3), plain(messages)
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}\n…\n{text[-LONGEST // 2 :]}"
    request = {"role": "user", "content": f"{wish}\n\n{text}\n\n{wish}"}
    reply = client.chat.completions.create(model=name, messages=[request], max_tokens=limit, temperature=0)
    told = str(reply.choices[0].message.content or "").strip().removeprefix(ASKED)
    while count_tokens(ASKED + told) > limit:
        told = told[: len(told) * 9 // 10]
    return ASKED + told
