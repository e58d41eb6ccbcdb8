"""The words that the harness writes into tick files, in both languages; both are read back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

__all__ = ["HEADINGS", "NONE", "SECTIONS", "UNDECIDED", "WORDS", "Section", "TickWords", "words_of"]

Section: TypeAlias = Literal["done", "found", "fixed", "open", "next"]
SECTIONS: Final[tuple[Section, ...]] = ("done", "found", "fixed", "open", "next")
"""The sections of a tick file, in its order."""

TickWords: TypeAlias = Mapping[str, str]

EN: Final[TickWords] = {
    "title": "Tick",
    "done": "What was done",
    "found": "Problems found",
    "fixed": "Fixed",
    "open": "Open",
    "next": "Next",
    "none": "none",
    "undecided": "undecided",
    "state": "state",
    "closed": "closed",
    "interrupted": "interrupted",
    "session": "session",
    "node": "node",
    "time": "time",
    "lines": "lines",
    "whole": "written whole",
    "deleted": "deleted",
    "unknown": "lines not known",
    "passed": "passed",
    "failed": "failed",
    "others": "other commands, the newest",
    "calls": "other calls",
    "by": "by",
    "in": "found in tick",
    "again": "reported again; fixed in tick",
    "back": "back again; it was fixed in tick",
    "said": "as was written",
    "near": "edited there",
    "beside": "edited near",
    "after": "its place was changed again",
    "undone": "reported again after its fix was undone; it was fixed in tick",
    "test": "test",
    "idle": "tested nothing",
    "other": "other command:",
    "written": "Written so far",
    "more": "more",
    "lines_more": "lines more",
    "unverified": "no check passed since",
    "missing": "not in the newest run, which failed",
    "fix": "Fix",
    "node_next": "From here",
    "no_node": "not in the declared flow",
    "under_way": "under way",
    "entry": "Last entry",
    "criteria": "Open criteria",
    "resumed": "goes on: it was cut off",
    "already": "fixed in tick",
    "look": "look at the code as it is before you change it",
    "since": "the file was edited since",
    "no_criteria": "all criteria are met",
}
ZH: Final[TickWords] = {
    "title": "轮次",
    "done": "做了什么",
    "found": "发现的问题",
    "fixed": "已修复",
    "open": "待修复",
    "next": "下一步",
    "none": "无",
    "undecided": "未决定",
    "state": "状态",
    "closed": "已结束",
    "interrupted": "被中断",
    "session": "会话",
    "node": "节点",
    "time": "时间",
    "lines": "行",
    "whole": "整个写入",
    "deleted": "已删除",
    "unknown": "行数未知",
    "passed": "通过",
    "failed": "失败",
    "others": "条其他命令，最近一条",
    "calls": "其他调用",
    "by": "来自",
    "in": "发现于轮次",
    "again": "再次报告；已修复于轮次",
    "back": "再次出现；曾修复于轮次",
    "said": "据所写",
    "near": "已在此处修改",
    "beside": "已在附近修改",
    "after": "此处又被改动",
    "undone": "修复被撤销后再次报告；曾修复于轮次",
    "test": "测试",
    "idle": "没有测试任何内容",
    "other": "条其他命令：",
    "written": "目前已写",
    "more": "更多",
    "lines_more": "行未列出",
    "unverified": "之后没有通过的检查",
    "missing": "最近一次失败的运行中没有它",
    "fix": "修复",
    "node_next": "由此可到",
    "no_node": "不在声明的流程中",
    "under_way": "进行中",
    "entry": "最近记录",
    "criteria": "未达成的验收标准",
    "resumed": "继续：曾被中断",
    "already": "已修复于轮次",
    "look": "改动之前先看现在的代码",
    "since": "此后该文件又被修改过",
    "no_criteria": "验收标准全部达成",
}
WORDS: Final[Mapping[str, TickWords]] = {"en": EN, "zh": ZH}
HEADINGS: Final[Mapping[str, Section]] = {words[name].lower(): name for words in WORDS.values() for name in SECTIONS}
"""What a heading of a tick file says -> the section."""
NONE: Final[frozenset[str]] = frozenset({EN["none"], ZH["none"], "nothing", "n/a", "-", "没有"})
"""How a person or a model says that a section is empty."""
UNDECIDED: Final[frozenset[str]] = frozenset({EN["undecided"], ZH["undecided"]})


def words_of(language: str) -> TickWords:
    """The words for a conversation in `en` or `zh`."""
    return ZH if language == "zh" else EN
