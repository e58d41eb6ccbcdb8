"""What a verifying command looks at: whether another one that passed looked at all of it.

`python3 -m pytest -q`, `uv run pytest` and `. .venv/bin/activate && pytest` are one check; `pytest` covers
`pytest tests/test_a.py`, and not the other way round. A check never covers what it did not look at.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from context_kit._lazily import regex
from context_kit.tools._commands import SCRIPTED, VERBS, program, verifying
from context_kit.tools._paths import parts, rooted, same_file
from context_kit.tools._shellwords import names, simples

__all__ = ["Check", "checks_last", "checks_of", "covers", "elsewhere", "only_checks", "stops_early"]

FLAGGED = names("R black cmake gofmt isort node prettier")
"""Programs that verify with an option, not with a verb."""
VERBED = (frozenset(VERBS) | SCRIPTED) - FLAGGED
"""Programs whose first word says what they do."""
GOALS = names("gradle make mvn rake task")
"""Programs each of whose words is a thing to do."""
INTERPRETERS = names("bash node php python ruby sh ts-node tsx")
"""Programs whose first word is the program that runs."""
RUNNING = names("cypress golangci-lint nextest playwright tox vitest")
"""Programs that may be told to run, which says nothing more."""
SHORT = {"b": "build", "c": "check", "t": "test", "tst": "test"}
"""Short verbs."""
SPELLINGS = {"gmake": "make", "gradlew": "gradle", "mvnw": "mvn", "py.test": "pytest"}
RUNS_TESTS = names(
    "ava bats busted ctest cypress gotestsum jest mocha nose2 nox phpunit playwright pytest rspec tox unittest vitest"
)
"""Programs that run tests; they always print something."""
NARROWING = names(
    "--changed --changedSince --deselect --exclude --extend-exclude --extend-ignore --filter --grep --ignore "
    "--ignore-glob --only --package --project --run --select --shard --skip --testNamePattern "
    "--testPathIgnorePatterns --testPathPattern --testPathPatterns --tests --workspace-exclude --bin "
    "-g -k -m -run -skip -t"
)
"""Options that leave something out, with a value."""
FEWER = names(
    "--bins --doc --examples --last-failed --lf --lib --onlyChanged --onlyFailures --staged --stepwise --sw --testmon "
    "-short"
)
"""Options that leave something out, without one."""
NARROWS = {
    "cargo": names("-p"),
    "ctest": names("-E -I -L -LE -R"),
    "mvn": names("--projects -pl"),
    "mypy": names("--module -p"),
    "pnpm": names("-F"),
    "tsc": names("-p"),
}
"""More of both, by program."""
PLACES = names("--cwd --dir --manifest-path --prefix --rootdir -C")
"""Options that say where."""
WORKSPACES = names("--workspace -w")
"""More of them, where a package manager is asked."""
VALUED = (
    NARROWING
    | PLACES
    | names(
        "--color --config --config-file --cov-report --durations --features --format --junitxml --maxfail "
        "--output-format --override-ini --profile --python-version --pythonwarnings --reporter --seed "
        "--target-version --tb --timeout -W -c -count -n -o -p -r -timeout"
    )
)
"""Options whose next word is their value."""
COUNTED = names("--jobs -j -w")
"""Options whose next word is their value where it is a number."""
NOTHING = names(
    "--cache-show --co --collect-only --collectonly --dry --dry-run --dryRun --fixtures --fixtures-per-test --help "
    "--init --just-print --list --list-files --list-suites --list-tests --listFiles --listTests --markers --no-run "
    "--print-config --setup-only --setup-plan --show-files --show-settings --showConfig --version -h -list"
)
"""Options with which nothing is tested."""
NOTHINGS = {"ctest": names("-N"), "make": names("-n -q")}
"""More of them, by program."""
ASIDE = names(". cd echo export popd printf pushd set sleep source true")
"""What may stand beside a check without doing anything else."""
STOPS = regex(r"(?<!\S)(?:-x|--exitfirst|--maxfail\S*|--bail\S*|--fail-?fast|-failfast|-f(?= |$)|--max-fail\S*)(?!\S)")
PART = regex(r"\.\w{1,8}(?:::|$)|::")
"""What a file or a test in one ends in; a folder doesn't."""


class Check(NamedTuple):
    """One verifying command, as far as two of them are compared."""

    program: str
    """With its verb: `pytest`, `cargo test`."""
    targets: tuple[str, ...] = ()
    """What it looks at; all of it where empty."""
    narrows: frozenset[str] = frozenset()
    """Options that leave something out."""
    folder: str = ""
    """Where it runs, as far as the command line says."""
    nothing: bool = False
    """It tests nothing: `--version`, `--collect-only`."""

    @property
    def tests(self) -> bool:
        """Whether it runs tests."""
        name, _, verb = self.program.rpartition(" ")
        verb = verb if name else ""
        return self.program in RUNS_TESTS or (
            verb.startswith(("test", "nextest", "spec")) and not PART.search(verb) and "/" not in verb
        )

    def covers(self, failed: Check, /, item: str = "") -> bool:
        """Whether it looks at all that another one looked at, or at the file or folder in which the found thing stands.

        Args:
            failed: the one that found a problem.
            item: what it found: a test where the check runs tests, `tests/test_a.py::test_b`, else a file.
        """
        if not self.reaches(failed):
            return False
        if not self.targets or (failed.targets and all(self._holds(target) for target in failed.targets)):
            return True
        return self.holds(item)

    def reaches(self, failed: Check, /) -> bool:
        """Whether it is the same program in the same folder, and leaves nothing out that the other one didn't."""
        alike = self.program == failed.program and one_folder(self.folder, failed.folder)
        return alike and not self.nothing and self.narrows <= failed.narrows

    def holds(self, item: str, /) -> bool:
        """Whether a file, or a test in one, is what it looks at or lies in that; never of one without targets."""
        file = item.partition("::")[0]
        return bool(item) and any(
            _under(item, own) or ("::" not in own and same_file(file, own)) for own in self.targets
        )

    def _holds(self, target: str) -> bool:
        return any(_under(target, own) for own in self.targets)


@lru_cache(maxsize=1_024)
def checks_of(command: str, /) -> tuple[Check, ...]:
    """The checks of a command line, in its order, each once."""
    found: list[Check] = []
    folder = before = ""
    for simple in simples(command):
        words = program(simple)
        if words and (words == ["popd"] or (words[0] in ("cd", "pushd") and len(words) == 2)):
            back = words[-1] in ("-", "popd")
            folder, before = before if back else within(folder, words[1]), folder
        elif words and verifying(words):
            found += _read(words, folder)
    return tuple(dict.fromkeys(found))


def covers(passed: str, failed: str, /) -> bool:
    """Whether a verifying command line that passed did all that another one was to do: look at no more than it did.

    One that was to do more than to look, such as to commit, is covered by none.
    """
    wanted, ran = checks_of(failed), checks_of(passed)
    return bool(wanted) and only_checks(failed) and all(any(own.covers(each) for own in ran) for each in wanted)


def elsewhere(one: str, other: str, /) -> bool:
    """Whether the same checks run in two folders, as both command lines say."""
    pairs = zip(checks_of(one), checks_of(other), strict=False)
    return any(a.folder and b.folder and not one_folder(a.folder, b.folder) for a, b in pairs)


@lru_cache(maxsize=512)
def only_checks(command: str, /) -> bool:
    """Whether a command line does nothing but to check."""
    found = (program(simple) for simple in simples(command) if not simple.piped)
    return all(words[0] in ASIDE or verifying(words) for words in found if words)


def checks_last(command: str, /) -> bool:
    """Whether the last thing that a command line does is to check: what else it does came before."""
    last = [verifying(words) for simple in simples(command) if (words := program(simple)) and not simple.piped]
    return bool(last) and last[-1]


def stops_early(command: str, /) -> bool:
    """Whether a run ends at the first failure: what it doesn't show may be there all the same."""
    return STOPS.search(command) is not None


def _read(words: list[str], folder: str) -> Iterator[Check]:
    name, rest = _started(words)
    plain, options = _parted(name, rest)
    named = {option for option, _ in options}
    goals = [""]
    if name in INTERPRETERS and plain and "--test" not in named:
        used = 2 if plain[0].endswith(("manage.py", "setup.py")) else 1
        goals, plain = [" ".join(plain[:used])], plain[used:]
    elif name in GOALS:
        goals = [word for word in plain if "=" not in word and word != "clean"] or goals
        plain = [word for word in plain if "=" in word]
    elif name in VERBED and plain:
        plain = plain[1:] if plain[0] in ("run", "run-script") and len(plain) > 1 else plain
        goals, plain = plain[:1], plain[1:]
    if plain[:1] in (["run"], ["test"]) and RUNNING & {name, *goals}:
        plain = plain[1:]
    for option, value in options:
        folder = within(folder, value.removesuffix("Cargo.toml")) if _says_where(name, option) and value else folder
    for goal in goals:
        yield Check(
            program=f"{name} {SHORT.get(goal, goal)}".rstrip(),
            targets=tuple(sorted({target for word in plain if (target := _target(name, word))})),
            narrows=frozenset(f"{option}={value}" for option, value in options if _narrows(name, option)),
            folder=folder,
            nothing=bool(named & (NOTHING | NOTHINGS.get(name, frozenset())))
            or ("-V" in named and name in RUNS_TESTS - {"ctest"}),
        )


def _started(words: list[str]) -> tuple[str, list[str]]:
    """The program's own name, however it is started, and what follows it."""
    name = words[0].rpartition("/")[2].removesuffix(".exe").removesuffix(".cmd")
    rest = words[1:]
    while name.startswith(("python", "pypy")) or (name == "coverage" and rest[:1] == ["run"]):
        at = rest.index("-m") + 1 if "-m" in rest[:-1] else 0
        name, rest = (rest[at], rest[at + 1 :]) if at else ("python", rest)
        if not at:
            break
    return SPELLINGS.get(name, name), rest


def _parted(name: str, rest: list[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """The words that are no options, and the options with their values."""
    plain: list[str] = []
    options: list[tuple[str, str]] = []
    at = 0
    while at < len(rest):
        word, after = rest[at], rest[at + 1 : at + 2]
        option, _, value = word.partition("=")
        if name == "pytest" and word[:2] in ("-k", "-m") and len(word) > 2:
            option, value = word[:2], word[2:]
        at += 1
        if not word.startswith("-"):
            plain.append(word)
            continue
        if not value and after and _takes(name, option, after[0]):
            value = after[0]
            at += 1
        if name == "unittest" and option in ("-s", "--start-directory"):
            plain.append(value)
        options.append((option, value))
    return plain, options


def _takes(name: str, option: str, after: str) -> bool:
    """Whether the word behind an option is its value."""
    if option in NOTHINGS.get(name, ()):
        return False
    if name == "unittest":
        return option in ("-s", "-t", "-p", "-k", "--start-directory", "--pattern", "--top-level-directory")
    if option in VALUED or _says_where(name, option) or option in NARROWS.get(name, ()):
        return True
    return option in COUNTED and after.isdecimal()


def _narrows(name: str, option: str) -> bool:
    if name == "unittest":
        return option in ("-k", "-p", "--pattern")
    return option in NARROWING or option in FEWER or option in NARROWS.get(name, ())


def _says_where(name: str, option: str) -> bool:
    return option in PLACES or (option in WORKSPACES and name in SCRIPTED)


def _target(name: str, word: str) -> str:
    if name == "unittest":
        dotted = "/" not in word and not word.endswith(".py")
        return "" if word == "discover" else (word.replace(".", "/") if dotted else word).strip("./")
    return "" if word in (".", "./", "./...", "...") else word.removeprefix("./").removesuffix("/...").rstrip("/")


def _under(path: str, folder: str) -> bool:
    return path == folder or path.startswith((folder + "/", folder + "::", folder + "["))


def within(folder: str, path: str) -> str:
    """The path as seen from where the shell was before it changed into the folder."""
    whole = path if not folder or _absolute(path) else f"{folder}/{path}"
    return "/" * whole.startswith("/") + "/".join(parts(whole))


def _absolute(folder: str) -> bool:
    return rooted(folder) or folder.startswith(("$", "`"))


def one_folder(a: str, b: str) -> bool:
    """Whether two folders are one; an absolute one is also that one in whose name it ends, or the project's."""
    if _absolute(a) == _absolute(b):
        return a == b
    relative, absolute = (parts(a), parts(b)) if _absolute(b) else (parts(b), parts(a))
    return absolute[len(absolute) - len(relative) :] == relative
