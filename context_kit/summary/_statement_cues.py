"""Cues of what an assistant states, as data: intents, findings, questions, in English and Chinese.

Each repetition is bounded and over one sentence, so that matching is linear in the text.
"""

from __future__ import annotations

import re
from typing import Final

from context_kit._lazily import cue, cued, regex

__all__ = ["ASKING", "DONE", "FINDING", "HEADING", "INTENT", "SHORTEST", "TAIL"]


def _any(*patterns: str) -> re.Pattern[str]:
    return regex("|".join(patterns), re.IGNORECASE)


INTENT: Final = cued(
    cue(
        "let ' ’",
        r"\blet me(?! know| explain| clarify| summari[sz]e)\b|\blet['’]s\b|\b(?:i|we)['’]ll\b(?! (?:be|wait|let|"
        r"need your|have (?:to wait|completed))\b)",
    ),
    cue(
        "will need have want should must",
        r"\b(?:i|we) (?:will|still need to|need to|have to|want to|should(?: now| also)?|must)\b(?! (?:be|"
        r"have)\b)",
    ),
    cue(
        "i' i’ we' we’ am",
        r"\b(?:i['’]m|i am|we['’]re) (?:going to|about to|now|starting|moving|running|adding|checking|updating|"
        r"implementing)\b",
    ),
    cue(
        "need next finally continuing proceeding moving time remaining",
        r"^\W*(?:also |still |just |only )*need(?:s|ed)? to\b|\bnext(?: up|,| is| i| we| step| steps|:)|"
        r"^\W*(?:finally|"
        r"continuing|proceeding|moving on|time)\s+(?:for|to|on|with|\w+ing)\b|^\W*remaining\b",
    ),
    cue(
        "now then first also",
        r"^\W*(?:now|then|first|also)\b[,:]?\s+(?!(?:it|the|this|that|these|those|we|i|they|everything|all|both|"
        r"there|"
        r"you|here|with|in|at|its?|"
        r"a|an|works?|uses?|is|are|has|have|shows?|passes|when|if|as|on|of|returns?|\w+(?:ed|ly))\b)[a-z]",
    ),
    cue(
        "接下来 下一步 下面 现在 然后 随后 让我 准备 开始 我 需要 继续 还 待",
        r"接下来|下一步|下面(?:开始|来|我)|现在(?!的|是|会)|然后(?=[^。]*(?:实现|修改|检查|运行|创建|更新|开始))|"
        r"随后|让我|准备(?=[^。]*)|开始(?!于|时)|"
        r"我(?:将|来|会|要|需要|先|再)|需要(?:先|再|进一步|继续)|继续(?=\S)|还(?:需要|要|差)|待(?:完成|办)",
    ),
    cue(
        "搜索 探索 读取 检查 创建 更新 修复 运行 加载 查看 分析 添加 实现 重写 使用 测试",
        r"^\W*(?:搜索|探索|读取|检查|创建|更新|修复|运行|加载|查看|分析|添加|实现|重写|使用|测试)(?!完成|成功|完毕|"
        r"结果|了|流程)",
    ),
    flags=re.IGNORECASE,
)
HEADING: Final = _any(
    r"\W*(?:(?:the |my |proposed |suggested |possible |remaining |next )*(?:next|remaining)"
    r"(?: (?:steps?|up|tasks?|work|items?|actions?|todos?))?|下一步(?:计划|工作)?|接下来)\W*"
)
"""A line that only announces what comes next."""
DONE: Final = _any(
    r"\blet me know\b|[?？]\W*$|^(?:\|.*)$|\bi (?:should|need to) (?:note|mention|point out)\b",
    r"已(?:经)?(?:完成|成功)(?![^。]*(?:现在|接下来|开始|下一步))|(?:完成|成功)[。！]?$|流程如下",
)

FINDING: Final = _any(
    r"\b(?:the|one|another|main|only|real|actual|core|key) (?:\w+ )?(?:issue|problem|bug|error|cause|culprit|"
    r"reason|catch|trouble|difference)s?\b(?: here)?"
    r"(?: (?:with|in|for|that|why) (?:[^.!?\n]|[.!?](?=\w)){1,120})?\W{0,4}\b(?:is|was|are|comes?|came|stems?|"
    r"lies?|occurs?|happens|means)\b",
    r"^\W*(?:issue|problem|bug|cause|finding|pitfall|gotcha|caveat|warning|note)s?\b\W{0,4}[:：]\W*\w",
    r"\b(?:fail(?:s|ed|ing)?|breaks?|broke|crash(?:es|ed|ing)?|(?:does|did|do|is|was)(?: not|n['’]?t)(?: \w+){0,4}|"
    r"missing|wrong|empty|error)\b(?:[^.!?\n]|[.!?](?=\w)){0,120}"
    r"\b(?:because|due to|since (?:the|it|we|there)|as (?:it|the))\b",
    r"\b(?:i|we)(?:['’]ve| have)? (?:found|discovered|noticed|confirmed|verified|identified|realized|"
    r"realised)\b(?! (?:it|them)[.!])",
    r"\bfound (?:that|it|the (?:issue|problem|bug|cause|root)|a (?:bug|problem|mismatch))\b|\bturns? out\b|"
    r"\bnote (?:that|however)\b|\bit (?:appears|seems|looks like)(?: that)?\b",
    r"\broot cause\b|\b(?:caused by|is because|was because|this is why|that['’]s why|the culprit)\b",
    r"\bthere(?:['’]s| is| are| was) (?:a|an|no|some|two|still|another) (?:\w+ ){0,3}(?:bug|issue|problem|mismatch|"
    r"conflict|race|deadlock|leak|typo|failing|failure|error)s?\b",
    r"问题(?:是|在于|出在|出现在|的?原因|根源)|发现(?!了吗)|原因(?:是|在于|[:：])|导致|请?注意[:：到，]|报错|"
    r"是因为|根因|根本原因|"
    r"(?:失败|错误)(?:是|的?原因|因为|在于)|缺少|(?:路径|参数|格式|配置)(?:不正确|错误|不对)|并未|没有实现|未实现",
)

SHORTEST: Final = (24, 6)
"""Characters of a statement that says something: "I see the issue." doesn't. English, Chinese."""

ASKING: Final = cued(
    cue(
        "please let would do shall should waiting awaiting your",
        r"\b(?:please (?:confirm|provide|choose|specify|clarify|select|share|tell me|let me know (?:which|what|"
        r"how|"
        r"whether|your))|let me know (?:which|what|how|"
        r"whether|your|when you)|would you like|do you want|shall i|should i (?:proceed|continue|go)|"
        r"waiting for your|"
        r"awaiting your|your (?:choice|call|thoughts))\b",
    ),
    cue(
        "请 麻烦 是否 吗 等",
        r"请(?:您|你)?(?:确认|告诉我|提供|选择|说明|回复|指示|补充)|麻烦(?:您|你)?(?:确认|提供)|是否(?:需要|要|继续|"
        r"可以|同意)|吗[。.]?\W*$|等(?:待)?(?:您|你)的",
    ),
    flags=re.IGNORECASE,
)
TAIL: Final = 60
"""Characters of a last sentence that only belongs to the question before it ("(yes/no)", "Thanks!")."""
