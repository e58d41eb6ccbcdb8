"""What an edit tool's answer says of its edit: done, not done, or neither; read clause by clause.

Any agent's own tool answers in words of its own, so no list of whole messages is enough. Only the answer's first lines
are read, up to the first that shows a file's text or a diff: what stands in a file says nothing about the edit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal

from context_kit._lazily import regex
from context_kit.tools._envelope import Envelope

__all__ = ["Answer", "answer_of"]

Answer = Literal["done", "undone", ""]

SHORT = 1_500
"""Characters of an answer of which more than the first line is read."""
LINES = 4
"""Lines that are read of it."""
LENGTH = 400
"""Characters of one line that are read."""
USUAL = (
    " has been updated",  # Claude Code
    " has been edited",  # Anthropic's text editor, OpenHands
    "File created successfully",
    "Successfully replaced text",  # pi
    "Successfully wrote ",
    "Successfully modified file",  # Gemini CLI
    "Success. Updated the following files",  # Codex
    "OK: wrote ",  # trycua
)
"""What well-known agents' tools say when all went well: no need to read further."""
SHOWN = regex(r"\s*(?:```|\d+\s*[\t:|→│]|@@ |--- |\+\+\+ |diff --git|\[File: |[+-]\s*\d+:|={5,}|<{3,}|>{3,})")
"""How a line begins from which on a file's text or a diff is shown."""
CLAUSE = regex(r"[.!?;,](?:\s+|$)|[。！？；，、：]|[,;:](?=[\u4e00-\u9fff])|: |\s[-–—]+\s|[()（）]|\bbut\b|\band\b")
"""What divides an answer into clauses."""

DID = (
    "applied|updated|edited|modified|replaced|wrote|written|saved|changed|created|inserted|patched|overwrote|"
    "overwritten|removed|deleted|added|appended|renamed|moved|formatted"
)
"""Verbs that report an edit."""
MAKE = (
    f"{DID}|made|performed|executed|carried out|done|touched|allowed|permitted|authori[sz]ed|approved|accepted|"
    "completed?|successful|successfully|succeed|apply|modify|replace|write|edit|change|update|save|patch|perform"
)
"""What of an edit is denied by a `not`."""
THINGS = "replacements?|occurrences?|match(?:es)?|edits?|changes?|substitutions?|hunks?|instances?|modifications?"
ZERO = regex(
    rf"(?:^|[^\w.])(?:0|zero) (?:\w+ ){{0,2}}(?:{THINGS})\b"
    rf"|\b(?:replaced|matched|changed|edited|modified) ?[:=]? ?0(?![\w.])|\b(?:{THINGS}) ?[:=] ?0(?![\w.])"
    r"|(?:替换|修改|匹配|更改|更新|改动)(?:了|次数|数量?|处数)?\s*(?:[:：]\s*)?[0零](?:\s*(?:处|次|个|行|项)|$)"
    r"|(?<![\d.])[0零]\s*(?:处|次|个|行|项)(?:被)?(?:替换|修改|匹配|更改|更新|改动)",
    re.IGNORECASE,
)
"""A count of zero, which says more than `done` beside it ..."""
SOME = regex(
    rf"(?<![\d.])[1-9]\d{{0,8}} (?:\w+ )?(?:{THINGS}|files?|lines?)\b|(?<![\d.])[1-9]\d{{0,8}}\s*(?:处|次|个|行|项)",
    re.IGNORECASE,
)
"""... unless something else was counted."""
REPORT = regex(
    rf"(?:success\w*|succeeded|ok|okay|done|completed?|(?:has|have) been (?:{DID})|{DID})\b"
    r"(?!\s+(?:nothing|none|no)\b)"
    r"|[✅✓✔]|成功|完成|已(?:经)?(?:被)?(?:全部)?(?:修改|替换|更新|写入|保存|应用|编辑|创建|更改|插入|删除|追加|将|把)",
    re.IGNORECASE,
)
"""How a clause begins that reports an edit."""
UNDONE = regex(
    r"(?:(?!(?:no|without|zero|so|that)\b)[\w#./'’`\"-]+\s+){0,7}?(?:rejected|declined|denied|refused|blocked|"
    r"forbidden|prohibited|disallowed|vetoed|cancell?ed|aborted|reverted|rolled back|undone|skipped|unsuccessful|"
    r"unchanged|untouched|unmodified|failed|failure|fails|timed out|error|false|disabled|discarded|dropped|"
    r"ignored|protected)"
    r"(?:\W*$|\s+(?:by|because|due|per|as|on|in|at|for|with|after|before|while|since|to|under)\b)|"
    r"[^\n]{0,200}?(?:\b(?:not|cannot|never|unable to|refuse[sd]? to|nothing)|n['’]t)\s+(?:\w+\s+){0,3}?"
    rf"(?:{MAKE})\b|"
    r"(?:the )?(?:user|policy|hook|sandbox|server|reviewer|guard|system)\s+(?:has |have )?(?:rejected|declined|"
    r"denied|refused|blocked|forbids|prohibits|disallows|cancell?ed|vetoed)\b|"
    rf"(?:[\w'’]+\s+){{0,4}}?(?:{DID}|made?|did|does|do|performed) (?:nothing|none|no)\b|"
    r"(?:\w+ )?(?:conflict|mismatch)\W*$|"
    r"no[ -]?op\b|no\W*$|nothing happened|none (?:of|were|was)\b|no files? (?:was|were|has been) |"
    r"no (?:\w+ )?(?:changes?|edits?|replacements?|substitutions?|modifications?)\b|"
    r"no permission\b|dry[- ]run\b|\w+ hook error|approval (?:is )?(?:required|needed|pending)|"
    r"[\w ]{0,40}?exceed(?:ed|s)\b|(?:you )?(?:must|need to|have to|should) (?:first )?(?:read|open|view)\b|"
    r"(?![^\n]{0,30}(?:没有|无|0 ?个?)(?:失败|出错))[\u4e00-\u9fff\w ]{0,20}?(?:失败|出错|被?拒绝|被?取消|被?阻止|"
    r"被?拦截|被?驳回|中止|回滚|撤销|超时)(?:了|$|\W|原因|因为)|"
    r"(?:用户|策略|钩子|权限|系统)[\u4e00-\u9fff\w ]{0,12}?(?:拒绝|取消|阻止|禁止|不足|驳回|拦截)|"
    r"[\u4e00-\u9fff\w .]{0,40}?(?:未(?:能|被|做|作|有)?|没有?|没能|并未|不曾|无法|不能|不会|不)"
    r"(?:被|做|作|进行|成功|任何|能){0,4}(?:应用|修改|更改|改动|替换|编辑|执行|写入|保存|生效|变化|改变|更新|"
    r"完成|成功|允许|批准|授权|通过)|"
    r"(?:无(?:任何)?(?:变化|更改|改动|修改)|禁止|无权|权限不足)",
    re.IGNORECASE,
)
"""How a clause begins that says that the edit was not made."""
MISSED = regex(
    r"\b(?:no|not|cannot|never|nothing|none)\b[^\n]{0,60}?\b(?:match\w*|found|find|locate\w*|unique|exists?|"
    r"present|occurrences?|identical|equal|such|instances?|hunks?|appear|contain\w*|to replace)\b|"
    r"n['’]t\b[^\n]{0,40}?\b(?:match\w*|found|find|locate|unique|exist|present|appear|contain|occur)\b|"
    r"\bnot in\b|\babsent\b|\bmissing\b|\bexpected (?:exactly )?\d+ |\bgreater than\b|\bambiguous\b|"
    r"\bnon-?unique\b|\bmust be unique\b|\bmismatch|\bconflicts?\b|\balready exists\b|\bread[- ]only\b|"
    r"\bout of (?:range|bounds|date|sync)\b|\bstale\b|\bmore than (?:one|once)\b|"
    r"\b(?:modified|changed|edited|updated) (?:externally|on disk|elsewhere|since|by another)\b|"
    r"\b(?:multiple|several|many|[2-9]|[1-9]\d{1,8}) (?:\w+ )?(?:matches|occurrences|candidates|places|instances)\b|"
    r"(?:appears|occurs|matches|matched|found) (?:[2-9]|\d{2,9}|multiple|several|many) times|"
    r"(?:未能?|没有?|没能|无法|不能|不)(?:找到|匹配|命中|发现|定位|存在)|找不到|无匹配|不唯一|不一致|未检测到|"
    r"内容相同|无需|受保护|外部修改|歧义|多处匹配|多个匹配|匹配到?多|冲突|只读|已存在|"
    r"(?:未能?|没能|无法)在[^\n]{0,20}?(?:找到|定位|匹配)",
    re.IGNORECASE,
)
"""A clause that says why an edit could not be made: one that was made all the same says so, too."""
DONE = regex(
    rf"\b(?:success\w*|succeeded|ok|okay|done|completed?|{DID})\b|成功|完成"
    r"|\b[1-9]\d{0,8} (?:replacements?|changes?|edits?|substitutions?|insertions?|hunks?)\b|[✅✓✔]"
    r"|已(?:经)?(?:被)?(?:全部)?(?:修改|替换|更新|写入|保存|应用|编辑|创建|更改|插入|删除|追加)",
    re.IGNORECASE,
)
HYPOTHETICAL = regex(
    r"\b(?:unless|since|must|should|please|if|try|need\w*|would|will|to be|can|could|before|until|when|again|"
    r"expected)\b|如果|请|需要|必须|应该|之前|重新|后再",
    re.IGNORECASE,
)
"""What makes `changed` and its like no report of this edit."""
EDGES = " \t*_`'\"[]【】❌✗✖⚠️"
"""What stands around a clause and says nothing."""
MADE = ("applied", "changed", "modified", "updated", "edited", "written", "replaced", "saved")
FLAGS = ("success", "ok", "done", *MADE)
"""Fields of a JSON answer that say by true or false whether the edit was made."""
COUNTS = ("replacements", "replaced", "occurrences", "matches", "changes", "edits", "count", "edits_applied")
"""Fields that count what was changed."""
TELLING = ("status", "state", "outcome", "message", "msg", "reason", "detail", "details", "result", "text", "output")
"""Fields whose text is read as an answer."""


def answer_of(said: str, seen: Envelope, /) -> Answer:
    """What an answer says: `done`, `undone` (refused, denied, no match, zero changes), or nothing of either.

    Args:
        said: the tool's result as the model saw it.
        seen: the same without its envelope.

    """
    if seen.verdict == "error":
        return "undone"
    first = said[:LENGTH].partition("\n")[0]
    if any(usual in first for usual in USUAL):
        return "done"
    found = _object(said)
    told = _told(seen.body) if found is None else _fields(found)
    return told or ("done" if seen.verdict == "ok" or seen.code == 0 else "")


def _object(said: str) -> dict[str, Any] | None:
    """The JSON object that an answer is."""
    body = said.strip()
    if body[:1] != "{" or body[-1:] != "}":
        return None
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _fields(found: dict[str, Any]) -> Answer:
    inner = [value for value in (found.get("data"), found.get("result")) if isinstance(value, dict)]
    fields = {name: value for each in (*inner, found) for name, value in each.items()}
    flags = [value for name in FLAGS if isinstance(value := fields.get(name), bool)]
    counts = [value for name in (*COUNTS, *FLAGS) if type(value := fields.get(name)) is int]
    if False in flags or (counts and not any(counts)):
        return "undone"
    if counts or any(fields.get(name) is True for name in MADE):
        return "done"
    told = [_told(value.replace("_", " ")) for name in TELLING if isinstance(value := fields.get(name), str)]
    return "undone" if "undone" in told else "done" if "done" in told or flags else ""


def _told(body: str) -> Answer:
    """What the words say: the first clause that decides does; a miss counts where nothing was done all the same."""
    missed = False
    for line in _lines(body):
        if ZERO.search(line) and not SOME.search(line):
            return "undone"
        for clause in CLAUSE.split(line):
            told = _clause(clause.strip(EDGES))
            if told == "missed":
                missed = True
            elif told:
                return told
    return "undone" if missed else ""


def _clause(words: str) -> Literal["done", "undone", "missed", ""]:
    reports = not HYPOTHETICAL.search(words)
    if reports and REPORT.match(words):
        return "done"
    if UNDONE.match(words):
        return "undone"
    if MISSED.search(words):
        return "missed"
    return "done" if reports and DONE.search(words) else ""


def _lines(body: str) -> Iterator[str]:
    """The lines that are the tool's own words."""
    body = body.strip()
    most = LINES if len(body) <= SHORT else 1
    for line in [line for line in body[: SHORT + LENGTH].split("\n") if line.strip()][:most]:
        if SHOWN.match(line):
            return
        yield line.strip()[:LENGTH]
