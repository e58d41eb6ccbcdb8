"""A person's rules that hold for the project beyond the session; what is bound to the moment is none.

Wider than `constraints` where people state a convention without a word of force ("Tests live in tests/unit."), and
narrower where the words of force are somebody else's, a taste, or of this run only.
"""

from __future__ import annotations

import re
from typing import Final

from context_kit.engrams import constraints, sentences

__all__ = ["bound", "standing"]

_BOUND: Final = re.compile(
    r"\b(?:for now|for the moment|right now|today|at this (?:point|stage)|until i|"
    r"this (?:time|turn|session|step|once|run|call|try|attempt|round|iteration|build|deploy\w*|release|commit)|"
    r"before (?:you|we) (?:start|begin|go on|continue)|yet|afterwards?|"
    r"(?:when|once|as soon as) (?:you['’]?(?:re| are) |it['’]?(?:s| is) |that['’]?(?:s| is) )?(?:done|finished|"
    r"ready))\b|"
    r"\b(?:(?:your|the|this) task|(?:the|this) (?:issue|pr|pull request|patch|fix|bug|request)|submi(?:t|ssion)\w*|"
    r"(?:your|the) (?:response|reply|answer|output)|at least one|(?:issue|pr|task) description)\b|"
    r"这(?:一)?次|本次|本轮|暂时|暂且|目前|今天|这一步|此刻|先不|稍后|待会|等会|(?:做|弄|改|写|跑)完(?:以?后|之后|了)|"
    r"任务描述|(?:本|这个|该)任务|(?:你的|回复|回答)(?:中|里|必须)|[?？]\W*$|[:：]\W*$",
    re.IGNORECASE,
)
"""A constraint that is bound to the moment, to one task or to the form of an answer is none of the project's; nor is
a question, or what only announces a list."""

_QUOTED: Final = re.compile(r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|「[^」\n]{1,400}」|『[^』\n]{1,400}』")
"""Words that are somebody else's, or a text that is spoken of."""
_EVERY: Final = re.compile(
    r"\b(?:each|every|all|any|always|never|whenever|everywhere|throughout)\b|每|所有|任何|一律", re.IGNORECASE
)
_FELT: Final = re.compile(
    r"\bi (?:do not|don['’]?t|did not|didn['’]?t|never)(?: really| actually)? (?:like|love|see|get|find|understand|"
    r"recall)\b|我不(?:太)?(?:喜欢|明白|理解|记得)",
    re.IGNORECASE,
)
"""A taste, or what somebody did not see."""
_REMINDER: Final = re.compile(r"\b(?:do not|don['’]?t) forget\b|别忘|不要忘", re.IGNORECASE)
"""Of the work in hand, unless it is of every such work."""

_THING: Final = (
    r"(?:functions?|methods?|class(?:es)?|modules?|packages?|endpoints?|handlers?|routes?|views?|models?|tests?|files?|"
    r"scripts?|components?|hooks?|types?|interfaces?|apis?|queries|migrations?|commits?|commit messages?|branch(?:es)?|"
    r"pull requests?|prs|comments?|docstrings?|names?|variables?|constants?|errors?|exceptions?|logs?|log messages?|"
    r"strings?|dates?|timestamps?|prices|amounts|ids|imports?|dependencies|configs?|settings|secrets?|docs|"
    r"documentation|schemas?|tables?|columns?|fields?|translations?|fixtures?|mocks?|helpers?|assets?|styles?|arguments?|"
    r"parameters?|migrations|identifiers|urls|paths|modals?|forms?|buttons?|pages?|services?|jobs?|tasks?|events?)"
)
_SAID: Final = r"^(?:(?:and|also|please|oh|one more(?: thing| rule)?|rule|btw)[,:]? )*"
_CONVENTIONS: Final = re.compile(
    rf"{_SAID}(?:(?:all|every|each|any|new|public|private|internal|unit|integration|[a-z]+) ){{0,3}}{_THING} "
    r"(?:needs?|requires?|ha(?:s|ve) to|(?:lives?|goes|go|belongs?|stays?) (?:in|into|to|under|below|beside|on)|"
    r"(?:is|are) (?:named|called|written|kept|stored|placed|sorted|formatted|logged|raised) )"
    rf"|{_SAID}(?:use|take|pick|choose) (?!an? )[^.!?\n]{{1,60}}? (?:for|in|as|throughout|everywhere)\b"
    rf"|{_SAID}(?:log|test|format|lint|document|validate|name|mock|indent|sort|escape|translate|type)(?: \w+)? "
    r"(?:with|via|in|as|by|through|using) ",
    re.IGNORECASE,
)
"""A convention in the plain present, or asked for of a kind of thing."""
_PARTICULAR: Final = re.compile(
    r"\b(?:the|this|that|these|those|it|them|my|your|its|here|there|now|again|first|next|instead|today|yesterday|still|"
    r"currently|already|example|template|reference|inspiration|input|help|fix\w*|fail\w*|broken|wrong|bugs?|crash\w*)\b|"
    r"\b\w+\.(?:py|m?[jt]sx?|rs|go|java|rb|md|json|ya?ml|toml|html|css|sql|sh|txt|csv)\b|\bline \d|#\d",
    re.IGNORECASE,
)
"""It is of one thing that is spoken of, or tells a trouble."""
_CHINESE: Final = re.compile(
    r"(?:所有|每一?个|每一?条|每一?次|任何|全部|一切)[^，。！？；\n]{1,20}?(?:都?(?:要|需要?|应该?|须|得(?!到))|"
    r"都?(?:使用|放在|写在|带上|加上)|都用)|"
    r"(?:给|为|对|在)(?:所有|每一?个|任何|全部|一切)[^，。！？；\n]{1,20}?(?:写|加|添加|补|使用|用|做)|"
    r"^(?:请)?(?:单元|集成|公共|公开|新)?(?:测试|常量|日志|注释|配置|文档|接口|函数|变量|提交信息|文案|错误信息)"
    r"(?:文件|用例|代码|名)?(?:一律|统一|都)?(?:放在|写在|用|使用|要|需要)(?!户|于|什么|怎么)"
)
_TROUBLE: Final = re.compile(r"失败|报错|不对|坏|挂了|通过了|了[。！]?$|这个|那个|现在")


def standing(text: str) -> tuple[str, ...]:
    """The sentences of a person's text that set a rule for the project, each a substring of it, in order."""
    forced = frozenset(constraints(text))
    return tuple(dict.fromkeys(line for line in sentences(text) if _stands(line, forced=line in forced)))


def bound(sentence: str) -> bool:
    """Whether a sentence is of this moment, this task or this answer only."""
    return _BOUND.search(sentence) is not None


def _stands(line: str, *, forced: bool) -> bool:
    if bound(line):
        return False
    if not forced:
        return _convention(line)
    if _FELT.search(line) or (_REMINDER.search(line) and not _EVERY.search(line)):
        return False
    own = _QUOTED.sub(" … ", line)
    return own == line or bool(constraints(own))


def _convention(line: str) -> bool:
    if _CHINESE.search(line):
        return _TROUBLE.search(line) is None
    return _CONVENTIONS.match(line) is not None and _PARTICULAR.search(line) is None
