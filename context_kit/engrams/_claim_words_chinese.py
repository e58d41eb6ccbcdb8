"""The Chinese words around a value, as data: what states one, what changes one, what takes one back.

A single character such as 是 or 用 counts only right before a value, so that 用户 or 是否 stays a word.
Repetitions are bounded, so that one pass over a sentence is linear.
"""

from __future__ import annotations

import re
from typing import Final

from context_kit._lazily import regex
from context_kit.engrams._claim_words import VALUE

__all__ = ["HEAD", "IDLE_PART", "TAIL", "TOKEN_ZH", "UNIT"]

_BEFORE_VALUE = (
    r"(?=[ \t]*(?:[本下上]?(?:周|星期)[一二三四五六日天])|"
    r"(?:每[\u4e00-\u9fff]{1,2})?[ \t]*[A-Za-z0-9`\"“「/~$_¥]|[ \t]*[一二三四五六七八九十百千两]{1,4}"
    r"(?:个|天|周|月|年|秒|分钟|小时|次|号|点|行|条))"
)
_CHANGED = (
    r"(?:调整|变更|更新|更改|修改|修正|订正|升级?|降级?|提高|提升|降低?|减少?|增加?|加大|放宽|收紧|缩短|延长|涨|"
    r"延期?|延后|推迟|顺延|提前|"
    r"调|挪|移|迁移?|搬|恢复|还原|回退|退回|切换?|转|改|换|变)(?:回|为|成|到|至|用|在|叫|名为|做)"
)
_COPULA = (
    (
        rf"{_CHANGED}|回到|(?:设|设置|定|(?<![上下权期])限定|固定|规定|确定|约定|配置|命名|指定|默认)(?:为|成|"
        rf"在|于)|(?:等于|采用|使用|沿用|选用|选择了?|选定|"
        r"改选|定于|指向|位于|监听|存放在|放在|跑在|取名|应当?为|默认值?是|统一用)"
    ),
    rf"(?:[是为用选叫写走取算以]|换|改|得是){_BEFORE_VALUE}|[定设放在到要](?=[ \t]*[0-9`/])",
)
_NOT = (
    (
        r"而不是|而非|并不是|并非|不再(?:是|使用|用|叫|走|采用)?|不要再用|不要用|别再用|别再|别用|别管|不要管|"
        r"忘掉|忘了|忽略|撤回|撤销|收回|放弃|抛弃|弃用|"
        r"停用|(?:原来|原先|之前|以前|原本)(?:是|用|的|定的是|说的是)?(?=[ \t]*[A-Za-z0-9`])|取代|替换掉?(?!成|"
        r"为)|替代|代替|换掉|比起|甭管|甩掉"
    ),
    rf"(?:不是|不用|不要|不走|没用|没有用|旧的?|别|从|由|非){_BEFORE_VALUE}",
)
_AFTER_NOT = (
    (
        r"(?:已经?|早就|现在|那个值?|这个值?|是)?(?:不对|不行了?|错的|错了|作废|过时|失效|不能用了?|不用了|停用|"
        r"废弃|下线|行不通|已?被占用|有误|不算数|"
        r"不作数|不要了|取消了?)(?:了)?"
    ),
)
_AS = (r"(?:来)?(?:作为|当作|当做|充当)|(?<=[A-Za-z0-9`\s])(?:作|做|当)(?=[ \t]*[\u4e00-\u9fffA-Za-z])",)
_WHY = (r"因为|由于|原因是|原因|以便|为了|否则|不然|毕竟",)

TOKEN_ZH: Final = regex(
    "|".join(
        (
            rf"(?P<no>{'|'.join(_NOT)})",
            rf"(?P<after_not>{'|'.join(_AFTER_NOT)})",
            rf"(?P<why>{'|'.join(_WHY)})",
            rf"(?P<copula>{'|'.join(_COPULA)})",
            r"(?P<sign>[:：=](?=[ \t]*[^\s])|->|→|⇒|=>)",
            rf"(?P<as>{'|'.join(_AS)})",
            rf"(?P<value>{'|'.join(VALUE)}|[本下上]?(?:周|星期)[一二三四五六日天])",
            r"(?P<word>[A-Za-z][A-Za-z'’+#-]*)",
            r"(?P<of>的)",
            r"(?P<han>[\u4e00-\u9fff])",
            r"(?P<stop>[^\w\s]|\n)",
        )
    ),
    re.ASCII,
)
"""One token of a Chinese sentence, by what it does there; plain characters one by one."""

_HEADS = (
    "约定 商定 说好 定好 同意 请 麻烦 先 把 将 让 给 那 那么 那个 这个 另外 还有 对了 其实 事实上 实际上 现在 "
    "目前 今天 昨天 明天 刚才 刚刚 刚 今后 以后 后来 从现在起 "
    "从今天起 从今往后 更正 更正一下 更正我 纠正 纠正一下 更新 更新一下 通知 计划有变 抱歉 不好意思 对不起 "
    "说错了 写错了 记错了 口误 笔误 注意 记住 "
    "先说一下 说一下 补充 补充一下 关于 至于 对于 针对 我们 我 咱们 大家 团队 决定 新的决定 最终 最后 确认 确定 "
    "统一 全部 还是 但是 但 不过 不对 "
    "所以 因此 于是 然后 就 都 也 又 再 已 已经 调整 变更 修改 修正 修订 更改 改 重新 配置里 配置中 配置里的 "
    "配置的 配置中的 设置里 在配置里 算了 再想想 想了想 "
    "不 是 和 与 及 以及 并 并且 或 了 会 要 应 应该 必须 需要 希望 想 得 听说 据说 根据 按照 按 每 这 该 本 "
    "一律 今 的 用 为 选 到 在 对 里 从 吧 啊 嗯 好 "
    "老板说 客户说 运维说 产品说 上面说 他们说 他说 老板要求 客户要求 我说的 我之前说的 之前说的 前面说的 "
    "刚才说的 你记一下 记一下 提醒一下 撤回 用回 换回"
)
HEAD: Final = regex(
    rf"(?:[\u4e00-\u9fff]{{1,6}}(?:之后|以后|过后|之前)|{'|'.join(sorted(_HEADS.split(), key=len, reverse=True))})"
)
"""Words before a subject that are no part of it."""
_TAILS = (
    "变 变动 变化 有变 还 现在 目前 应该 应 应当 必须 还是 统一 都 就 也 已 已经 现已 最终 最后 正式 暂时 暂 先 "
    "实际上 实际 其实 直接 才 我 我们 咱们 一律 全部 后来 以后 今后 "
    "之后 重新 又 会 将 要 得 需要 可以 不 再 的 了 吧 这边 那边 只能 只 请 改 一下 这次 一直 默认 今天 明天起 "
    "今天起 从今天起 从现在起 我说错了 要求 决定 从 由"
)
TAIL: Final = regex(rf"(?:{'|'.join(sorted(_TAILS.split(), key=len, reverse=True))})$")
"""Words between a subject and what is said of it."""
IDLE_PART: Final = regex(
    r"(?:吧|了|啊|呢|哦|哈|就好|就行|就可以了?|即可|好了|为准|一下|才对|才行|比较好|更好|没问题|的|值|这个值?|"
    r"那个值?|那|这|它|他|"
    r"今天|从今天起|从现在起|起|开始|生效|并且|谢谢|麻烦了?|我|我们|应该|就|不对|抱歉|更正|更新|通知|计划有变|"
    r"其实|现在|以后|以后都?|还是|更正一下|配置|设置|"
    r"里|中|说|都|之前说错了?|前面写错了?|前面说错了?|说错了|写错了|口误|笔误|记错了|搞错了|弄错了|打错了|等等|"
    r"哎|唉|嗯|算了|再想想|新的决定|决定|"
    r"决定变更|不好意思|对不起|每[\u4e00-\u9fff]{1,2}|运维通知|更新配置|注意|之前说|前面写|前面说|更新一下|补充|"
    r"补充一下|说明|记一下|服务)+"
)
"""Parts that name nothing."""
UNIT: Final = regex(
    r"(?:个|天|周|个?月|年|秒|毫秒|分钟|小时|次|条|行|块|元|人|号|点|日|倍|页|字|位|台|份|名|岁|米|"
    r"兆)[\u4e00-\u9fff]{0,6}"
)
"""What is counted, after a number."""
