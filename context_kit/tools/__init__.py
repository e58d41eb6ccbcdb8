"""What a tool call means: which file was read or edited, what ran, whether it failed and why.

Everything is recognised by rules from the call and its result; no model is asked. One file a
family of agents: `_editors` (Claude Code, pi, opencode, Gemini CLI, MyCodeAgent, text editors),
`_shell`, `_codex`, `_cline`, `_sweagent`, `_plans`, and `_text` for agents that act in prose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_kit._lazily import names_of

if TYPE_CHECKING:
    from context_kit.tools._act import Act, Kind, Status, Todo
    from context_kit.tools._acts import acts
    from context_kit.tools._checks import (
        Check,
        checks_last,
        checks_of,
        covers,
        elsewhere,
        only_checks,
        stops_early,
    )
    from context_kit.tools._circumstances import Attempt, attempted
    from context_kit.tools._commands import checking_command, normal_command, verifies
    from context_kit.tools._failure import failure
    from context_kit.tools._files import Files, FileView
    from context_kit.tools._idle import idle_check, left_out
    from context_kit.tools._lasting import Lasting, lasting, lasts, tried
    from context_kit.tools._observed import looks_observed
    from context_kit.tools._outcome import closing_line, error_line, outcome
    from context_kit.tools._patch import Change, parse_patch
    from context_kit.tools._paths import ALIKE, parts, rooted, same_file, twin_roots
    from context_kit.tools._plans import plan_after
    from context_kit.tools._shell import looked_for
    from context_kit.tools._spoken import declined, spoken
    from context_kit.tools._text import acts_in_text, text_acts
    from context_kit.tools._verified import looked_at

__all__ = [
    "ALIKE",
    "Act",
    "Attempt",
    "Change",
    "Check",
    "FileView",
    "Files",
    "Kind",
    "Lasting",
    "Status",
    "Todo",
    "acts",
    "acts_in_text",
    "attempted",
    "checking_command",
    "checks_last",
    "checks_of",
    "closing_line",
    "covers",
    "declined",
    "elsewhere",
    "error_line",
    "failure",
    "idle_check",
    "lasting",
    "lasts",
    "left_out",
    "looked_at",
    "looked_for",
    "looks_observed",
    "normal_command",
    "only_checks",
    "outcome",
    "parse_patch",
    "parts",
    "plan_after",
    "rooted",
    "same_file",
    "spoken",
    "stops_early",
    "text_acts",
    "tried",
    "twin_roots",
    "verifies",
]

if not TYPE_CHECKING:
    __getattr__ = names_of(
        __name__,
        {
            "_act": "Act Kind Status Todo",
            "_acts": "acts",
            "_checks": "Check checks_last checks_of covers elsewhere only_checks stops_early",
            "_circumstances": "Attempt attempted",
            "_commands": "checking_command normal_command verifies",
            "_failure": "failure",
            "_files": "Files FileView",
            "_idle": "idle_check left_out",
            "_lasting": "Lasting lasting lasts tried",
            "_observed": "looks_observed",
            "_outcome": "closing_line error_line outcome",
            "_patch": "Change parse_patch",
            "_paths": "ALIKE parts rooted same_file twin_roots",
            "_plans": "plan_after",
            "_shell": "looked_for",
            "_spoken": "declined spoken",
            "_text": "acts_in_text text_acts",
            "_verified": "looked_at",
        },
    )
