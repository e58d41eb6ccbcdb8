"""The command line, `context-kit`; typer and rich are loaded only when it runs."""

from __future__ import annotations

from context_kit.cli._main import main

__all__ = ["main"]
