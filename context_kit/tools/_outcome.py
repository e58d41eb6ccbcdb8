"""One line for a failure, one line for a result: chosen from the text, never composed.

What comes back stands in the text as it is, white space and rulers at its ends aside.
"""

from __future__ import annotations

import re
from itertools import dropwhile

from context_kit._lazily import regex
from context_kit.tools._envelope import unwrap
from context_kit.tools._signs import CHINESE, COMPLAINT, EXCEPTION, GENERIC, REFUSALS, RUNNER, SHELL

__all__ = ["closing_line", "error_line", "outcome"]

CLIP = 200
"""Characters of an outcome."""
LONGEST = 500
"""Characters of an error line."""
TAIL = 16_384
RULER = "=-_─━⎯* \t\r"

ASSERTION = regex(
    r"E {2,7}\S|\s*(?:AssertionError|assert )|assertion (?:`|failed)|\s+\S{1,200}\.(?:go|exs?|rs):\d+: \S"
)
THROWN = regex(r"\s*Error(?: \[\w+\])?: (?!Command |Process )\S")
"""A bare error of JavaScript's, or of a program that says what went wrong in one line."""
LOCATED = regex(
    r"\s*(?:\S{1,300}:\d+(?::\d+)?:? (?:- )?(?:fatal )?error\b|\S{1,300}\(\d+,\d+\): error "
    r"|error(?:\[E\d+\])?: (?!could not compile|aborting)"
    r"|(?:\./)?[\w./-]{1,300}\.(?:go|zig|swift|kt|hs|rs|py|[jt]sx?|ex|exs):\d+(?::\d+)?:? \S|[A-Z]\d{3,4} \S|\*\* \(\w)"
)
FOUND = regex(r"Found \d+ matches of the string")
NAMED = regex(r"(?:=+ )?FAILED \S|\s*--- FAIL: |FAIL\s+\S+\.\w|\s*(?:✗|✖|×|✘|❌) \S|not ok \d|panic: |\s*- E\d{3} ")
NOISE = regex(
    r"npm (?:error|ERR!)|\[?Command |\[Output truncated|Process Group|Node\.js v|\s*at \S|\s*\^|\s*~|note: |For more|"
    r"\[The command|\d+ (?:issues?|errors?|problems?|failed|warnings?)\b|\* \w+: \d+$|See also |FAIL$|exit status|"
    r"[})\]]|> \S|E\s+Use -v |g?make(?:\[\d+\])?: (?!\*\*\* No rule)|error: (?:could not compile|aborting)|"
    r"\[[\w:]+\] ERROR task failed|ok  \t|\?   \t|"
    r"Ran \d+ tests|Total errors: |Halting VM|"
    r"FAILED \(|STD(?:OUT|ERR):|-- Configuring|Fix the|Edit the file|DO NOT re-run|"
    r"You either need|Your changes have NOT|During handling|\s*× Some errors|"
    r"[^\n]{0,300}(?:: too many errors|\tother declaration of|\+0x[0-9a-f]+|━━)"
)


def error_line(error: str) -> str:
    """The last line that says what went wrong, word for word: an exception's, an assertion's, a compiler's line.

    Args:
        error: an error's own text, as `failure` cuts it.

    Returns:
        At most 500 characters; empty for an empty error.

    """
    lines = [line for line in error[-TAIL:].split("\n") if line.strip()]
    if not lines:
        return ""
    if FOUND.match(error) or (error.startswith(REFUSALS) and not error.startswith("Your proposed edit")):
        return lines[0].strip()[:LONGEST]
    for patterns in (
        (EXCEPTION, ASSERTION),
        (LOCATED,),
        (NAMED,),
        (COMPLAINT, SHELL),
        (THROWN,),
        (GENERIC, RUNNER, CHINESE),
    ):
        for line in reversed(lines):
            if not NOISE.match(line) and any(pattern.match(line) for pattern in patterns):
                return line.strip()[:LONGEST]
    kept = [line for line in lines if not NOISE.match(line) and any(map(str.isalnum, line))]
    kept = kept or [line for line in lines if GENERIC.match(line) or RUNNER.match(line)] or lines
    return kept[-1].strip()[:LONGEST]


TELLS = regex(
    r"error|exception|fail|fatal|panic|cannot|can't|could ?n[o']t|not found|no such|den(?:y|ied)|undefined|unexpected|"
    r"invalid|unable|never|missing|timed? ?out|refused|expected|exist|not (?:allowed|permitted|supported|a )|"
    r"错误|失败|异常|找不到|不存在|无法|拒绝|超时",
    re.IGNORECASE,
)
STATUS = regex(
    r"\W*$|exit(?:ed)?[ :]|\[[\w:.@/-]+\] error task failed|\[?command |process |fail(?:ed)?$|error:?$|wall time|"
    r"npm err|\s*at \S+ \(|\s*File \"|"
    r"fail\s+\S+\s|\[The command|<returncode>|Fix the|Edit the file|DO NOT re-run|Your changes have NOT",
    re.IGNORECASE,
)
"""Lines that say that it failed, not what."""
SHORTEST = 12
"""Characters below which a line says nothing."""
CLOSING = 240
"""Characters of a closing line; a longer one is data."""


def closing_line(error: str) -> str:
    """The last line of an error's own text that tells an error at all, word for word; often less than `error_line`.

    A build's log says what went wrong in the middle and that it went wrong at the end: who looks for the end finds it.
    """
    for line in reversed(error[-TAIL:].split("\n")):
        bare = line.strip()
        if len(bare) >= SHORTEST and not line[0].isspace() and TELLS.search(bare) and not STATUS.match(bare):
            return bare if len(bare) <= CLOSING else ""
    return ""


SUMMARIES = regex(
    r"(?:=+ )?(?:\d+ \w+, ){0,9}\d+ (?:passed|failed|errors?|skipped|deselected|xfailed|xpassed|warnings?)\b"
    r"[^\n]{0,200}? in [\d.:]+ ?s"  # pytest
    r"|(?:=+ )?no tests ran"
    r"|OK(?: \([^\n]*\))?\s*$|FAILED \([^\n]*\)|NO TESTS RAN"  # unittest
    r"|Tests:? {1,12}\d|\s*Tests  \d|Tests: \d"  # jest, vitest, phpunit
    r"|test result: \w+\. "  # cargo
    r"|\s*\d+ (?:passing|failing)\b"  # mocha, playwright
    r"|\d+ (?:tests?|doctests?|properties|examples?),[^\n]{0,100}? failures?"  # mix, rspec
    r"|OK \(\d+ tests|\d+% tests passed"  # phpunit, ctest
    r"|(?:Success: no issues found|Found \d+ errors?|All checks passed)"  # mypy, ruff
    r"|\d+ errors?, \d+ warnings?"  # pyright
    r"|✖ \d+ problems?|\d+ issues[:.]|\[INFO\] BUILD \w+|BUILD \w+|Build (?:succeeded|FAILED)"
    r"|Your code has been rated|\s*Finished [`\w][^\n]*target\(s\)|error: could not compile"
    r"|g?make(?:\[\d+\])?: \*\*\* |Passed!\s+-|Failed!\s+-|# (?:pass|fail) \d+|\s*total: {2,}"
)
RAN = regex(r"Ran \d+ tests? in ")
VERDICT = regex(r"OK\b|FAILED \(|NO TESTS RAN")
"""unittest says in two lines how many ran and how they ended."""
WEAK = regex(r"Checked \d+ files|\s*✓ |Done in |Compiled ")
"""A step's own summing-up; the command may have gone on."""
GO = regex(r"(?:ok  \t|FAIL\t|--- FAIL: )[^\n]*|FAIL$|PASS$|ok  \t?[^\n]*")


def outcome(output: str, command: str = "") -> str:
    """The line that says how a command ended, word for word; else its last line, at most 200 characters.

    Args:
        output: the command's result as the model saw it.
        command: its command line; only for telling test runners apart.

    """
    body = unwrap(output).body[-TAIL:]
    lines = [line for line in body.split("\n") if line.strip()]
    if not lines:
        return ""
    if summed := next(filter(SUMMARIES.match, reversed(lines)), ""):
        above = dropwhile(summed.__ne__, reversed(lines)) if VERDICT.match(summed) else ()
        ran = next(filter(RAN.match, above), "")
        return f"{_bare(ran)}; {_bare(summed)}" if ran else _bare(summed)
    if "go " in command or "\nok  \t" in "\n" + body or "FAIL\t" in body:
        found = [line for line in lines if GO.match(line)]
        failed = [line for line in found if not line.startswith(("ok", "PASS"))]
        told = [line for line in failed if line.strip() != "FAIL"] or failed or found
        if told:
            return _bare(told[-1])
    steps = (line for pattern in (GENERIC, WEAK) for line in filter(pattern.match, reversed(lines)))
    return _bare(next(steps, lines[-1]))


def _bare(line: str) -> str:
    return (line.strip(RULER) or line.strip())[:CLIP].rstrip()
