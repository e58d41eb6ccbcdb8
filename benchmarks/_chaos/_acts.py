"""What else happens in a session: pins, exports, forks, threads, kills, cancelled waits."""

from __future__ import annotations

import asyncio
import random
import shutil
from abc import ABC, abstractmethod
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from benchmarks._chaos._judge import Verdict, judged
from benchmarks._chaos._talks import SHAPES, Talk, speaks
from context_kit import BudgetError, ContextManager, StoreError, WindowExceededError
from context_kit.testing import user
from context_kit.typing import Message
from context_kit.wire import faults
from tests.talks import accepted

__all__ = ["BOUND", "Acts", "Stuck"]

BOUND = 60.0
"""Seconds that one call may take on a busy machine; longer is stuck."""
TRIES = 40
"""How often a full disk is tried again."""
FORMATS = {"chat": "openai", "responses": "openai-responses", "anthropic": "anthropic"}


class Stuck(Exception):  # noqa: N818 - it is a finding, not an error
    """A call did not return within the bound."""


class Acts(ABC):
    """The acts of a session beside its loop."""

    rng: random.Random
    mode: str
    stored: bool
    talk: Talk
    verdict: Verdict
    given: list[Message]
    ctx: ContextManager
    place: Path
    copies = 0

    # -- what the loop gives ---------------------------------------------------------------

    @abstractmethod
    async def do(self, name: str, *args: Any, ctx: ContextManager | None = None, **keywords: Any) -> Any:
        """One call of the session's."""

    @abstractmethod
    async def within(self, made: Awaitable[Any]) -> Any:
        """Wait, within the bound."""

    @abstractmethod
    def hurried(self) -> None:
        """Let nothing hang in the foreground."""

    @abstractmethod
    def exceeded(self, error: WindowExceededError) -> bool:
        """Whether something can shrink after all."""

    @abstractmethod
    def judge(self, sent: list[Message], ctx: ContextManager | None = None, *, window: int = 0) -> None:
        """Judge a list."""

    @property
    @abstractmethod
    def awaits(self) -> bool:
        """Whether the session is awaited."""

    @abstractmethod
    def opened(self) -> ContextManager:
        """The session from disk."""

    # -- what else happens -------------------------------------------------------------------

    async def chance(self) -> None:
        """Now and then something else."""
        if self.rng.random() < 0.25:
            await self.rng.choice((self.manual, self.pinned, self.exported, self.forked, self.burst, self.reopened))()
        if self.rng.random() < 0.05:
            await self.cancelled()

    async def manual(self) -> None:
        self.hurried()
        try:
            await self.do("compact", focus="the tests" if self.rng.random() < 0.3 else None)
        except WindowExceededError as error:
            self.exceeded(error)

    async def pinned(self) -> None:
        try:
            found = await self.do("pin", f"Keep in view: port {self.rng.randint(1, 9)}.")
            if self.rng.random() < 0.4:
                await self.do("release", found.id)
        except BudgetError:
            return

    async def exported(self) -> None:
        target = self.rng.choice(SHAPES)
        out = await self.do("export", FORMATS[target])
        self.verdict.illegal += [f"export: {fault}" for fault in faults(out, shape=target)] if self.whole() else []
        if self.whole():
            try:
                accepted(out, target)
            except ValueError as error:
                self.verdict.illegal.append(f"export: {str(error)[:200]}")

    def whole(self) -> bool:
        """Whether a request could follow: there is a user's message, and the last word is not the model's."""
        return any(each.get("role") == "user" for each in self.given) and not speaks(self.given[-1])

    async def forked(self) -> None:
        """A subagent works and answers; its parent's window is as it was."""
        before = self.ctx.messages
        window = self.rng.choice((None, max(self.talk.window // 2, 2_000)))
        try:
            child = await self.do("fork", f"Request 0-{self.rng.randrange(10**6)}: look around.", window=window)
        except WindowExceededError:
            return
        for beat in self.rng.sample(self.talk.beats, min(3, len(self.talk.beats))):
            try:
                if beat.reply:
                    self.hurried()
                    self.judge(await self.do("prepare", ctx=child), child)
                    await self.do("add", [*beat.reply, *beat.after], ctx=child)
            except WindowExceededError:
                break
        await self.do("close", ctx=child)
        if self.ctx.messages != before:
            self.verdict.illegal.append("a fork's work changed its parent's window")

    async def burst(self) -> None:
        """Several threads add and prepare at once."""
        if self.mode != "threads":
            return
        self.hurried()
        added: list[list[Message]] = [[], []]
        lists: list[list[Message]] = []
        adding = [asyncio.to_thread(self._adding, number, mine) for number, mine in enumerate(added)]
        preparing = [asyncio.to_thread(self._preparing, lists) for _ in range(2)]
        await self.within(asyncio.gather(*adding, *preparing))
        for sent in lists:
            judged(self.verdict, sent, self.talk.shape, window=self.ctx.usage.window, said="", systems=[])
        fresh = self.kept()[len(self.given) :]
        if sorted(map(repr, fresh)) != sorted(map(repr, [*added[0], *added[1]])):
            self.verdict.lost.append(f"{len(added[0]) + len(added[1])} messages came, {len(fresh)} are kept")
        if any([message for message in fresh if message in each] != each for each in added):
            self.verdict.lost.append("messages of one thread are out of order")
        self.given += fresh

    def _adding(self, number: int, mine: list[Message]) -> None:
        for at in range(3):
            message = user(f"Request {number}-{at}-{len(self.given)}: meanwhile.", shape=self.talk.shape)
            for _ in range(TRIES):
                try:
                    self.ctx.add(message)
                except StoreError:
                    continue
                mine.append(message)
                break

    def _preparing(self, lists: list[list[Message]]) -> None:
        for _ in range(3):
            try:
                lists.append(self.ctx.prepare())
            except (StoreError, WindowExceededError):
                continue

    def kept(self) -> list[Message]:
        """What the log has of the agent's messages."""
        return [entry.message.raw for entry in self.ctx._session.log.entries if not entry.injected]  # noqa: SLF001

    async def reopened(self) -> None:
        """The process is killed: what is on disk is copied, a line torn, and opened; the session goes on there."""
        if not self.stored:
            return
        self.copies += 1
        old, self.place = self.place, self.place.with_name(f"store{self.copies}")
        shutil.copytree(old, self.place)
        if self.rng.random() < 0.5:
            for path in self.place.rglob("*.jsonl"):
                path.write_bytes(path.read_bytes() + b'{"k": "add", "n": 9')
        left = self.ctx
        self.ctx = self.opened()
        await self.do("close", ctx=left)
        order = self.kept()
        if order != self.given:
            self.verdict.lost.append(f"{len(self.given)} messages were acknowledged, {len(order)} are on disk")

    async def cancelled(self) -> None:
        """The agent stops waiting: the log is as it was, or compacted."""
        if not self.awaits:
            return
        before = self.ctx.messages, len(self.ctx.compactions)
        task = asyncio.ensure_future(self.ctx.aprepare())
        await asyncio.sleep(self.rng.choice((0, 0.001, 0.01)))
        task.cancel()
        done, _ = await asyncio.wait({task}, timeout=BOUND)
        if not done:
            text = "a cancelled aprepare() went on"
            raise Stuck(text)
        if task.cancelled() and self.rng.random() < 0.5 and len(self.ctx.compactions) == before[1]:
            kept = self.ctx.messages[: len(before[0]) - 1] == before[0][:-1]
            self.verdict.illegal += [] if kept else ["a cancelled aprepare() changed the window"]
