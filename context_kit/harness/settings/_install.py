"""Puts our hooks into an agent's settings file, and takes them out again.

The invariant guarded here: the file is replaced whole or not at all, and what is needed to bring it back exactly
stands beside it before it changes.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from context_kit.errors import ContextKitError
from context_kit.harness.hooks import Agent
from context_kit.harness.settings._jsonc import SettingsError
from context_kit.harness.settings._ours import installed, standing, with_hooks, without_hooks

__all__ = ["ChangePlan", "HookError", "apply_plan", "plan_install", "plan_uninstall", "settings_path"]

BESIDE = ".before-context-kit.json"
"""End of the name of the file that holds what stood before."""
SCHEMA = 1
LARGEST = 8 * 1024 * 1024


class HookError(ContextKitError, ValueError):
    """Settings that can't be changed; the text names the file and says what to do, in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePlan:
    """A change to a settings file, to be shown or applied."""

    path: Path
    """The file itself, behind any link."""
    before: str | None
    """Its text; None where it isn't there."""
    after: str | None
    """What it will be; None where it will not be there."""

    @property
    def changes(self) -> bool:
        """Whether anything changes."""
        return self.before != self.after


def settings_path(agent: Agent, project: str | None, *, local: bool = False) -> Path:
    """The settings file: a project's, or the user's own.

    Args:
        agent: whose.
        project: the project's folder; None for the user's own settings.
        local: the project's file that isn't shared with others.

    Raises:
        HookError: there is no such file.
    """
    if local and not agent.local:
        msg = f"{agent.name} has no settings of a project that are yours alone: leave --local out"
        raise HookError(msg)
    if local and project is None:
        msg = "--local goes with --project: without it the settings are your own already"
        raise HookError(msg)
    if project is not None:
        return Path(project).expanduser() / agent.folder / (agent.local if local else agent.settings)
    given = os.environ.get(agent.home) if agent.home else ""
    home = Path(given).expanduser() if given else Path.home() / agent.folder
    return home / agent.settings


def plan_install(agent: Agent, path: Path, command: str, *, store: str = "") -> ChangePlan:
    """What an install would change.

    Args:
        agent: whose settings.
        path: the settings file.
        command: how `context-kit` is called.
        store: where checkpoints stand, if not in the project.

    Raises:
        HookError: the file can't be changed safely.
    """
    target = _target(path)
    before = _text(target)
    try:
        after = with_hooks(before or "", agent, command, store)
    except SettingsError as error:
        raise _told(target, error) from None
    return ChangePlan(path=target, before=before, after=after)


def plan_uninstall(path: Path) -> ChangePlan:
    """What an uninstall would change: back to what stood before where nobody changed it since, else without ours.

    Raises:
        HookError: the file can't be changed safely.
    """
    target = _target(path)
    before = _text(target)
    if before is None:
        return ChangePlan(path=target, before=None, after=None)
    known = _known(target)
    if known and known.get("sha256") == _sum(before):
        return ChangePlan(path=target, before=before, after=known["original"])
    original = known.get("original") if known else None
    try:
        stood = standing(original) if original is not None else ()
        after = without_hooks(before, stood)
    except SettingsError as error:
        raise _told(target, error) from None
    if original is None and known and after.strip("\ufeff \t\r\n") == "{}":
        return ChangePlan(path=target, before=before, after=None)
    return ChangePlan(path=target, before=before, after=after)


def apply_plan(plan: ChangePlan) -> None:
    """Carry a plan out.

    Raises:
        HookError: a file can't be written; it is as it was.
    """
    beside = _beside(plan.path)
    if not plan.changes:
        return
    _check_writable(plan.path)
    try:
        if plan.after is not None and installed(plan.after):
            made = not plan.path.parent.exists() or bool((_known(plan.path) or {}).get("made"))
            plan.path.parent.mkdir(parents=True, exist_ok=True)
            original = _original(plan.path, plan.before)
            record = {"schema": SCHEMA, "sha256": _sum(plan.after), "original": original, "made": made}
            _replace(beside, (json.dumps(record, indent=1) + "\n").encode("ascii"), 0o600)
            _replace(plan.path, _bytes(plan.after), None)
        else:
            made = bool((_known(plan.path) or {}).get("made"))
            if plan.after is None:
                plan.path.unlink()
            else:
                _replace(plan.path, _bytes(plan.after), None)
            beside.unlink(missing_ok=True)
            if made and plan.after is None:
                with suppress(OSError):  # somebody else's files are in it by now
                    plan.path.parent.rmdir()
    except OSError as error:
        msg = f"{plan.path}: can't be written ({(error.strerror or str(error)).lower()}): nothing was changed"
        raise HookError(msg) from error


def _original(path: Path, before: str | None) -> str | None:
    """What an uninstall brings back: what stood before ours came, with all that was changed since."""
    known = _known(path)
    if before is None or not installed(before):
        return before
    if known and known.get("sha256") == _sum(before):
        original: str | None = known["original"]
        return original
    stood = standing(known["original"]) if known and known["original"] is not None else ()
    return without_hooks(before, stood)


def _told(path: Path, error: SettingsError) -> HookError:
    return HookError(f"{path}: {error}; nothing was changed")


def _target(path: Path) -> Path:
    """The file behind a link, which may not be there yet.

    Raises:
        HookError: the links go round in a circle.
    """
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        msg = f"{path}: its links go round in a circle: repair them first"
        raise HookError(msg) from error


def _text(path: Path) -> str | None:
    try:
        if not path.exists():
            return None
        if not path.is_file():
            msg = f"{path}: is no regular file"
            raise HookError(msg)
        if path.stat().st_size > LARGEST:
            msg = f"{path}: is larger than 8 MiB: it is no settings file"
            raise HookError(msg)
        data = path.read_bytes()
    except OSError as error:
        msg = f"{path}: can't be read ({(error.strerror or str(error)).lower()})"
        raise HookError(msg) from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        msg = f"{path}: byte {error.start} is not UTF-8: save it as UTF-8 first; nothing was changed"
        raise HookError(msg) from None
    if "\0" in text:
        msg = f"{path}: has null characters: it is no settings file; nothing was changed"
        raise HookError(msg)
    return text


def _check_writable(path: Path) -> None:
    """Refuse a file that its owner has made read-only, whoever asks."""
    with suppress(FileNotFoundError):
        if not path.stat().st_mode & stat.S_IWUSR:
            msg = f"{path}: is read-only: make it writable first (chmod u+w), nothing was changed"
            raise HookError(msg)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8")


def _sum(text: str) -> str:
    return sha256(_bytes(text)).hexdigest()


def _beside(path: Path) -> Path:
    return path.with_name(path.name + BESIDE)


def _known(path: Path) -> dict[str, Any] | None:
    """What stood before the install; None where nobody wrote it down."""
    try:
        found = json.loads(_beside(path).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    whole = isinstance(found, dict) and found.get("schema") == SCHEMA and "original" in found
    return found if whole and isinstance(found["original"], (str, type(None))) else None


def _replace(path: Path, data: bytes, mode: int | None) -> None:
    """Write a file whole; one with several names keeps them all."""
    try:
        known = path.stat()
    except FileNotFoundError:
        known = None
    if known is not None and known.st_nlink > 1:
        with path.open("r+b") as file:
            file.write(data)
            file.truncate()
            os.fsync(file.fileno())
        return
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        wanted = stat.S_IMODE(known.st_mode) if known is not None else 0o644 if mode is None else mode
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.chmod(wanted)
        if known is not None and hasattr(os, "chown"):
            with suppress(OSError):
                os.chown(fresh, known.st_uid, known.st_gid)
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
