"""A real model behind any OpenAI-compatible server: it fills the six fields and writes the free-form texts."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from benchmarks._judge import count_tokens
from benchmarks._refactoring._prose import ASKED, Prose, plain, prose
from context_kit import from_openai
from context_kit.typing import LLM

__all__ = ["Model", "NoModelError"]

WISH = """Summarise this conversation of a coding agent for the agent itself, which goes on from your summary alone. \
Say what the user asked for, what was done, how things stand. Plain text, at most {words} words. Only the summary."""
LONGEST = 24_000
"""Characters of a conversation that are sent; the middle of a longer one is left out."""


class NoModelError(Exception):
    """Nobody who could write a summary."""


@dataclass(frozen=True, slots=True)
class Model:
    """Where it is and what it is called."""

    base_url: str
    """With its `/v1`, as SDKs want it."""
    name: str

    def check(self) -> None:
        """Ask it for a word.

        Raises:
            NoModelError: it gives none; the text says why.
        """
        import openai

        asked: Any = {"role": "user", "content": "Say yes."}
        try:
            with openai.OpenAI(base_url=self.base_url, api_key="none", timeout=600.0) as client:
                _said(client.chat.completions.create(model=self.name, messages=[asked], max_tokens=5))
        except Exception as error:
            msg = f"no model {self.name!r} at {self.base_url}: {_reason(error)}"
            raise NoModelError(msg) from error

    @contextmanager
    def connected(self) -> Generator[tuple[LLM, Prose, list[str]], None, None]:
        """The library's own adapter, a writer of free-form texts, and why it failed, while the connection is open.

        Where the model fails at a text, the extracted one stands for it.
        """
        import openai

        failures: list[str] = []

        def write(messages: Sequence[Mapping[str, Any]], limit: int) -> str:
            try:
                return _written(client, self.name, messages, limit)
            except Exception as error:  # noqa: BLE001  # whatever a server answers, the run goes on
                failures.append(_reason(error))
                return prose(messages, limit)

        with openai.OpenAI(base_url=self.base_url, api_key="none", timeout=600.0) as client:
            yield from_openai(client, self.name, deadline=900.0, timeout=600.0), write, failures


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def _said(reply: Any) -> str:
    """The text of a reply.

    Raises:
        ValueError: there is none: another thing came than a reply, or a reply without words.
    """
    choices = getattr(reply, "choices", None)
    text = str(choices[0].message.content or "").strip() if choices else ""
    if not text:
        msg = f"no text in {str(reply)[:100]!r}"
        raise ValueError(msg)
    return text


def _written(client: Any, name: str, messages: Sequence[Mapping[str, Any]], limit: int) -> str:
    """A free-form summary; a reply that is too long is cut at its end."""
    wish, text = WISH.format(words=limit * 2 // 3), plain(messages)
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}\n…\n{text[-LONGEST // 2 :]}"
    request = {"role": "user", "content": f"{wish}\n\n{text}\n\n{wish}"}
    reply = client.chat.completions.create(model=name, messages=[request], max_tokens=limit, temperature=0)
    told = _said(reply).removeprefix(ASKED)
    while told and count_tokens(ASKED + told) > limit:
        told = told[: len(told) * 9 // 10]
    return ASKED + told
