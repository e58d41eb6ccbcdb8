"""One walk over every path of a session, in any order: each list that comes out of any of them is right.

Soft, hard, manual, overflow, background, fork, export, reopen, in all three shapes, for strict servers and others.
200 walks a shape (`CONTEXT_KIT_EXAMPLES` for another number), 2,000 in the nightly run (`-m nightly`).
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from context_kit import Budget, BudgetError, ContextManager, SummaryRequest, WindowExceededError
from context_kit.typing import Message, Shape
from context_kit.wire import faults
from tests.judging import Truth, rigid
from tests.servers import REFUSALS, SILENT, Server
from tests.talks import SHAPES, prints, size, told
from tests.test_laws import MODELS, REPLY
from tests.validators import refused
from tests.wild import Wild, agent_call

FORMATS: dict[Shape, str] = {"chat": "openai", "responses": "openai-responses", "anthropic": "anthropic"}
WINDOWS = (1_200, 3_000, 8_000, 16_000)
HEAD = "You repair Python files. Answer in the user's language."
TASK_WHOLE = 5_000
"""Tokens of a window in which a subagent's task stands whole all along."""
PATIENCE = 0.5
"""Seconds that a held summariser waits at most, where a turn waits for it."""


def walks(examples: int) -> settings:
    """So many walks, in CI the same ones each time; `SHRINK=0` leaves a failing one as it was drawn, shrinking takes minutes."""
    phases = tuple(phase for phase in Phase if phase is not Phase.shrink or os.environ.get("SHRINK", "1") == "1")
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    same = examples <= 200
    return settings(max_examples=examples, deadline=None, derandomize=same, phases=phases, suppress_health_check=slow)


class Summariser:
    """Says what it was given, in turn, and for ever; held back where the walk wants to be ahead of it."""

    def __init__(self, replies: Sequence[str]) -> None:
        self.replies = replies
        self.asked = 0
        self.free = threading.Event()
        self.free.set()

    def __call__(self, request: SummaryRequest) -> str:
        if threading.current_thread() is not threading.main_thread():
            self.free.wait(PATIENCE)
        self.asked += 1
        reply = self.replies[self.asked % len(self.replies)]
        if reply == "raise":
            raise ConnectionError(reply)
        return reply


class Walk:
    """A session, what was said in it, and every way to go on."""

    def __init__(self, draw: Callable[..., Any], shape: Shape, folder: Path) -> None:
        self.draw, self.folder = draw, folder
        self.shape: Shape = shape
        self.window = draw(st.sampled_from(WINDOWS))
        replies = draw(st.sampled_from([(), (REPLY,), (REPLY, "no JSON at all", "raise")]))
        self.llm = Summariser(replies) if replies else None
        self.arguments: dict[str, Any] = {
            "llm": self.llm,
            "model": draw(st.sampled_from(MODELS[shape])),
            "background": bool(replies) and draw(st.booleans()),
            "strict_roles": draw(st.booleans()),
            "system": HEAD if shape == "anthropic" else None,
            "budget": Budget(self.window, soft=draw(st.sampled_from((0.45, 0.7)))),
        }
        self.stored = draw(st.booleans())
        self.copies = 0
        self.ctx = self.opened()
        self.talk = Wild(draw, shape, giant=draw(st.sampled_from((400, 4 * self.window))))
        self.truth = Truth(shape)
        if shape != "anthropic":
            self.add({"role": "system", "content": HEAD})

    def opened(self) -> ContextManager:
        if not self.stored:
            return ContextManager(**self.arguments)
        store = self.folder / str(self.copies)
        return ContextManager.open(store, "s", **self.arguments)

    # -- the judge -------------------------------------------------------------------------

    def legal(self, out: list[Message], shape: Shape | None, *, strict: bool) -> None:
        """No judge has anything against a list; one of plain texts alone is of every shape."""
        found = [*faults(out, shape=shape, strict=strict), *refused(out, shape or self.shape)]
        assert not found, found

    def look(self, out: list[Message], ctx: ContextManager | None = None) -> None:
        """A list that is sent is legal, fits, and has the system prompt and the newest words."""
        ctx = ctx or self.ctx
        self.legal(out, ctx._session.log.shape, strict=self.arguments["strict_roles"])
        self.fits(out, ctx)
        last = ctx._session.log.last
        planned = 0 if last and last.receipt.trigger == "overflow" else ctx.usage.window  # for how many is not told
        missing = self.truth.missing(out, planned, lambda address: ctx.recall(address)[0].text)
        assert not missing, missing

    def fits(self, out: list[Message], ctx: ContextManager) -> None:
        """By the ledger a list leaves room for the reply; by another tokeniser it is within the ledger's margin."""
        room = ctx._session.settings.budget.room
        assert ctx.usage.tokens <= room, (ctx.usage, room)
        if ctx.usage.source == "estimate":
            assert size(out) <= ctx.usage.tokens + ctx.usage.margin, (size(out), ctx.usage)

    def sendable(self, send: Callable[[], Any]) -> Any:
        """What comes of sending; None where it rightly can't be done."""
        try:
            return send()
        except WindowExceededError as error:
            assert rigid(self.truth.messages, self.shape) > 0.75 * error.window, str(error)
            return None

    # -- the paths -------------------------------------------------------------------------

    def add(self, *messages: Message) -> None:
        self.ctx.add(list(messages))
        self.truth.add(messages, self.ctx)

    def say(self) -> None:
        """The loop goes on to where the model is asked."""
        self.add(*self.talk.reply())
        while not self.talk.asks():
            self.add(self.talk.next())

    def hurry(self, *, always: bool = True) -> None:
        """What comes waits for the summary that is under way: nobody holds it back any more."""
        if self.llm is not None and (always or self.ctx.usage.level == "hard"):
            self.llm.free.set()

    def prepare(self) -> None:
        """A list to send, blocking."""
        self.hurry(always=False)
        out = self.sendable(self.ctx.prepare)
        if out is not None:
            self.look(out)

    def aprepare(self) -> None:
        """A list to send, awaiting."""
        self.hurry(always=False)
        out = self.sendable(lambda: asyncio.run(self.ctx.aprepare()))
        if out is not None:
            self.look(out)

    def compact(self) -> None:
        """A compaction at any time."""
        self.hurry()
        if self.sendable(self.ctx.compact) is not None and self.ctx.usage.tokens <= 0.8 * self.window:
            self.look(self.ctx.messages)

    def call(self) -> None:
        """A request to a server whose window may be smaller than believed."""
        self.hurry()
        while not self.talk.asks():
            self.add(self.talk.next())
        share, says = self.draw(st.sampled_from((0.3, 0.6, 1.0))), self.draw(st.sampled_from((*REFUSALS, *SILENT)))
        said = self.talk.reply()
        server = Server(self.shape, int(share * self.window), says, lambda: said, self.look)
        blocking = self.draw(st.booleans())

        def create(**kw: Any) -> Any:
            return server.create(**kw)

        async def acreate(**kw: Any) -> Any:
            return await server.acreate(**kw)

        try:
            reply = self.ctx.call(create) if blocking else asyncio.run(self.ctx.acall(acreate))
        except WindowExceededError:
            reply = None
        assert len(server.sent) <= 3
        assert all(one != other for one, other in zip(server.sent, server.sent[1:], strict=False))
        if reply is None:
            self.talk.queue.extendleft(reversed(said))
        else:
            self.truth.add(said, self.ctx)

    def hold(self) -> None:
        """The summariser takes its time."""
        if self.llm is not None and self.ctx.usage.level == "ok":
            self.llm.free.clear()

    def release(self) -> None:
        """The summary that is under way gets done."""
        if self.llm is not None:
            self.llm.free.set()
            job = self.ctx._session._background._job
            if job is not None:
                job.over.wait(PATIENCE)

    def pin(self) -> None:
        """The caller pins a word, where there is room for one."""
        with suppress(BudgetError):
            self.ctx.pin(f"Freeze on day {self.draw(st.integers(0, 99))}.")

    def fork(self) -> None:
        """A subagent works on the head and the bridge; its answer comes back."""
        task = f"Find every caller of parse{self.draw(st.integers(0, 99))}()."
        number = len(self.truth.messages)
        self.add(*agent_call(self.shape, f"agent_{number}", task))
        child = self.ctx.fork(task)
        talk = Wild(self.draw, self.shape, giant=400)
        for _ in range(self.draw(st.integers(0, 6))):
            try:
                out = child.prepare()
            except WindowExceededError:
                break
            self.legal(out, self.shape, strict=self.arguments["strict_roles"])
            self.fits(out, child)
            assert task in told(out) or child.usage.window < TASK_WHOLE, task
            while not talk.asks():
                talk.next()
            child.add(talk.reply())
            while not talk.asks():
                child.add(talk.next())
        child.add({"role": "assistant", "content": "Three callers."})
        self.add(child.answer(f"agent_{number}"))
        child.close()

    def export(self) -> None:
        """The window in each shape is legal; another session takes it."""
        target = self.draw(st.sampled_from(SHAPES))
        out = self.ctx.export(FORMATS[target])
        self.legal(out, target, strict=self.arguments["strict_roles"])
        moved = ContextManager(max(4 * self.window, 12_000))  # which holds a picture of unknown size
        moved.add(out)
        self.legal(moved.prepare(), target, strict=False)
        self.legal(moved.export(FORMATS[self.shape]), self.shape, strict=False)

    def reopen(self) -> None:
        """Closed, or killed: the disk has it all."""
        if not self.stored:
            return
        self.release()
        before = prints(self.ctx.messages)
        if self.draw(st.booleans()):
            store = self.folder / str(self.copies)
            self.copies += 1
            shutil.copytree(store, self.folder / str(self.copies))
        self.ctx.close()
        self.ctx = self.opened()
        assert prints(self.ctx.messages) == before

    def end(self) -> None:
        """Whatever left comes back by its address; whatever stands can be sent."""
        self.release()
        self.prepare()
        lost = self.truth.lost(self.ctx)
        assert not lost, lost
        self.ctx.close()


OFTEN = {"say": 4, "prepare": 3, "call": 2}
PATHS = "say prepare aprepare compact call hold release pin fork export reopen".split()
STEPS = st.lists(st.sampled_from([path for path in PATHS for _ in range(OFTEN.get(path, 1))]), min_size=4, max_size=24)


def walked(shape: Shape, data: st.DataObject) -> None:
    """One session, along paths that are drawn."""
    with tempfile.TemporaryDirectory() as folder:
        walk = Walk(data.draw, shape, Path(folder))
        while not walk.talk.asks():
            walk.add(walk.talk.next())
        for path in data.draw(STEPS):
            getattr(walk, path)()
        walk.end()


@pytest.mark.parametrize("shape", SHAPES)
@walks(int(os.environ.get("CONTEXT_KIT_EXAMPLES", "200")))
@given(data=st.data())
def test_every_list_of_every_path_is_right(shape: Shape, data: st.DataObject) -> None:
    """Legal by three judges, fits, system prompt and newest words in it; nothing is lost, calls stay paired."""
    walked(shape, data)


@pytest.mark.nightly
@pytest.mark.parametrize("shape", SHAPES)
@walks(2_000)
@given(data=st.data())
def test_every_list_is_right_all_night(shape: Shape, data: st.DataObject) -> None:
    """The same, for longer."""
    walked(shape, data)
