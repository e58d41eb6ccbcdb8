"""The questions' own words, in both languages; everything else in a question is quoted from the log."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["GAP", "worded"]

GAP = "____"
"""What stands where a line lacks the words that are asked for."""

ENGLISH: Mapping[str, str] = MappingProxyType(
    {
        "after": "In {path}, as this session last saw it, which line comes right after the line `{line}`?",
        "before": "In {path}, as this session last saw it, which line comes right before the line `{line}`?",
        "where": "In which file does this session have the definition of `{name}`?",
        "follows": "In {path}, as this session last saw it, what is declared right after `{name}`?",
        "changed": "Which line did an edit of {path} put in the place of the line `{line}`?",
        "into": "Into which file did an edit put the line `{line}`?",
        "edited": "Which file did this session edit last?",
        "edited_after": "After its last edit of {path}, which other file did this session edit next?",
        "value": "To what is `{name}` set in {path}, as this session last saw it?",
        "error": "With which error did {label} fail, the last time that it failed?",
        "ended": "How did the last run of {label} end: which line of its output says so?",
        "first_line": "What is the first line of the output of {label}?",
        "last_line": "What is the last line of the output of {label}?",
        "next_call": "Right after {label} the assistant called `{name}`. What did it give as `{key}`?",
        "read_after": "Which file did this session read next after it had read {path}?",
        "found": "In which file does the output of {label} show the line `{line}`?",
        "line_of": "At which line number of {path} does the output of {label} show `{line}`?",
        "result": "In the result of {label}, what is the value of `{key}`?",
        "result_of": "In the result of {label}, what is the value of `{key}` where `{by}` is `{which}`?",
        "output": "The output of {label} has the line “{line}”. What stands at the gap?",
        "document": "{path}, as this session saw it, has the line “{line}”. What stands at the gap?",
        "wrote_on": "The assistant wrote a sentence that begins “{line}”. How does it go on?",
        "said": "The assistant wrote “{line}”. What stands at the gap?",
        "asked": "The user wrote “{line}”. What stands at the gap?",
        "given": "The agent was given instructions with the line “{line}”. What stands at the gap?",
        "goes_on": "The output of {label} has a line that begins “{line}”. How does it go on?",
        "read_on": "{path}, as this session saw it, has a line that begins “{line}”. How does it go on?",
        "rule": "The user laid this down: “{line}”. What stands at the gap?",
        "rule_goes_on": "The user laid down a rule that begins “{line}”. How does it go on?",
        "why": "The assistant decided: “{line}”. Which reason did it give?",
        "ground": "The assistant wrote “{line}”. Which reason stands at the gap?",
        "decided": "The assistant decided: “{line}”. What stands at the gap?",
        "intended": "The assistant announced its next step: “{line}”. What stands at the gap?",
        "then_ran": "Which command did the assistant run right after it wrote “{line}”?",
        "ran_after": "Which command did the assistant run first after its last edit of {path}?",
        "in_progress": "Which item of the newest task list is in progress?",
        "after_item": "In the newest task list, which open item comes right after “{line}”?",
        "open": "Which check failed last and has not passed since?",
    }
)
CHINESE: Mapping[str, str] = MappingProxyType(
    {
        "after": "按本会话最后看到的内容，{path} 中紧接在 `{line}` 这一行之后的是哪一行？",
        "before": "按本会话最后看到的内容，{path} 中紧接在 `{line}` 这一行之前的是哪一行？",
        "where": "本会话中，`{name}` 定义在哪个文件里？",
        "follows": "按本会话最后看到的内容，{path} 中紧接在 `{name}` 之后声明的是什么？",
        "changed": "对 {path} 的一次编辑把 `{line}` 这一行换成了哪一行？",
        "into": "`{line}` 这一行被编辑写进了哪个文件？",
        "edited": "本会话最后编辑的是哪个文件？",
        "edited_after": "最后一次编辑 {path} 之后，本会话接着编辑的另一个文件是哪个？",
        "value": "按本会话最后看到的内容，{path} 中 `{name}` 的值是什么？",
        "error": "{label} 最近一次失败时报了什么错误？",
        "ended": "{label} 最后一次运行的结果如何？输出中是哪一行说明的？",
        "first_line": "{label} 的输出的第一行是什么？",
        "last_line": "{label} 的输出的最后一行是什么？",
        "next_call": "{label} 之后，助手紧接着调用了 `{name}`，其中 `{key}` 的值是什么？",
        "read_after": "读完 {path} 之后，本会话接着读的是哪个文件？",
        "found": "{label} 的输出显示 `{line}` 这一行在哪个文件里？",
        "line_of": "{label} 的输出显示 `{line}` 在 {path} 的第几行？",
        "result": "{label} 的结果中，`{key}` 的值是什么？",
        "result_of": "{label} 的结果中，`{by}` 为 `{which}` 的那一项，`{key}` 的值是什么？",
        "output": "{label} 的输出中有一行：“{line}”。空缺处是什么？",
        "document": "本会话看到的 {path} 中有一行：“{line}”。空缺处是什么？",
        "wrote_on": "助手写过一句话，以“{line}”开头，后面是什么？",
        "said": "助手写过：“{line}”。空缺处是什么？",
        "asked": "用户写过：“{line}”。空缺处是什么？",
        "given": "给助手的说明中有一行：“{line}”。空缺处是什么？",
        "goes_on": "{label} 的输出中有一行以“{line}”开头，后面是什么？",
        "read_on": "本会话看到的 {path} 中有一行以“{line}”开头，后面是什么？",
        "rule": "用户规定：“{line}”。空缺处是什么？",
        "rule_goes_on": "用户有一条规定以“{line}”开头，后面是什么？",
        "why": "助手决定：“{line}”。给出的理由是什么？",
        "ground": "助手写过：“{line}”。空缺处给出的理由是什么？",
        "decided": "助手决定：“{line}”。空缺处是什么？",
        "intended": "助手说明了下一步：“{line}”。空缺处是什么？",
        "then_ran": "助手写下“{line}”之后紧接着运行了哪条命令？",
        "ran_after": "最后一次编辑 {path} 之后，助手最先运行的是哪条命令？",
        "in_progress": "最新的任务列表中，哪一项正在进行？",
        "after_item": "最新的任务列表中，紧接在“{line}”之后的未完成项是哪一项？",
        "open": "最近失败且至今没有通过的检查是哪一个？",
    }
)
LANGUAGES: Mapping[str, Mapping[str, str]] = MappingProxyType({"en": ENGLISH, "zh": CHINESE})


def worded(form: str, language: str, **words: str) -> str:
    """One question: a form filled with words of the log."""
    return LANGUAGES[language][form].format(**words)
