"""One session, played: what is drawn is the same for the same seed; threads alone interleave as they like."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import tempfile
import threading
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._chaos._breaks import FAULTS, KINDS, Flaky, Refused, Summariser, adapter, hooks
from benchmarks._chaos._judge import Verdict, judged, newest, recalled, rigid
from benchmarks._chaos._talks import SHAPES, Beat, Talk, drawn, speaks
from context_kit import BudgetError, ContextManager, StoreError, WindowExceededError
from context_kit.testing import user
from context_kit.typing import Message
from context_kit.wire import faults
from tests.talks import accepted, size

__all__ = ["BOUND", "Session", "play"]

BOUND = 60.0
"""Seconds that one call may take on a busy machine; longer is stuck."""
MODES = ("sync", "async", "threads", "call", "acall")
FORMATS = {"chat": "openai", "responses": "openai-responses", "anthropic": "anthropic"}
WORKER = "context_kit summary"


class Stuck(Exception):
    """A call did not return within the bound."""


@dataclass
class Plan:
    """How a session is played."""

    mode: str
    kind: str
    background: bool
    stored: bool
    often: float
    """How often the store fails."""
    strict: bool


def planned(rng: random.Random) -> Plan:
    mode, stored = rng.choice(MODES), rng.random() < 0.5
    return Plan(
        mode=mode,
        kind=rng.choice(KINDS),
        background=rng.random() < 0.5,
        stored=stored,
        often=rng.choice((0.0, 0.0, 0.03)) if stored and "call" not in mode else 0.0,
        strict=rng.random() < 0.1,
    )


class Session:
    """A session, what breaks around it, and what was acknowledged."""

    def __init__(self, seed: str, place: Path) -> None:
        self.rng = random.Random(seed)
        self.plan = planned(self.rng)
        self.talk: Talk = drawn(self.rng)
        self.place = place / "store"
        self.verdict = Verdict()
        self.given: list[Message] = []
        self.truth = self.talk.window
        """The provider's own window, where it is smaller than believed."""
        if self.awaits and self.rng.random() < 0.5 and "call" in self.plan.mode:
            self.truth = int(self.talk.window * self.rng.uniform(0.6, 1.0))
        self.model = Summariser(self.plan.kind, self.rng)
        self.llm = self._llm()
        self.ctx = self._opened(ContextManager, window=self.talk.window, session="s")
        self.copies = 0

    @property
    def awaits(self) -> bool:
        return self.plan.mode in ("async", "acall")

    def _llm(self) -> Any:
        awaited = self.awaits and self.rng.random() < 0.7
        if self.plan.kind == "none":
            return None
        if self.plan.kind == "adapter":
            return adapter(random.Random(self.rng.random()), awaited=awaited)
        return self.model.twin if awaited else self.model

    def _opened(self, make: Callable[..., ContextManager], *first: Any, **arguments: Any) -> ContextManager:
        store: Any = None
        if self.plan.stored:
            store = Flaky(self.place)
            store.rng = random.Random(self.rng.random())
        mine = hooks(self.rng, awaited=self.awaits)
        beside = self.talk.beside if make is ContextManager else {}
        ctx = make(
            *([store, *first] if make is not ContextManager else first),
            **({"store": store} if make is ContextManager else {}),
            **arguments,
            **beside,
            llm=self.llm,
            background=self.plan.background,
            strict_roles=self.plan.strict,
            pre_compact=mine,
            post_compact=mine,
        )
        if store is not None:
            store.often = self.plan.often
        return ctx

    # -- calls -----------------------------------------------------------------------------

    async def do(self, name: str, *args: Any, ctx: ContextManager | None = None, **keywords: Any) -> Any:
        """One call of the session's, blocking in a thread or awaited, within the bound; a full store is tried again."""
        ctx = ctx or self.ctx
        for _ in range(40):
            try:
                if self.awaits and name in ("prepare", "compact", "call"):
                    made: Awaitable[Any] = getattr(ctx, f"a{name}")(*args, **keywords)
                else:
                    made = asyncio.to_thread(getattr(ctx, name), *args, **keywords)
                return await self.within(made)
            except StoreError:
                continue
        text = f"{name} raised StoreError 40 times"
        raise Stuck(text)

    async def within(self, made: Awaitable[Any]) -> Any:
        task = asyncio.ensure_future(made)
        done, _ = await asyncio.wait({task}, timeout=BOUND)
        if not done:
            self.model.free.set()
            text = f"a call did not return within {BOUND:.0f} s"
            raise Stuck(text)
        return task.result()

    async def add(self, messages: list[Message]) -> None:
        """Add messages, at once or one by one, and note what was acknowledged."""
        for group in [messages] if self.rng.random() < 0.5 else [[message] for message in messages]:
            if group:
                await self.do("add", group if len(group) > 1 or self.rng.random() < 0.5 else group[0])
                self.given += group

    # -- the loop --------------------------------------------------------------------------

    async def run(self) -> Verdict:
        """Play it to its end, or to what can't shrink."""
        try:
            for beat in self.talk.beats:
                if beat.reply and not await self.ask(beat):
                    break
                await self.add(beat.after)
                await self.chance()
            await self.end()
        except Stuck as stuck:
            self.verdict.stuck.append(str(stuck))
        except Exception as error:  # noqa: BLE001 - whatever reaches the agent that should not
            at = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(at.filename).name}:{at.lineno}"
            self.verdict.stuck.append(f"the agent got {type(error).__name__}: {str(error)[:200]} ({where})")
        finally:
            self.model.free.set()
        self.verdict.compactions += sum(receipt.outcome == "applied" for receipt in self.ctx.compactions)
        return self.verdict

    async def ask(self, beat: Beat) -> bool:
        """Ask the model: judge what is sent, add what it said; False where nothing more can be sent."""
        level = self.ctx.usage.level
        if level == "hard" or not self.plan.background:
            self.hurried()
        try:
            if "call" in self.plan.mode:
                await self.called(beat)
            else:
                self.judge(await self.do("prepare"))
                await self.add(beat.reply)
        except WindowExceededError as error:
            return self.exceeded(error)
        return True

    def hurried(self) -> None:
        """What hangs in the foreground ends by itself in the end; in the background only where the session gives up."""
        if self.plan.kind == "hangs" and not self.plan.background:
            threading.Timer(0.01, self.model.free.set).start()

    def exceeded(self, error: WindowExceededError) -> bool:
        known = min(self.truth, self.ctx.usage.window)
        if rigid(self.given, self.beside) <= 0.6 * known:
            self.verdict.stuck.append(f"window {known}, {rigid(self.given, self.beside)} can't shrink: {error}")
        return False

    @property
    def beside(self) -> int:
        return size([{"content": list(self.talk.beside.values())}])

    def judge(self, sent: list[Message], ctx: ContextManager | None = None, *, window: int = 0) -> None:
        """Judge a list of the session's, or of a fork of its; by the window that was believed in then."""
        own = ctx is None or ctx is self.ctx
        systems = [each["content"] for each in self.given if each.get("role") in ("system", "developer")]
        judged(
            self.verdict,
            sent,
            self.talk.shape,
            window=window or (ctx or self.ctx).usage.window,
            said=newest(self.given) if own else "",
            systems=systems if own and self.talk.name == "made" else [],
        )

    async def called(self, beat: Beat) -> None:
        """Send it through `call`, to a provider with a window and moods of its own."""
        sent: list[list[Message]] = []
        moods = [self.rng.choice(FAULTS)() if self.rng.random() < 0.1 else None for _ in range(6)]
        telling = self.rng.random() < 0.5
        window = self.ctx.usage.window

        def create(*, messages: list[Message]) -> Any:
            sent.append(messages)
            if moods[len(sent) % 6] is not None:
                raise moods[len(sent) % 6] or AssertionError
            asked = size(messages) + self.beside
            if asked > self.truth:
                limit = f"maximum context length is {self.truth} tokens. However, your messages resulted in {asked}"
                told = f"This model's {limit} tokens." if telling else "Your input exceeds the context window."
                raise Refused(told, 400, "context_length_exceeded")
            return self.reply(beat)

        for _ in range(20):
            sent.clear()
            moods = [*moods[1:], None]
            try:
                await self.do("call", create)
            except tuple({type(mood) for mood in moods if mood is not None} | {Refused, ConnectionError, TimeoutError}):
                continue
            except WindowExceededError:
                if len(sent) < 3 and sent and size(sent[-1]) * 2 < self.truth:
                    self.verdict.stuck.append("a request far below the window was given up")
                raise
            finally:
                for each in sent:
                    self.judge(each, window=window)
                if len(sent) > 3:
                    self.verdict.stuck.append(f"{len(sent)} requests of one call")
                if any(one == other for one, other in zip(sent, sent[1:], strict=False)):
                    self.verdict.stuck.append("two equal requests in a row")
            self.given += [_requested(message) for message in beat.reply]
            return
        text = "no call came through"
        raise Stuck(text)

    def reply(self, beat: Beat) -> dict[str, Any]:
        """The beat's reply as a provider sends it."""
        if self.talk.shape == "responses":
            return {"object": "response", "status": "completed", "output": beat.reply}
        (message,) = beat.reply
        if self.talk.shape == "anthropic":
            return {"type": "message", "stop_reason": "end_turn", **message}
        return {"object": "chat.completion", "choices": [{"index": 0, "message": message}]}

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
        if self.plan.mode != "threads":
            return
        self.hurried()
        added: list[list[Message]] = [[], []]
        lists: list[list[Message]] = []

        def adding(number: int) -> None:
            for at in range(3):
                message = user(f"Request {number}-{at}-{len(self.given)}: meanwhile.", shape=self.talk.shape)
                for _ in range(40):
                    try:
                        self.ctx.add(message)
                    except StoreError:
                        continue
                    added[number].append(message)
                    break

        def preparing() -> None:
            for _ in range(3):
                try:
                    lists.append(self.ctx.prepare())
                except (StoreError, WindowExceededError):
                    continue

        work = [asyncio.to_thread(adding, number) for number in range(2)] + [asyncio.to_thread(preparing)] * 1
        await self.within(asyncio.gather(*work, asyncio.to_thread(preparing)))
        for sent in lists:
            judged(self.verdict, sent, self.talk.shape, window=self.ctx.usage.window, said="", systems=[])
        mine = {id(message): message for each in added for message in each}
        order = [entry.message.raw for entry in self.ctx._session.log.entries if not entry.injected]  # noqa: SLF001
        fresh = order[len(self.given) :]
        if sorted(map(repr, fresh)) != sorted(map(repr, mine.values())):
            self.verdict.lost.append(f"{len(mine)} messages came from threads, {len(fresh)} are kept")
        for each in added:
            if [message for message in fresh if message in each] != each:
                self.verdict.lost.append("messages of one thread are out of order")
        self.given += fresh

    async def reopened(self) -> None:
        """The process is killed: what is on disk is copied, a line torn, and opened; the session goes on there."""
        if not self.plan.stored:
            return
        self.copies += 1
        old, self.place = self.place, self.place.with_name(f"store{self.copies}")
        shutil.copytree(old, self.place)
        if self.rng.random() < 0.5:
            for path in self.place.rglob("*.jsonl"):
                path.write_bytes(path.read_bytes() + b'{"k": "add", "n": 9')
        left = self.ctx
        self.ctx = self._opened(ContextManager.open, "s")
        await self.do("close", ctx=left)
        order = [entry.message.raw for entry in self.ctx._session.log.entries if not entry.injected]  # noqa: SLF001
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

    async def end(self) -> None:
        """Everything that was acknowledged is there, and nothing is left behind."""
        self.verdict.lost += await asyncio.to_thread(lambda: list(recalled(self.ctx, self.given)))
        await self.do("close", done=self.rng.random() < 0.3)
        self.model.free.set()
        for thread in threading.enumerate():
            if thread.name == WORKER:
                await asyncio.to_thread(thread.join, BOUND)
                if thread.is_alive():
                    self.verdict.stuck.append("a thread is left behind")


def _requested(message: Message) -> Message:
    """A reply's message as it goes back: no nulls."""
    return {key: value for key, value in message.items() if value is not None}


def play(seed: str) -> Verdict:
    """One session of a seed."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        os.chmod(place, 0o700)

        async def run() -> Verdict:
            session = Session(seed, Path(place))
            return await session.run()

        return asyncio.run(run())
