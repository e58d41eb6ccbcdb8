"""What a verifying command looks at: whether another one that passed looked at all of it.

`python3 -m pytest -q`, `uv run pytest` and `. .venv/bin/activate && pytest` are one check; `pytest` covers
`pytest tests/test_a.py`, and not the other way round.
"""

from __future__ import annotations

import shlex
from functools import lru_cache
from typing import NamedTuple

from context_kit._lazily import regex
from context_kit.tools._commands import program, verifies
from context_kit.tools._paths import join_path, plain_path
from context_kit.tools._shellwords import names, simples

__all__ = ["covers", "idle_check"]

VERBED = names("go cargo npm yarn pnpm bun deno make mvn gradle dotnet swift mix rake ruff biome just task")
"""Programs whose first word says what they do."""
VERBS = {"t": "test", "tst": "test", "b": "build", "c": "check"}
PROGRAMS = {"py.test": "pytest", "mvnw": "mvn", "gradlew": "gradle", "gmake": "make"}
NARROWS = names(
    "-k -m --ignore --ignore-glob --deselect -t --testNamePattern --testPathPattern --testPathPatterns --run -run "
    "--skip -skip --filter --grep -g --tests --exclude --extend-exclude --select --extend-ignore --only --lf "
    "--last-failed --sw --stepwise --testmon --onlyChanged --onlyFailures --changedSince --changed --staged --lib "
    "--doc --bin --bins --examples --package --project --testPathIgnorePatterns -short --shard"
)
"""Options that leave something out."""
VALUED = NARROWS - names(
    "--lf --last-failed --sw --stepwise --testmon --onlyChanged --lib --doc --bins -short"
) | names(
    "-p -n -c -o -W --tb --maxfail --rootdir --durations --color -r --cov-report --junitxml --timeout --config "
    "--reporter -j --jobs -timeout -count --format --output-format --features --seed -C --manifest-path --profile "
    "--config-file --prefix --workspace -w --cwd --dir"
)
"""Options whose next word is their value."""
PLACES = names("--prefix --manifest-path -C --workspace -w --cwd --dir --rootdir")
"""Options that say where."""
NOTHING = names(
    "--version --help -h --collect-only --co --fixtures --markers --setup-plan --listTests --list --list-tests "
    "--no-run --dry-run --just-print --print-config --showConfig --show-files -list --list-files"
)
"""Options with which nothing is tested."""
IDLE = regex(
    r"no tests? (?:ran|to run|collected|found|were found|files?)\b|\b[Rr]an 0 tests?\b|\[no test files\]|"
    r"collected 0 items|\b0 (?:passed|passing|tests?|examples?|total)\b|running 0 tests|"
    r"^=* ?\d{1,7} (?:skipped|deselected)\b"
)
"""What is printed where nothing was tested."""
LIVELY = regex(r"\b[1-9]\d{0,8} (?:tests? )?(?:passed|passing|xpassed|succeeded|examples?|tests?)\b|\bok[ \t]+\S+[ \t]")
ASIDE = names("cd pushd popd export set source . echo printf sleep true")
"""What may stand beside a check without doing anything else."""
READ = 16_384
"""Characters at an output's end that are read."""


class _Check(NamedTuple):
    """One verifying command, as far as two of them are compared."""

    program: str
    """With its verb: `pytest`, `cargo test`."""
    targets: tuple[str, ...]
    """What it looks at; all of it where empty."""
    narrows: frozenset[str]
    """Options that leave something out."""
    folder: str
    """Where it runs, as far as the command line says; empty for an absolute one, which is mostly the project's."""
    nothing: bool
    """It tests nothing."""

    def covers(self, other: _Check) -> bool:
        if self.nothing or (self.program, self.folder) != (other.program, other.folder):
            return False
        if not self.narrows <= other.narrows:
            return False
        held = all(any(_under(target, own) for own in self.targets) for target in other.targets)
        return not self.targets or bool(other.targets and held)


def covers(passed: str, failed: str, /) -> bool:
    """Whether a verifying command line that passed did all that another one was to do: look at no more than it did.

    One that was to do more than to look, such as to commit, is covered by none.
    """
    wanted, ran = _checks(failed), _checks(passed)
    return bool(wanted) and _only_checks(failed) and all(any(own.covers(each) for own in ran) for each in wanted)


def idle_check(output: str, /) -> bool:
    """Whether a check that passed says that it ran no test."""
    end = output[-READ:]
    return IDLE.search(end) is not None and LIVELY.search(end) is None


@lru_cache(maxsize=1_024)
def _checks(command: str) -> tuple[_Check, ...]:
    found: list[_Check] = []
    folder = ""
    for simple in simples(command):
        words = program(simple)
        if words[:1] == ["cd"] and len(words) == 2:
            folder = join_path(folder, plain_path(words[1]))
        elif words and verifies(shlex.join(words)):
            found.append(_read(words, folder))
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=512)
def _only_checks(command: str) -> bool:
    parts = (program(simple) for simple in simples(command) if not simple.piped)
    return all(words[0] in ASIDE or verifies(shlex.join(words)) for words in parts if words)


def _read(words: list[str], folder: str) -> _Check:
    name = words[0].rpartition("/")[2].removesuffix(".exe").removesuffix(".cmd")
    rest = words[1:]
    if name.startswith(("python", "pypy")) and "-m" in rest[:-1]:
        at = rest.index("-m")
        name, rest = rest[at + 1], rest[at + 2 :]
    name = PROGRAMS.get(name, name)
    plain, options = _parted(rest)
    if name in VERBED and plain:
        plain = plain[1:] if plain[0] in ("run", "run-script") and len(plain) > 1 else plain
        name, plain = f"{name} {VERBS.get(plain[0], plain[0])}", plain[1:]
    for option, value in options:
        folder = join_path(folder, plain_path(value)) if option in PLACES and value else folder
    return _Check(
        program=name,
        targets=tuple(sorted({target for word in plain if (target := _target(word))})),
        narrows=frozenset(f"{option}={value}" for option, value in options if option in NARROWS),
        folder="" if folder.startswith(("/", "~")) else folder,
        nothing=any(option in NOTHING for option, _ in options),
    )


def _parted(rest: list[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """The words that are no options, and the options with their values."""
    plain: list[str] = []
    options: list[tuple[str, str]] = []
    words = iter(rest)
    for word in words:
        option, _, value = word.partition("=")
        if not word.startswith("-"):
            plain.append(word)
        else:
            options.append((option, value or (next(words, "") if option in VALUED else "")))
    return plain, options


def _target(word: str) -> str:
    return "" if word in (".", "./", "./...", "...") else word.removeprefix("./").removesuffix("/...").rstrip("/")


def _under(path: str, folder: str) -> bool:
    return path == folder or path.startswith((folder + "/", folder + "::"))
