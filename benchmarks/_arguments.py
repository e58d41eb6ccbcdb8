"""What benchmarks take on the command line: what can't work is refused before any work is done."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

__all__ = ["names", "positive", "sizes", "target"]


def names(text: str) -> list[str]:
    """Names with commas between them, each once; none where the text is empty.

    Raises:
        ArgumentTypeError: one is empty.
    """
    found = [name.strip() for name in text.split(",")] if text else []
    if not all(found):
        msg = f"{text!r} has an empty name: give names with commas between them"
        raise argparse.ArgumentTypeError(msg)
    return list(dict.fromkeys(found))


def positive(text: str) -> int:
    """A whole number above 0.

    Raises:
        ArgumentTypeError: it is none.
    """
    if not text.strip().isdecimal() or int(text) < 1:
        msg = f"{text!r} is no whole number above 0"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def sizes(text: str) -> list[int]:
    """Whole numbers above 0 with commas between them, each once.

    Raises:
        ArgumentTypeError: one is none.
    """
    return list(dict.fromkeys(positive(part) for part in text.split(",")))


def target(text: str) -> Path:
    """A file that can be written.

    Raises:
        ArgumentTypeError: its folder isn't there or can't be written, or it is a folder itself.
    """
    path = Path(text).expanduser()
    folder = path.resolve().parent
    if path.is_dir() or not folder.is_dir() or not os.access(folder, os.W_OK):
        msg = f"{text!r} can't be written: give a file in a folder that is there"
        raise argparse.ArgumentTypeError(msg)
    return path
