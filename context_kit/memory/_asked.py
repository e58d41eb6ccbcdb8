"""What a query asks for: its terms, and the kind of text that its words hint at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from context_kit.memory._words import SMALL, parts_of, words

__all__ = ["Asked", "asked"]

PART = 0.35
"""What a part of a name counts, where the name itself is asked for."""
HINT = 0.25
"""What a word counts that hints at a kind, beside words that say more."""

MOST_WORDS = 40
"""Words of a query that are tried as parts of a name."""
LONGEST_NAME = 5
"""Words of one name."""

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
KIND_OF = {word: kind for kind, told in HINTS.items() for word in told.split()}
CHINESE = re.compile("|".join(sorted((w for w in KIND_OF if w[0] >= "\u3040"), key=len, reverse=True)))
CUT = re.compile("[的了在是把被过里中用和与及或吗呢吧]|哪个|哪里|哪些|什么|怎么|时候|关于|之前|那个|这个|一下|文件")


@dataclass(frozen=True, slots=True)
class Asked:
    """A query, read."""

    terms: dict[str, float]
    """Term -> what it counts."""
    kinds: frozenset[str]
    names: tuple[str, ...] = ()
    """Names that neighbouring words would make, in snake and camel case."""


def asked(query: str) -> Asked:
    """A query as terms and hints; small words count only where there is nothing else."""
    kinds = {KIND_OF[word] for word in words(query.lower()) if word in KIND_OF}
    kinds |= {KIND_OF[found] for found in CHINESE.findall(query)}
    found: dict[str, float] = {}
    spare: dict[str, float] = {}
    for word in words(_cut(query)):
        low = word.lower()
        for number, term in enumerate(parts_of(word)):
            named = len(parts_of(word)) > 1 and word[0] < "\u3040"
            weight = PART if named and number else 1.0
            if low in SMALL:
                spare[term] = 0.1
            elif low in KIND_OF:
                spare[term] = HINT
            else:
                found[term] = max(found.get(term, 0.0), weight)
    hints = {term: weight for term, weight in spare.items() if weight == HINT and term not in found}
    return Asked({**hints, **found} if found else spare, frozenset(kinds), tuple(_names(query)))


def _names(query: str) -> Iterator[str]:
    """What two to five neighbouring words would be as one name."""
    plain = [word.lower() for word in words(query) if word.isascii() and word.isalnum()][:MOST_WORDS]
    for first in range(len(plain)):
        for last in range(first + 2, min(first + LONGEST_NAME, len(plain)) + 1):
            run = plain[first:last]
            yield from ("_".join(run), "".join(run))


def _cut(query: str) -> str:
    """Chinese function words and hints out of the way, so that no pair of characters crosses them."""
    return CUT.sub(" ", CHINESE.sub(lambda hint: f" {hint.group()} ", query))
