"""The same in Chinese: X 的冻结已解除, 关于 X 的限制取消了, X 不用再问我了.

All that such a sentence names must stand in the rule, and what the rule is about must be named.
"""

from __future__ import annotations

import re

from context_kit._lazily import regex
from context_kit.engrams._rule_acts import Act, Withdrawal

__all__ = ["chinese_withdrawal", "withdraws_chinese"]

_RULE = r"(?:冻结|禁令|限制|规定|规矩|规则|要求|约束|禁止|封锁|锁定)"
_OVER = r"(?:解除|取消|作废|放开|撤销|撤回|不算数?|不再(?:适用|生效|有效)|失效|结束|废除|没了|解禁)"
_SOON = r"(?:已经|已|现在|从现在起|就|都|也|全部|正式|被){0,3}"
_DONE = r"[了吧啦]{0,2}(?=[，。；！,;!\s]|$)"
LIFTED = (
    regex(
        rf"(?:关于|对于?|有关|针对)?([^，。；！？,;\n]{{1,40}}?)(?:的|这[条个项]|那[条个项]){{0,2}}{_RULE}{_SOON}{_OVER}{_DONE}"
    ),
    regex(
        rf"(?<!不)(?<!别)(?:取消|撤销|解除|废除|忘掉|忽略|放开|撤回)了?(?:关于|对于?|有关|针对)?([^，。；！？,;\n]{{1,40}}?)(?:的|这[条个项]|那[条个项]){{1,2}}{_RULE}{_DONE}"
    ),
    regex(
        rf"([^，。；！？,;\n]{{1,40}}?){_SOON}(?:放开|解禁|解冻|解锁|不再(?:受限|冻结|锁定|禁止|受限制)|不受限制?){_DONE}"
    ),
)
"""How the end of a rule is told: what the group holds is what the rule was about."""
PART = regex(
    r"如果|除非|只(?:有|对|限|在|是)|暂时|但(?:是)?|之前|等[^，。]{1,20}(?:再|才)|才|是否|吗|没有|还没|尚未|不(?:会|能)"
)
_ASK = r"(?:问|请示|征求|申请|确认|批准|同意|汇报|打招呼|许可)"
UNASKED = regex(
    rf"(?:不用|不必|无需|不需要|不再需要|用不着)(?:再|先|每次|都|特意|来|向我|经过?|跟我|和我|我的?){{0,4}}{_ASK}[^，。；！？\n]{{0,8}}"
)
ASKS = regex(
    rf"(?:没有|未经|不经|没经过?)(?:我|我们|用户)?的?(?:同意|批准|允许|许可|确认)|(?:之?前)(?:必须|一定|都|要|需要|需|得|请|应该?){{0,3}}先?(?:来|向我|跟我|和我|经我)?{_ASK}[^，。；！？\n]{{0,6}}"
)
YET = regex(r"暂时|暂且|先(?:别|不要|不)|目前|现在(?:先)?(?:别|不要)|(?:不要|别)先|还不要")
BEGUN = regex(
    r"(?:现在|可以|接下来|那就|好)(?:就|可以|请|开始|去|来|先|着手|动手|起){1,4}([^，。；！？\n]{1,30}?)(?:了|吧|啦)*(?=[，。；！]|$)|(?:^|[，。；])(?:请)?开始([^，。；！？\n]{1,30}?)(?:了|吧|啦)*(?=[，。；！]|$)"
)
HINTS = regex(rf"{_RULE}|{_ASK}|放开|解[禁冻锁]|受限?|不再|暂|先|目前|还不要|开始|现在|可以|接下来|那就|好就")
"""Cheap look first: a sentence with none of these withdraws nothing."""
NOTHING = Withdrawal()
IDLE = regex(
    r"任何|所有|关于|以后|今后|现在|之后|时候|事先|这[条个项]|那[条个项]|不要|不准|不许|禁止|必须|一定|没有|不能|[不别新的对再先我你都就了吧啊时前之把将也请每次得要\s`\"“”「」，。！；]"
)


def chinese_withdrawal(sentence: str) -> Withdrawal:
    """What a Chinese sentence withdraws, and by what a rule in it may be withdrawn."""
    if HINTS.search(sentence) is None:
        return NOTHING
    sure = PART.search(sentence) is None
    lifts = next((found[1] for cue in LIFTED if sure and (found := cue.search(sentence))), "")
    unasked = UNASKED.search(sentence) if sure else None
    asks = ASKS.search(sentence) if unasked is None else None
    begun = BEGUN.search(sentence) if sure else None
    return Withdrawal(
        lifts=_bare(lifts),
        unasked=frozenset([_bare(UNASKED.sub("", sentence))]) if unasked else None,
        asks=frozenset([_bare(ASKS.sub("", sentence))]) if asks else None,
        yet=YET.search(sentence) is not None,
        begun=frozenset([_bare(begun[1] or begun[2] or "")]) if begun else frozenset(),
    )


def _bare(text: str) -> str:
    return IDLE.sub("", text).lower()


def withdraws_chinese(gone: Withdrawal, was: Withdrawal, acts: tuple[Act, ...], deeds: dict[str, str]) -> bool:
    """Whether a later sentence withdraws an earlier rule.

    Args:
        gone: of the later sentence.
        was: of the earlier one.
        acts: what that forbids.
        deeds: words for one deed, by the first of them.
    """
    if gone.unasked is not None and was.asks is not None:
        return {_deed(text, deeds) for text in gone.unasked} == {_deed(text, deeds) for text in was.asks}
    if not acts:
        return False
    if gone.lifts and all(_about(gone.lifts, act, deeds) for act in acts):
        return True
    return was.yet and any(all(_begins(text, act, deeds) for act in acts) for text in gone.begun)


def _deed(text: str, deeds: dict[str, str]) -> str:
    """A text whose deed is told by the first word for it."""
    for word in sorted(deeds, key=len, reverse=True):
        if word in text:
            return text.replace(word, deeds[word], 1)
    return text


def _left(text: str, act: Act, deeds: dict[str, str]) -> str:
    """What is left of a text without the deed, its thing and its place."""
    for word in (*act.what, *act.where):
        text = text.replace(_bare(word), "", 1)
    words = (word for word in deeds if deeds[word] == act.deed) if act.deed else iter(())
    for word in sorted(words, key=len, reverse=True):
        if word in text:
            return text.replace(word, "", 1)
    return text


def _about(text: str, act: Act, deeds: dict[str, str]) -> bool:
    named = (*act.what, *act.where)
    told = all(_bare(word) in text for word in named) if named else bool(act.deed) and _left(text, act, deeds) != text
    return told and not re.sub(r"[库文件表目录]", "", _left(text, act, deeds))


def _begins(text: str, act: Act, deeds: dict[str, str]) -> bool:
    return bool(act.what) and all(_bare(word) in text for word in act.what) and not _left(text, act, deeds)
