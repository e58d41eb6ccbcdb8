"""What is no next step: a call that a person or a policy denied, or that the person said not to make so again.

What was refused stays among what was tried; only nothing tells the agent to do it once more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from context_kit._lazily import regex
from context_kit.engrams import Failure, Trail, attempt_key, sentences
from context_kit.tools import tried

__all__ = ["told_off"]

POLICY = regex(
    r"\b(?:denied|blocked|disallowed|forbidden|not (?:allowed|permitted)) by (?:\w+ ){0,3}(?:policy|policies|rules?|"
    r"permissions?|settings|configuration|sandbox)\b|\bpermission to use \w+.{0,300} (?:has been|was) denied\b",
    re.IGNORECASE,
)
"""How a result says that the agent's own settings don't let the call through."""
LOOKED = 400
"""Characters at a result's beginning in which that stands."""
_ZH = r"(?:不要|(?<![特分级识区类性个差辨])别|不准|不许|禁止|停止|不得|切勿|请勿)"
FORBIDS = regex(rf"\b(?:stop|never|not|avoid|no more|quit)\b|n['’]t\b|{_ZH}", re.IGNORECASE)
"""A cheap look first: a sentence without one of these forbids nothing."""
GROUPING = frozenset("group combine chain mix bundle join merge put couple".split())
"""Deeds that are forbidden only of all their things together."""
RUNNING = frozenset("run rerun re-run repeat retry try do use access call start issue go 运行 使用 访问 执行".split())
"""Deeds whose thing is the command itself."""
CHINESE = regex(rf"{_ZH}([^，。；！？\n]{{1,80}})")
DEEDS = {"提交": "commit", "推送": "push", "构建": "build", "测试": "test", "部署": "deploy", "合并": "merge"}
"""Deeds as commands name them."""
LATIN = regex(r"[A-Za-z][A-Za-z0-9_-]*")
LONG = 4
"""Letters of a word that may stand inside another one: `test` in `pytest`."""


def told_off(trail: Trail, failure: Failure, redact: Callable[[str], str]) -> bool:
    """Whether the attempt behind a failure was denied since, or the person has said not to make it so."""
    if not failure.command:
        return False
    if POLICY.search(failure.error[:LOOKED]) is not None:
        return True
    same = f"run {tried(failure.command)}"
    for deed in reversed(trail.deeds):
        if deed.position <= failure.position:
            break
        act = deed.act
        denied = act.refused or (act.failed and POLICY.search(act.error[:LOOKED]) is not None)
        if denied and act.command and attempt_key(act) in (same, failure.key):
            return True
    words = frozenset(_plain(word) for word in LATIN.findall(failure.command))
    return any(_forbids(sentence, words) for sentence in _newer(trail, failure.position, redact))


def _newer(trail: Trail, position: int, redact: Callable[[str], str]) -> Iterator[str]:
    """What a person said after a position, sentence by sentence, as far as it may forbid something."""
    for said in reversed(trail.words):
        if said.position <= position:
            break
        yield from trail.once(_forbidding, trail.clean(said, redact))


def _forbidding(text: str) -> tuple[str, ...]:
    return tuple(sentence for sentence in sentences(text) if FORBIDS.search(sentence) is not None)


def _forbids(sentence: str, words: frozenset[str]) -> bool:
    """Whether a sentence forbids a command of these words."""
    if (found := CHINESE.search(sentence)) is not None:
        named = (*LATIN.findall(found[1]), *(word for deed, word in DEEDS.items() if deed in found[1]))
        return _named(named, words)
    from context_kit.engrams._rules import rules_of  # loaded where a check is open and something was forbidden since

    acts = rules_of(sentence).forbidden
    together = [act for act in acts if act.deed in GROUPING]
    if together:
        return all(_named(act.what, words) for act in together)
    return any(
        _named(act.what, words) if act.deed in RUNNING else not act.what and _named((act.deed,), words) for act in acts
    )


def _named(what: tuple[str, ...], words: frozenset[str]) -> bool:
    """Whether a command has all words of a thing."""
    found = [_plain(word) for part in what for word in LATIN.findall(part)]
    return bool(found) and all(
        word in words or (len(word) >= LONG and any(word in each for each in words)) for word in found
    )


def _plain(word: str) -> str:
    low = word.lower()
    return low[:-1] if low.endswith("s") and not low.endswith("ss") and len(low) > 3 else low
