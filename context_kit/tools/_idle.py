"""Whether a check that passed tested anything, and what it left out: read off what it printed."""

from __future__ import annotations

import re
from functools import lru_cache

from context_kit._lazily import regex
from context_kit.tools._checks import checks_of

__all__ = ["idle_check", "left_out"]

IDLE = regex(
    r"no tests? (?:ran|to run|collected|found|were found|files?)\b|\bran 0 tests?\b|\[no test files\]|"
    r"collected 0 items|\b0 (?:passed|passing|tests?|examples?|total)\b|"
    r"\b\d{1,7} (?:skipped|deselected|pending|ignored)\b|"
    r"\btests? collected\b|running 0 tests|up to date|nothing to be done",
    re.IGNORECASE,
)
"""What is printed where no test ran."""
EMPTY = regex(r"\bno (?:python )?files? (?:found|to)\b|\bin 0 source files", re.IGNORECASE)
"""What is printed where no file was looked at."""
LIVELY = regex(
    r"\b[1-9]\d{0,8} (?:tests? )?(?:passed|passing|passes|xpassed|succeeded)\b|\bran [1-9]\d{0,8} tests?\b|"
    r"^ok[ \t]+\S+[ \t]+(?![^\n]{0,80}no tests to run)\S|# pass [1-9]|\b[1-9]\d{0,8} (?:examples?|tests?)[,)]|"
    r"in [1-9]\d{0,8} source files",
    re.IGNORECASE | re.MULTILINE,
)
"""What is printed where something was looked at."""
RAN_ALL = regex(r"\bRan (\d{1,9}) tests? in [^\n]{0,80}\s+(?:OK|FAILED) \([^\n]{0,80}?skipped=(\d{1,9})")
LEFT = regex(
    r"\b(\d{1,9}) (?:skipped|deselected|xfailed|ignored|filtered out|pending|todo)\b|"
    r"\b(?:skipped|expected failures)=(\d{1,9})\b"
)
SIGNS = (
    "no test", "ran 0", "[no test", "0 items", "0 pass", "0 test", "0 example", "0 total", " skipped", " deselected",
    " pending", " ignored", "tests collected", "test collected", "up to date", "nothing to be done", "files found",
    "file found", "files to", "file to", "in 0 source",
)  # fmt: skip
"""A cheap look first: an output without these told of nothing that was left out."""
READ = 16_384
"""Characters at an output's end that are read."""


@lru_cache(maxsize=1024)
def idle_check(command: str, output: str, /) -> bool:
    """Whether a run that passed tested nothing: it only listed, skipped all, or printed nothing where tests print."""
    checks = checks_of(command)
    tests = any(check.tests for check in checks)
    if checks and all(check.nothing for check in checks):
        return True
    end = output[-READ:]
    if not end.strip():
        return tests
    skipped = RAN_ALL.search(end) if "skipped=" in end else None
    if skipped is not None and skipped[1] == skipped[2]:
        return True
    small = end.lower()
    if not any(sign in small for sign in SIGNS):
        return False
    said = EMPTY.search(end) or (IDLE.search(end) if tests else None)
    return said is not None and LIVELY.search(end) is None


def left_out(output: str, /) -> int:
    """How many tests a run left out: skipped, deselected, expected to fail."""
    return sum(int(found[1] or found[2]) for found in LEFT.finditer(output[-READ:]))
