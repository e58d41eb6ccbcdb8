"""The agent of the long refactoring before LangChain's own history: it does as before a plain list of the same size."""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# LangChain isn't among the development tools; where it isn't there, this is skipped.
from __future__ import annotations

import warnings
from typing import Any

import pytest

from benchmarks._judge import count_tokens
from benchmarks._refactoring._plain import HARD, TARGET, Tail, tokens
from benchmarks._refactoring._play import play
from benchmarks._refactoring._project import draw

pytestmark = pytest.mark.filterwarnings("ignore:The class `InMemoryChatMessageHistory` was deprecated")
WINDOW = 8_000
WANTED = "langchain-core isn't installed: pip install langchain-core to have its own history tried"


@pytest.fixture(autouse=True, scope="module")
def tokenizer() -> None:
    """Load the judge's tokenizer once: it opens its data in a way that Python warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        count_tokens("once")


class LangChainHistory:
    """`InMemoryChatMessageHistory`, cut by `trim_messages` over 75 % of the window to 40 %.

    Agent and workshop are given and give OpenAI's chat messages; LangChain converts both ways.
    """

    def __init__(self, window: int) -> None:
        from langchain_core.chat_history import InMemoryChatMessageHistory

        self.history = InMemoryChatMessageHistory()
        self.size, self.compactions = window, 0

    def add(self, message: dict[str, Any], /) -> None:
        from langchain_core.messages import convert_to_messages

        self.history.add_messages(convert_to_messages([message]))

    def window(self) -> list[dict[str, Any]]:
        from langchain_core.messages import convert_to_openai_messages, trim_messages

        if self.count(self.history.messages) > int(HARD * self.size):
            kept = trim_messages(
                self.history.messages,
                strategy="last",
                token_counter=self.count,
                max_tokens=int(TARGET * self.size),
                start_on=("human", "ai"),
                include_system=True,
            )
            self.compactions += 1
            self.history.clear()
            self.history.add_messages(kept)
        found: Any = convert_to_openai_messages(self.history.messages)
        return list(found)

    @staticmethod
    def count(messages: Any) -> int:
        """Tokens as the plain histories count them."""
        from langchain_core.messages import convert_to_openai_messages

        found: Any = convert_to_openai_messages(list(messages))
        return tokens(found)


@pytest.mark.parametrize("seed", [1, 3])
def test_the_agent_does_the_same_before_langchains_history(seed: int) -> None:
    """Step for step: the faults of each kind, the compactions and the outcome are those of the plain tail."""
    pytest.importorskip("langchain_core", reason=WANTED)
    theirs = play(draw(seed), LangChainHistory(WINDOW), name="tail", window=WINDOW)
    ours = play(draw(seed), Tail(WINDOW), name="tail", window=WINDOW)
    assert theirs.compactions > 5
    assert theirs == ours


def test_the_agent_makes_no_mistake_before_langchains_whole_history() -> None:
    """In a window that holds everything nothing is forgotten, whoever keeps the messages."""
    pytest.importorskip("langchain_core", reason=WANTED)
    found = play(draw(1), LangChainHistory(10_000_000), name="langchain", window=WINDOW)
    assert (found.faults, found.solved, found.compactions) == (0, True, 0)
