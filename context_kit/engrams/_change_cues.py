"""Cues of change, as data: how people and agents say, in English and Chinese, that a value is another one now.

Each repetition is bounded and over one sentence, so that matching is linear in the text.
"""

from __future__ import annotations

import re
from typing import Final

from context_kit._lazily import regex

__all__ = ["CHANGED", "DEED", "OPEN", "PLAINLY"]

_PLAINLY = (
    (
        r"^\W*(?:correction|update|reversal|revis\w+|news\b[^.!?\n:：]{0,40}|edit|note|fyi|heads?[- ]up|"
        r"decision|new\s+\w+|"
        r"small change|change)\b[^.!?\n:：]{0,30}[:：]"
    ),
    (
        r"\b(?:corrections?|change of plans?|scrap|scratch|forget|disregard|ignore|wrong|mistaken?|slip|typo|"
        r"oops|whoops|"
        r"sorry|apolog\w+|my bad|misspoke|mistyped|misread|got (?:it|that|this) wrong|mixed up|turns? out|"
        r"never ?mind|"
        r"second thoughts?|changed (?:my|our) mind|after all|in the end|update on|decided (?:on|for|to))\b"
    ),
    (
        r"\b(?:instead|rather than|no longer|not any ?more|any ?more|in place of|as opposed to|in favou?r of|"
        r"take back|"
        r"(?:go|going|went|roll(?:ed|ing)?|revert(?:ed|ing)?|switch(?:ed|ing)?|back) back|back to|supersed\w+|"
        r"outdated|obsolete|"
        r"out of date|deprecated|overrul\w+|overrid\w+|from now on|going forward|henceforth|effective|"
        r"as of (?:today|now|"
        r"this|yesterday|\w+day|\d)|starting (?:today|now))\b"
    ),
    (
        r"\b(?:chang|mov|switch|replac|swap|renam|revis|adjust|updat|correct|amend|migrat|convert|revert|rais|"
        r"lower|bump|"
        r"increas|reduc|extend|postpon|reschedul|shorten|delay|shift|upgrad|downgrad|drop|ditch|push)(?:e|ed|es|"
        r"s|ing|ped|"
        r"ping|ted|ting)?\b(?:[^.!?\n]|[.!?](?=\w)){0,120}\b(?:to|with|for|from|by|back|until|till)\b"
    ),
    (
        r"\b(?:becomes?|became|goes (?:up|down|back)|went (?:up|down|back)|make (?:it|that|this)|"
        r"i (?:really )?meant?|it['’]?s actually|is actually|should (?:have been|"
        r"read)|was meant to be|supposed to be)\b|->|→|⇒"
    ),
    (
        r"\bactually\b(?:[^.!?\n]|[.!?](?=\w)){0,60}\b(?:use|let['’]s|go|make|take|pick|switch|set|put|call|"
        r"keep|want|prefer|is|are|"
        r"should)\b|,\s*(?:and )?not\b|\bnot\b(?:[^.!?\n]|[.!?](?=\w)){1,60}\bbut\b"
    ),
    (
        r"把[^，。！？\n]{1,60}改|变了|更正|纠正|更新(?:一下)?[:：，]|订正|勘误|计划(?:有变|变了)|情况有变|变更|"
        r"说错|写错|记错|弄错|搞错|打错|看错|口误|笔误|手误|讲错|不对|有误|错了|"
        r"别管|忘掉|忘了|忽略|撤回|撤销|收回|作废|取消|放弃|弃用|停用|不再|不用(?![说谢])|"
        r"不要[^。！？\n]{1,40}(?:了|用|改)|而不是|而非|不是[^。！？\n]{1,60}(?:而是|是)|"
        r"取代|替换|替代|代替|(?:改|换|变|调|移|挪|搬|切|转|升|降|延|推迟|提前|顺延|恢复|回|退)(?:成|为|到|回|"
        r"用|至|换为|整为|期到|迟到)|"
        r"调整为|更改为|修改为|修正为|重新(?:定|设|选|改)|还是(?:用|选|走|改)|以[^。！？\n]{1,60}为准|再想想|"
        r"想了想|改主意|"
        r"现在起|今天起|从今往后|以后(?:都|就|统一)?用|其实|事实上|实际(?:上|是|为|应)|应(?:该|当)?[是为]|"
        r"通知[:：]|统一(?:用|改|为)|最新|新的?决定|决定变更|行不通|改主意"
    ),
)
PLAINLY: Final = regex("|".join(_PLAINLY), re.IGNORECASE)
"""Words that say so plainly that something is no longer as it was said."""
CHANGED: Final = regex(
    rf"{PLAINLY.pattern}|\b(?:now|actually|in fact|currently|today|already|new|latest|really|final(?:ly)?|"
    rf"decided|rather|"
    r"update|correct|right|has to|must|should)\b|现在|目前|必须|最终|正确|其实",
    re.IGNORECASE,
)
"""Words that say it where the sentence gives the same subject another value of the same kind."""
_DEEDS = (
    r"chang\w*|switch\w*|mov(?:e|ing)|bump\w*|set|mak(?:e|ing)|renam\w*|touch\w*|updat\w*|alter\w*|modif\w*|edit\w*|"
    r"replac\w*|rais\w*|lower\w*|increas\w*|reduc\w*|reset|revert\w*|upgrad\w*|downgrad\w*|swap\w*|migrat\w*"
)
DEED: Final = regex(
    rf"(?:\b(?:never|do not|must not|should not|may not|cannot|no need to)|n['’]t)\s+(?:ever\s+|need\s+to\s+|"
    rf"have\s+to\s+)?"
    rf"(?:{_DEEDS})\b|(?:不要|不得|不许|禁止|切勿|请勿|别|不能|不必|不用)(?:再|随便|擅自)?(?:把|"
    rf"去)?[^，。；！？\n]{{0,20}}(?:改|换|动|调|变|升级|降级)",
    re.IGNORECASE,
)
"""Who forbids the change has not made it."""
OPEN: Final = regex(
    r"[?？][\"'”’)）*_`]*\s*$|^\W*(?:if|when|whenever|suppose|example|sample|assuming|imagine|should (?:i|we)|"
    r"could|can (?:you|we|i)|"
    r"would|maybe|perhaps|what if|unless|in case|how about|shall)\b|"
    r"\b(?:maybe|perhaps|might|for example|for instance|e\.g\.|such as|in case|hypothetically|would be|could be|"
    r"i wonder|"
    r"not sure|i think about|consider(?:ing)?|whether|what happens)\b|是否|要不要|如果|假如|假设|比如|例如|也许|"
    r"或许|可能|考虑|"
    r"要是|万一|吗[。.]?\s*$|能不能|可不可以",
    re.IGNORECASE,
)
"""A question, a condition, an example or a thought settles nothing."""
