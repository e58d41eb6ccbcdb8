"""One session, played: what is drawn is the same for the same seed; threads alone interleave as they like."""

from __future__ import annotations

import asyncio
import random
import tempfile
import threading
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._chaos._acts import BOUND, Acts, Stuck
from benchmarks._chaos._breaks import BILLED, KINDS, OVERFLOW, Flaky, Provider, Refused, Summariser, adapter, hooks
from benchmarks._chaos._judge import Verdict, judged, newest, recalled, rigid
from benchmarks._chaos._talks import Beat, Talk, drawn
from context_kit import ContextManager, StoreError, WindowExceededError
from context_kit.typing import Message
from tests.talks import size

__all__ = ["BOUND", "Session", "play"]

MODES = ("sync", "async", "threads", "call", "acall")
SILENT = "did not answer within"
"""What a receipt says where somebody waited in vain."""
WORKER = "context_kit summary"


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


class Session(Acts):
    """A session, what breaks around it, and what was acknowledged."""

    def __init__(self, seed: str, place: Path) -> None:
        self.rng = random.Random(seed)
        self.plan = planned(self.rng)
        self.talk: Talk = drawn(self.rng)
        self.mode, self.stored = self.plan.mode, self.plan.stored
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
        if self.stored:
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

    def opened(self) -> ContextManager:
        """The session from disk, with all that breaks around it."""
        return self._opened(ContextManager.open, "s")

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
        level, made = self.ctx.usage.level, len(self.ctx.compactions)
        if level == "hard" or not self.plan.background:
            self.hurried()
        try:
            one = self.talk.shape == "responses" or len(beat.reply) == 1  # real sessions have several in a row, too
            if "call" in self.plan.mode and one:
                await self.called(beat)
            else:
                self.judge(await self.do("prepare"))
                await self.add(beat.reply)
        except WindowExceededError as error:
            return self.exceeded(error)
        waited = [
            each for each in self.ctx.compactions[made:] if each.trigger == "soft" and SILENT in str(each.failures)
        ]
        if level != "hard" and waited and self.plan.mode in ("sync", "async"):
            self.verdict.stuck.append("the agent waited for a summariser in the background below hard")
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
        """Send it through `call`, to a provider with a window and moods of its own, until it comes through."""
        provider = Provider(self.rng, self.truth - self.beside, self.reply(beat))
        window = self.ctx.usage.window
        for _ in range(20):
            provider.begin()
            try:
                await self.do("call", provider.create)
            except WindowExceededError:
                if 0 < len(provider.sent) < 3 and size(provider.sent[-1]) * 2 < self.truth:
                    self.verdict.stuck.append("a request far below the window was given up")
                raise
            except Refused as error:
                if error.code == OVERFLOW:
                    self.verdict.stuck.append("an overflow reached the agent")
            except (ConnectionError, TimeoutError):
                pass
            else:
                self.given += [_requested(message) for message in beat.reply]
                return
            finally:
                for each in provider.sent:
                    self.judge(each, window=window)
                self.verdict.stuck += provider.wrong()
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

    async def end(self) -> None:
        """Everything that was acknowledged is there, and nothing is left behind."""
        self.verdict.lost += await asyncio.to_thread(lambda: list(recalled(self.ctx, self.given)))
        billed = sum((each.usage or {}).get("input_tokens", 0) for each in self.ctx.compactions)
        if billed > BILLED * self.model.asked:
            self.verdict.illegal.append(f"{billed} tokens are on the receipts, {self.model.asked} requests were made")
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

        async def run() -> Verdict:
            session = Session(seed, Path(place))
            return await session.run()

        return asyncio.run(run())
