"""Commands that change files without saying how: after them, what was known may no longer be true.

`git` that takes other texts into the work tree, formatters, and patches that stand in a file of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from context_kit._lazily import regex
from context_kit.tools._act import Act
from context_kit.tools._commands import program
from context_kit.tools._paths import plain_path
from context_kit.tools._shelledits import operands
from context_kit.tools._shellwords import Simple, simples

__all__ = ["CODE_ALONE", "Disturbance", "disturbance"]

EVERYTHING = regex(
    r"\bgit (?:-C \S+ )?(?:stash(?! (?:list|show))|reset --hard|checkout(?! -[bB]| --)|switch(?! -[cC])|merge|rebase"
    r"|pull|am|revert|cherry-pick)\b"
)
FORMATTERS = regex(
    r"\b(?:ruff (?:format|check [^\n]{0,80}?--fix)|black (?!--check)|isort (?!-c|--check)|gofmt -\w{0,3}w|goimports -w"
    r"|go fmt|cargo fmt(?! [^\n]{0,40}?--check)|prettier [^\n]{0,80}?--write|eslint [^\n]{0,80}?--fix"
    r"|biome [^\n]{0,80}?--(?:write|apply)|mix format(?! --check)|rustfmt|clang-format -i|run fmt|run format)\b"
)
FORMAT_SIGNS = ("fmt", "form", "fix", "-w", "black", "isort", "rettier", "apply")
CODE_ALONE = (".md", ".txt", ".rst", ".json", ".toml", ".lock", ".log")
"""Files that a formatter of code leaves alone."""
DRY = frozenset("--dry-run --check --stat --numstat --summary".split())
"""Options with which a patch changes nothing."""
OTHERWISE = regex(r"-R|--reverse|-d|--directory|--cached|--include|--exclude")
"""Options with which it does something else than what stands in it."""
PATCHED = regex(r"^(?:patching file|Applied patch) (?:'([^'\n]{1,300})'|(\S{1,300}))", re.MULTILINE)
"""How `patch` and `git apply -v` name each file that they changed."""
HEAD = 65_536
"""Characters of an output in which names are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disturbance:
    """What a command may have changed."""

    by: str
    """The words that did it, to be shown."""
    code: bool = False
    """Files of code only."""
    patch: str = ""
    """The file that says what was changed: a patch that was applied as it is; else empty."""
    names: tuple[str, ...] = ()
    """The files that it changed, where it named them; without any it may have been every one."""


def disturbance(act: Act) -> Disturbance | None:
    """What a run may have changed beside what its command says; None where that is nothing."""
    command = act.command
    found = EVERYTHING.search(command) if "git " in command else None
    if found is not None:
        return Disturbance(by=found.group()[:80])
    if "patch" in command or "git apply" in command:
        for simple in simples(command):
            if (patched := _patched(act, simple)) is not None:
                return patched
    if any(sign in command for sign in FORMAT_SIGNS) and (found := FORMATTERS.search(command)):
        return Disturbance(by=found.group()[:80], code=True)
    return None


def _patched(act: Act, simple: Simple) -> Disturbance | None:
    """A patch from a file or from another command; one that stands in the command itself is known."""
    words = program(simple)
    git = words[:2] == ["git", "apply"]
    if not git and (not words or words[0].rpartition("/")[2] != "patch"):
        return None
    if simple.document is not None or not DRY.isdisjoint(words) or (git and act.failed):
        return None  # git applies all of a patch or nothing
    plain = operands(words[git:], takes=() if git else ("-p", "-d", "-o", "-r"))
    sources = simple.reads or ([] if simple.piped else plain[-1:] if git or len(plain) > 1 else _given(words))
    other = act.failed or any(OTHERWISE.match(word) for word in words) or len(plain) > (1 if git else 2)
    names = dict.fromkeys(first or second for first, second in PATCHED.findall(act.output[:HEAD]))
    return Disturbance(
        by="git apply" if git else "patch",
        patch=plain_path(sources[0]) if sources and not other else "",
        names=tuple(names),
    )


def _given(words: list[str]) -> list[str]:
    """The patch that an option of `patch` names."""
    for at, word in enumerate(words):
        if word in ("-i", "--input") and at + 1 < len(words):
            return [words[at + 1]]
        if word.startswith("--input="):
            return [word.partition("=")[2]]
    return []
