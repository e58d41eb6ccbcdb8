"""A made-up working session: every message goes through `add`, `prepare` runs before each of the agent's."""

from __future__ import annotations

import json
import random
from typing import Any

from context_kit import ContextManager

__all__ = ["Talk", "cased", "chosen_seed"]

_NOUNS = "ledger parcel beacon harbor quarry meadow lantern copper saddle thicket gravel pewter walnut anchor".split()
_VERBS = "load merge split trim rank fold scan pack sort join wrap seal".split()
_SAID = {
    "en": (
        "Next I look at how {noun} is loaded.",
        "Let me check the {noun} module.",
        "I read the {noun} code before touching it.",
        "The {noun} part comes next.",
    ),
    "zh": (
        "接着看 {noun} 是怎么加载的。",
        "先检查 {noun} 模块。",
        "动手之前先读 {noun} 的代码。",
        "下一步是 {noun} 部分。",
    ),
}


def chosen_seed(given: int | None) -> int:
    """The seed asked for, else a fresh one."""
    return random.SystemRandom().randrange(1, 10**6) if given is None else given


def cased(text: str) -> str:
    """A sentence with its first letter large."""
    return text[:1].upper() + text[1:]


class Talk:
    """One session under way, in OpenAI chat messages or Anthropic's."""

    def __init__(
        self, window: int, rng: random.Random, *, language: str = "en", anthropic: bool = False, **settings: Any
    ) -> None:
        self.ctx = ContextManager(window, **settings)
        self.rng = rng
        self.language = language
        self.anthropic = anthropic
        self.messages: list[dict[str, Any]] = []
        self._calls = 0

    @property
    def applied(self) -> int:
        """Compactions so far."""
        return sum(receipt.outcome == "applied" for receipt in self.ctx.compactions)

    def give(self, message: dict[str, Any]) -> None:
        """Add a message; the agent's own only after a request."""
        if message["role"] == "assistant":
            self.ctx.prepare()
        self.messages.append(message)
        self.ctx.add(message)

    def user(self, text: str) -> None:
        """A person writes."""
        self.give({"role": "user", "content": text})

    def agent(self, text: str) -> None:
        """The agent writes without a call."""
        self.give({"role": "assistant", "content": text})

    def step(self, name: str, arguments: dict[str, Any], result: str, said: str = "", *, failed: bool = False) -> None:
        """The agent calls a tool and is answered; the error flag is Anthropic's."""
        self._calls += 1
        key = f"call_{self._calls}"
        if self.anthropic:
            words = [{"type": "text", "text": said}] if said else []
            use = {"type": "tool_use", "id": key, "name": name, "input": arguments}
            answer: dict[str, Any] = {"type": "tool_result", "tool_use_id": key, "content": result}
            self.give({"role": "assistant", "content": [*words, use]})
            self.give({"role": "user", "content": [{**answer, "is_error": True} if failed else answer]})
            return
        call = {"id": key, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        self.give({"role": "assistant", "content": said or None, "tool_calls": [call]})
        self.give({"role": "tool", "tool_call_id": key, "content": result})

    # -- work that says nothing of what is asked later ------------------------------------

    def work(self) -> None:
        """One ordinary step: a file read, edited, or a test run, 150 to 600 tokens."""
        rng, noun = self.rng, self.rng.choice(_NOUNS)
        path = f"src/{noun}/{rng.choice(_VERBS)}_{rng.randrange(1000)}.py"
        said = rng.choice(_SAID[self.language]).format(noun=noun)
        kind = rng.random()
        if kind < 0.5:
            lines = self._code(rng.randrange(10, 45)).splitlines()
            numbered = "\n".join(f"{at:>6}\t{line}" for at, line in enumerate(lines, 1))
            self.step("read_file", {"path": path}, numbered, said)
        elif kind < 0.75:
            old, new = self._code(4), self._code(6)
            arguments = {"path": path, "old_string": old, "new_string": new}
            self.step("edit", arguments, f"The file {path} has been updated.", said)
        else:
            passed = "\n".join(
                f"tests/test_{noun}.py::test_{rng.choice(_VERBS)}_{at} PASSED" for at in range(rng.randrange(4, 20))
            )
            output = f"{passed}\n{passed.count('PASSED')} passed in 0.{rng.randrange(10, 99)}s"
            self.step("bash", {"command": f"pytest -v tests/test_{noun}.py"}, output, said)

    def _code(self, lines: int) -> str:
        rng = self.rng
        found: list[str] = []
        for _ in range(max(lines // 4, 1)):
            noun, verb = rng.choice(_NOUNS), rng.choice(_VERBS)
            found += [
                f"def {verb}_{noun}(rows, *, strict=False):",
                f'    """{verb} the {noun} rows."""',
                f"    kept = [row for row in rows if row.{rng.choice(_NOUNS)} or strict]",
                f"    return {rng.choice(_VERBS)}(kept, key='{rng.choice(_NOUNS)}')",
            ]
        return "\n".join(found)

    def work_until(self, compactions: int, *, most: int = 400) -> None:
        """Work on until so many compactions were applied."""
        for _ in range(most):
            if self.applied >= compactions:
                return
            self.work()
