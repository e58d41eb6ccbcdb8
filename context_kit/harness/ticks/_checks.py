"""What a deed proves as a check: which one it was, whether it looked at anything, which findings it may close.

A tick remembers a check by its text: in a folder of the project it is another one than at its top.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import lru_cache

from context_kit.engrams import Deed
from context_kit.harness.ticks._findings import Finding
from context_kit.tools import Check, checking_command, checks_of, idle_check, normal_command, only_checks, same_file
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
    return all(any(own.covers(each, _looked_at(own, each, finding)) for own in ran) for each in wanted)


def proves(check: str, finding: Finding) -> bool:
    """Whether a check may close a finding: what a line printed that does more than to check, only that line closes."""
    return bool(finding.file or finding.test) or check == finding.command or only_checks(finding.command)


def _looked_at(own: Check, found: Check, finding: Finding) -> str:
    """Of what a check found that by which another one holds it: the test, or the file that was looked at.

    A file in which a test failed that isn't named is the test's own only where that very file is run.
    """
    if not found.tests:
        return finding.file
    if found.program == "unittest" and finding.test:
        return finding.test.replace(".", "/")
    if "::" in finding.test:
        return finding.test
    return finding.file if any(same_file(finding.file, target) for target in own.targets) else ""


@lru_cache(maxsize=1_024)
def _normal(command: str) -> str:
    text = normal_command(checking_command(command))
    whole, rest = (next((check.folder for check in checks_of(each)), "") for each in (command, text))
    lead = whole.removesuffix(rest).rstrip("/")
    if lead and whole.endswith(rest) and not rooted(lead):
        text = f"cd {shlex.quote(lead)} && {text}"
    return text.replace("`", "'")  # it stands between such marks in the file
