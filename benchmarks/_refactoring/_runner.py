"""The real test runner, quickly: one warm Python per process, which forks for every run.

Each run is a process of its own that has imported `unittest` and nothing of the project, and tells what
`python -m unittest` tells (a test compares them). Garbage is collected before each, so that a warning of
a coroutine that nobody awaited comes at the same moment every time.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Final

__all__ = ["run_unittest"]

WARM: Final = """
import asyncio, gc, inspect, json, os, pathlib, sys, tempfile, unittest
import unittest.main
def run(argv):
    sys.argv = ["python -m unittest", *argv]
    sys.path[0] = os.getcwd()
    gc.collect()
    unittest.main(module=None)
for line in sys.stdin:
    asked = json.loads(line)
    with tempfile.TemporaryFile() as out:
        child = os.fork()
        if child == 0:
            os.chdir(asked["folder"])
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(out.fileno(), 1)
            os.dup2(out.fileno(), 2)
            code = 1
            try:
                run(asked["argv"])
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        text = out.read().decode("utf-8", "replace")
    sys.stdout.write(json.dumps({"code": code, "text": text}) + "\\n")
    sys.stdout.flush()
"""


def run_unittest(folder: Path, argv: list[str]) -> tuple[int, str]:
    """Exit code and output of `python -m unittest` in a folder."""
    runner = _warm()
    assert runner.stdin is not None
    assert runner.stdout is not None
    runner.stdin.write(json.dumps({"folder": str(folder), "argv": argv}) + "\n")
    runner.stdin.flush()
    answer = json.loads(runner.stdout.readline())
    return int(answer["code"]), str(answer["text"])


@lru_cache(maxsize=1)
def _warm() -> subprocess.Popen[str]:
    """The warm Python; it ends with the process that asked."""
    command = [sys.executable, "-E", "-S", "-B", "-c", WARM]
    runner = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    atexit.register(_end, runner)
    return runner


def _end(runner: subprocess.Popen[str]) -> None:
    for pipe in (runner.stdin, runner.stdout):
        if pipe is not None:
            pipe.close()
    runner.wait(10)
