"""What a deed proves as a check: which one it was, whether it looked at anything, which findings it may close.

A tick remembers a check by its text: in a folder of the project it is another one than at its top.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import lru_cache

from context_kit.engrams import Deed
from context_kit.harness.ticks._findings import Finding
from context_kit.tools import Check, checking_command, checks_of, idle_check, normal_command, only_checks
from context_kit.tools._paths import rooted

__all__ = ["check_of", "covered", "idle", "proves"]


def check_of(deed: Deed) -> str:
    """The verifying command of a deed, in a form in which two runs of it compare equal; empty where it is none."""
    return _normal(deed.act.command) if deed.told and deed.act.kind == "run" else ""


def idle(deed: Deed) -> bool:
    """Whether a run that passed tested nothing."""
    return idle_check(check_of(deed), deed.act.output)


def covered(wanted: Sequence[Check], ran: Sequence[Check], finding: Finding) -> bool:
    """Whether checks that ran looked at all of what others found."""
    return all(any(own.covers(each, _looked_at(each, finding)) for own in ran) for each in wanted)


def proves(check: str, finding: Finding) -> bool:
    """Whether a check may close a finding: what a line printed that does more than to check, only that line closes."""
    return bool(finding.file or finding.test) or check == finding.command or only_checks(finding.command)


def _looked_at(found: Check, finding: Finding) -> str:
    """Of what a check found, the file by which a folder holds it: the test's, or the one that was looked at."""
    return finding.test.partition("::")[0] if found.tests else finding.file


@lru_cache(maxsize=1_024)
def _normal(command: str) -> str:
    text = normal_command(checking_command(command))
    whole, rest = (next((check.folder for check in checks_of(each)), "") for each in (command, text))
    lead = whole.removesuffix(rest).rstrip("/")
    if lead and whole.endswith(rest) and not rooted(lead):
        text = f"cd {shlex.quote(lead)} && {text}"
    return text.replace("`", "'")  # it stands between such marks in the file
