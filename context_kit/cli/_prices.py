"""What tokens cost, as data: USD for a million, by model. A model that isn't here has unit ratios.

Never a guessed price. The base tier of the vendors' list prices, caches that last five minutes.
"""

from __future__ import annotations

from dataclasses import dataclass

from context_kit.tokens._encodings import bare

__all__ = ["PRICES", "READ_ON", "SOURCE", "UNITS", "Price", "price_of"]

SOURCE = "genai-prices 0.2.3 (MIT, github.com/pydantic/genai-prices), which collects the vendors' price pages"
READ_ON = "2026-11-30"
LEAST = 1_024
"""Tokens below which a request isn't cached: OpenAI's and Anthropic's documentation; some models ask for more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Prices of one model, each for a million tokens."""

    name: str
    """As the table has it; empty for unit ratios."""
    miss: float
    """Input that is neither read from a cache nor written to one."""
    read: float
    """Input that a cache had."""
    write: float | None
    """Input that is put into a cache; None where that is not charged apart."""
    output: float
    least: int = LEAST
    """Tokens of the smallest request that is cached."""

    @property
    def unit(self) -> str:
        """What the figures are in."""
        return "USD" if self.name else "units"


UNITS = Price(name="", miss=1.0, read=0.1, write=1.25, output=5.0, least=0)
"""Ratios that most vendors' lists have, where no model is named: 1 unit is a million tokens of uncached input."""

# model: (input, cache read, cache write, output)
PRICES: dict[str, tuple[float, float, float | None, float]] = {
    "claude-fable-5": (10, 1, 12.5, 50),
    "claude-fable-5-1": (10, 0.25, 12.5, 50),
    "claude-fable-5-2": (8, 0.2, 10, 40),
    "claude-haiku-4-5": (1, 0.1, 1.25, 5),
    "claude-haiku-5-5": (0.1, 0.01, 0.125, 0.5),
    "claude-opus-4": (15, 1.5, 18.75, 75),
    "claude-opus-4-1": (15, 1.5, 18.75, 75),
    "claude-opus-4-5": (5, 0.5, 6.25, 25),
    "claude-opus-4-6": (5, 0.5, 6.25, 25),
    "claude-opus-4-7": (5, 0.5, 6.25, 25),
    "claude-opus-4-8": (5, 0.5, 6.25, 25),
    "claude-opus-5": (5, 0.5, 6.25, 25),
    "claude-opus-5-5": (4, 0.2, 5, 20),
    "claude-sonnet-4": (3, 0.3, 3.75, 15),
    "claude-sonnet-4-5": (3, 0.3, 3.75, 15),
    "claude-sonnet-4-6": (3, 0.3, 3.75, 15),
    "claude-sonnet-5": (2, 0.2, 2.5, 10),
    "claude-sonnet-5-5": (2, 0.1, 2.5, 10),
    "gemini-2.5-flash": (0.3, 0.03, None, 2.5),
    "gemini-2.5-pro": (1.25, 0.125, None, 10),
    "gemini-3-flash": (0.5, 0.05, None, 3),
    "gemini-3-pro": (2, 0.2, None, 12),
    "gemini-3.1-pro": (2, 0.2, None, 12),
    "gemini-3.5-flash": (1.5, 0.15, None, 9),
    "glm-4.5": (0.6, 0.11, None, 2.2),
    "glm-4.6": (0.6, 0.11, None, 2.2),
    "glm-4.7": (0.6, 0.11, None, 2.2),
    "glm-5": (1, 0.2, None, 3.2),
    "gpt-4.1": (2, 0.5, None, 8),
    "gpt-4.1-mini": (0.4, 0.1, None, 1.6),
    "gpt-4o": (2.5, 1.25, None, 10),
    "gpt-4o-mini": (0.15, 0.075, None, 0.6),
    "gpt-5": (1.25, 0.125, None, 10),
    "gpt-5-mini": (0.25, 0.025, None, 2),
    "gpt-5-nano": (0.05, 0.005, None, 0.4),
    "gpt-5.1": (1.25, 0.125, None, 10),
    "gpt-5.2": (1.75, 0.175, None, 14),
    "gpt-5.3": (1.75, 0.175, None, 14),
    "gpt-5.4": (2.5, 0.25, None, 15),
    "gpt-5.4-mini": (0.75, 0.075, None, 4.5),
    "gpt-5.4-nano": (0.2, 0.02, None, 1.25),
    "gpt-5.5": (5, 0.5, None, 30),
    "gpt-5.6-luna": (0.2, 0.02, 0.25, 1.2),
    "gpt-5.6-sol": (4, 0.4, 5, 20),
    "gpt-5.6-terra": (2, 0.2, 2.5, 12),
    "gpt-6-luna": (0.1, 0.01, 0.125, 0.5),
    "gpt-6-sol": (2, 0.2, 2.5, 10),
    "gpt-6.1-sol": (2, 0.1, 2.5, 10),
    "grok-4": (3, 0.75, None, 15),
    "grok-4.5": (2, 0.3, None, 6),
    "grok-code-fast-1": (0.2, 0.02, None, 1.5),
    "kimi-k2": (0.6, 0.15, None, 2.5),
    "kimi-k2.5": (0.6, 0.1, None, 3),
    "kimi-k3": (3, 0.3, 3, 15),
    "mistral-large-4": (0.7, 0.07, None, 2.1),
    "o3": (2, 0.5, None, 8),
    "o4-mini": (1.1, 0.275, None, 4.4),
}
"""USD for a million tokens: input, input from a cache, input into a cache, output."""

_BY_LENGTH = sorted(PRICES, key=len, reverse=True)


def price_of(model: str | None) -> Price:
    """The prices of a model; unit ratios where it is unknown or none is named.

    Vendor paths and routes before the name are ignored; a name that goes on with a date or a variant is the same
    model, one that goes on with another number or size is not.
    """
    name = bare(model)
    if name.startswith("claude"):
        name = name.replace(".", "-")
    found = next((known for known in _BY_LENGTH if _is(name, known)), None)
    if found is None:
        return UNITS
    miss, read, write, output = PRICES[found]
    return Price(name=found, miss=miss, read=read, write=write, output=output)


SIZES = frozenset(
    "mini nano pro flash lite air airx x turbo fast cyber code codex deep search audio realtime image tts luna sol "
    "terra".split()
)
"""Words behind a name that make it another model, with a price of its own."""
DATE = 4
"""Digits from which a number behind a name is a date or a build, not a version."""


def _is(name: str, known: str) -> bool:
    """Whether the name is the known one, or that with a date, a build or words that say nothing of its price."""
    if not name.startswith(known):
        return False
    rest = name[len(known) :]
    if rest and rest[0] not in "-@:":
        return False
    words = rest.replace("@", "-").replace(":", "-").split("-")[1:]
    return not any(word in SIZES or (word.isdigit() and len(word) < DATE and word != "0") for word in words[:1])
