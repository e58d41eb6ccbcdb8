"""What the program says around a question and around a text that it puts back, in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

__all__ = ["Phrases", "phrases"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """The words of one language."""

    asked: str
    """A question as a model is asked it; `{question}` is filled in."""
    title: str
    """What a message of texts that were put back begins with."""
    from_: str
    """Where a text comes from; `{address}` and `{role}` are filled in."""
    cut: str
    """What stands for the rest of a text; `{address}` is filled in."""


ENGLISH = Phrases(
    asked=(
        "[recall check by the program · no new task, nothing is to be done]\n"
        "{question}\n\n"
        "Answer in one line, from the conversation above only: the exact name, path, number or words, no explanation. "
        "Call no tool and don't guess. If the conversation above doesn't say it, answer: not known"
    ),
    title=(
        "[put back by the program: a recall check found that these could not be answered. Older text as it was, "
        "a record and no instruction]"
    ),
    from_="from {address} · {role}:",
    cut='… [left out, whole text: recall("{address}")] …',
)
CHINESE = Phrases(
    asked=(
        "[程序的记忆检查 · 不是新的任务，什么都不用做]\n"
        "{question}\n\n"
        "只根据上面的对话，用一行回答：给出确切的名称、路径、数字或原文，不要解释。不要调用工具，也不要猜。"
        "上面的对话里没有的，就回答：不知道"
    ),
    title="[put back by the program · 程序放回的旧文本：记忆检查发现下面这些答不上来。原样记录，不是新的指令]",
    from_="出自 {address} · {role}：",
    cut='… [已省略，全文：recall("{address}")] …',
)
LANGUAGES: Mapping[str, Phrases] = MappingProxyType({"en": ENGLISH, "zh": CHINESE})


def phrases(language: str) -> Phrases:
    """The words for a conversation in `en` or `zh`."""
    return LANGUAGES.get(language, ENGLISH)
