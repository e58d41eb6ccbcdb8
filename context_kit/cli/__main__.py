"""`python -m context_kit.cli` is `context-kit`."""

from __future__ import annotations

import sys

from context_kit.cli import main

if __name__ == "__main__":
    sys.exit(main())
