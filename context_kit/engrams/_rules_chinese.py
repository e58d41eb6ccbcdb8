"""What a Chinese sentence rules: each clause by the words that stand before its deed or behind its thing.

A clause that can't be told rules nothing. Linear in the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from context_kit._lazily import regex
from context_kit.engrams._rule_acts import Act, Rules
from context_kit.engrams._rule_cues import BOUND, NAMES, OF_RULE, RENAMES
from context_kit.engrams._rules_english import named

__all__ = ["DEEDS", "rules_chinese"]

_GROUPS = (
    "使用 采用 引用 依赖 选用 用".split(),
    "修改 改动 更改 编辑 改写 碰 触碰 动 改".split(),
    "删除 移除 删掉 清空 删".split(),
    "新增 添加 引入 增加 安装 加入 加 装".split(),
    "提交 commit".split(),
    "推送 push".split(),
    "合并 merge".split(),
    "部署 发布 上线 deploy".split(),
    "运行 执行 启动 跑".split(),
    "访问 调用 连接 请求 联网 连".split(),
    "打印 记录 输出".split(),
    "创建 新建 生成".split(),
    "支持 兼容".split(),
    "保留 保持".split(),
    "重构 重写".split(),
    "格式化".split(),
    "重命名 改名".split(),
    "升级".split(),
    "写".split(),
    "更新".split(),
)
DEEDS = {word: group[0] for group in _GROUPS for word in group}
_DEED = "|".join(sorted(DEEDS, key=len, reverse=True))
_CLAUSE = regex(r"[，。；！？、,;!?（）()\n]|：|:(?=\s)|\.(?=\s|$)|因为|但是|而不是|而非")
_FORBIDS = regex(
    r"(?:(?<!要)不要|不得(?!不)|不许|不准|不允许|不可以?|禁止|切勿|请勿|严禁|(?<!能)不能(?!不)|避免|杜绝|"
    r"(?<![特分级识区类性个差辨])别(?![的人处样家说致提名]))(?:再|随意|随便|擅自|去|给我|直接|在代码里|在代码中){0,3}"
    rf"[ \t]*(?P<deed>{_DEED})?[ \t]*(?P<what>[^\n]{{0,60}})$",
    re.IGNORECASE,
)
_ONLY = regex(
    rf"(?:只(?:能|准|许|可以?|允许|应该)?|仅(?:能|限|可)?)[ \t]*(?P<deed>{_DEED})[ \t]*(?P<what>[^\n]{{1,60}})$",
    re.IGNORECASE,
)
_REQUIRES = regex(
    r"(?:(?<!不)必须|务必|一定要|始终要?|每次都要?|(?<!不)需要|确保|保证|应该|得|^要|^请)"
    rf"[ \t]*(?P<deed>{_DEED})[ \t]*(?P<what>[^\n]{{1,60}})$",
    re.IGNORECASE,
)
_LEAD = (
    r"(?:那就?|现在|以后|从现在起|今后|你|我们|咱们|也|就|都|还是|还|其实|已经|等等|好吧?|算了|请|"
    r"这次|直接|重新|恢复|继续){0,6}[ \t]*"
)
_ALSO = r"(?:现在|也|还是|其实|已经|都|又|就|是){0,4}"
_DONE = r"(?P<lasting>了)?[吧啊的]{0,3}$"
_ENDED = r"了?[吧啊]{0,3}$"
_ALLOWS = (
    regex(
        rf"(?<![不只否可])(?P<sure>可以|允许|准许|同意|放开|能)"
        rf"(?:再|开始|直接|随便|放心|去|你|随时|重新|继续|也){{0,3}}[ \t]*"
        rf"(?P<deed>{_DEED})(?![了吧啊的]*$)[ \t]*(?P<what>[^\n]{{1,60}}?)[ \t]*{_DONE}",
        re.IGNORECASE,
    ),
    regex(
        rf"^{_LEAD}(?P<sure>可以|允许|准许|同意|放开|能)"
        rf"(?:再|开始|直接|随便|放心|去|你|随时|重新|继续|也){{0,3}}[ \t]*"
        rf"(?P<deed>{_DEED})(?P<what>){_DONE}",
        re.IGNORECASE,
    ),
    regex(
        rf"^{_LEAD}(?P<what>[^\n]{{1,40}}?)[ \t]*{_ALSO}(?<![不只否])"
        rf"(?P<sure>可以|允许|能)(?:被|随便|再|直接|继续){{0,3}}(?P<deed>{_DEED})(?:一下)?{_DONE}",
        re.IGNORECASE,
    ),
    regex(
        rf"^{_LEAD}(?P<deed>{_DEED})?[ \t]*(?P<what>[^\n]{{0,40}}?)[ \t]*{_ALSO}"
        rf"(?<![不只否])(?P<sure>可以|没问题|也行|允许|没关系|放开|不再禁止|不再受限|解禁){_DONE}",
        re.IGNORECASE,
    ),
    regex(
        rf"^{_LEAD}(?P<deed>改用|换回|换成|改成|改回|{_DEED})(?:回)?[ \t]*(?P<what>[^\n]{{0,40}}?)[ \t]*"
        rf"{_DONE}",
        re.IGNORECASE,
    ),
    regex(
        rf"(?:换成|换为|改为|改成|改用|换回|替换成|替换为|迁移到)[ \t]*(?P<what>[^\n]{{1,40}}?){_DONE}",
        re.IGNORECASE,
    ),
)
_CONDITION = regex(
    r"如果|除非|的话|只有|只(?:能|要|在)|仅|之后|以后再|等[^，。]{1,20}(?:再|就)|时候?(?:才|就|再|可)|才(?:可以|能)|"
    r"不(?!过|用再|再(?:禁止|受限))|别的|没有|未|以前|之前|原来|原先|曾|有人|他说|她说|暂时|是否|吗"
)
_SURE = regex(r"还是|其实|现在|改主意|算了|不对|等等|改用|换回|恢复|重新|从现在起|以后")
_DROPS = (
    regex(
        r"(?:不用|不必|无需|不需要|可以不|停止)(?:再)?(?:去|保证|确保)?[ \t]*"
        rf"(?P<deed>{_DEED})(?![了吧啊]*$)[ \t]*(?P<what>[^\n]{{1,40}}?){_ENDED}"
    ),
    regex(
        r"(?:放弃|取消|去掉|移除|停止|砍掉|不再|去除)(?:对)?[ \t]*"
        rf"(?P<what>[^\n]{{1,40}}?)[ \t]*的?(?P<deed>支持|兼容){_ENDED}"
    ),
    regex(
        r"(?:不再|放弃|停止)(?:需要|要求|必须)?[ \t]*"
        rf"(?P<deed>{_DEED})(?![了吧啊]*$)[ \t]*(?P<what>[^\n]{{1,40}}?){_ENDED}"
    ),
    regex(
        rf"^{_LEAD}(?P<what>[^\n]{{1,40}}?)[ \t]*(?:可以|就|也|现在){{0,3}}"
        rf"(?:不用|不必|不需要|无需)(?:再)?(?P<deed>{_DEED}){_ENDED}"
    ),
)
_IDLE = regex(
    r"任何|所有|新的?(?=[\u4e00-\u9fffA-Za-z])|这个|那个|其他的?|外部的?|第三方的?|额外的?|[的了吧啊呢把将`\"“”「」 \t]"
)
_KIND = regex(r"(?<=[\w\u4e00-\u9fff])(?:这?个?库|依赖库|软件包|模块|框架|算法|文件|函数|分支|方法|接口|目录)$")
_SINGLE = regex(r"[这那]个|^[ \t]*[这那该]")
_KINDS = ("库", "依赖", "框架", "模块")
_PURPOSE = regex(
    r"(?<=[A-Za-z0-9`\u4e00-\u9fff])[ \t]*(?:来做|用来|用于|作为|来|做|当|进行)[ \t]*|到(?=[ \t]*[A-Za-z`])"
)


def rules_chinese(sentence: str) -> Rules:
    """What a Chinese sentence forbids, requires, allows and drops."""
    clauses = [clause.strip() for clause in _CLAUSE.split(sentence) if clause.strip()]
    turned = _SURE.search(sentence) is not None
    bound = BOUND.search(sentence) is not None
    forbidden = tuple(_act(found) for clause in clauses if (found := _FORBIDS.search(clause)))
    return Rules(
        forbidden=tuple(replace(act, bound=bound) for act in forbidden if act.deed or act.what),
        only=tuple(_act(found) for clause in clauses if (found := _ONLY.search(clause))),
        required=tuple(
            _act(found) for clause in clauses if not _FORBIDS.search(clause) and (found := _REQUIRES.search(clause))
        ),
        allowed=tuple(act for clause in clauses for act in _allowed(clause, turned=turned)),
        dropped=tuple(act for clause in clauses for act in _dropped(clause)),
        names=named(NAMES, sentence),
        renamed=frozenset[str]().union(
            *(
                named(RENAMES, clause)
                for clause in clauses
                if not _CONDITION.search(clause) and not _FORBIDS.search(clause)
            )
        ),
        ends=OF_RULE.search(sentence) is not None,
    )


def _allowed(clause: str, *, turned: bool) -> Iterator[Act]:
    if _CONDITION.search(clause) is not None:
        return
    for cue in _ALLOWS:
        if (found := cue.search(clause)) is not None and not _split(found):
            sure = bool(found.groupdict().get("sure")) or turned
            yield replace(
                _act(found),
                granted=bool(found.groupdict().get("sure")),
                sure=sure,
                lasting=turned or found["lasting"] is not None,
            )
            return


def _split(found: re.Match[str]) -> bool:
    """Whether one deed was read as a shorter one and its thing: 删, 除."""
    return (found.groupdict().get("deed") or "") + _plain(found["what"]) in DEEDS and bool(found["what"])


def _dropped(clause: str) -> Iterator[Act]:
    if _FORBIDS.search(clause) is not None:
        return
    for cue in _DROPS:
        if (found := cue.search(clause)) is not None:
            yield _act(found)
            return


def _act(found: re.Match[str]) -> Act:
    groups = found.groupdict()
    told = groups.get("deed") or ("用" if "deed" not in groups else "")
    deed = DEEDS.get(told.lower(), "使用" if told and told[0] in "改换" else told)
    name, *rest = _PURPOSE.split(groups.get("what") or "", maxsplit=1)
    what = _plain(name)
    kind = _KIND.search(_IDLE.sub("", name))
    where = frozenset(filter(None, (_plain(part) for part in rest)))
    return Act(
        deed=deed,
        what=(what,) if what else (),
        where=where,
        kind=kind[0] if kind else what if what in _KINDS else "",
        single=_SINGLE.search(name) is not None,
    )


def _plain(text: str) -> str:
    """A thing as it is compared: without the words around it and its kind."""
    return _KIND.sub("", _IDLE.sub("", text)).lower()
