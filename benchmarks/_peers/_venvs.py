"""An environment of its own for each peer, below one folder outside the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks._peers._known import COUNTER, ENVIRONMENTS

__all__ = ["FOLDER", "make", "python_of"]

FOLDER = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "context_kit-peers"
LEAST = (3, 12)
"""The oldest Python that every peer runs on."""


def python_of(folder: Path, environment: str) -> Path | None:
    """The interpreter of an environment; None where it isn't there."""
    if not environment:
        return Path(sys.executable)
    path = folder / environment / "bin" / "python"
    return path if path.exists() else None


def make(folder: Path, environment: str, python: str | None = None) -> str:
    """Install what an environment needs; why it can't be, or nothing."""
    chosen = python or _newer()
    if chosen is None:
        return f"no Python {LEAST[0]}.{LEAST[1]} or newer was found: give one with --python"
    home = folder / environment
    home.parent.mkdir(parents=True, exist_ok=True)
    wanted = [*ENVIRONMENTS[environment], COUNTER]
    for command in (
        [chosen, "-m", "venv", str(home)],
        [str(home / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", *wanted],
    ):
        try:
            subprocess.run(command, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            shutil.rmtree(home, ignore_errors=True)
            why = error.stderr if isinstance(error, subprocess.CalledProcessError) else str(error)
            return f"tried to install {', '.join(wanted)}: {_last(why)}"
    return ""


def _newer() -> str | None:
    if sys.version_info >= LEAST:
        return sys.executable
    return next((path for minor in (12, 13, 14) if (path := _works(f"python3.{minor}"))), None)


def _works(name: str) -> str | None:
    """The interpreter of that name, where it really starts."""
    path = shutil.which(name)
    return path if path and subprocess.run([path, "-V"], capture_output=True, check=False).returncode == 0 else None


def _last(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no reason given"
