"""Cues of constraints and of their revocation, as data: wordings in English and Chinese.

Each repetition is bounded and over one sentence, so that matching is linear in the text.
"""

from __future__ import annotations

import re
from typing import Final

from context_kit._lazily import cue, cued, regex

__all__ = ["CORRECTED", "EN", "NEGATED", "REPLACED", "TAKEN_BACK", "ZH"]

_NUMBER = r"(?:[0-9]+|one|two|three|four|five|six|seven|eight|nine|ten|a dozen|half)"
_LEAD = (
    r"(?:^|[,.;:!?()\[\]\"'*_`>–—…-]|(?<!if )\b(?:and|but|so|please|pls|plz|or|then|just|also|rather|now|still|"
    r"well|ok|okay|"
    r"btw|ideally|actually|again|therefore|instead|though|because|to|you|we|i|let'?s|too|first|here|yes|no|"
    r"definitely|really|simply|absolutely|kindly))\s*"
)
"""What may stand before an imperative; after any other word "don't" describes."""
_VERB_OF_MIND = (
    r"(?:know|think|see|understand|remember|mind|care|believe|recall|feel|get (?:it|why|what|how|the)|"
    r"have (?:a|any|the|time|access|to hand)\b|worry|guess|suppose|expect to|really (?:know|think|see|understand))"
)

EN: Final = cued(
    cue(
        "don not",
        _LEAD + r"(?:do not|don['’]?t)\s+(?!" + _VERB_OF_MIND + r")(?=[a-z_`\"*/])",
    ),
    cue(
        "never",
        r"\bnever\b(?! ?mind)(?!\s+(?:seen|had|been|was|got|gets|heard|ever|before|once)\b)(?!\s+\w+(?:[^s\W]s|"
        r"ed)\b)(?<!i never)"
        r"(?<!has never)(?<!have never)(?<!had never)(?<!is never)(?<!was never)(?<!are never)(?<!'ve never)",
    ),
    cue(
        "must should shall ought may",
        r"\b(?:must|should|shall|ought)(?:\s*not|n['’]?t)\b|\byou may\s*not\b",
    ),
    cue(
        "can",
        r"\b(?:you|it|they|this|that|we|which|code|tests?)\s+(?:can(?:not|['’]?t)|can not)\s+(?:be\b|use|"
        r"change|add|touch|"
        r"drop|break|modify|rely|assume|edit|write|remove|delete|rename|introduce|exceed|depend|run any|"
        r"install|commit|push|continue)",
    ),
    cue(
        "allowed acceptable permitted option ok",
        r"\b(?:(?:is|are|was|be)\s?n['’]?t|(?:is|are|be)\s+not|not)\s+(?:allowed|acceptable|permitted|"
        r"an option|ok(?:ay)? to)\b",
    ),
    cue(
        "forbidden prohibited limits scope unacceptable disallowed banned",
        r"\b(?:forbidden|prohibited|off[- ]limits|out of scope|unacceptable|not in scope|disallowed|banned)\b",
    ),
    cue(
        "stop let refrain hands",
        r"\bstop\s+[a-z]+ing\b|\blet['’]?s not\b|\brefrain from\b|\bhands off\b",
    ),
    cue(
        "avoid",
        r"\bavoid(?:ing)?\b(?!\s*(?:this|that) (?:error|issue|problem)\b)",
    ),
    cue(
        "leave keep",
        r"\b(?:leave|keep)\b(?:[^.!?\n]|\.(?=\w)){0,100}\b(?:alone|untouched|unchanged|as[- ](?:is|it is|"
        r"they are)|intact|the same|"
        r"compatible|in place|working|separate|backwards?|"
        r"stable|small|short|simple|minimal|passing|green|private|secret|confidential)\b",
    ),
    cue(
        "stay remain",
        r"\b(?:stays?|remains?)\s+(?:unchanged|untouched|the same|intact|as[- ]is|compatible|backwards?)\b",
    ),
    cue(
        "new extra additional external third other breaking further than",
        r"\bno\s+(?:new|extra|additional|external|third[- ]party|other|breaking|further|more than|less than|"
        r"fewer than)\b"
        r"(?!\s+(?:issues?|problems?|errors?|ideas?|luck)\b)",
    ),
    cue(
        "ing",
        r"\bno\s+(?!longer|matter|idea|need|way|one|problem|worries|thing|reason|wonder|doubt|such)[a-z-]+ing\b",
    ),
    cue(
        "no",
        r"^no\s+(?!longer|matter|idea|need|way|one|problem|worr|thing|reason|that|it\b|this|i\b|we\b|you\b|"
        r"wait|the\b|there)"
        r"[a-z][\w-]*(?:\s+[\w/.-]+){0,5}[.!]?$",
    ),
    cue(
        "must",
        r"\bmust(?!\s+(?:have\s+\w+(?:ed|en)|be\s+(?:because|some|an? (?:bug|issue|problem|mistake)|wrong|"
        r"missing something)))\b",
    ),
    cue(
        "always",
        r"\balways\b(?!\s+\w+(?:[^s\W]s|ed|"
        r"ing)\b)(?<!is always)(?<!was always)(?<!are always)(?<!has always)(?<!not always)",
    ),
    cue(
        "sure",
        r"\b(?:make|be|making)\s+(?:very |absolutely |100% )?sure\b(?! (?:if|whether)\b)",
    ),
    cue(
        "ensur remember stick prefer",
        r"\bensur(?:e|ing)\b|\bremember to\b|\bstick (?:to|with)\b|\bprefer\b",
    ),
    cue(
        "follow respect obey adhere comply",
        r"\b(?:follow|respect|obey|adhere to|comply with)\b[^.!?\n]{0,60}\b(?:style|conventions?|guidelines?|"
        r"guides?|standards?|"
        r"rules?|patterns?|pep)\b",
    ),
    cue(
        "not never",
        r"\b(?:use|using|in)\b[^.!?\n]{1,60}[,;(]\s?(?:and )?(?:not|never)\s+(?!yet|sure)\w",
    ),
    cue(
        "required mandatory must",
        r"\b(?:is|are|be)\s+(?:required|mandatory|a must)\b",
    ),
    cue(
        "stay remain keep fully exactly backward compatible under below",
        r"\b(?:has|have|needs?)\s+to\s+(?:stay|remain|keep|be (?:fully|exactly|backwards?|compatible|under|"
        r"below))\b",
    ),
    cue(
        "now forward times circumstances matter case",
        r"\b(?:from now on|going forward|at all times|under no circumstances|no matter what|in (?:any|no) case)\b",
    ),
    cue(
        "want need like expect prefer 'd",
        r"\bi (?:want|need|would like|'d like|expect|prefer)\s+(?:you\s+)?(?:not\b|no\b|to\s+(?:always|never|"
        r"keep|avoid))",
    ),
    cue(
        "important critical requirement constraint rule restriction",
        r"^\W*(?:important|critical|requirements?|constraints?|rules?|restrictions?)\b\**\s*[:：]\**\s*\w",
    ),
    cue(
        "only",
        r"\bonly\b(?<!not only)(?<!the only)(?<!read-only)(?<!write-only)(?!\s+(?:difference|thing|one|place|"
        r"way|problem|issue|"
        r"reason|have|had|got|found|see|saw)\b)",
    ),
    cue(
        "without",
        r"\bwithout\b(?!\s+(?:success|luck|any (?:success|luck|issues?|problems?|errors?)|issues?|problems?|"
        r"errors?)\b)",
    ),
    cue(
        "instead rather other except unless",
        r"\b(?:instead of|rather than|nothing other than|except (?:for|in|the|when|where)|unless)\b",
    ),
    cue(
        "most least than exactly maximum minimum limit cap up",
        r"\b(?:at (?:most|least)|no (?:more|less|fewer|later|earlier) than|not more than|up to|exactly|"
        r"maximum(?: of)?|minimum(?: of)?|"
        r"limit(?:ed)? (?:\w+ ){0,3}to|cap(?:ped)? (?:\w+ ){0,3}at)\s+" + _NUMBER + r"\b",
    ),
    cue(
        "under below within above over",
        r"\b(?:keep|stay|be|stays|kept)\s+(?:[\w`/.-]+\s+){0,5}(?:under|below|within|above|over)\s+[0-9]",
    ),
    cue(
        "strictly backward",
        r"\bstrictly\b|\bbackwards?[- ]compatib",
    ),
    flags=re.IGNORECASE,
)

_ZH_CUES = (
    r"(?<!要)不要(?!紧)",
    r"(?<!不)必须(?!品)|必需|务必|切记|切勿|切忌|请勿|勿[^论须]|严禁|禁止|不得(?!不|了|已)|不许|不准|不允许|不可(?:以|用|改|有|使|修|更|删|超)",
    r"只(?:能|准|许|允许|可以?(?!能|惜)|改|做|用|用到|需要?|读|写|看|支持|保留|修改|使用|针对|在|处理|返回|输出|动|留|测|跑|提交)",
    r"(?:^|[\s，。、；：:;,！!（(“\"]|千万|请|你|就|都|可|先|但|也)别(?![的人处样家说致提])",
    r"(?<!不)(?<!不仅)仅(?!供参考|次于|剩|凭)",
    r"(?<!能)(?<!可)不能(?!不|运行|用了|打开|工作|显示|访问|正常|通过|启动|登录)",
    (
        r"严格|遵循|遵守|沿用|(?:请|都|全部|统一)用(?:中文|英文|简体|繁体)|一定(?:要|得|不)|(?<!不)一律|始终|每次(?:都|必|提交|修改)|绝(?:对)?不(?:能|要|可|"
        r"允)?|千万|从现在(?:开始|起)|以后(?:都|请|不|要)"
    ),
    r"无需|不需要|不必|不应该?|不用(?!了|谢|说|担心)|不再(?!需要吗)|不宜|避免|防止|杜绝",
    r"确保|保证|保持(?!联系)|维持原|原样|要求[:：是]|限制[:：在为]",
    r"先[^。！？\n]{1,40}(?:再|然后|之后)",
    r"而不是|而非|除非|除了[^。！？\n]{1,30}(?:以外|之外|外)",
    r"(?:至少|至多|最多|最少|不超过|不少于|不低于|不高于|不大于|不小于|控制在|限制在)\s*[0-9一二两三四五六七八九十百千半]",
)
ZH: Final = regex("|".join(_ZH_CUES))

TAKEN_BACK: Final = regex(
    r"(?<!n['’]t )(?<!not )(?<!never )\b(?:forget|disregard|scrap|scratch|drop|lift|revoke|"
    r"ignore)\s+(?:about\s+)?(?:the\b|that\b|what\b|my\b|"
    r"about\b|it\b)|"
    r"\bnever ?mind\b|\b(?:i|we)['’]?(?:ve| have)? changed (?:my|our) mind\b|\bon second thoughts?\b|"
    r"\byou\s+(?:may|can|are (?:now )?(?:allowed|free) to|don['’]?t (?:have|need) to)\b[^.!?\n]{0,80}\b(?:now|"
    r"anymore|any more|after all|again)\b|"
    r"\byou\s+(?:may|can) now\b|\bno longer (?:need|necessary|required|applies|matters?|a (?:rule|requirement|"
    r"constraint))|"
    r"\b(?:it['’]?s|it is|that['’]?s) (?:now )?(?:ok|okay|fine|allowed)(?: now)? to\b|\b(?:is|"
    r"are) (?:now )?(?:allowed|fine|ok|okay|optional)(?: now)?\b|"
    r"不用再|不必再|不需要再|无需再|不用[^。！？\n]{1,30}了|不必[^。！？\n]{1,30}了|不需要[^。！？\n]{1,30}了|算了|作废|取消|收回|"
    r"忽略(?:之前|前面|刚才|上面|先前)|可以[^。！？\n]{1,30}了|现在(?:可以|允许)|不再(?:需要|要求|限制|禁止)",
    re.IGNORECASE,
)
"""Words that take a rule back, whatever the rule."""
REPLACED: Final = cued(
    cue(
        "actually",
        r"\bactually\b[^.!?\n]{0,40}\b(?:use|let['’]?s|go|make|do|switch|keep|put|we can|you can)\b",
    ),
    cue(
        "instead after",
        r"\b(?:use|go with|switch to|prefer)\b[^.!?\n]{1,60}\b(?:instead|after all)\b",
    ),
    cue(
        "改成 改为 改用 换成 还是用 换回",
        r"改成|改为|改用|换成|还是用|换回",
    ),
    flags=re.IGNORECASE,
)
"""Words that put something else in its place; a new prohibition in the same sentence adds, it does not replace."""
NEGATED: Final = regex(r"\bnever\b|\bnot\b|n['’]t\b|不要|禁止|不得|不许|切勿|别", re.IGNORECASE)
CORRECTED: Final = cued(
    cue(
        "correction update plan revis scratch sorry mistake wrong",
        r"^\W*(?:correction|update|change of plan|revis\w+|scratch that|sorry|my mistake|i was wrong)\b",
    ),
    cue(
        "now",
        r"\b(?:is|are|was) now\b",
    ),
    cue(
        "replace swap",
        r"\b(?:replace|swap)\b[^.!?\n]{1,80}\b(?:with|for|by)\b",
    ),
    cue(
        "chang mov switch updat bump renam correct",
        r"\b(?:chang|mov|switch|updat|bump|renam|correct)(?:e|ed|es|ing)?\b[^.!?\n]{1,80}\b(?:to|from)\b",
    ),
    cue(
        "instead rather longer not",
        r"\b(?:instead of|rather than|no longer|not any ?more)\b|,\s*not\b|\binstead\b\W*$",
    ),
    cue(
        "更正 纠正 更新一下 变更 调整为 现在 不再 不是 取代 替换 搞错 弄错 说错",
        r"更正|纠正|更新一下|变更|调整为|现在是|现在改|不再(?:是|用)|不是[^。！？\n]{1,40}(?:而是|是)|取代|替换(?:成|为)|搞错|弄错|说错",
    ),
    flags=re.IGNORECASE | re.MULTILINE,
)
"""Words that correct a fact: a value, a name, a choice."""
