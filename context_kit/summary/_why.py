"""Why an approach failed, in the agent's own words: what it says right after a failed attempt.

The error tells what went wrong, this tells what not to try again. English and Chinese, word for word.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from context_kit._lazily import regex
from context_kit.engrams import Trail, attempt_key
from context_kit.engrams._sentences import sentences
from context_kit.summary._statements import intent
from context_kit.tools import Act, error_line
from context_kit.typing import Redact

__all__ = ["Why", "whys"]

NEWEST = 200
"""So many newest statements are looked at."""
NEAR = 16
"""So many acts of one message are looked at."""
LONGEST = 600
"""Characters of a sentence that gives a reason."""
SHORTEST = 20
"""Characters of one that says something; a Han character counts for three."""
_WHY = regex(
    r"\b(?:that|this|it|which|approach|idea|attempt|assumption)(?:['’]s| is| was) (?:wrong|incorrect|"
    r"not (?:right|correct|enough|what)|no good|a dead end|useless)\b|"
    r"\b(?:does|did|do|will|would|can)(?:n['’]t| not|not) (?:work|help|apply|match|fit|fix)\b.{0,200}?"
    r"(?:\b(?:because|since|as|due to|so|when|where|with|if)\b|[:;–—])|\bwon['’]t (?:work|help)\b|"
    r"\b(?:the|real|actual|main) (?:problem|issue|cause|reason|culprit|catch|trouble)(?: here)? (?:is|was)\b|"
    r"\b(?:gives?|gave|returns?|returned|produces?|produced|yields?|yielded|gets?|got|prints?|printed|makes?|made|"
    r"leaves?|left|is|was)\b.{1,160}\b(?:instead of|but (?:it |the \w+ |we |they )?(?:expect|want|need|should|"
    r"must)\w*)|"
    r"\b(?:tests?|spec|check|checker|compiler|server|api|caller|schema) (?:still )?(?:wants?|expects?|expected|needs?|"
    r"requires?|rejects?|refuses?)\b|"
    r"\b(?:fail(?:s|ed)?|br(?:eaks|oke)|crash(?:es|ed)|rejected|wrong|raise[sd]?)\b.{0,80}\b(?:because|since|due to|"
    r"as the)\b|"
    r"\b(?:is|are|was)(?:n['’]t| not) (?:installed|available|supported|defined|enough|allowed|there|exported|"
    r"exposed)\b|\bturns? out\b|\bdead end\b|\bruled out\b|\bforgot\b|"
    r"不行|行不通|不正确|不存在|找不到|不对[，,。：:]|不可行|没用[，,。：:]|问题(?:是|在于|出在)|原因(?:是|在于)|"
    r"因为.{1,80}(?:失败|报错|出错|冲突)|(?:失败|报错|出错)[^。]{0,20}因为|"
    r"(?:得到|返回|给出|输出|变成)[^。]{1,60}(?:而|但)(?:不是|期望|预期|应|要求|测试)|"
    r"(?:测试|检查|接口|规范)(?:要求|期望|需要)|(?:没有|未|没)安装|不支持|忘(?:了|记)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """A sentence that says why an attempt failed."""

    key: tuple[str, str]
    """The failure that it speaks of: what was tried and the error's line."""
    text: str
    position: int


def reasons(text: str) -> tuple[str, ...]:
    """The sentences that say why something failed."""
    return tuple(
        sentence
        for sentence in sentences(text)
        if len(sentence) <= LONGEST
        and len(sentence) + 2 * sum(char > "\u2e80" for char in sentence) >= SHORTEST
        and _WHY.search(sentence) is not None
        and not (intent(sentence) and not _WHY.match(sentence))
    )


def whys(trail: Trail, redact: Redact) -> Iterator[Why]:
    """What was said right after a failed attempt of why it failed, oldest first."""
    untils = [deed.until for deed in trail.deeds]
    for said in trail.statements[-NEWEST:]:
        at = bisect_left(untils, said.position)
        act = next(
            (act for act in _last(trail, at) if act.failed and not act.refused and act.kind in ("run", "edit")), None
        )
        if act is None:
            continue
        found = trail.once(reasons, trail.clean(said, redact))
        key = (attempt_key(act), error_line(act.error)) if found else ("", "")
        yield from (Why(key=key, text=text, position=said.position) for text in found)


def _last(trail: Trail, at: int) -> Iterator[Act]:
    """What the newest results before a place were of."""
    for deed in reversed(trail.deeds[max(at - NEAR, 0) : at]):
        if deed.until != trail.deeds[at - 1].until:
            return
        yield deed.act
