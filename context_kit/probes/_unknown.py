"""The words by which a clause says that it doesn't know, in both languages.

Lists of words and the forms that they fill: what a model may say in another way is added here.
"""

from __future__ import annotations

import re

from context_kit._lazily import regex

__all__ = ["LOOK", "QUOTED_VALUE", "UNKNOWN", "either", "simplified"]


def either(words: str) -> str:
    """A pattern of several: one of these words, a `_` in one stands for a space."""
    return "(?:" + "|".join(word.replace("_", " ") for word in words.split()) + ")"


KNOW = either(
    "know recall remember tell say find see determine confirm answer identify verify be_sure be_certain access locate "
    "establish give provide state make_out retrieve reconstruct recover name specify"
)
"""What one can't do."""
LOOK = either(
    "look check search recall re-?read read ask open verify help fetch find tell confirm inspect view consult guess "
    "re-?run"
)
"""What one would have to do."""
SOURCE = either(
    "records? context window history logs? summary transcripts? conversation notes? session above here information "
    "memory messages? text"
)
"""Where it isn't."""
TOLD = either(
    "known recorded mentioned stated specified given available shown present included covered documented listed found "
    "provided visible clear sure certain preserved kept described noted determinable answerable remembered recoverable "
    "retained there captured in_view contained logged named told disclosed evident determined answered "
    "inferred seen established said written reconstructed recovered identified derived deduced located left"
)
"""What it isn't."""
NOTHING = either(
    r"record records memory mention information info trace data details? idea evidence clue recollection entry "
    r"indication notes? such knowledge reference answer way_to_\w+ way_of_\w+"
)
AUXILIARY = either("do does did can could would am is are was were has have")
NEVER = either("not never isn['’]?t wasn['’]?t aren['’]?t weren['’]?t hasn['’]?t_been nowhere")
GONE = either("not nothing nowhere isn['’]?t wasn['’]?t absent missing gone lost dropped left_out cut")
MADE_SHORT = either("dropped summari[sz]ed compacted evicted truncated trimmed condensed removed cut gone left fallen")
WINDOW = either("away context window records? history logs? summary view memory")
HAVING = either("information info data details? access")
QUITE = either("been be entirely fully really quite exactly explicitly actually yet to_be anywhere")
SILENT = either("don['’]?t doesn['’]?t do_not does_not never no_longer")
SPEAK = either(
    "say mention show contain include have tell state specify cover give record go_into appear list name know provide "
    "reveal hold says mentions shows contains includes has tells states gives records lists names holds"
)
LACKS = either("lacks? omits? has_no have_no gives?_no holds?_no is_silent are_silent leaves?_\\w+_out")
IN = either("in from by within about on of")
WOULD = r"(?:\bwould|['’]d|\bwill|['’]ll|\bmust)(?: first)?(?: have| need| want| like)? to"
DETAILS = either("details? specifics? words? wording names? values? content")
PIECE = either("output details? text content results? lines? messages? part rest record history")
TAKEN_OUT = either("gone lost evicted trimmed dropped compacted cut")
NOT = "(?:n?['’]?t| not)"


def some(most: int) -> str:
    """A few words between."""
    return rf"(?:\W+\w+){{0,{most}}}?\W+"


ENGLISH = (
    rf"\b{AUXILIARY}{NOT}\b{some(4)}{KNOW}\b",
    rf"\bcannot\b{some(3)}{KNOW}\b",
    rf"\b(?:{AUXILIARY}{NOT}|cannot)(?: be| been)?(?:\W+{QUITE})*\W+{TOLD}\b",
    rf"\b(?:unable|not able|impossible|no way|fail(?:ed)?) (?:for me )?to {KNOW}\b",
    rf"\b{NEVER}(?:\W+{QUITE})*\W+{TOLD}\b",
    rf"\b{GONE}\b{some(3)}{IN}\b{some(3)}(?:{SOURCE}|that|this|it|what i (?:have|see|can see))\b",
    rf"\b{MADE_SHORT}\b{some(3)}{WINDOW}\b",
    rf"\bi do{NOT}\b(?:\W+\w+)?\W+have\b|\bdo(?:es)?{NOT} have{some(3)}{HAVING}\b",
    rf"\bno (?:\w+ )?{NOTHING}\b",
    r"\bnothing (?:(?:more |else )?(?:about|on|of|like)|(?:is |was )?(?:left|kept|there|here|above|visible))\b",
    rf"\b(?:{SOURCE}|it) (?:\w+ )?{SILENT} (?:\w+ )?{SPEAK}\b",
    rf"\b{SOURCE} (?:\w+ )?{LACKS}\b|\bnone of (?:the |these |those )?(?:\w+ )?{SOURCE}\b",
    rf"\b(?:its|the|that|this) (?:\w+ )?{PIECE} (?:is|was|are|were|has been) (?:already |now |long )?{TAKEN_OUT}\b",
    rf"\bno longer\b.{{0,20}}\b{either('available accessible in visible have there access know see')}\b",
    r"\b(?:mentions?|mentioned|shows?|know|see|have|names?)\b.{0,60}(?:\bbut|,) not\b|\A\W*but not\b",
    rf"\b{SOURCE} (?:only )?(?:starts|begins) (?:after|later)\b|\bi(?:['’]m| am) missing\b",
    r"\bescapes me\b|\boutside of what\b|\bhard to (?:say|tell)\b|\bnot aware\b|\bi['’]?(?:ve)? lost\b",
    rf"{WOULD} (?:re-?)?{LOOK}\b",
    rf"\b(?:have|need) to (?:re-?)?{LOOK}\b.{{0,60}}\b(?:to (?:know|tell|say|answer)|again|first)\b",
    r"\bonly (?:see|have|know|remember|got|a) (?:\w+ )?(?:summary|outline|gist|overview|guess)\b",
    rf"\bwithout (?:the |any )?(?:exact |precise |actual )?{DETAILS}\b",
    r"\bunknown\b(?! (?:command|option|error|column|table|key|host|module|user|field|flag|argument|method|type)s?\b)",
    rf"\b{either('unsure uncertain unclear undetermined unrecorded unspecified unavailable dunno idk n/a')}\b",
    r"\b(?:i (?:forgot|lack|no longer)|forgotten|beyond what|insufficient)\b",
    r"\b(?:call|use|run|try|with|via|by|need|do)(?:ing)?\W{1,2}recall\b",
    r"\brecall (?:would|will|could|can|has|brings?)\b",
    r"(?:\bwould|['’]d) (?:be|just be|only be|have to) guess",
    r"\b(?:not|never) something\b|\bneither\b.{0,60}\bnor\b",
    r"\b(?:out of|outside(?: of)?) (?:my|the) (?:\w+ )?(?:context|window|view)\b",
    r"\A[^\w=<>]*(?:none|nothing|nope|not known|not that i \w+|\?+)[^\w=<>]*\Z",
    r"\bweiß (?:ich |es |das )*nicht\b|\bne sais pas\b|\bno (?:lo )?sé\b|わかりません|分かりません",
)
CHINESE_TOLD = either(
    "印象 记录 信息 提到 提及 记载 找到 说明 显示 写 说 提 保留 出现 看到 见到 依据 内容 线索 留下 包含 给出 列出 "
    "指明 写明 涉及 知 见"
)
CHINESE_KNOW = either(
    "确定 得知 确认 回答 判断 获知 知道 找到 给出 查到 看出 记录 记载 信息 回忆 提供 记起 说明 作答 得出"
)
CHINESE = (
    r"不(?:太|大|是很|能)?(?:知道|清楚|确定|记得|了解|肯定|详|明确|得而知)",
    r"不在(?:\S{0,8})?(?:记录|上下文|窗口|历史|范围)|不存在|不包含|未在\S{0,10}(?:出现|提到|记录|写)",
    r"(?:已|被|都)(?:经)?(?:被)?(?:丢失|压缩|省略|删除|移出)|没有?(?:什么)?办法|需要重新(?:查|看|读|运行)",
    r"(?:记|说|想|看|查|找|答|认)不(?:清|准|起|上|到|出|得)",
    rf"没(?:有)?\S{{0,6}}?{CHINESE_TOLD}|未(?:能)?{CHINESE_TOLD}",
    rf"无(?:法|从|相关|此|任何|对应|该|记录|记载|信息|从得)(?:\S{{0,4}}?){CHINESE_KNOW}?|没法{CHINESE_KNOW}",
    r"(?:里|中|上|内|面|处)(?:都|也|并|根本|完全|确实)?没有?(?:了|的|这)?|\A\W*(?:没有|没|无)\W*\Z",
    r"只(?:有|看到|剩|记得)\S{0,6}(?:摘要|概要|大概)|忘(?:了|记)|缺(?:少|失|乏)|并未|尚不|未知|不晓得|\A\W*不(?:明|详)\W*\Z",
)
UNKNOWN = regex("|".join((*ENGLISH, *CHINESE)), re.IGNORECASE)
TRADITIONAL = str.maketrans(
    "沒無記錄曉說見寫現訊憶從關過認為內線檔檢這個裡", "没无记录晓说见写现讯忆从关过认为内线档检这个里"
)

VALUE = r"(?:not[ _](?:found|known|available|specified|set)|unknown|none|null|nil|n/a|undefined|unavailable)"
QUOTED = rf"[`\"']{VALUE}[`\"']|[`\"'](?:未知|不存在|未找到|无)[`\"']"
GAVE = either(
    "returned returns printed prints raised raises threw throws logged logs responded_with replied_with failed_with "
    "fails_with exited_with errored_with set_to defaults_to equals"
)
GAVE_CHINESE = r"(?:返回值?|报错?|打印|输出|抛出|设|设置|配置|错误|状态|结果)(?:信息|码|值)?(?:是|为|成|了|出)?"
QUOTED_VALUE = regex(
    rf"\b{GAVE}\W{{1,3}}(?:(?:an?|the|with|http|status|code|error|message)\W{{1,2}})*"
    rf"(?:\w+(?:Error|Exception)\W{{1,3}})?(?:\d{{3}}\W{{1,3}})?(?:{QUOTED}|{VALUE}\b(?!\W+(?:in|by|from|to|above|here|anywhere|for)\b))|"
    rf"\b(?:error|message|status|output|value|result|it) (?:was|is|said|says) (?:set to )?(?:{QUOTED})|"
    rf"\b[1-5]\d\d\W{{1,3}}{VALUE}\b|\b(?:command|module|page|package) not found\b(?!\W+(?:in|by|from|above)\b)|"
    rf"{GAVE_CHINESE}\W{{0,3}}(?:{QUOTED}|\b{VALUE}\b)",
    re.IGNORECASE,
)
"""Where such a word is what something else said, and so the answer itself: "it returned 404 not found"."""


def simplified(text: str) -> str:
    """A text with the traditional characters of these words as simplified ones."""
    return text.translate(TRADITIONAL)
