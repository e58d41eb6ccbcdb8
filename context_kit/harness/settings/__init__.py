"""The settings files of coding agents: our hooks put in and taken out, nothing else touched."""

from __future__ import annotations

from context_kit.harness.settings._install import (
    ChangePlan,
    HookError,
    apply_plan,
    plan_install,
    plan_uninstall,
    settings_path,
)
from context_kit.harness.settings._silenced import silenced

__all__ = [
    "ChangePlan",
    "HookError",
    "apply_plan",
    "plan_install",
    "plan_uninstall",
    "settings_path",
    "silenced",
]
