"""What may keep an agent from running hooks that are installed: said at the install, never changed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from context_kit.harness.hooks import Agent
from context_kit.harness.settings._jsonc import SettingsError, parse

__all__ = ["silenced"]

SWITCHES = (
    ("disableAllHooks", True),
    ("allowManagedHooksOnly", True),
    ("hooks.enabled", False),
    ("hooksConfig.enabled", False),
    ("tools.enableHooks", False),
)
"""Keys, and the value that silences hooks."""
MANAGED = (
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
    "C:/Program Files/ClaudeCode/managed-settings.json",
)
FEATURES = re.compile(r"^\s*\[features\]\s*$([^\[]*)|^\s*features\.((?:codex_)?hooks\s*=\s*\w+)", re.MULTILINE)
OFF = re.compile(r"^\s*(?:codex_)?hooks\s*=\s*false\b", re.MULTILINE)


def silenced(agent: Agent, path: Path, project: str | None) -> Iterator[str]:
    """One line for each setting that silences our hooks, then what the user must do before they run."""
    for each in _files(agent, path, project):
        settings = _read(each)
        for key, silent in SWITCHES:
            if _at(settings, key) is silent:
                yield f"{each}: `{key}` is {str(silent).lower()}, so the hooks will not run until that is changed"
        if agent.name == "codex" and each.suffix == ".toml" and _off(each):
            yield f"{each}: `hooks` is off under [features], so the hooks will not run until that is changed"
        for name in (*_listed(settings, "hooks.disabled"), *_listed(settings, "hooksConfig.disabled")):
            if name.startswith("context-kit") or "context-kit hook" in name:
                yield f"{each}: {name!r} is among the disabled hooks"
    if agent.trust:
        yield agent.trust


def _files(agent: Agent, path: Path, project: str | None) -> list[Path]:
    home = Path(os.environ.get(agent.home) or Path.home() / agent.folder) if agent.home else Path.home() / agent.folder
    folders = [home, *([Path(project) / agent.folder] if project is not None else [])]
    names = ("config.toml",) if agent.name == "codex" else ("settings.json", "settings.local.json")
    found = [folder / name for folder in folders for name in names]
    managed = [Path(each) for each in MANAGED] if agent.name == "claude-code" else []
    return list({os.path.realpath(each): each for each in (*managed, *reversed(found), path)}.values())[::-1]


def _read(path: Path) -> Any:
    try:
        return parse(path.read_text("utf-8-sig")).plain() if path.suffix == ".json" else {}
    except (OSError, ValueError, SettingsError):
        return {}


def _at(settings: Any, key: str) -> Any:
    for part in key.split("."):
        settings = settings.get(part) if isinstance(settings, dict) else None
    return settings


def _listed(settings: Any, key: str) -> list[str]:
    found = _at(settings, key)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _off(path: Path) -> bool:
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError):
        return False
    return any(OFF.search(found[1] or found[2] or "") for found in FEATURES.finditer(text))
