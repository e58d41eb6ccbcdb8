"""Who can inject what, and where: the hook protocols of four coding agents, as data.

Sources, as of 2026-11: code.claude.com/docs/en/hooks; developers.openai.com/codex/hooks and openai/codex;
google-gemini/gemini-cli docs/hooks/reference.md; QwenLM/qwen-code docs/users/features/hooks.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

__all__ = ["AGENTS", "LEFT_ALONE", "ROLES", "Agent", "Role", "told_by"]

Role = Literal["before", "start", "after", "turn", "tool", "prompt", "end"]
"""What an event is to us: a compaction comes; a context begins; a compaction was; a turn has ended; a tool has run;
the user has asked; the session ends."""

ROLES: Mapping[str, Role] = MappingProxyType(
    {
        "PreCompact": "before",
        "PreCompress": "before",
        "SessionStart": "start",
        "PostCompact": "after",
        "Stop": "turn",
        "AfterAgent": "turn",
        "PostToolUse": "tool",
        "AfterTool": "tool",
        "BeforeAgent": "prompt",
        "SessionEnd": "end",
    }
)
"""Every event that is answered."""
LEFT_ALONE = frozenset(
    (
        "PreToolUse PostToolUseFailure Notification UserPromptSubmit SubagentStart SubagentStop PermissionRequest "
        "PermissionDenied StopFailure Setup ConfigChange InstructionsLoaded CwdChanged FileChanged TaskCreated "
        "TaskCompleted TeammateIdle WorktreeCreate WorktreeRemove Elicitation ElicitationResult BeforeModel AfterModel "
        "BeforeToolSelection BeforeTool"
    ).split()
)
"""The agents' other events: nothing is done at them, and nothing is wrong with them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One agent's protocol."""

    name: str
    settings: str
    """The settings file, below the user's or the project's folder."""
    folder: str
    """The agent's folder in the home directory and in a project."""
    home: str
    """Environment variable that names the user's folder; empty where there is none."""
    project: str
    """Environment variable that names the project in a hook; empty where there is none."""
    events: tuple[str, ...]
    """Events that are installed."""
    matchers: Mapping[str, str]
    """Matchers of some of them."""
    timeout: int
    """In the agent's own unit: 60 seconds."""
    limit: int
    """The most that an injected text may measure."""
    in_bytes: bool = False
    """The limit counts UTF-8 bytes, not characters."""
    tokens: int = 0
    """The most tokens, by an estimate from above; 0 where tokens don't count."""
    marker: bool = False
    """Nothing tells of the start after a compaction: a marker waits for the next event that can inject."""
    named: bool = False
    """Each hook carries a name."""
    local: str = ""
    """A project's settings file that isn't shared with others; empty where there is none."""
    trust: str = ""
    """What the user must do after the install before the hooks run."""


START = MappingProxyType({"SessionStart": "compact|resume"})
NONE: Mapping[str, str] = MappingProxyType({})
COMMON = ("PreCompact", "SessionStart", "PostCompact", "PostToolUse", "Stop")

AGENTS: Mapping[str, Agent] = MappingProxyType(
    {
        "claude-code": Agent(
            name="claude-code",
            settings="settings.json",
            folder=".claude",
            home="CLAUDE_CONFIG_DIR",
            project="CLAUDE_PROJECT_DIR",
            events=(*COMMON, "SessionEnd"),
            matchers=START,
            timeout=60,
            limit=9_400,
            local="settings.local.json",
        ),
        "codex": Agent(
            name="codex",
            settings="hooks.json",
            folder=".codex",
            home="CODEX_HOME",
            project="",
            events=COMMON,
            matchers=START,
            timeout=60,
            limit=6_500,
            in_bytes=True,
            tokens=2_400,
            trust="Codex runs a new hook only after you have reviewed and trusted it: start codex and open /hooks",
        ),
        "gemini": Agent(
            name="gemini",
            settings="settings.json",
            folder=".gemini",
            home="",
            project="GEMINI_PROJECT_DIR",
            events=("PreCompress", "BeforeAgent", "AfterTool", "AfterAgent", "SessionStart", "SessionEnd"),
            matchers=NONE,
            timeout=60_000,
            limit=9_400,
            marker=True,
            named=True,
            trust="Gemini CLI runs a project's hooks only in a trusted folder: see /permissions",
        ),
        "qwen": Agent(
            name="qwen",
            settings="settings.json",
            folder=".qwen",
            home="",
            project="QWEN_PROJECT_DIR",
            events=(*COMMON, "SessionEnd"),
            matchers=START,
            timeout=60_000,
            limit=9_400,
            named=True,
            trust="Qwen Code runs a project's hooks only in a trusted folder",
        ),
    }
)
"""By name. Limits: 10,000 characters (Claude Code), 2,500 tokens (Codex: bytes, shortened where an
estimate of the tokens says so); Gemini
CLI and Qwen Code state none."""

SIGNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "codex": ("/.codex/", "\\.codex\\", "/rollout-"),
        "gemini": ("/.gemini/", "\\.gemini\\"),
        "qwen": ("/.qwen/", "\\.qwen\\"),
    }
)
GEMINI = ("PreCompress", "BeforeAgent", "AfterAgent", "AfterTool")


def told_by(event: str, transcript: str, environ: Mapping[str, str]) -> str:
    """The agent that sends an event, by its own fields, where the command line doesn't name it."""
    if event in GEMINI:
        return "gemini"
    for name, signs in SIGNS.items():
        if any(sign in transcript for sign in signs):
            return name
    found = (name for name, agent in AGENTS.items() if agent.project and environ.get(agent.project))
    return next(found, "claude-code")
