"""What the harness does around an agent: transcripts of coding agents, and the hooks that they call.

It re-exports nothing, so that a hook loads what its event needs and no more.
"""

from __future__ import annotations

__all__ = []
