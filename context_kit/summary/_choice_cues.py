"""Cues of choices and their reasons, as data: how agents decide, revise and weigh, in English and Chinese.

Each repetition is bounded and over one sentence, so that matching is linear in the text.
"""

from __future__ import annotations

import re
from typing import Final

from context_kit._lazily import cue, cued, regex

__all__ = ["BECAUSE", "CHOICES", "CLAUSE_END", "COMMA", "DECISION", "INSTEAD", "OPEN", "OPENING", "REVISED", "WEIGHED"]


def _any(*patterns: str) -> re.Pattern[str]:
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

DECISION: Final = cued(
    cue(
        "decid chose choosing opted opting settl going sticking",
        r"\b(?:decided|deciding(?! (?:whether|if|how|what))|chose|chosen|choosing(?! between)|opted|opting|"
        r"settled on|"
        r"settling on|going with|sticking (?:to|with))\b",
    ),
    cue(
        "decision recommendation",
        r"^\W*(?:(?:key |design |final )?decisions?|recommendation)\b\W*[:：]\W*\w",
    ),
    cue(
        "using",
        r"\bby using\b(?:[^.!?\n]|[.!?](?=\w)){0,160}\b(?:instead of|rather than)\b",
    ),
    cue(
        "let",
        r"\blet me (?:just |instead |simply )?(?:delete|drop|skip|revert|remove|keep|leave|avoid)\b(?:[^.!?\n]|"
        r"[.!?](?=\w)){1,200}\b(?:because|since|so that)\b",
    ),
    cue(
        "instead rather place",
        _WE + r"(?:[^.!?\n]|[.!?](?=\w)){0,160}\b(?:instead of|rather than|in place of)\b",
    ),
    cue(
        "i' i’ we' we’ will going should let",
        r"\b(?:i['’]ll|i will|we['’]ll|we will|i['’]m going to|we should|i should|let['’]s)\s+(?:just |simply |"
        r"also |"
        r"now |instead )?(?:use|keep|go with|"
        r"switch to|stick (?:to|with)|avoid|skip|leave|drop|reuse|make it|store|put)\b(?:[^.!?\n]|"
        r"[.!?](?=\w)){1,200}\b(?:because|since|so that|as it|as this|to avoid|"
        r"in order to)\b",
    ),
    cue(
        "approach fix solution way option choice place design strategy",
        rf"\b(?:the|a|an) (?:much )?{_MORE} (?:approach|fix|solution|way|option|choice|place|design|"
        rf"strategy)\b(?! (?:to|for) (?:do|check|see))"
        r"(?:[^.!?\n]|[.!?](?=\w)){0,60}\b(?:is|would be|was)\b",
    ),
    cue(
        "better best safer cleaner simpler",
        r"\b(?:it['’]s|it is|it would be|would be|is|probably) (?:better|best|safer|cleaner|simpler) to\b",
    ),
    cue(
        "should must won",
        r"\b(?:we|i|you|this|it|they) (?:should not|shouldn['’]?t|must not|won['’]?t)\b(?:[^.!?\n]|"
        r"[.!?](?=\w)){1,200}\b(?:because|since|as it|due to)\b",
    ),
    cue(
        "reject rul discarded abandon going",
        r"\b(?:(?:i|we) reject|rejected|ruled out|ruling out|discarded|abandoned|abandoning|not going to)\b",
    ),
    cue(
        "root",
        r"\broot cause\b\W{0,6}(?:\w+\W+){0,4}(?:is|was)\b|\broot cause\W{0,4}[:：]",
    ),
    cue(
        "fix solution change",
        r"\bthe (?:fix|solution|change) (?:is|here is|will be)\b(?! (?:working|in place|complete|correct|done|"
        r"good|now|ready))",
    ),
    cue(
        "决定 改用 改为 采用 弃用 放弃 而不是 而非 根因 根本原因 最终 选择 做法 方案 方式 办法 用",
        r"(?<!未)决定(?!了吗|性)|改用|改为(?:使用|用)|(?<!未)(?<!已)采用|不采用|弃用|放弃|而不是|而非|根因|根本原因|"
        r"最终(?:选|用)|"
        r"(?:我|我们|这里|最终|因此|所以|于是)选择|(?<!用户)选择(?:了|使用|采用|用)|(?:更好|最好|最佳|正确|合适|"
        r"稳妥)的(?:做法|方案|方式|办法)是|不(?:应该?|宜|适合)用",
    ),
    flags=re.IGNORECASE,
)
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
CHOICE: Final = cued(
    cue(
        "choos chose pick select adopt tak took go went return revert opt settl decid stick prefer switch swap longer",
        rf"{_PERSON} {_CHOSEN}\b",
    ),
    cue(
        "going choosing picking switching settling",
        r"^\W*(?:so |then |ok(?:ay)?,? |now )?(?:going (?:back )?(?:with|for|to)|choosing|picking|switching|"
        r"settling)\b",
    ),
    cue(
        "选 定为 定在 换成 换为 换回 改成 改为 改回 切换到 切到 沿用 取代 替换",
        r"(?:^|[，。；：、\s])(?:\S{0,24}?)(?:我们?选|选用|选定|定为|定在|换成|换为|换回|改成|改为|改回|切换到|切到|"
        r"沿用|取代|替换成|替换为)",
    ),
    flags=re.IGNORECASE,
)
"""A choice that counts where the sentence names a value: "I pick A for B", "B 换成 A"."""
GROUNDED: Final = cued(
    cue(
        "use keep set put mak made chang replac mov renam rais lower bump drop increas reduc",
        rf"{_PERSON} {_DONE_SO}\b",
    ),
    flags=re.IGNORECASE,
)
"""What was done so counts as a choice where a value is named with its reason, or in the place of another."""
WEIGHED: Final = cued(
    cue(
        "instead rather place",
        r"(?:^|[^\w])(?:i|we)(?:['’](?:ll|ve))?(?: (?:will|should|now|just|have|had))* (?!(?:see|saw|seen|get|"
        r"got|find|"
        r"found|notice|noticed|hit|receive|received|expect|expected|have|had|think|thought|believe|know|knew|"
        r"read|am|are|"
        r"was|were)\b)\w+\b(?:[^.!?\n]|[.!?](?=\w)){1,160}\b(?:instead of|rather than|in place of)\b",
    ),
    flags=re.IGNORECASE,
)
"""One thing done and not another, by whatever verb: a choice where a reason is given. What is seen is none."""
REVISED: Final = cued(
    cue(
        "correction revis decision choice plan second reflection thinking scrap scratch mistake "
        "pick back wrong mind reversal reconsider myself",
        r"^\W*(?:correction|revis(?:ing|ed|ion)|decision (?:changed|revised|reversed)|new (?:decision|choice|"
        r"plan)|"
        r"final (?:choice|"
        r"decision)|change of plans?|on (?:second thoughts?|reflection)|thinking again|scrap (?:that|the|my)|"
        r"scratch that|my mistake|my (?:choice|pick|decision)|"
        r"taking back|i (?:was wrong|changed my mind|take (?:that )?back|have to correct myself)|reversal|"
        r"reconsidering)\b",
    ),
    cue(
        "work fails clashes",
        r"\b(?:does(?: not|n['’]t) work with|won['’]t work with|fails with|clashes with)\b(?:[^.!?\n]|"
        r"[.!?](?=\w)){1,120}\bso (?:i|we)\b",
    ),
    cue(
        "so back retract withdraw",
        r"\bso (?:i|we) (?:now |will |rather )?(?:use|take|pick|go with|choose)\b|\b(?:i|we) (?:take back|"
        r"retract|"
        r"withdraw) ",
    ),
    cue(
        "correct revising taking",
        r"\b(?:correct(?:ion of|ing)|revising|taking back) my (?:earlier|previous|last) (?:choice|decision|"
        r"answer|"
        r"statement|value)\b",
    ),
    cue(
        "改 更正 纠正 订正 修订 重新 再想想 想了想 仔细 调整 撤回 收回 推翻 行不通 不再",
        r"^\W*(?:我?改主意|更正|纠正|订正|修订|重新(?:决定|考虑|选)|再想想|想了想|仔细想想|"
        r"调整[^。！？\n：:]{1,30}[：:])|撤回|收回|推翻|行不通|不再(?:用|采用|使用)",
    ),
    flags=re.IGNORECASE,
)
"""An earlier choice is taken back, in so many words."""
CHOICES: Final = ((REVISED, False), (CHOICE, False), (GROUNDED, True))
"""What shows a choice, and whether a reason must stand with it."""
OPEN: Final = _any(
    r"[?？][\"'”’)）*_`]*$|^\|.*$|\b(?:alternatively|maybe|perhaps|could also|might want|would you|do you want|"
    r"shall i|should (?:i|we)\b[^.]*\?|if you(?:['’]d)? "
    r"(?:want|prefer|like))|\b(?:option|alternative) [0-9a-d]\b|是否|要不要|吗[。]?$",
)
"""Questions, offers, options and table rows decide nothing."""

INSTEAD: Final = regex(
    r"\b(?:instead of|rather than|in place of|no longer)\b|\bfrom\b(?:[^.!?\n]|[.!?](?=\w)){1,80}\bto\b", re.IGNORECASE
)
BECAUSE: Final = regex(
    r"\b(?:because(?! of course)|due to|given that|so that|in order to|to avoid|"
    r"since(?! (?:then|last|yesterday|v?[0-9]|the (?:last|beginning|start|previous)))|as (?=it|this|that|they|"
    r"we)(?<!such as )(?<!same as ))\b|"
    r"因为|由于|为了|以便|以避免",
    re.IGNORECASE,
)
OPENING: Final = _any(
    r"^\W*(?:because|since|the reason|reason(?:ing)?\b|this (?:avoids?|ensures?|keeps?|means|way|is because|lets|"
    r"allows|prevents|matches|makes)|"
    r"that (?:way|avoids|keeps)|otherwise)\b",
    r"^\W*(?:因为|由于|原因|理由|这样|否则|以便)",
)
"""A sentence that gives the reason for the one before it."""
COMMA = regex(r"[,，;；]")
CLAUSE_END = regex(r"[，,]\s*(?:所以|因此|故|于是|then|so)|[，；;]")
