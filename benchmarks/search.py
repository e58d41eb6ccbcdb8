"""A large memory against the floor: `python -m benchmarks.search [--records N] [--large N] [--json OUT]`.

All figures are ratios of medians within one run, each pair of measurements taken in turn:

- a search in 100,000 records against a bare FTS5 query for the same words in the same texts;
- an append against a bare write and fsync of the same bytes;
- opening a project with 1,000,000 records and asking for what is related, against one with 10,000: with no
  index yet, the next time, and with a whole one.

The journals are made by rule from a seed: sessions of steps on files, a vocabulary in which few words are
common and many are rare, English and Chinese.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from context_kit import ContextManager
from context_kit.memory import JOURNAL, FileStore

STEMS = "parse render index cache token retry merge split lock queue batch route store fetch check write".split()
KINDS = "header page entry window stream result error config session request worker handle record field".split()
COMMON = "the a of to in is was for with on it as that by this from we use so then after before when not".split()
CHINESE = "数据 迁移 缓存 接口 错误 测试 配置 连接 并发 编码 金额 小数 精度 日志 索引 请求 超时 重试".split()
ACTIONS = ("edit", "edit", "edit", "run", "run", "fail", "decide", "contract")
LIMIT = 20
"""Results that are asked for."""
SEARCHES = 60
APPENDS = 300
OPENINGS = 5
STALE = ("index.sqlite3", "index.sqlite3-wal", "index.sqlite3-shm")


def journal(count: int, seed: int = 11) -> Iterator[dict[str, Any]]:
    """So many records, oldest first."""
    rng = random.Random(seed)
    vocabulary = [f"{a}_{b}{number or ''}" for number in range(40) for a in STEMS for b in KINDS]
    weights = [1 / (rank + 3) for rank in range(len(vocabulary))]
    rare = rng.choices(vocabulary, weights, k=4 * count)
    for number in range(count):
        words = [rng.choice(COMMON) for _ in range(6)] + rare[4 * number : 4 * number + 3]
        rng.shuffle(words)
        if number % 5 == 0:
            words.append(rng.choice(CHINESE) + rng.choice(CHINESE))
        name = rare[4 * number + 3]
        yield {
            "id": f"r{number:012x}",
            "ts": f"2026-01-01T00:{number // 60 % 60:02}:{number % 60:02}.000+00:00",
            "session": f"s{number // 200}",
            "action": rng.choice(ACTIONS),
            "file": f"src/{name.partition('_')[0]}/{name}.py",
            "cmd": f"pytest -q tests/test_{name}.py",
            "reason": " ".join(words),
            "result": f"{rng.randrange(90)} passed",
        }


def made(folder: Path, count: int) -> Path:
    """A project whose journal has so many records, and no index."""
    folder.mkdir()
    with (folder / "memory.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in journal(count))
    return folder


def queries(seed: int = 5) -> list[str]:
    """One to three words each, common ones and rarer ones, and a single identifier."""
    rng = random.Random(seed)
    out = []
    for number in range(SEARCHES):
        words = [rng.choice(STEMS), rng.choice(KINDS), rng.choice(COMMON)]
        name = f"{words[0]}_{words[1]}{rng.randrange(1, 40)}"
        out.append(" ".join(words[: 1 + number % 4]) if number % 4 < 3 else name)
    return out


def timed(work: Callable[..., object], *given: Any) -> float:
    """Seconds that it takes with what is given."""
    start = time.perf_counter()
    work(*given)
    return time.perf_counter() - start


def searching(folder: Path, count: int) -> dict[str, float]:
    """Medians of a search and of a bare query, seconds."""
    store = FileStore(made(folder, count))
    bare = sqlite3.connect(folder / "bare.sqlite3")
    bare.execute("CREATE VIRTUAL TABLE texts USING fts5(line UNINDEXED, text)")
    bare.executemany("INSERT INTO texts VALUES (?, ?)", map(texts, journal(count)))
    bare.commit()
    filled = timed(store.search, "parse")
    sql = f"SELECT line FROM texts WHERE text MATCH ? ORDER BY rank LIMIT {LIMIT}"
    ours: list[float] = []
    floor: list[float] = []

    def plain(match: str) -> list[Any]:
        return bare.execute(sql, (match,)).fetchall()

    for query in [*queries(), *queries()]:
        match = " ".join(f'"{word}"' for word in query.replace("_", " ").split())
        floor.append(timed(plain, match))
        ours.append(timed(store.search, query))
    bare.close()
    pair = {"search": statistics.median(ours), "bare": statistics.median(floor)}
    return pair | {"ratio": pair["search"] / pair["bare"], "indexing": filled}


def texts(line: dict[str, Any]) -> tuple[str, str]:
    """A record and its words, as the bare table has them."""
    said = " ".join(str(line[key]) for key in ("action", "file", "cmd", "reason", "result")).replace("_", " ")
    return json.dumps(line, ensure_ascii=False), said


def appending(folder: Path) -> dict[str, float]:
    """Medians of an append and of a bare write and fsync, seconds."""
    folder.mkdir()
    store = FileStore(folder)
    descriptor = os.open(folder / "bare.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    ours: list[float] = []
    floor: list[float] = []

    def write(data: bytes) -> None:
        os.write(descriptor, data)
        os.fsync(descriptor)

    def append(line: dict[str, Any]) -> None:
        store.append(JOURNAL, [line], sync=True)

    for line in journal(APPENDS):
        data = (json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n").encode()
        floor.append(timed(write, data))
        ours.append(timed(append, line))
    os.close(descriptor)
    pair = {"append": statistics.median(ours), "bare": statistics.median(floor)}
    return pair | {"ratio": pair["append"] / pair["bare"]}


def opening(folder: Path, small: int, large: int) -> dict[str, float]:
    """Ratios of opening a large project and asking it, to a small one."""
    places = [made(folder / str(count), count) for count in (small, large)]
    found: dict[str, float] = {}
    first: list[list[float]] = [[], []]
    again: list[list[float]] = [[], []]
    for number in range(OPENINGS):
        for at, place in enumerate(places):
            for name in STALE:
                (place / name).unlink(missing_ok=True)
            first[at].append(timed(asked, place, f"first{number}"))
            again[at].append(timed(asked, place, f"again{number}"))
    found["first"], found["again"] = (
        statistics.median(times[1]) / statistics.median(times[0]) for times in (first, again)
    )
    whole: list[list[float]] = [[], []]
    for place in places:
        list(FileStore(place).search("parse"))
    for number in range(OPENINGS):
        for at, place in enumerate(places):
            whole[at].append(timed(asked, place, f"whole{number}"))
    found["whole"] = statistics.median(whole[1]) / statistics.median(whole[0])
    for name, times in (("first", first), ("again", again), ("whole", whole)):
        found[f"{name}_small"], found[f"{name}_large"] = (statistics.median(each) for each in times)
    return found


def asked(folder: Path, session: str) -> None:
    """A new session on a project: opened, and told what others know."""
    with ContextManager(32_000, store=folder, session=session) as ctx:
        found = ctx.memory.related("retry the request when the cache has an error", files=["src/parse/parse_header.py"])
        if len(found) < LIMIT:
            msg = f"{len(found)} records were found, not {LIMIT}"
            raise AssertionError(msg)
    shutil.rmtree(folder / session)


def main(argv: list[str] | None = None) -> int:
    """Print the ratios; 1 where one is above its bound."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--large", type=int, default=1_000_000)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = {
            "append": appending(folder / "append"),
            "search": searching(folder / "search", args.records),
            "open": opening(folder, args.small, args.large),
        }
    search, append, opened = found["search"], found["append"], found["open"]
    each = f"{args.large:,} records / {args.small:,}"
    checks = [
        (f"search in {args.records:,} records / bare FTS5 query", search["ratio"], 3.0),
        ("append / bare write and fsync", append["ratio"], 1.5),
        (f"open and ask, no index yet: {each}", opened["first"], 3.0),
        (f"open and ask, the next time: {each}", opened["again"], 3.0),
        (f"open and ask, whole index: {each}", opened["whole"], 3.0),
    ]
    for label, value, most in checks:
        print(f"{label:75} {value:6.2f}  (at most {most}) {'ok' if value <= most else 'ABOVE'}")
    print(f"search {search['search'] * 1e3:.2f} ms, append {append['append'] * 1e3:.2f} ms,", end=" ")
    print(", ".join(f"{name} {opened[f'{name}_large'] * 1e3:.0f} ms" for name in ("first", "again", "whole")))
    if args.json:
        args.json.write_text(json.dumps(found, indent=1), "utf-8")
    return 0 if all(value <= most for _, value, most in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
