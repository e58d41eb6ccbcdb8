"""What a question to recall asks for: its terms, and the kind of text that its words hint at.

A word like "command" or "报错" says more of the kind of piece that is wanted than of the words in it: it counts as a
hint, and little as a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from context_kit.memory._index._terms import asked as needed_in

__all__ = ["Question", "question"]

PART = 0.35
"""What a part of a name counts, where the name itself is asked for."""
HINT = 0.25
"""What a word counts that hints at a kind, beside words that say more."""
LITTLE = 0.1
"""What a small word counts where there is nothing else."""
MOST_WORDS = 64
"""Words of a query that are looked for."""
LONGEST_NAME = 5
"""Neighbouring words that may be one name."""
SMALL = frozenset(
    "a an and are as at be been by can could did do does for from had has have he her his how i if in into is it its "
    "me my no not of on or our she should so than that the their them then there these they this those to us was we "
    "were what when where which who why will with would you your about said say".split()
)
"""English words that say nothing of a text."""
HINTS = {
    "edit": "edit edited edits editing change changed changes changing wrote write written writing create created "
    "creating modify modified added add replaced patch patched update updated 修改 编辑 写入 创建 改了 新建 改动 更新",
    "read": "read reads reading content contents opened open showed shown viewed view looked see seen 读取 查看 看过 "
    "内容 读 打开 阅读",
    "run": "command commands ran run runs running executed execute tests test tested 命令 运行 执行 跑 测试",
    "error": "error errors failed fail fails failing failure exception traceback broke crash crashed 报错 错误 失败 "
    "异常 出错",
    "search": "search searched searching grep grepped found looked listed 搜索 查找",
    "user": "user asked wanted told requested request 用户 要求 需求",
}
"""Words by the kind of text that they hint at: what was done in it, or whose it is."""
KIND_OF: Mapping[str, str] = {word: kind for kind, told in HINTS.items() for word in told.split()}
HAN = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
WORD = re.compile(rf"[{HAN}]+|[^\s{HAN}]+")
AROUND = "?,.!:;'\"()[]{}<>`？，。！：；、（）《》“”"
CHINESE = re.compile("|".join(sorted((w for w in KIND_OF if not w.isascii()), key=len, reverse=True)))
CUT = re.compile("[的了在是把被过里中用和与及或吗呢吧]|哪个|哪里|哪些|什么|怎么|时候|关于|之前|那个|这个|一下|文件")
"""Chinese words that say nothing of a text."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query, read."""

    terms: Mapping[str, float]
    """Term -> what it counts."""
    kinds: frozenset[str]
    """Kinds of text that its words hint at."""
    names: tuple[str, ...] = ()
    """Names that neighbouring words would make together."""
    quote: str = ""
    """The query as it stands, where it is more than one word: a text that has it word for word comes first."""


def question(query: str) -> Question:
    """A query as terms and hints; small words count only where there is nothing else."""
    words = (word.strip(AROUND) for word in WORD.findall(_cut(query))[:MOST_WORDS])
    said = {word.lower(): word for word in words if word}
    found: dict[str, float] = {}
    spare: dict[str, float] = {}
    for low, word in said.items():
        for term, weight in _weighed(word):
            if low in SMALL:
                spare.setdefault(term, LITTLE)
            elif low in KIND_OF:
                spare[term] = HINT
            else:
                found[term] = max(found.get(term, 0.0), weight)
    hints = {term: weight for term, weight in spare.items() if weight == HINT and term not in found}
    kinds = frozenset(KIND_OF[word] for word in said if word in KIND_OF)
    quote = query.strip().lower()
    return Question(
        {**hints, **found} if found else spare, kinds, tuple(_names([*said])), quote if len(said) > 1 else ""
    )


def _weighed(word: str) -> Iterator[tuple[str, float]]:
    """The terms of one word: what it is as a whole first, then its parts."""
    read = needed_in(word)
    needed = read.needed
    if not word.isascii():
        yield from ((term, 1.0) for term in needed)
        return
    terms = (*read.better, *needed, *read.parts) if len(needed) > 1 else (*needed, *read.better, *read.parts)
    yield from ((term, PART if number else 1.0) for number, term in enumerate(terms))


def _names(words: list[str]) -> Iterator[str]:
    """What two to five neighbouring words would be as one name."""
    plain = [word for word in words if word.isascii() and word.isalnum()]
    for first in range(len(plain)):
        for last in range(first + 2, min(first + LONGEST_NAME, len(plain)) + 1):
            yield "".join(plain[first:last])


def _cut(query: str) -> str:
    """Chinese hints and small words apart from the rest, so that no pair of characters crosses them."""
    return CUT.sub(" ", CHINESE.sub(lambda hint: f" {hint.group()} ", query))
