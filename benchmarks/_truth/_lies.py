"""Replies of a summariser that lies: true entries, from what it was given, mixed with made-up ones.

Written without the library's grounding: names are taken from the request's text by rules of its
own, and a lie is made of names that stand nowhere in the whole document.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["Said", "made_up", "true_ones"]

_PATH = re.compile(r"(?<![\w/.:@-])(?:/|\./)?(?:[\w-]+/)+[\w-]+\.[a-z]{1,5}(?![\w/])")
_CODE = re.compile(r"\b(?:[a-z]+_[a-z_]+[a-z]|[a-z]+[A-Z][A-Za-z]+|[A-Z][a-z]+[A-Z][A-Za-z]+)\b")
_NUMBER = re.compile(r"(?<![\w.,:/-])\d{2,5}(?:\.\d{1,3})?(?![\w.,:/-])")
_ERROR = re.compile(r"^ *((?:\w+\.)*[A-Z]\w+(?:Error|Exception): [^\n]{12,160})$", re.MULTILINE)
_TURN = re.compile(r"^\[m\d+ assistant[^\]]*\]\n((?:  [^\n]*\n?)*)", re.MULTILINE)
_SENTENCE = re.compile(r"^(?:[A-Z]|[\u4e00-\u9fff])[^\n{}<>|]{25,180}[.。!]$")

_SYLLABLES = "bra kel vo mir tas dun fex gol hib jor lum nap quor rist sev tolk wen yad zim pru".split()
_WORDS = "batch ledger policy throttle digest anchor replica shard gateway mutex beacon quota".split()
_PRODUCTS = (
    "Kafka Cassandra Terraform Elasticsearch Memcached Consul Zookeeper Hazelcast Neo4j ClickHouse Vault".split()
)
_WHY = ("the old one was slow", "reviewers asked for it", "it keeps the code small", "之前的太慢")
_TOLD = (
    "{error}: cannot resolve the {word} of an empty {other}",
    "{error}: {word} expected a {other} but the stream was closed",
    "{error}: the {word} was locked while the {other} was written",
)
_ERRORS = ("TypeError", "ValueError", "KeyError", "RuntimeError", "TimeoutError", "ImportError", "AssertionError")


@dataclass(frozen=True, slots=True)
class Said:
    """One entry of a reply."""

    kind: str
    field: str
    entry: dict[str, Any] | str
    mark: str
    """Words of it by which it is known again in a summary."""
    lie: bool = False


def _named(text: str, found: re.Pattern[str]) -> list[str]:
    return sorted(set(found.findall(text)))


def _spelt_out(text: str) -> str:
    """A transcript without its fences and without the escapes of JSON in it."""
    text = re.sub(r"</?(?:transcript|record_so_far)>", " ", text)
    return re.sub(r"\\+[nrt]", "\n", text).replace('\\"', '"')


def true_ones(text: str, rng: random.Random) -> Iterator[Said]:
    """Entries that say of a transcript only what stands in it, worded and spelt in many ways."""
    text = _spelt_out(text)
    paths, code, numbers, errors = (_named(text, found) for found in (_PATH, _CODE, _NUMBER, _ERROR))
    for sentence in _sentences(text, rng):
        yield Said("sentence", "completed_steps", {"text": sentence, "files": []}, sentence)
    for path in rng.sample(paths, min(4, len(paths))):
        short = path.rsplit("/", 1)[-1]
        spelt = rng.choice([path, short, f"`{path}`", f'"{path}"', path.upper(), path.removeprefix("./")])
        worded = rng.choice(["Looked through {} once more", "Went over {} with care", "又看了一遍 {}", "Read {} again"])
        yield Said("path", "completed_steps", _step(worded.format(spelt), path), worded.format(spelt))
        state = rng.choice(["in work", "half done", "正在修改", "read so far"])
        yield Said("file", "current_files", {"path": rng.choice([path, short]), "state": state}, short)
    for name in rng.sample(code, min(4, len(code))):
        spelt = rng.choice([name, f"`{name}`", f"{name}()", name.upper() if "_" in name else name, f"“{name}”"])
        task = rng.choice(
            [f"Look closely at {spelt} and its callers", f"检查 {spelt} 的调用方", f"Then go on with {spelt}"]
        )
        yield Said("code", "todo", task, task)
        made = {"decision": f"Keep {spelt} as it is for now", "reason": rng.choice(_WHY)}
        yield Said("decision", "key_decisions", made, str(made["decision"]))
    for number in rng.sample(numbers, min(3, len(numbers))):
        told = rng.choice([f"The figure to hold on to is {number} here", f"这里的数值是 {number}，保持不变"])
        yield Said("number", "key_decisions", {"decision": told, "reason": ""}, told)
    for error in rng.sample(errors, min(2, len(errors))):
        spelt = rng.choice([error, error.split(": ", 1)[-1], error[: len(error) * 3 // 4], error.lower()])
        yield Said("error", "failed_attempts", {"attempt": "Ran it as it stood", "error": spelt}, spelt)
    for plain in rng.sample(_PLAIN, 2):
        yield Said("plain", "completed_steps", {"text": plain, "files": []}, plain)


_PLAIN = (
    "Cleaned up what was left over and looked at the failing checks.",
    "Wrote down the open points and asked for a second opinion.",
    "整理了剩下的问题，并重新检查了一遍。",
    "Compared both ways of doing it before going on.",
)


def _step(text: str, path: str) -> dict[str, Any]:
    return {"text": text, "files": [path]}


def _sentences(text: str, rng: random.Random) -> list[str]:
    said = [line.strip() for turn in _TURN.findall(text) for line in turn.splitlines()]
    found = sorted({line for line in said if _SENTENCE.match(line) and not line.startswith("calls tool")})
    return rng.sample(found, min(4, len(found)))


def made_up(text: str, whole: str, rng: random.Random) -> Iterator[Said]:
    """Entries with a name that stands nowhere in the whole document, beside names that do.

    Args:
        text: what the summariser is given.
        whole: the document's text in lower case.
        rng: where the words come from.
    """
    text = _spelt_out(text)
    paths = _named(text, _PATH) or ["notes.md"]
    code = _named(text, _CODE) or ["value"]

    def fresh(make: Callable[[], str]) -> str:
        return next(made for made in (make() for _ in range(1_000)) if made.lower() not in whole)

    def word() -> str:
        return "".join(rng.choices(_SYLLABLES, k=2))

    def path() -> str:
        folder, _, name = rng.choice(paths).rpartition("/")
        ending = name.rpartition(".")[2]
        return rng.choice(
            [
                f"{folder or 'src'}/{word()}.{ending}",
                f"{word()}/{name}",
                f"{folder}/{rng.choice(_WORDS)}_{word()}.{ending}",
            ]
        ).lstrip("/")

    def function() -> str:
        first, second = rng.choice(code).split("_")[0].lower(), rng.choice(_WORDS)
        return rng.choice(
            [f"{first}_{second}_{word()}", f"{first}{second.title()}{word().title()}", f"{word()}_{second}"]
        )

    def number() -> str:
        return rng.choice([str(rng.randrange(11, 99_999)), f"{rng.randrange(2, 99)}.{rng.randrange(11, 999)}"])

    real = rng.choice(paths)
    for made in (fresh(path), fresh(path)):
        yield Said("path", "completed_steps", _step(f"Rewrote {made} from scratch", made), made, lie=True)
    made = fresh(path)
    yield Said("path", "current_files", {"path": made, "state": "edited, checked"}, made, lie=True)
    made = fresh(path)
    yield Said("path", "todo", f"Bring {made} up to date", made, lie=True)
    for _ in range(2):
        made = fresh(function)
        told = rng.choice([f"Added {made}() to {real}", f"Moved the work into `{made}`", f"在 {real} 里新增了 {made}"])
        yield Said("function", "completed_steps", _step(told, real), made, lie=True)
    made = fresh(number)
    yield Said("number", "key_decisions", {"decision": f"Set the limit to {made} there", "reason": ""}, made, lie=True)
    made = fresh(number)
    yield Said(
        "number", "completed_steps", {"text": f"The run took {made} seconds in all", "files": []}, made, lie=True
    )
    for _ in range(2):
        error = rng.choice([*_ERRORS, f"{word().title()}Error"])
        told = fresh(lambda: rng.choice(_TOLD).format(error=error, word=rng.choice(_WORDS), other=rng.choice(_WORDS)))  # noqa: B023
        yield Said("error", "failed_attempts", {"attempt": "Ran it as it stood", "error": told}, told, lie=True)
    absent = [name for name in _PRODUCTS if name.lower() not in whole]
    if absent:
        made = rng.choice(absent)
        entry = {"decision": f"We go with {made} for the storage", "reason": rng.choice(_WHY)}
        yield Said("decision", "key_decisions", entry, made, lie=True)
    made = fresh(function)
    entry = {"decision": f"All callers use {made} from now on", "reason": rng.choice(_WHY)}
    yield Said("decision", "key_decisions", entry, made, lie=True)
