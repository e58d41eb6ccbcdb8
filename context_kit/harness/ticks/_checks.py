"""What a run of a check proves: which program it was, what it looked at and left out, whether it looked at anything.

`python3 -m pytest -q`, `uv run pytest` and `. .venv/bin/activate && pytest` are one check. Another one proves what a
failed one found only where it looks at no less.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from context_kit.engrams import Deed
from context_kit.tools import checking_command, normal_command, verifies
from context_kit.tools._commands import program
from context_kit.tools._shellwords import names, simples

__all__ = ["Check", "check_of", "checks_of", "idle", "left_out", "looked_at", "pure", "stops"]

VERBED: Final = names("go cargo npm yarn pnpm bun deno make mvn gradle dotnet swift mix rake ruff biome just task")
"""Programs whose first word says what they do."""
VERBS: Final = {"t": "test", "tst": "test", "b": "build", "c": "check"}
"""Short verbs."""
PROGRAMS: Final = {"py.test": "pytest", "mvnw": "mvn", "gradlew": "gradle", "gmake": "make"}
RUNS_TESTS: Final = names(
    "pytest unittest tox nox nose2 jest vitest mocha ava playwright cypress rspec phpunit ctest gotestsum busted bats"
)
"""Programs that run tests; they always print something."""
TESTS: Final = names("test t nextest spec")
"""Verbs that run tests."""
NARROWS: Final = names(
    "-k -m --ignore --ignore-glob --deselect -t --testNamePattern --testPathPattern --testPathPatterns --run -run "
    "--skip -skip --filter --grep -g --tests --exclude --extend-exclude --select --extend-ignore --only --lf "
    "--last-failed --sw --stepwise --testmon --onlyChanged --onlyFailures --changedSince --changed --staged --lib "
    "--doc --bin --bins --examples --package --workspace-exclude --project --testPathIgnorePatterns -short --shard"
)
"""Options that leave something out."""
VALUED: Final = names(
    "-k -m --ignore-glob --deselect --ignore -t --testNamePattern --testPathPattern --testPathPatterns --run -run "
    "--skip -skip --filter --grep -g --tests --exclude --extend-exclude --select --extend-ignore --only --package "
    "--bin --changedSince --project --testPathIgnorePatterns --shard "
    "-p -n -c -o -W --tb --maxfail --rootdir --durations --color -r --cov-report --junitxml --timeout --config "
    "--reporter -j --jobs -timeout -count --format --output-format --target-version --python-version --features "
    "--seed -C --manifest-path --profile --config-file --pythonwarnings --override-ini"
)
"""Options whose next word is their value."""
NOTHING: Final = names(
    "--version --help -h --collect-only --co --collectonly --fixtures --markers --setup-plan --listTests --list "
    "--list-tests --no-run --dry-run --just-print --print-config --showConfig --show-settings --show-files -list "
    "--cache-show --init --listFiles --setup-only --fixtures-per-test --list-files --list-suites --dryRun --dry"
)
"""Options with which nothing is tested."""
IDLE = re.compile(
    r"no tests? (?:ran|to run|collected|found|were found|files?)\b|\bran 0 tests?\b|\[no test files\]|"
    r"collected 0 items|"
    r"\b0 (?:passed|passing|tests?|examples?|total)\b|\b\d{1,7} (?:skipped|deselected|pending|ignored)\b|"
    r"\btests? collected\b|running 0 tests|up to date|nothing to be done|no (?:python )?files (?:found|to)|"
    r"in 0 source files",
    re.IGNORECASE,
)
"""What is printed where nothing was tested."""
LIVELY = re.compile(
    r"\b[1-9]\d{0,8} (?:tests? )?(?:passed|passing|passes|xpassed|succeeded)\b|\bran [1-9]\d{0,8} tests?\b|"
    r"^ok[ \t]+\S+[ \t]+(?![^\n]{0,80}no tests to run)\S|# pass [1-9]|\b[1-9]\d{0,8} (?:examples?|tests?)[,)]|"
    r"in [1-9]\d{0,8} source files",
    re.IGNORECASE | re.MULTILINE,
)
"""What is printed where something was."""
RAN_ALL = re.compile(r"\bRan (\d{1,9}) tests? in [^\n]{0,80}\s+(?:OK|FAILED) \([^\n]{0,80}?skipped=(\d{1,9})")
LEFT = re.compile(
    r"\b(\d{1,9}) (?:skipped|deselected|xfailed|ignored|filtered out|pending|todo)\b|"
    r"\b(?:skipped|expected failures)=(\d{1,9})\b"
)
STOPS = re.compile(
    r"(?<!\S)(?:-x|--exitfirst|--maxfail\S*|--bail\S*|--fail-?fast|-failfast|-f(?= |$)|--max-fail\S*)(?!\S)"
)
READ = 16_384
"""Characters at an output's end that are read."""
SUFFIX = re.compile(r"\.\w{1,8}(?:::|$)|::")
"""What a file or a test in one ends in; a folder doesn't."""


@dataclass(frozen=True, slots=True)
class Check:
    """One verifying command, as far as two of them are compared."""

    program: str
    """With its verb: `pytest`, `cargo test`."""
    targets: tuple[str, ...] = ()
    """What it looks at; all of it where empty."""
    narrows: frozenset[str] = frozenset()
    """Options that leave something out."""
    nothing: bool = False
    """It tests nothing: `--version`, `--collect-only`."""

    @property
    def tests(self) -> bool:
        """Whether it runs tests."""
        name, _, verb = self.program.partition(" ")
        return name in RUNS_TESTS or verb in TESTS or verb.startswith("test")

    def covers(self, failed: Check, item: str = "") -> bool:
        """Whether it looks at all that another one looked at, or at the folder in which the found thing stands.

        Args:
            failed: the one that found a problem.
            item: file of what it found: of the test, where the check runs tests.
        """
        if self.nothing or self.program != failed.program or not self.narrows <= failed.narrows:
            return False
        if not self.targets or (failed.targets and all(self._holds(target) for target in failed.targets)):
            return True
        return bool(item) and any(not SUFFIX.search(own) and _under(item, own) for own in self.targets)

    def _holds(self, target: str) -> bool:
        return any(_under(target, own) for own in self.targets)


def _under(path: str, folder: str) -> bool:
    return path == folder or path.startswith((folder + "/", folder + "::"))


def check_of(deed: Deed) -> str:
    """The verifying command of a deed, in a form in which two runs of it compare equal; empty where it is none."""
    return _normal(deed.act.command) if deed.told and deed.act.kind == "run" else ""


@lru_cache(maxsize=1_024)
def _normal(command: str) -> str:
    return normal_command(checking_command(command)).replace("`", "'")  # it stands between such marks in the file


@lru_cache(maxsize=1_024)
def checks_of(command: str) -> tuple[Check, ...]:
    """The checks of a command line, in its order."""
    found = (program(simple) for simple in simples(command) if simple.words)
    return tuple(dict.fromkeys(_read(words) for words in found if words and verifies(shlex.join(words))))


def pure(command: str) -> bool:
    """Whether the last thing that a command line does is to check: what else it does came before."""
    last = [
        verifies(shlex.join(words)) for simple in simples(command) if (words := program(simple)) and not simple.piped
    ]
    return bool(last) and last[-1]


def _read(words: list[str]) -> Check:
    name = words[0].rpartition("/")[2].removesuffix(".exe").removesuffix(".cmd")
    rest = words[1:]
    if name.startswith(("python", "pypy")) and "-m" in rest[:-1]:
        at = rest.index("-m")
        name, rest = rest[at + 1], rest[at + 2 :]
    elif name.startswith(("python", "pypy")):
        name = "python"
    name = PROGRAMS.get(name, name)
    if name in VERBED and rest:
        if rest[0] in ("run", "run-script") and len(rest) > 1:
            rest = rest[1:]
        name, rest = f"{name} {VERBS.get(rest[0], rest[0])}", rest[1:]
    return _options(name, rest)


def _options(name: str, rest: list[str]) -> Check:
    targets: list[str] = []
    narrows: set[str] = set()
    nothing = False
    words = iter(rest)
    for word in words:
        option, _, value = word.partition("=")
        if name == "pytest" and word[:2] in ("-k", "-m") and len(word) > 2:
            option, value = word[:2], word[2:]
        if not word.startswith("-"):
            targets.append(word)
            continue
        nothing = (
            nothing
            or option in NOTHING
            or (option == "-N" and name == "ctest")
            or (option == "-V" and name in RUNS_TESTS - {"ctest"})
        )
        if name == "unittest" and option in ("-s", "-t", "-p", "--start-directory", "--pattern"):
            value = next(words, "")
            targets += [value] if option in ("-s", "--start-directory") else []
        elif option in VALUED and not value:
            value = next(words, "")
        if option in NARROWS and not (name == "unittest" and option == "-t"):
            narrows.add(f"{option}={value}")
    return Check(
        name, tuple(sorted(set(filter(None, (_target(name, each) for each in targets))))), frozenset(narrows), nothing
    )


def _target(name: str, word: str) -> str:
    if name == "unittest":
        return (
            ""
            if word == "discover"
            else word.replace(".", "/")
            if "/" not in word and word != "."
            else word.strip("./")
        )
    return "" if word in (".", "./", "./...", "...") else word.removeprefix("./").removesuffix("/...").rstrip("/")


def idle(deed: Deed) -> bool:
    """Whether a run that passed tested nothing: it only listed, skipped all, or printed nothing where tests print."""
    checks = checks_of(check_of(deed))
    if checks and all(check.nothing for check in checks):
        return True
    output = deed.act.output[-READ:]
    if not output.strip():
        return any(check.tests for check in checks)
    skipped = RAN_ALL.search(output)
    if skipped is not None and skipped[1] == skipped[2]:
        return True
    return any(check.tests for check in checks) and IDLE.search(output) is not None and LIVELY.search(output) is None


def stops(command: str) -> bool:
    """Whether a run ends at the first failure: what it doesn't show may be there all the same."""
    return STOPS.search(command) is not None


def left_out(output: str) -> int:
    """How many tests a run left out: skipped, deselected, expected to fail."""
    return sum(int(found[1] or found[2]) for found in LEFT.finditer(output[-READ:]))


def looked_at(found: Check, *, file: str, test: str) -> str:
    """Of what a check found, the file by which a folder holds it: the test's, or the one that was looked at."""
    return test.partition("::")[0] if found.tests else file
