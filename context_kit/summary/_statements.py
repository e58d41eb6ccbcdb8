"""What an assistant's own text states, word for word: decisions, intents, findings, questions.

Rules over single sentences, English and Chinese. Few and sure: a sentence is taken for what it says in so many
words, never for what it may mean. Nothing is composed and nothing is clipped; the caller does that.
"""

from __future__ import annotations

import re
from typing import Final

from context_kit._lazily import regex
from context_kit.engrams._sentences import sentences
from context_kit.summary._decision_cues import AGAINST, CHOICES, DECISION, DECISIVE, REVISED, WEIGHED, any_of

__all__ = ["decisions", "findings", "intent", "question"]

_LONGEST: Final = 2_000
"""Characters; a longer run without a full stop is data."""


_OPEN: Final = any_of(
    r"[?？][\"'”’)）*_`]*$|^\|.*$|\b(?:alternatively|maybe|perhaps|could also|might want|would you|do you want|"
    r"shall i|should (?:i|we)\b[^.]*\?|if you(?:['’]d)? "
    r"(?:want|prefer|like))|\b(?:option|alternative) [0-9a-d]\b|是否|要不要|吗[。]?$",
)
"""Questions, offers, options and table rows decide nothing."""

_INSTEAD: Final = regex(
    r"\b(?:instead of|rather than|in place of|no longer)\b|\bfrom\b(?:[^.!?\n]|[.!?](?=\w)){1,80}\bto\b", re.IGNORECASE
)
_BECAUSE: Final = regex(
    r"\b(?:because(?! of course)|due to|given that|so that|in order to|to avoid|"
    r"since(?! (?:then|last|yesterday|v?[0-9]|the (?:last|beginning|start|previous)))|as (?=it|this|that|they|"
    r"we)(?<!such as )(?<!same as ))\b|"
    r"因为|由于|为了|以便|以避免",
    re.IGNORECASE,
)
_OPENING: Final = any_of(
    r"^\W*(?:because|since|the reason|reason(?:ing)?\b|this (?:avoids?|ensures?|keeps?|means|way|is because|lets|"
    r"allows|prevents|matches|makes)|"
    r"that (?:way|avoids|keeps)|otherwise)\b",
    r"^\W*(?:因为|由于|原因|理由|这样|否则|以便)",
)
"""A sentence that gives the reason for the one before it."""
_COMMA = regex(r"[,，;；]")
_CLAUSE_END = regex(r"[，,]\s*(?:所以|因此|故|于是|then|so)|[，；;]")

_INTENT: Final = any_of(
    r"\blet me(?! know| explain| clarify| summari[sz]e)\b|\blet['’]s\b|\b(?:i|we)['’]ll\b(?! (?:be|wait|let|"
    r"need your|have (?:to wait|completed))\b)",
    r"\b(?:i|we) (?:will|still need to|need to|have to|want to|should(?: now| also)?|must)\b(?! (?:be|have)\b)",
    r"\b(?:i['’]m|i am|we['’]re) (?:going to|about to|now|starting|moving|running|adding|checking|updating|"
    r"implementing)\b",
    r"^\W*(?:also |still |just |only )*need(?:s|ed)? to\b|\bnext(?: up|,| is| i| we| step| steps|:)|^\W*(?:finally|"
    r"continuing|proceeding|moving on|time)\s+(?:for|to|on|with|\w+ing)\b|^\W*remaining\b",
    r"^\W*(?:now|then|first|also)\b[,:]?\s+(?!(?:it|the|this|that|these|those|we|i|they|everything|all|both|there|"
    r"you|here|with|in|at|its?|"
    r"a|an|works?|uses?|is|are|has|have|shows?|passes|when|if|as|on|of|returns?|\w+(?:ed|ly))\b)[a-z]",
    r"接下来|下一步|下面(?:开始|来|我)|现在(?!的|是|会)|然后(?=[^。]*(?:实现|修改|检查|运行|创建|更新|开始))|"
    r"随后|让我|准备(?=[^。]*)|开始(?!于|时)|"
    r"我(?:将|来|会|要|需要|先|再)|需要(?:先|再|进一步|继续)|继续(?=\S)|还(?:需要|要|差)|待(?:完成|办)",
    r"^\W*(?:搜索|探索|读取|检查|创建|更新|修复|运行|加载|查看|分析|添加|实现|重写|使用|测试)(?!完成|成功|完毕|"
    r"结果|了|流程)",
)
_HEADING: Final = any_of(
    r"\W*(?:(?:the |my |proposed |suggested |possible |remaining |next )*(?:next|remaining)"
    r"(?: (?:steps?|up|tasks?|work|items?|actions?|todos?))?|下一步(?:计划|工作)?|接下来)\W*"
)
"""A line that only announces what comes next."""
_DONE: Final = any_of(
    r"\blet me know\b|[?？]\W*$|^(?:\|.*)$|\bi (?:should|need to) (?:note|mention|point out)\b",
    r"已(?:经)?(?:完成|成功)(?![^。]*(?:现在|接下来|开始|下一步))|(?:完成|成功)[。！]?$|流程如下",
)

_FINDING: Final = any_of(
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

_SHORTEST: Final = (24, 6)
"""Characters of a statement that says something: "I see the issue." doesn't. English, Chinese."""

_ASKING: Final = any_of(
    r"\b(?:please (?:confirm|provide|choose|specify|clarify|select|share|tell me|let me know (?:which|what|how|"
    r"whether|your))|let me know (?:which|what|how|"
    r"whether|your|when you)|would you like|do you want|shall i|should i (?:proceed|continue|go)|waiting for your|"
    r"awaiting your|your (?:choice|call|thoughts))\b",
    r"请(?:您|你)?(?:确认|告诉我|提供|选择|说明|回复|指示|补充)|麻烦(?:您|你)?(?:确认|提供)|是否(?:需要|要|继续|"
    r"可以|同意)|吗[。.]?\W*$|等(?:待)?(?:您|你)的",
)
_TAIL: Final = 60
"""Characters of a last sentence that only belongs to the question before it ("(yes/no)", "Thanks!")."""


def decisions(text: str, /) -> tuple[tuple[str, str], ...]:
    """Each sentence that states a choice, a rejection or a root cause, with its reason or ''.

    The reason is the clause after "because", "since", 因为 and the like in the sentence, else the next sentence
    where that opens as one.
    """
    told = sentences(text)
    found: dict[str, str] = {}
    for at, sentence in enumerate(told):
        if _decides(sentence):
            following = told[at + 1] if at + 1 < len(told) else ""
            found.setdefault(sentence, _reason(sentence) or (following if _OPENING.search(following) else ""))
    return tuple(found.items())


def _decides(sentence: str) -> bool:
    """Whether a sentence settles something: a choice, or a value that is chosen, given up or revised."""
    return len(sentence) <= _LONGEST and _settles(sentence, sentence.lower()) and not _OPEN.search(sentence)


def _settles(sentence: str, small: str) -> bool:
    if _holds(small, DECISIVE) and _says(sentence, DECISION):
        return True
    if _holds(small, AGAINST) and _says(sentence, WEIGHED) and _reason(sentence):
        return True
    for look, hint, grounded in CHOICES:
        if (hint is None or hint.search(small)) and look.search(sentence):
            from context_kit.engrams._supersede import read

            line = read(sentence)
            old = sentence.isascii() and (line.claim or line.reading.words or line.reading.old)
            named = line.reading.new or old or (look is REVISED and _reason(sentence))
            if named and not line.open and (not grounded or _reason(sentence) or _INSTEAD.search(sentence)):
                return True
    return False


def _holds(small: str, words: tuple[str, ...]) -> bool:
    return any(word in small for word in words)


def intent(text: str, /) -> str:
    """The last sentence that says what comes next; '' where none does."""
    told = sentences(text)
    for at in range(len(told) - 1, -1, -1):
        sentence = told[at]
        if len(sentence) > _LONGEST or not _INTENT.search(sentence) or _DONE.search(sentence):
            continue
        if not _HEADING.fullmatch(sentence):
            return sentence
        if at + 1 < len(told) and len(told[at + 1]) <= _LONGEST and not _DONE.search(told[at + 1]):
            return told[at + 1]  # what the heading announces
    return ""


def findings(text: str, /) -> tuple[str, ...]:
    """The sentences that state a finding, a pitfall or a cause."""
    told = (sentence for sentence in sentences(text) if _says(sentence, _FINDING) and not _OPEN.search(sentence))
    return tuple(dict.fromkeys(told))


def question(text: str, /) -> bool:
    """Whether a text ends by asking the person something."""
    told = sentences(text[-4 * _LONGEST :])[-2:]
    if not told:
        return False
    if _asks(told[-1]):
        return True
    return len(told) == 2 and len(told[-1]) <= _TAIL and not _INTENT.search(told[-1]) and _asks(told[0])


def _says(sentence: str, look: re.Pattern[str]) -> bool:
    """Whether a sentence long enough to say something, and short enough to be one, has the cue."""
    least = _SHORTEST[sentence.isascii() is False and sum("\u4e00" <= char <= "\u9fff" for char in sentence[:80]) > 4]
    return least <= len(sentence) <= _LONGEST and look.search(sentence) is not None


def _reason(sentence: str) -> str:
    """The clause that gives the reason; up to the comma where it comes first in its sentence."""
    found = _BECAUSE.search(sentence)
    if found is None:
        return ""
    purpose = found[0].lower() in ("to avoid", "in order to", "so that", "以避免", "以便", "为了")
    start = found.start() if purpose else found.end()
    clause = sentence[start:]
    first = not sentence[: found.start()].strip(" \t*_-—–,.;:，：")
    end = (_COMMA if first else _CLAUSE_END).search(clause) if first or found[0] >= "\u4e00" else None
    return clause[: end.start() if end else len(clause)].strip(" \t\n.。!！*_`")


def _asks(sentence: str) -> bool:
    return sentence.rstrip(" \t*_`\"'”’」』)）]】😊🙂👍").endswith(("?", "？")) or _ASKING.search(sentence) is not None
