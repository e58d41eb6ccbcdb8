"""What the log proves against a summary's claims: checks that passed, files that are gone, tasks that are done.

Only what is cheap and sure. A claim is never turned round: it is marked, or the log's own words
take its place. Judged anew at every compaction, so a mark leaves when its reason does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from context_kit.engrams import Deed, Trail, sentences
from context_kit.engrams import revises as revising
from context_kit.summary._extract import decided, verified
from context_kit.summary._merge import stale
from context_kit.summary._phrases import PHRASES
from context_kit.types import FileState, Step

__all__ = ["Proof"]

_CHECK = r"(?:tests?|checks?|suite|builds?|lint\w*|type[- ]?check\w*|mypy|pytest|compil\w+|everything|ci)"
PASSED = re.compile(
    rf"\b{_CHECK}\b(?:[^.;,\n]|\.(?=\w)){{0,60}}\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|succeeded|clean|ok)\b|"
    rf"\b(?:passing|green|successful) {_CHECK}\b|\b\d+ passed\b(?!,? \d+ failed)|\bverified\b|"
    r"(?:测试|检查|构建|编译|用例)(?:已|都|全部|均|也)*(?:通过|成功)|验证通过|已验证",
    re.IGNORECASE,
)
"""A claim that a check passed."""
FAILED = re.compile(
    rf"\b{_CHECK}\b(?:[^.;,\n]|\.(?=\w)){{0,60}}\b(?:fail(?:s|ed|ing)?|broken|red)\b|\b[1-9]\d* failed\b|"
    r"(?:测试|检查|构建|编译|用例)(?:已|都|全部|均|仍|还)*(?:失败|未通过|不通过)",
    re.IGNORECASE,
)
"""A claim that a check fails."""
HEDGED = re.compile(
    r"\b(?:not|n't|never|unverified|fail\w*|until|before|unless|should|must|if|whether|so that|make|to)\b|"
    r"未|没有?|失败|如果|应该|以便",
    re.IGNORECASE,
)
DELETED = re.compile(r"\b(?:deleted|removed|gone|no longer exists)\b|已?删除|已移除|不存在", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Proof:
    """What the log says of checks, files and corrections."""

    trail: Trail
    language: Literal["en", "zh"]
    checks: tuple[tuple[str, Deed], ...]
    """Verifying commands with their newest run, oldest first."""
    newer: tuple[str, ...]
    """Sentences that correct something, oldest first."""

    @classmethod
    def of(cls, trail: Trail, redact: Callable[[str], str]) -> Proof:
        """Read off a trail, without its secrets."""
        told = [
            (said.position, line) for said in trail.newer for line in sentences(redact(said.text)) if revising(line)
        ]
        told += [(said.position, line) for said, line in decided(trail, redact) if revising(line)]
        newer = tuple(line for _, line in sorted(told))
        return cls(trail, trail.language, tuple(verified(trail)), newer)

    def step(self, step: Step) -> Step | None:
        """A step as it may stand: corrected ones go, a pass that failed since is marked."""
        if stale(step.text, self.newer) or self._still_there(step):
            return None
        run = self._against(step.text)
        if run is None:
            return step
        return Step(text=f"{step.text} ({PHRASES[self.language].failing}: m{run.until})", files=step.files)

    def file(self, said: FileState, known: FileState | None) -> FileState | None:
        """A file's state as it may stand; the log's own where the two differ."""
        view = self.trail.files.find(said.path)
        if view is None:
            return said
        if bool(DELETED.search(said.state)) != view.gone:
            return known
        words = PHRASES[self.language]
        known_state = known.state if known else ""
        if FAILED.search(said.state) and words.verified in known_state:
            return known
        if not self._claims(said.state):
            return said
        unproven = words.failing in known_state or words.unverified in known_state
        return known if unproven or self._against(said.state) is not None else said

    def fact(self, text: str) -> bool:
        """Whether nothing later corrects a sentence."""
        return not stale(text, self.newer)

    def task(self, task: str) -> bool:
        """Whether a task is one still: the plan doesn't say that it is done."""
        done = {todo.text.strip().lower() for todo in self.trail.plan if todo.status == "completed"}
        return task.strip().lower() not in done

    def pending(self, known: Sequence[str]) -> list[str]:
        """The plan's open tasks among the log's own."""
        plan = {todo.text.strip() for todo in self.trail.plan if todo.status in ("pending", "in_progress")}
        return [task for task in known if any(text.startswith(task.rstrip("…")) for text in plan)]

    def _claims(self, text: str) -> bool:
        found = PASSED.search(text)
        return found is not None and HEDGED.search(text[max(found.start() - 20, 0) : found.end()]) is None

    def _against(self, text: str) -> Deed | None:
        """The failed run that a claim of success stands against: the command's that it names, else the newest."""
        if not self.checks or not self._claims(text):
            return None
        named = [deed for command, deed in self.checks if command in text]
        run = named[-1] if named else self.checks[-1][1]
        return run if run.act.failed and not FAILED.search(text) else None

    def _still_there(self, step: Step) -> bool:
        """Whether a step says that files were deleted which no act of the session took away."""
        if not step.files or not DELETED.match(step.text):
            return False
        views = [self.trail.files.find(path) for path in step.files]
        gone = {deed.act.gone for deed in self.trail.deeds if deed.act.gone}
        ran = "\n".join(deed.act.command for deed in self.trail.deeds if deed.act.command)
        return all(
            view is not None and view.path not in gone and not view.gone and view.path.rsplit("/", 1)[-1] not in ran
            for view in views
        )
