"""The table on the page of `context-kit replay`: `python -m benchmarks.replay_table [-o PAGE]`.

It is what the command on the page prints, put between the page's marks `<!-- replay -->`. No model is asked, so the
same library makes the same table.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks._page import put
from context_kit.cli import main as command

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "replay.md"
SESSION = "context_kit/cli/_demo/session.json"
ARGUMENTS = f"replay {SESSION} --window 8000 --policy template --policy default --model claude-sonnet-5"


def table() -> str:
    """The command and its table, as the page has them."""
    arguments = [str(ROOT / part) if part == SESSION else part for part in ARGUMENTS.split()]
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        code = command(arguments)
    assert code == 0, code
    lines = shown.getvalue().splitlines()
    first = next(at for at, line in enumerate(lines) if line.split()[:1] == ["none"])
    last = next(at for at, line in enumerate(lines) if line.startswith("none: "))
    drawn = "\n".join(line.rstrip() for line in lines[first:last]).rstrip()
    return f"The bundled session, by `context-kit {ARGUMENTS}`:\n\n```text\n{drawn}\n```"


def main(argv: Sequence[str] | None = None) -> int:
    """Write the table to the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-o", "--output", type=Path, default=PAGE, help="the page")
    args = parser.parse_args(argv)
    put(args.output, "replay", table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
