"""Hypothesis strategies of whole conversations.

The invariant guarded here: every conversation drawn is legal for its shape, and wild in every other way.
Hypothesis is imported only where a strategy is asked for, so the module imports without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from context_kit.testing._build import Call, assistant, system, tool_round, user
from context_kit.typing import Message, Shape

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

__all__ = ["conversations"]

SNIPPETS = (
    "def run(path: str, *, dry: bool = False) -> int:\n    return 0\n",
    'Traceback (most recent call last):\n  File "src/app.py", line 3, in run\nValueError: bad token\n',
    "FAILED tests/test_app.py::test_run - AssertionError: assert 1 == 2\n",
    "Do not touch tests/. Keep run() as it is. ",
    "不要改动 tests/ 目录。先修复登录接口，再补充文档。",
    "👩‍💻 ship it 🚀🇨🇳 ",
    '<|endoftext|> </context> & "quoted" \\n ',
    "plain words of an ordinary reply, nothing special about them. ",
    "e\u0301\u200b\u4e00",
)
PATHS = ("src/app.py", "src/数据.py", "docs/read me.md", "a.py")
COMMANDS = ("python -m pytest -q", "ls -la src", "grep -rn 'run(' src | head", "git diff --stat")


def conversations(
    shape: Shape | None = None,
    *,
    min_steps: int = 1,
    max_steps: int = 12,
    interrupted: bool = False,
    giant: int = 12_000,
) -> SearchStrategy[list[Message]]:
    """Legal conversations of `min_steps` to `max_steps` steps, as lists of message dicts.

    Parallel calls, ids repeated in later turns, images, reasoning (signed blocks, reasoning items with what
    follows them), server-side tools, system messages in the middle where legal, Chinese, emoji, empty and giant
    outputs (`giant` characters at most). They begin with a user turn, after system messages where the shape has
    them, and end anywhere: waiting for the model, or after its reply. With `interrupted` some calls are never
    answered: legal for `add`, not yet for the wire. Without `shape` all three are drawn.
    """
    from hypothesis import strategies as st

    shapes: tuple[Shape, ...] = ("chat", "responses", "anthropic") if shape is None else (shape,)

    @st.composite
    def one(draw: DrawFn) -> list[Message]:
        talk = _Talk(draw, draw(st.sampled_from(shapes)), giant=giant, interrupted=interrupted)
        talk.begin()
        for _ in range(draw(st.integers(min_steps, max_steps)) - 1):
            talk.step()
        return talk.messages

    return one()


class _Talk:
    """A conversation in the making; each method draws what comes next and appends it."""

    def __init__(self, draw: DrawFn, shape: Shape, *, giant: int, interrupted: bool) -> None:
        from hypothesis import strategies as st

        self.draw, self.st, self.giant, self.interrupted = draw, st, giant, interrupted
        self.shape: Shape = shape
        self.messages: list[Message] = []
        self.repeats = draw(st.booleans())
        """Call ids begin anew with each round."""
        self.thinks = draw(st.booleans())
        """Every reply carries reasoning; so each turn begins with it, as manual thinking wants."""
        self.calls = 0
        self.open = False
        """The last round was interrupted: only a user turn may follow."""

    def often(self, times: int, of: int = 8) -> bool:
        """True about `times` in `of`."""
        return self.draw(self.st.integers(1, of)) > of - times

    def pick(self, options: tuple[str, ...]) -> str:
        return self.draw(self.st.sampled_from(options))

    def words(self, *, most: int = 400) -> str:
        """A text of at most `most` characters that says something, and ends in no white space."""
        snippet, times = self.pick(SNIPPETS), self.draw(self.st.integers(1, max(1, most // 60)))
        return f"{(snippet * times)[:most].rstrip()} #{self.draw(self.st.integers(0, 99_999))}"

    def output(self) -> str:
        """A tool's output: empty, short or giant."""
        if self.often(1):
            return self.pick(("", " ", "\n", "0", "[]"))
        return self.words(most=self.giant if self.often(1) else self.draw(self.st.sampled_from((200, 2_000))))

    def begin(self) -> None:
        if self.shape != "anthropic" and self.often(6):
            self.messages.append(system(self.words()))
            if self.often(2):
                self.messages.append(system(self.words(), role="developer"))
        self.turn()

    def step(self) -> None:
        if self.open or self.often(2):
            self.turn()
            return
        if self.often(1) and self.messages[-1]["role" if "role" in self.messages[-1] else "type"] in _BEFORE_SYSTEM:
            self.messages.append(system(self.words()))
        if self.often(2):
            self.messages += self.blank(assistant(self.words(), shape=self.shape, reasoning=self.reasoning()))
        else:
            self.round()

    def turn(self) -> None:
        self.open = False
        text = self.words(most=2_000 if self.often(1) else 300)
        self.messages.append(user(text, shape=self.shape, picture=self.often(1)))

    def reasoning(self) -> str:
        return self.words() if self.thinks else ""

    def round(self) -> None:
        first = 0 if self.repeats else self.calls
        calls = [self.call(f"call_{first + n}") for n in range(self.draw(self.st.sampled_from((1, 1, 1, 2, 3, 5))))]
        self.calls += len(calls)
        self.open = any(call.result is None for call in calls)
        text = self.words() if self.often(4) else ""
        self.messages += self.blank(tool_round(calls, shape=self.shape, text=text, reasoning=self.reasoning()))

    def call(self, name: str) -> Call:
        tool, arguments = self.asked()
        result = None if self.interrupted and self.often(1) else self.output()
        return Call(tool, arguments, result=result, id=name, failed=self.often(1), picture=self.often(1, of=12))

    def asked(self) -> tuple[str, dict[str, Any] | str]:
        """A tool and its arguments, as the agents in the field name them."""
        path, kind = self.pick(PATHS), self.draw(self.st.integers(0, 5))
        if kind == 0:
            return "Read", {"file_path": path}
        if kind == 1:
            return "Edit", {"file_path": path, "old_string": self.words(), "new_string": self.words()}
        if kind == 2:
            return "Write", {"file_path": path, "content": self.words(most=2_000)}
        if kind == 3:
            return "apply_patch", f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+{self.words()}\n*** End Patch"
        return ("Bash", {"command": self.pick(COMMANDS)}) if kind == 4 else ("lookup", {"查询": self.words(most=80)})

    def blank(self, step: list[Message]) -> list[Message]:
        """The step, now and then with what only this shape knows: server-side tools, hidden reasoning, new keys."""
        if not self.often(1):
            return step
        if self.shape == "responses":
            action = {"type": "search", "query": self.words(most=60), "queries": []}
            name = f"ws_{len(self.messages)}"
            found = {"type": "web_search_call", "id": name, "status": "completed", "action": action}
            return [*step[: self.thinks], found, *step[self.thinks :]]
        if self.shape == "chat":
            return [{**step[0], "name": "helper"}, *step[1:]]
        blocks = step[0]["content"]
        content = [*blocks[: self.thinks], *self.hidden(), *blocks[self.thinks :]]
        return [{**step[0], "content": content}, *step[1:]]

    def hidden(self) -> list[dict[str, Any]]:
        if self.thinks and self.often(4):
            return [{"type": "redacted_thinking", "data": f"enc{len(self.messages)}=="}]
        name, query = f"srvtoolu_{len(self.messages)}", self.words(most=60)
        found = {"type": "web_search_result", "encrypted_content": "abc=", "title": query, "url": "https://example.com"}
        return [
            {"type": "server_tool_use", "id": name, "name": "web_search", "input": {"query": query}},
            {"type": "web_search_tool_result", "tool_use_id": name, "content": [found]},
        ]


_BEFORE_SYSTEM = ("user", "tool", "function_call_output", "custom_tool_call_output")
"""After these a system message is legal in every shape, and an assistant message follows."""
