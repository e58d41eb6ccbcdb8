"""Quality and growth against the stored baseline: `python -m benchmarks.baseline [--write] [--only WORDS]`.

A quick set, all of it ratios and counts, never a time: what compactions keep (`benchmarks.retention`), how full they
leave the window, what a session costs against one that never compacts (`context-kit replay`), the faults of the
scripted refactoring at one seed, and how `add` and `prepare` grow (`benchmarks.speed`). Quality may not fall at all;
growth has a wide tolerance, for busy machines. Sessions that aren't there are left out. Exits 1 when a figure fell.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from benchmarks import refactoring, retention, speed
from benchmarks.transcripts import TRANSCRIPTS, windows
from context_kit.cli._bill import bill
from context_kit.cli._prices import UNITS
from context_kit.cli._recording import recorded
from context_kit.cli._score import score, uncompacted
from context_kit.harness.transcripts import load

BASELINE = Path(__file__).with_name("baseline.json")
BUNDLED = Path(__file__).resolve().parents[1] / "context_kit" / "cli" / "_demo" / "session.json"
SHARED = ("cc-codemie-3fe1", "miniswe-django-12284", "mca-zh-213528")
"""Real sessions that are looked at where they are."""
SEED = 1
WINDOW = 8_000
Better = Literal["more", "less"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A ratio or a count."""

    name: str
    value: float
    better: Better
    tolerance: float = 0.0
    """How much worse it may be than the stored one."""

    def fell(self, value: float) -> bool:
        """Whether a new value is worse than this one by more than the tolerance."""
        worse = self.value - value if self.better == "more" else value - self.value
        return worse > self.tolerance + 1e-9


def kept(path: Path) -> Iterator[Figure]:
    """What the compactions of one session keep, and how full they leave the window."""
    document = json.loads(path.read_text("utf-8"))
    for window in windows(document):
        row = retention.run(document, window)
        for kind in retention.SHOWN:
            share = row.kept(kind)
            if share is not None:
                yield Figure(f"kept {row.id} {window} {kind}", round(share, 4), "more")
        yield Figure(f"engrams {row.id} {window}", row.share, "less", 0.005)


def costs(path: Path) -> Iterator[Figure]:
    """Facts lost, and prompts and summaries against the session that never compacts."""
    document = json.loads(path.read_text("utf-8"))
    recording = recorded(load(str(path)))
    whole = uncompacted(recording.uncompacted())
    for window in windows(document):
        found = score(recording, window=window, model=None, policy="default")
        ours = bill(found.requests, UNITS, asked=found.asked, answered=found.answered).cost
        name = f"{document['id']} {window}"
        yield Figure(f"lost {name}", len(found.lost), "less")
        yield Figure(f"tokens {name}", round(found.tokens / whole.tokens, 4), "less", 0.01)
        yield Figure(f"cost {name}", round(ours / bill(whole.requests, UNITS).cost, 4), "less", 0.02)
        yield Figure(f"left {name}", round(found.left / found.compactions / window, 4), "less", 0.02)


def faults() -> Iterator[Figure]:
    """The default's faults in the long refactoring."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "rows.json")
        arguments = f"--seed {SEED} --seeds 1 --windows {WINDOW} --strategies default --json {out}".split()
        with contextlib.redirect_stdout(io.StringIO()):
            code = refactoring.main(arguments)
        assert code == 0, code
        row = json.loads(out.read_text("utf-8"))[0]
    for kind in ("repeated", "contradicted", "drift", "invented"):
        yield Figure(f"refactoring {kind}", row[kind], "less")
    yield Figure("refactoring solved", int(row["solved"]), "more")


def grown() -> Iterator[Figure]:
    """How `add` and `prepare` grow; the tolerances are for machines that do much else."""
    found = speed.growth(many=2_000, few=500, repeats=3)
    yield Figure("growth exponent", round(found["exponent"], 2), "less", 0.3)
    yield Figure("add + prepare / tokenisation", round(found["ratio"], 2), "less", 1.0)


def parts() -> dict[str, Callable[[], Iterator[Figure]]]:
    """The parts that can be measured here, by name."""
    paths = [BUNDLED, *(path for name in SHARED if (path := TRANSCRIPTS / f"{name}.json").is_file())]
    found: dict[str, Callable[[], Iterator[Figure]]] = {}
    for path in paths:
        found[f"kept {path.stem}"] = partial(kept, path)
        found[f"costs {path.stem}"] = partial(costs, path)
    return found | {"refactoring": faults, "growth": grown}


def stored(path: Path) -> dict[str, Figure]:
    """The baseline in a file, by name."""
    return {each["name"]: Figure(**each) for each in json.loads(path.read_text("utf-8"))}


def compare(found: list[Figure], before: dict[str, Figure]) -> list[str]:
    """A line for each figure that fell, or that the baseline doesn't have."""
    lines: list[str] = []
    for figure in found:
        old = before.get(figure.name)
        if old is None:
            lines.append(f"{figure.name}: {figure.value:g}, and the baseline has none: run with --write")
        elif old.fell(figure.value):
            least = f"at {'least' if old.better == 'more' else 'most'}"
            bound = old.value - old.tolerance if old.better == "more" else old.value + old.tolerance
            lines.append(f"{figure.name}: {figure.value:g}, {least} {bound:g} was expected")
    return lines


def write(found: list[Figure], before: dict[str, Figure], path: Path) -> None:
    """Store the figures; those that weren't measured now stay as they are."""
    merged = {**before, **{each.name: each for each in found}}
    rows = ",\n".join(" " + json.dumps(asdict(merged[name])) for name in sorted(merged))
    path.write_text(f"[\n{rows}\n]\n", "utf-8")


def main(argv: list[str] | None = None) -> int:
    """Measure and compare; 1 where a figure fell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="renew the stored figures")
    parser.add_argument("--only", default="", help="parts with this in their name")
    args = parser.parse_args(argv)
    logging.getLogger("context_kit").addHandler(logging.NullHandler())
    if not any(args.only in name for name in parts()):
        parser.error(f"--only: no part's name holds {args.only!r}: there are {', '.join(parts())}")
    found: list[Figure] = []
    for name, measure in parts().items():
        if args.only in name:
            found += measure()
            print(f"{name}: measured", flush=True)
    before = stored(BASELINE) if BASELINE.is_file() else {}
    if args.write:
        write(found, before, BASELINE)
        print(f"{len(found)} figures written to {BASELINE.name}")
        return 0
    fallen = compare(found, before)
    for line in fallen:
        print(f"FELL {line}")
    print(f"{len(found)} figures, {len(fallen)} fell")
    return 1 if fallen else 0


if __name__ == "__main__":
    sys.exit(main())
