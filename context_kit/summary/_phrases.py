"""The few words of the library's own in a summary, in both languages."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PHRASES", "Phrases"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """Words of the extractive summary."""

    edited: str
    read: str
    searched: str
    edited_at: str
    read_at: str
    failed: str
    failing: str
    verified: str
    unverified: str
    solved: str
    edited_since: str
    still_open: str
    asked: str
    more: str
    """What stands for left-out items; `{n}` is their number."""
    edits: str
    errors: str
    commands: str
    failing_commands: str
    decided: str
    whys: str
    reads: str
    solved_ones: str
    values: str
    ends: str
    """Says that paths are told by their ends."""
    """Headings of the lists that stand on the board where the summary has no room for all of them."""


PHRASES = {
    "en": Phrases(
        edited="Edited",
        read="Read, not edited since:",
        searched="Searched:",
        edited_at="edited at",
        read_at="read at",
        failed="failed",
        failing="a check failed since",
        verified="a check passed since",
        unverified="not verified since",
        solved="solved at",
        edited_since="edited since, not verified:",
        still_open="Open:",
        asked="Waiting for the user's answer:",
        more="{n} earlier ones left out",
        edits="more files edited",
        errors="more open errors",
        commands="more checks, passed last",
        failing_commands="more checks, failed last",
        decided="more decisions",
        whys="more on why attempts failed",
        reads="more files read, not edited",
        solved_ones="errors solved since",
        values="settings as edited",
        ends="(ends of paths)",
    ),
    "zh": Phrases(
        edited="已编辑",
        read="已读，之后未改：",
        searched="已搜索：",
        edited_at="编辑于",
        read_at="读于",
        failed="失败",
        failing="之后有检查失败",
        verified="之后检查通过",
        unverified="之后未验证",
        solved="解决于",
        edited_since="之后有编辑，未验证：",
        still_open="未解决：",
        asked="等待用户回答：",
        more="省略较早的 {n} 条",
        edits="其他已编辑的文件",
        errors="其他未解决的错误",
        commands="其他检查，上次通过",
        failing_commands="其他检查，上次失败",
        decided="其他决策",
        whys="其他失败原因",
        reads="其他已读未改的文件",
        solved_ones="已解决的错误",
        values="修改后的配置",
        ends="（路径末段）",
    ),
}
