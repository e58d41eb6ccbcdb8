"""Every sentence that a fact may stand in: what the user says, what the agent says, what a tool prints.

The story speaks these words and the agent looks for them; a fact whose words are not in the
window is not known. Nothing else tells the agent anything.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "ANNOUNCED",
    "CACHE_NOTE",
    "FACTS",
    "FAILED",
    "GO_ON",
    "GUIDE",
    "GUIDE_FIRST",
    "LESSONS",
    "LISTED",
    "NOTES",
    "OPENING",
    "QUESTIONS",
    "RULES",
    "SIGNATURES",
    "TICKET",
    "TICKET_NEW",
    "pattern",
]

GUIDE: Final = "docs/async-guide.md"
NOTES: Final = "docs/web-notes.md"
CACHE_NOTE: Final = "Module-level caches were rejected in review: the workers don't share memory."

RULES: Final[dict[str, tuple[str, ...]]] = {
    "tests": (
        "Do not edit anything under tests/.",
        "The files in tests/ are the contract: leave every one of them untouched.",
        "tests/ 目录下的文件一律不要改。",
    ),
    "dependency": (
        "No new dependencies: requirements.txt stays as it is.",
        "You must not add packages to requirements.txt.",
        "不要引入新的依赖，requirements.txt 保持原样。",
    ),
    "scope": (
        "Only these modules: every other one in the package stays synchronous.",
        "Do not convert modules that are not in this list.",
        "只改列出来的这些模块，其他模块必须保持同步。",
    ),
    "legacy": (
        "不要改动 legacy/ 目录下的任何文件，那边由另一个团队负责。",
        "Hands off legacy/, please: never change a file in there, another team owns it.",
        "Do not touch legacy/, it is frozen until the release.",
    ),
    "changelog": (
        "Never write into CHANGELOG.md, I do that myself at the release.",
        "CHANGELOG.md 由我在发布时自己写，你不要改。",
        "Please don't add entries to CHANGELOG.md.",
    ),
    "rename": (
        "Public names must stay as they are, aliases included: the mobile team imports them by name.",
        "Do not rename public functions and do not add aliases for them.",
        "公开函数的名字必须保持不变，也不要加别名。",
    ),
}
"""Standing constraints, by what they protect; any wording counts."""

OPENING: Final = {
    "en": "The package {package}/ blocks the event loop of our new server. Move its input and output to asyncio.",
    "zh": "{package}/ 这个包会阻塞我们新服务器的事件循环，请把它的输入输出改成 asyncio 的写法。",
}
LISTED: Final = {
    "en": "Convert these modules from sync to async, in this order:",
    "zh": "把下面这些模块从同步改成异步，按这个顺序：",
}
GUIDE_FIRST: Final = {
    "en": "Start with docs/async-guide.md, it says how we write such code.",
    "zh": "先看 docs/async-guide.md，里面写了我们的写法。",
}
TICKET: Final = {
    "en": "Commit every module by itself, under ticket {value}.",
    "zh": "每个模块单独提交，提交信息里写工单号 {value}。",
}
TICKET_NEW: Final = {
    "en": "From now on the commits go under ticket {value} instead.",
    "zh": "从现在起，提交改用工单号 {value}。",
}
ANNOUNCED: Final = {
    "en": (
        "I have just changed the signature of {function} in {path} and moved the callers that you had converted. "
        "Read that file before you go on; every later call has to follow it."
    ),
    "zh": "我刚改了 {path} 里 {function} 的签名，已转换好的调用方也一起改了。继续之前先读这个文件，以后的调用照它来。",
}
GO_ON: Final = {"en": "Thanks. Go on.", "zh": "好的，继续。"}

FACTS: Final = {
    "reviewer": {"en": "{value} reviews the web layer.", "zh": "web 层由 {value} 评审。"},
    "limit": {
        "en": "The nightly job gives the whole suite {value} seconds.",
        "zh": "夜间任务给整个测试套件的上限是 {value} 秒。",
    },
}
"""Details that a person tells once and asks for later."""

QUESTIONS: Final = {
    "reviewer": {"en": "Remind me, who reviews the web layer?", "zh": "提醒我一下，web 层由谁评审？"},
    "limit": {
        "en": "How many seconds does the nightly job give the suite?",
        "zh": "夜间任务给测试套件的上限是多少秒？",
    },
    "baseline": {
        "en": "How many tests did the very first run of the whole suite have?",
        "zh": "最开始完整跑测试时一共有多少个测试？",
    },
    "error": {
        "en": "With which error did `async with open` fail, the first time?",
        "zh": "最初 `async with open` 失败时报的是什么错？",
    },
}

FAILED: Final = {
    "open": re.compile(r"asynchronous context manager|__aenter__"),
    "gather": re.compile(r"RuntimeError: ledger cursor is busy"),
    "plain": re.compile(r"AssertionError: .{0,40}\bmust stay a plain function"),
    "scope": re.compile(r"missing 1 required keyword-only argument: 'scope'"),
    "zone": re.compile(r"missing 1 required keyword-only argument: 'zone'"),
}
"""How the runner's own words tell that an approach failed."""

SIGNATURES: Final = {
    "scope": re.compile(r"def check_guard\(key: str, \*, scope: str\)"),
    "zone": re.compile(r"def stamp_clock\(name: str, \*, zone: str\)"),
}
"""The signature lines that the user changes midway."""

LESSONS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "open": (
        (
            "I use asyncio.to_thread for the reads instead of `async with open`",
            ", because plain files don't support it.",
        ),
        ("Decision: every read goes through asyncio.to_thread", ", since `async with open` can't work on plain files."),
        ("读文件改用 asyncio.to_thread，而不是 `async with open`", "，因为普通文件不支持这种写法。"),
    ),
    "gather": (
        ("I await the ledger rows one after the other instead of asyncio.gather", ", because they share one cursor."),
        ("Decision: no asyncio.gather over ledger rows", ", since its readers share one cursor."),
        ("账本的行改为逐个 await，而不是用 asyncio.gather", "，因为读者共用一个游标。"),
    ),
    "plain": (
        ("I keep the describe functions plain instead of async", ", because templates call them without await."),
        ("Decision: describe functions stay plain `def`", ", since they only compute."),
        ("describe 函数保持普通函数，而不是改成 async", "，因为模板里不能 await。"),
    ),
    "cache": (
        ("Decision: no module-level cache in the web layer", ", because the workers don't share memory."),
        ("I read the rows anew instead of keeping a module-level cache", ", because the workers don't share memory."),
        ("web 层不采用模块级缓存", "，因为各个 worker 不共享内存。"),
    ),
}
"""What the agent says when it gives an approach up: the choice, and the reason. Any wording of the choice counts."""


def pattern(words: str) -> re.Pattern[str]:
    """A sentence with its `{blanks}` as groups of the same name."""
    pieces = re.split(r"\{(\w+)\}", words)
    blanks = {"value": r"[\w-]+", "path": r"[\w./-]+?\.py", "function": r"\w+", "package": r"\w+"}
    return re.compile(
        "".join(f"(?P<{piece}>{blanks[piece]})" if at % 2 else re.escape(piece) for at, piece in enumerate(pieces))
    )
