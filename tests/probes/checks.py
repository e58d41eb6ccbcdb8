"""What the tests of live checks share: a session that has compacted, and models that know or pretend."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from context_kit import ContextManager, Probe, ProbeRequest
from context_kit.probes import made
from context_kit.typing import Shape
from tests.talks import looks, runs, session, told
from tests.talks import reads as reads_file

WINDOW = 8_000


def compacted(shape: Shape = "chat", language: str = "en", *, looked: int = 24, **arguments: Any) -> ContextManager:
    """A session whose first part left the window; its last message is a result."""
    ctx = ContextManager(arguments.pop("window", WINDOW), **arguments)
    ctx.add(session(shape, language, looked=looked))
    ctx.add(looks(shape, 99, lines=4))
    ctx.compact()
    return ctx


def forgetful(shape: Shape = "chat", language: str = "en", **arguments: Any) -> ContextManager:
    """One that keeps no engrams, and has more to forget: files that were read, commands that failed, reasons."""
    given: dict[str, Any] = {"policy": "template", **arguments}
    ctx = ContextManager(given.pop("window", WINDOW), **given)
    ctx.add(session(shape, language, looked=6))
    for number in range(8):
        ctx.add(reads_file(shape, f"src/part_{number}.py", _module(number), id=f"part_{number}"))
        ctx.add(runs(shape, f"RuntimeError: shard {731 + number} has no owner in zone-{number}", id=f"shard_{number}",
                     command=f"python -m shards check --zone {number}", failed=True))  # fmt: skip
    for number in range(40, 56):
        ctx.add(looks(shape, number))
    ctx.compact()
    return ctx


def _module(number: int) -> str:
    return "\n".join(
        [
            f"QUEUE_LIMIT_{number} = {4_100 + 37 * number}",
            f"OWNER_{number} = 'team-{number * 7919 % 101}'",
            *(f"STEP_{number}_{at} = {(number + 3) * (at + 11) * 13}" for at in range(10)),
            f"def allot_{number}(shards: list[int], spare: int = {number + 60}) -> dict[str, int]:",
            f"    return {{f'zone-{{shard}}': shard % {number + 17} for shard in shards}}",
        ]
    )


def probes_of(ctx: ContextManager, k: int = 20) -> tuple[Probe, ...]:
    """What a check of this session asks."""
    at = ctx._session
    with at.lock:
        at.trail.follow(at.log.entries)
        return made(at.log, at.trail, redact=at.settings.redact, most=k)


class Model:
    """A model that answers by a function of the probe that it is asked, and remembers what it was shown."""

    def __init__(self, probes: Iterable[Probe], say: Callable[[Probe, ProbeRequest], Any]) -> None:
        self.probes = {probe.question: probe for probe in probes}
        self.say = say
        self.requests: list[ProbeRequest] = []

    def __call__(self, request: ProbeRequest) -> Any:
        self.requests.append(request)
        said = self.say(self.probes[request.question], request)
        if isinstance(said, Exception):
            raise said
        return said

    async def acall(self, request: ProbeRequest) -> Any:
        return self(request)


def knows(probe: Probe, _: ProbeRequest) -> str:
    return probe.answer


def knows_nothing(_: Probe, __: ProbeRequest) -> str:
    return "I don't know."


def pretends(_: Probe, __: ProbeRequest) -> str:
    return "It was `reticulate_splines` in src/core/spline_engine.py."


def reads(probe: Probe, request: ProbeRequest) -> str:
    """Answers where the answer stands in what it is shown, else says that it doesn't know."""
    shown = told([dict(message) for message in request.messages])
    return probe.answer if not probe.distractor and probe.answer in shown else "not known"


def model_of(ctx: ContextManager, say: Callable[[Probe, ProbeRequest], Any], k: int = 20) -> Model:
    return Model(probes_of(ctx, k), say)


__all__ = [
    "Model",
    "compacted",
    "forgetful",
    "knows",
    "knows_nothing",
    "model_of",
    "pretends",
    "probes_of",
    "reads",
]
