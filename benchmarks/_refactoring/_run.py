"""Many runs on several processes: the same rows in the same order, however many there are and whoever is done first."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from multiprocessing import get_context
from typing import Final

from benchmarks._judge import forget
from benchmarks._refactoring._model import Model
from benchmarks._refactoring._play import Row, compactions_over, messages_of, play
from benchmarks._refactoring._project import Project, draw
from benchmarks._refactoring._strategies import STRATEGIES, UNBOUND, Kit, Setting
from benchmarks._refactoring._workshop import RUNS

__all__ = ["NoCompactionError", "equal", "run"]

SMALLEST: Final = 8_000
"""The window for which the project is drawn as it is; larger ones get longer texts."""


class NoCompactionError(Exception):
    """A run that compares nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """What one process does at once: all strategies on one project, so that their test runs are shared."""

    seed: int
    window: int
    strategies: tuple[str, ...]
    model: Model | None = None

    @property
    def scale(self) -> float:
        return max(self.window / SMALLEST, 1.0)

    @contextmanager
    def setting(self) -> Generator[Setting, None, None]:
        """What its strategies are made for; a model is connected for as long."""
        plain = Setting(window=self.window, seed=self.seed)
        if self.model is None:
            yield plain
            return
        with self.model.connected() as (llm, prose, failures):
            yield replace(plain, llm=llm, prose=prose, failures=failures)


def run(
    seeds: Sequence[int],
    windows: Sequence[int],
    strategies: Sequence[str],
    *,
    jobs: int = 1,
    model: Model | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> list[Row]:
    """A row for every seed, window and strategy, in this order.

    Args:
        seeds: of the projects.
        windows: in tokens.
        strategies: names.
        jobs: processes.
        model: writes the summaries; else they are extracted.
        told: is called with a line as each part is done.

    Raises:
        NoCompactionError: a run without a compaction, where there must be one.
    """
    parts = [(name,) for name in strategies] if len(seeds) * len(windows) < jobs else [tuple(strategies)]
    work = [
        _Job(seed=seed, window=window, strategies=part, model=model)
        for seed, window, part in product(seeds, windows, parts)
    ]
    found: dict[_Job, list[Row]] = {}
    for job, rows in _done(work, jobs):
        found[job] = rows
        faults = ", ".join(f"{row.strategy} {row.faults}" for row in rows)
        told(f"{len(found)}/{len(work)} seed {job.seed}, window {job.window}: {faults}")
    rows = [row for job in work for row in found[job]]
    for row in rows:
        if not row.compactions and row.strategy not in UNBOUND:
            msg = (
                f"{row.strategy} with a window of {row.window} and seed {row.seed} never compacted: "
                f"take a smaller window"
            )
            raise NoCompactionError(msg)
    return rows


def _done(work: Sequence[_Job], jobs: int) -> Iterator[tuple[_Job, list[Row]]]:
    if jobs < 2 or len(work) < 2:
        yield from ((job, _rows(job)) for job in work)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(_rows, job): job for job in work}
        for future in as_completed(waiting):
            yield waiting[future], future.result()


def _rows(job: _Job) -> list[Row]:
    _quiet()
    project = draw(job.seed, job.scale)
    rows = [_row(job, project, name) for name in job.strategies]
    RUNS.clear()
    forget()
    return rows


def _row(job: _Job, project: Project, name: str) -> Row:
    """One run; a model is connected anew for each, so that no strategy suffers from another's failures."""
    with job.setting() as setting:
        history = STRATEGIES[name](setting)
        row = play(project, history, name=name, window=job.window)
    kit = history.extracted if isinstance(history, Kit) and setting.llm is not None else 0
    return replace(row, extracted=kit + len(setting.failures))


def equal(seeds: Sequence[int], window: int, strategies: Sequence[str]) -> Mapping[str, int]:
    """How often each strategy compacts over the very same messages: those of an agent that sees all."""
    _quiet()
    found = dict.fromkeys((name for name in strategies if name not in UNBOUND), 0)
    for seed in seeds:
        messages = messages_of(draw(seed, max(window / SMALLEST, 1.0)))
        for name in found:
            found[name] += compactions_over(messages, STRATEGIES[name](Setting(window=window, seed=seed)))
        RUNS.clear()
    return found


def _quiet() -> None:
    """The library's warnings are for people who watch one session; the tokeniser's loading warns, too."""
    logging.getLogger("context_kit").setLevel(logging.ERROR)
    if not sys.warnoptions:
        warnings.simplefilter("ignore", DeprecationWarning)
