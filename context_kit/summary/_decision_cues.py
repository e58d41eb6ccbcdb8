"""How a decision is worded: choices, rejections and root causes, English and Chinese.

Kept as data: expressions over single sentences, and beside the slow ones the words that such a sentence can't lack.
"""

from __future__ import annotations

import re
from typing import Final

from context_kit._lazily import regex

__all__ = ["AGAINST", "CHOICES", "DECISION", "DECISIVE", "REVISED", "WEIGHED", "any_of"]


def any_of(*patterns: str) -> re.Pattern[str]:
    """What finds one of the patterns, in letters of any size."""
    return regex("|".join(patterns), re.IGNORECASE)


_WE = (
    r"(?:\b(?:(?:i|we)(?:['’](?:ll|ve|d))?(?: (?:will|should|can|could|now|just|have|had|want to|need to))*"
    r" (?:use|keep|go|skip|make|put|store|call|return|read|write|pass|take|add|do|compare|count|check|build|run|"
    r"move|switch|replace|render|rely|track|"
    r"preserve|show|used|kept|moved|switched|replaced|went|made|changed|added|renamed|implemented)|"
    r"let['’]s (?!try)\w+)\b|"
    r"^\W*(?:so |then |now |and )?(?:use|keep|go|skip|don['’]t|do not|put|store|prefer)\b)"
)
_MORE = r"(?:better|best|right|correct|proper|cleanest|cleaner|simplest|simpler|safest|safer|preferred|recommended)"

DECISION: Final = any_of(
    r"\b(?:decided|deciding(?! (?:whether|if|how|what))|chose|chosen|choosing(?! between)|opted|opting|settled on|"
    r"settling on|going with|sticking (?:to|with))\b",
    r"^\W*(?:(?:key |design |final )?decisions?|recommendation)\b\W*[:：]\W*\w",
    r"\bby using\b(?:[^.!?\n]|[.!?](?=\w)){0,160}\b(?:instead of|rather than)\b",
    r"\blet me (?:just |instead |simply )?(?:delete|drop|skip|revert|remove|keep|leave|avoid)\b(?:[^.!?\n]|"
    r"[.!?](?=\w)){1,200}\b(?:because|since|so that)\b",
    _WE + r"(?:[^.!?\n]|[.!?](?=\w)){0,160}\b(?:instead of|rather than|in place of)\b",
    r"\b(?:i['’]ll|i will|we['’]ll|we will|i['’]m going to|we should|i should|let['’]s)\s+(?:just |simply |also |"
    r"now |instead )?(?:use|keep|go with|"
    r"switch to|stick (?:to|with)|avoid|skip|leave|drop|reuse|make it|store|put)\b(?:[^.!?\n]|"
    r"[.!?](?=\w)){1,200}\b(?:because|since|so that|as it|as this|to avoid|"
    r"in order to)\b",
    rf"\b(?:the|a|an) (?:much )?{_MORE} (?:approach|fix|solution|way|option|choice|place|design|"
    rf"strategy)\b(?! (?:to|for) (?:do|check|see))"
    r"(?:[^.!?\n]|[.!?](?=\w)){0,60}\b(?:is|would be|was)\b",
    r"\b(?:it['’]s|it is|it would be|would be|is|probably) (?:better|best|safer|cleaner|simpler) to\b",
    r"\b(?:we|i|you|this|it|they) (?:should not|shouldn['’]?t|must not|won['’]?t)\b(?:[^.!?\n]|"
    r"[.!?](?=\w)){1,200}\b(?:because|since|as it|due to)\b",
    r"\b(?:(?:i|we) reject|rejected|ruled out|ruling out|discarded|abandoned|abandoning|not going to)\b",
    r"\broot cause\b\W{0,6}(?:\w+\W+){0,4}(?:is|was)\b|\broot cause\W{0,4}[:：]",
    r"\bthe (?:fix|solution|change) (?:is|here is|will be)\b(?! (?:working|in place|complete|correct|done|"
    r"good|now|ready))",
    r"(?<!未)决定(?!了吗|性)|改用|改为(?:使用|用)|(?<!未)(?<!已)采用|不采用|弃用|放弃|而不是|而非|根因|根本原因|"
    r"最终(?:选|用)|"
    r"(?:我|我们|这里|最终|因此|所以|于是)选择|(?<!用户)选择(?:了|使用|采用|用)|(?:更好|最好|最佳|正确|合适|"
    r"稳妥)的(?:做法|方案|方式|办法)是|不(?:应该?|宜|适合)用",
)
_DECISIVE: Final = (
    "decid|chose|choos|opted|opting|settl|going with|sticking|decision|recommend|instead of|rather than|in place of|"
    "because|since|so that|as it|as this|to avoid|in order to|due to|better|best|right|correct|proper|clean|simpl|safe|"
    "prefer|reject|ruled out|ruling out|discarded|abandon|not going to|root cause|the fix|the solution|the change|"
    "决定|改用|改为|采用|弃用|放弃|而不是|而非|根因|根本原因|最终|选择|更好|最好|最佳|正确|合适|稳妥|不应|不宜|不适"
)
DECISIVE: Final = tuple(_DECISIVE.split("|"))
"""Each sentence with a `DECISION` holds one of these, in small letters: a quick look first, the expression is slow."""
_CHOSEN = (
    r"(?:choos(?:e|ing)|chose|pick(?:ed|ing)?(?! up\b)|select(?:ed|ing)?|adopt(?:ed|ing)?|"
    r"tak(?:e|ing)(?! (?:a|an|care|note|into|the (?:time|liberty))\b)|took|go(?:ing)?(?: back)? with|"
    r"went (?:back )?with|"
    r"(?:go(?:ing)? back|return(?:ing|ed)?|revert(?:ing|ed)?) to(?= (?:[^.!?\n]|[.!?](?=\w)){1,80}\b(?:for|as|"
    r"because|"
    r"since|instead)\b)|opt(?:ed|ing)? for|settl(?:e|ed|ing) (?:on|for)|decid(?:e|ed|ing) (?:on|for)|"
    r"stick(?:ing)? (?:to|with)|"
    r"prefer|switch(?:ed|ing)?|swap(?:ped|ping)?|no longer use|revert(?:ed|ing)? to)"
)
_DONE_SO = (
    r"(?:use|keep(?:ing)?|set(?:ting)?|put(?:ting)?|mak(?:e|ing)|made|chang(?:e|ed|ing)|replac(?:e|ed|ing)|"
    r"mov(?:e|ed|ing)|renam(?:e|ed|ing)|rais(?:e|ed|ing)|lower(?:ed|ing)?|bump(?:ed|ing)?|dropp?(?:ed|ing)?|"
    r"increas(?:e|ed|ing)|reduc(?:e|ed|ing))"
)
_PERSON = (
    r"(?:^|[^\w])(?:i|we)(?:['’](?:ll|ve|m|re|d))?(?: (?:will|now|have|had|am|are|should|then|therefore|thus|"
    r"also|just|rather|"
    r"instead|finally|going to|hereby|would|want to|decided to|have to|need to))*"
)
_CHOICE: Final = any_of(
    rf"{_PERSON} {_CHOSEN}\b",
    r"^\W*(?:so |then |ok(?:ay)?,? |now )?(?:going (?:back )?(?:with|for|to)|choosing|picking|switching|settling)\b",
    r"(?:^|[，。；：、\s])(?:\S{0,24}?)(?:我们?选|选用|选定|定为|定在|换成|换为|换回|改成|改为|改回|切换到|切到|"
    r"沿用|取代|替换成|替换为)",
)
"""A choice that counts where the sentence names a value: "I pick A for B", "B 换成 A"."""
_GROUNDED: Final = any_of(
    rf"{_PERSON} {_DONE_SO}\b",
)
"""What was done so counts as a choice where a value is named with its reason, or in the place of another."""
WEIGHED: Final = any_of(
    r"(?:^|[^\w])(?:i|we)(?:['’](?:ll|ve))?(?: (?:will|should|now|just|have|had))* (?!(?:see|saw|seen|get|got|find|"
    r"found|notice|noticed|hit|receive|received|expect|expected|have|had|think|thought|believe|know|knew|read|am|are|"
    r"was|were)\b)\w+\b(?:[^.!?\n]|[.!?](?=\w)){1,160}\b(?:instead of|rather than|in place of)\b",
)
"""One thing done and not another, by whatever verb: a choice where a reason is given. What is seen is none."""
AGAINST: Final = ("instead of", "rather than", "in place of")
"""The same of `WEIGHED`."""
_CHOICE_HINT: Final = regex(r"(?:i|we)['’ ]|going|choosing|picking|switching|settling|[\u4e00-\u9fff]")
_GROUNDED_HINT: Final = regex(r"(?:i|we)['’ ]")
"""Cheap looks first: a sentence whose small letters have none of these has no such cue."""
REVISED: Final = any_of(
    r"^\W*(?:correction|revis(?:ing|ed|ion)|decision (?:changed|revised|reversed)|new (?:decision|choice|plan)|"
    r"final (?:choice|"
    r"decision)|change of plans?|on (?:second thoughts?|reflection)|thinking again|scrap (?:that|the|my)|"
    r"scratch that|my mistake|my (?:choice|pick|decision)|"
    r"taking back|i (?:was wrong|changed my mind|take (?:that )?back|have to correct myself)|reversal|"
    r"reconsidering)\b",
    r"\b(?:does(?: not|n['’]t) work with|won['’]t work with|fails with|clashes with)\b(?:[^.!?\n]|"
    r"[.!?](?=\w)){1,120}\bso (?:i|we)\b",
    r"\bso (?:i|we) (?:now |will |rather )?(?:use|take|pick|go with|choose)\b|\b(?:i|we) (?:take back|retract|"
    r"withdraw) ",
    r"\b(?:correct(?:ion of|ing)|revising|taking back) my (?:earlier|previous|last) (?:choice|decision|answer|"
    r"statement|value)\b",
    r"^\W*(?:我?改主意|更正|纠正|订正|修订|重新(?:决定|考虑|选)|再想想|想了想|仔细想想|"
    r"调整[^。！？\n：:]{1,30}[：:])|撤回|收回|推翻|行不通|不再(?:用|采用|使用)",
)
"""An earlier choice is taken back, in so many words."""
CHOICES: Final = ((REVISED, None, False), (_CHOICE, _CHOICE_HINT, False), (_GROUNDED, _GROUNDED_HINT, True))
"""What shows a choice, its hint, and whether a reason must stand with it."""
