"""A real model behind any OpenAI-compatible server: it fills the six fields and writes the free-form texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks._judge import count_tokens
from benchmarks._refactoring._prose import ASKED, plain
from context_kit import from_openai
from context_kit.typing import LLM

__all__ = ["Model"]

WISH = """Summarise this conversation of a coding agent for the agent itself, which goes on from your summary alone. \
Say what the user asked for, what was done, how things stand. Plain text, at most {words} words. Only the summary."""
LONGEST = 24_000
"""Characters of a conversation that are sent; the middle of a longer one is left out."""


@dataclass(frozen=True, slots=True)
class Model:
    """Where it is and what it is called; a process makes its own client."""

    base_url: str
    """With its `/v1`, as SDKs want it."""
    name: str

    def _client(self) -> Any:
        import openai

        return openai.OpenAI(base_url=self.base_url, api_key="none", timeout=600.0)

    def summariser(self) -> LLM:
        """The library's own adapter."""
        return from_openai(self._client(), self.name, deadline=900.0, timeout=600.0)

    def prose(self, messages: Sequence[Mapping[str, Any]], limit: int) -> str:
        """A free-form summary; a reply that is too long is cut at its end."""
        wish, text = WISH.format(words=limit * 2 // 3), plain(messages)
        if len(text) > LONGEST:
            text = f"{text[: LONGEST // 2]}\n…\n{text[-LONGEST // 2 :]}"
        reply = self._client().chat.completions.create(
            model=self.name,
            messages=[{"role": "user", "content": f"{wish}\n\n{text}\n\n{wish}"}],
            max_tokens=limit,
            temperature=0,
        )
        told = str(reply.choices[0].message.content or "").strip()
        while count_tokens(told) > limit:
            told = told[: len(told) * 9 // 10]
        return f"{ASKED}{told.removeprefix(ASKED)}"
