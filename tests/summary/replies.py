"""What the tests of replies share: sources made of messages, good summaries of real sessions, a judge's case."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from context_kit import Step, TaskSummary
from context_kit._steps import Entry
from context_kit.engrams import Trail
from context_kit.summary import extract, fold, known_of, lines, pieces
from context_kit.summary._judge import Case
from context_kit.summary._request import instructions
from context_kit.summary._source import Source
from context_kit.testing import Call, tool_round, user
from context_kit.tokens import counter
from context_kit.typing import Message
from context_kit.wire import read

COUNT = counter()
SHARED = Path(__file__).resolve().parents[3] / "shared"
HEADINGS = {
    "en": ("Original goal", "Completed steps", "Current files", "Key decisions", "Failed attempts", "Todo"),
    "zh": ("任务目标", "已完成步骤", "当前文件状态", "关键决策", "失败尝试", "待办"),
}


def same(text: str) -> str:
    return text


def entries_of(talk: Iterable[Message]) -> list[Entry]:
    found = [message for raw in talk for message in read(raw).messages]
    return [Entry(position, message, 10) for position, message in enumerate(found, 1)]


def trail_of(entries: Sequence[Entry]) -> Trail:
    trail = Trail()
    trail.follow(entries)
    return trail


def source_of(talk: Sequence[Message]) -> Source:
    """What a summariser of a talk may speak of."""
    entries = entries_of(talk)
    return Source(pieces(entries, redact=same, count=COUNT), known_of(trail_of(entries)))


def shown(path: str, content: str, said: str = "I look.") -> list[Message]:
    """A file that was read."""
    return [*tool_round([Call("Read", {"file_path": path}, result=content, id=f"r {path}")], text=said)]


def ran(command: str, output: str, *, failed: bool = False, said: str = "I run it.", id: str = "") -> list[Message]:  # noqa: A002 - a call's own word
    """A command that ran."""
    text = f"Exit code 1\n{output}" if failed else output
    return [*tool_round([Call("Bash", {"command": command}, result=text, id=id or f"x {command}")], text=said)]


def wrote(path: str, content: str, id: str = "") -> list[Message]:  # noqa: A002 - a call's own word
    """A file that was written."""
    arguments = {"file_path": path, "content": content}
    return [
        *tool_round([Call("Write", arguments, result=f"File created: {path}", id=id or f"w {path}")], text="I write.")
    ]


def case(
    text: str, talk: Sequence[Message], *, language: str = "en", stop: str | None = None, size: int = 4_000
) -> Case:
    return Case(
        text=text,
        stop=stop,
        instructions=instructions(language, 600),
        source=source_of(talk),
        size=size,
        language=language,
        count=COUNT,
    )


def summary(*steps: str, **fields: Any) -> TaskSummary:
    return TaskSummary(completed_steps=[Step(text=step) for step in steps], **fields)


def headed(found: TaskSummary, language: str) -> str:
    """A summary under the six headings, as the articles write it."""
    goal, *names = HEADINGS[language]
    fields: tuple[Sequence[Any], ...] = (
        found.completed_steps,
        found.current_files,
        found.key_decisions,
        found.failed_attempts,
        found.todo,
    )
    out = [f"## {goal}\n{found.original_goal}"]
    for name, field in zip(names, fields, strict=True):
        out.append("\n".join([f"## {name}", *(f"- {' '.join(lines(entry).split())}" for entry in field)]))
    return "\n\n".join(out)


def documents() -> list[Path]:
    return sorted((SHARED / "transcripts").glob("*.json"), key=lambda path: path.stat().st_size)


def good_summaries(path: Path) -> Iterator[tuple[TaskSummary, Sequence[Entry], Trail]]:
    """The extractive summaries of a real session, whole and folded."""
    entries = entries_of(json.loads(path.read_text("utf-8"))["messages"])
    trail = trail_of(entries)
    found = extract(trail, cut=len(entries) + 1, redact=same, language=trail.language)
    yield found, entries, trail
    yield fold(found, 1_200, COUNT), entries, trail


TALK: list[Message] = [
    user("Make the parser of src/parse.py accept empty input. Never touch the tests."),
    *shown("src/parse.py", "def parse_items(text):\n    return [int(item) for item in text.split(',')]\n"),
    *ran("pytest -q", "ValueError: invalid literal for int() with base 10: ''\n1 failed, 12 passed", failed=True),
    *wrote("src/parse.py", "def parse_items(text):\n    return [int(i) for i in text.split(',') if i]\n"),
    *ran("pytest -q", "13 passed in 0.42s", id="again"),
]
