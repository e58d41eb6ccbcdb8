"""What kind of command line it is: does it verify, view, ask, or hide its exit code.

Programs are known by name, kept as data.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from context_kit._lazily import regex
from context_kit.tools._shellwords import HEREDOC, LONGEST, Simple, names, simples

__all__ = ["Manner", "checking_command", "manner", "normal_command", "plain_words", "program", "verifies", "verifying"]


class Manner(NamedTuple):
    """How to judge what a command line printed."""

    known: bool
    """There is a command line."""
    verifies: bool
    """It runs tests, a type checker, a linter or a build."""
    views: bool
    """It only shows files and listings."""
    asks: bool
    """Its exit code 1 means that nothing was found."""
    hides: bool
    """Its exit code is not that of each command in it."""


VIEWERS = names(
    "cat head tail less more nl bat sed awk grep egrep fgrep rg ag ack find fd ls ll tree wc jq yq sort uniq cut tr "
    "xxd od file "
    "stat du df env printenv pwd whoami id date strings diff cmp column fold paste rev tac comm basename dirname "
    "realpath "
    "readlink echo printf true false cd pushd popd export set unset sleep which type command test [ [[ : ps history "
    "man xargs "
    "plutil sw_vers uname hostname hexdump md5sum sha256sum exit"
)
ASKERS = names(
    "grep egrep fgrep zgrep rg ag ack diff cmp which type command test [ [[ pgrep pidof findstr ls find xargs"
)
GIT_VIEWS = names(
    "log show diff status branch blame grep ls-files rev-parse remote describe reflog config shortlog cat-file "
    "ls-tree tag worktree"
)
WRAPPERS = names("sudo time nohup command env exec nice stdbuf xvfb-run unbuffer then do else ! { ( if while")
RUNNERS = names("npx bunx pnpx uv uvx poetry pipenv pdm rye bundle bin dotenv corepack asdf direnv nox devbox")
SUB = names("run exec x dlx tool --")

TESTERS = names(
    "pytest py.test tox nox nose2 nosetests unittest jest vitest mocha ava tap karma jasmine playwright cypress "
    "tsc tsgo vue-tsc "
    "mypy pyright basedpyright pyre ty flake8 pylint pycodestyle pydocstyle bandit vulture eslint oxlint stylelint "
    "standard xo "
    "phpunit pest phpstan psalm rspec rubocop ctest golangci-lint staticcheck shellcheck hadolint yamllint "
    "markdownlint "
    "clippy-driver ktlint detekt swiftlint bats busted luacheck credo dialyzer ninja gcc g++ cc c++ clang clang++ "
    "rustc javac "
    "kotlinc ghc ocamlc zig-test tflint checkov gotestsum trunk knip dune runtests codespell semgrep actionlint"
)
"""Programs that verify, whatever their arguments."""

VERBS: dict[str, str] = {
    "go": "test build vet run",
    "cargo": "test build check clippy nextest bench doc t b c",
    "npm": "test t tst ci",
    "yarn": "test lint build check typecheck tsc",
    "pnpm": "test t lint build check typecheck tsc",
    "bun": "test build",
    "deno": "test lint check",
    "mvn": "test verify package install compile checkstyle:check",
    "gradle": "test check build assemble lint compileJava",
    "sbt": "test compile",
    "lein": "test check",
    "mix": "test compile credo dialyzer format",
    "rake": "test spec",
    "rails": "test",
    "dotnet": "test build",
    "swift": "test build",
    "zig": "test build",
    "bazel": "test build",
    "buck2": "test build",
    "flutter": "test analyze build",
    "dart": "test analyze",
    "stack": "test build",
    "cabal": "test build",
    "ruff": "check",
    "biome": "check lint ci",
    "prettier": "--check -c",
    "black": "--check",
    "isort": "--check --check-only -c",
    "gofmt": "-l -d",
    "terraform": "validate plan",
    "pre-commit": "run",
    "composer": "test",
    "make": "test check lint build all tests unit typecheck verify ci",
    "just": "test check lint build ci",
    "task": "test check lint build ci",
    "cmake": "--build",
    "node": "--test --check",
    "next": "build lint",
    "vite": "build",
    "webpack": "build",
    "turbo": "test lint build",
    "nx": "test lint build",
    "lerna": "test",
    "ng": "test build lint",
    "xcodebuild": "test build",
    "meson": "test compile",
    "scons": "test",
    "phpstan": "analyse",
    "helm": "lint",
    "R": "CMD",
}
SCRIPTED = names("npm yarn pnpm bun composer deno task just turbo nx rush mise hatch moon")
MODULES = names(
    "pytest unittest mypy pyright ruff tox nox flake8 pylint py_compile compileall build nose nose2 doctest "
    "coverage black isort bandit pyflakes"
)
SCRIPT = regex(
    r"(?:test|tests|lint|check|build|typecheck|type-check|types|tsc|ci|verify|validate|e2e|unit|spec)(?:[:\-_.]|$)"
)
TEST_FILE = regex(
    r"(?:^|/)(?:(?:test|spec)_[^/]*|[^/]*_(?:test|spec)|[^/]*\.(?:test|spec)|run_?tests?|tests?)\.(?:py|m?[jt]sx?|rb|php|sh|pl|lua|exs)$"
)
NUMBER = regex(r"[\d.]+[smhd]?$")


def program(simple: Simple) -> list[str]:
    """The words of a command from its program on: wrappers such as `sudo`, `timeout 60` and `npx` left out."""
    words = simple.words
    at = 0
    while at < len(words) - 1:
        name = words[at].rpartition("/")[2]
        if name in WRAPPERS or ("=" in words[at] and not words[at].startswith(("-", "/"))):
            at += 1
        elif name in ("timeout", "gtimeout"):
            at += 1
            while at < len(words) - 1 and (words[at].startswith("-") or NUMBER.match(words[at])):
                at += 1
        elif name in RUNNERS:
            at += 1
            while at < len(words) - 1 and (words[at] in SUB or words[at].startswith("-")):
                at += 1
        else:
            break
    return words[at:]


def verifies(command: str) -> bool:
    """True for a command line that runs tests, a type checker, a linter or a build."""
    return manner(command).verifies


@lru_cache(maxsize=512)
def manner(command: str) -> Manner:
    """How to judge what this command line printed."""
    if not command.strip():
        return Manner(known=False, verifies=False, views=False, asks=False, hides=True)
    found = simples(command)
    last = program(found[-1]) if found else []
    return Manner(
        known=True,
        verifies=any(verifying(program(each)) for each in found if each.words),
        views=all(_views(program(each)) for each in found if each.words),
        asks=bool(last)
        and (last[0].rpartition("/")[2] in ASKERS or last[:2] == ["git", "grep"] or last[:2] == ["git", "diff"]),
        hides=any(each.pipes or each.link in (";", "||", "\n") for each in found) or len(command) > LONGEST,
    )


def _views(words: list[str]) -> bool:
    if not words:
        return True
    name = words[0].rpartition("/")[2]
    if name == "git":
        return any(word in GIT_VIEWS for word in plain_words(words[1:])[:1])
    if name in ("sed", "awk", "perl"):
        return name in VIEWERS and not any(word.startswith("-i") for word in words)
    return name in VIEWERS


def plain_words(words: list[str]) -> list[str]:
    """Words that are no options; `git -C DIR` takes its folder along."""
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in ("-C", "-c", "-w", "--workspace", "--prefix", "--filter", "-F", "--cwd", "--dir"):
            skip = True
        elif not word.startswith("-"):
            kept.append(word)
    return kept


def verifying(words: list[str]) -> bool:
    """Whether the words of one command, from its program on, verify."""
    if not words:
        return False
    name = words[0].rpartition("/")[2].removesuffix(".exe").removesuffix(".cmd")
    if name in TESTERS:
        return True
    if name.startswith(("python", "pypy")):
        return _python_verifies(words)
    name = {"mvnw": "mvn", "gradlew": "gradle", "gmake": "make", "nextest": "cargo"}.get(name, name)
    plain = plain_words(words[1:])
    if name in SCRIPTED:
        plain = plain[1:] if plain[:1] in (["run"], ["run-script"], ["exec"], ["task"]) else plain
        return any(SCRIPT.match(word) for word in plain[:1]) or plain[:1] in (["t"], ["ci"]) or plain[:1] == ["tst"]
    if name == "make":
        return not plain or any(SCRIPT.match(word) or word == "all" for word in plain)
    if name in VERBS:
        verbs = VERBS[name].split()
        return any(word.lstrip(":").rpartition(":")[2] in verbs or word in verbs for word in words[1:6])
    if SCRIPT.match(name) and len(words) == 1 and "/" not in words[0]:
        return name not in ("test", "check")
    return bool(
        TEST_FILE.search(words[0])
        or (name in ("node", "ruby", "php", "bash", "sh", "tsx", "ts-node") and _test_file(words))
    )


def _python_verifies(words: list[str]) -> bool:
    if "-m" in words[:4]:
        at = words.index("-m") + 1
        return at < len(words) and (words[at].partition(".")[0] in MODULES or words[at + 1 : at + 2] == ["test"])
    if len(words) > 2 and words[1].endswith(("manage.py", "setup.py")):
        return words[2] in ("test", "check", "build")
    return _test_file(words)


def _test_file(words: list[str]) -> bool:
    plain = [word for word in words[1:] if not word.startswith("-")]
    return bool(plain) and bool(TEST_FILE.search(plain[0]))


REMEMBERED = 2_048
"""Command lines whose form is remembered: every compaction asks for those of the whole session."""
BEFORE = regex(
    r"(?:cd\s+(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s;&|]+)\s*(?:&&|;)\s*"
    r"|(?:export\s+)?[A-Za-z_]\w*=(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s;&|$()`]*)\s*(?:&&|;|(?=\s))\s*"
    r"|g?timeout\s+(?:-\S+\s+)*[\d.]+[smhd]?\s+|time\s+|sudo\s+(?:-\w+\s+)*|set\s+-\w+\s*(?:&&|;)\s*)"
)
AFTER = regex(
    r"(?:\s*2?>\s?&[12]|\s*2>\s?/dev/null|\s*\|&?\s*(?:tail|head)(?:\s+-n)?(?:\s*-?[\w=]*\d*)?|\s*\|\|\s*(?:true|:)"
    r"|\s*;\s*echo\s+[^;|&\n]*|\s*\|\|\s*echo\s+[^;|&\n]*|\s*\|\s*cat|\s*[;&])$"
)


@lru_cache(maxsize=REMEMBERED)
def normal_command(command: str) -> str:
    """The command without what differs from run to run: white space, `cd X &&`, `2>&1 | tail -n 5` and their like."""
    text = " ".join(command[:LONGEST].split())
    at = 0
    while found := BEFORE.match(text, at):
        at = found.end()
    text = text[at:]
    for _ in range(12):
        found = AFTER.search(text[-200:])
        kept = text[: max(0, len(text) - 200) + found.start()].rstrip() if found else ""
        if not kept:
            break
        text = kept
    return text


@lru_cache(maxsize=REMEMBERED)
def checking_command(command: str) -> str:
    """What of a command line verifies, in its normal form: the files that here-documents write first are left out."""
    rest = command[:LONGEST]
    while found := HEREDOC.search(rest):
        end = next(word for word in found.groups()[1:] if word)
        behind = regex(rf"\n[ \t]*{re.escape(end)}[ \t]*(?:\n|$)").search(rest, found.end())
        after = rest[behind.end() :] if behind else ""
        if not verifies(after):
            break
        rest = after.lstrip()
    return normal_command(rest)
