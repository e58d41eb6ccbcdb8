"""Questions about what left a window, with the messages that answer them, by rules over the transcript alone.

Nothing here knows how recall ranks. A question never quotes its matter whole:

file        the base name and a verb ("edited router.py"), the words of the name ("sync engine file, read"), or with
            a rare word of what the call says. Right: every call that did that to that file, and its answer.
command     two or three of the rarer words of a command's first line, never most of them ("the command that ran the
            tests of X" where it runs tests). Right: every call whose command has all of them, and its answer.
error       two or three of the rarer words of the line that tells a failed call's error. Right: every message that
            holds the whole line.
identifier  the parts of a snake or camel name, split; of four or more one is left out. Right: every message that
            holds the name.
said        two or three of the rarer words of a line of prose; of a Chinese line two runs of Han characters.
            Right: every message that holds the whole line.

Where several messages say the same thing equally, each is right. A question whose words fit many pieces is not
asked: one with more than `MOST` right calls or messages, or, for lines and names, one whose words all stand in one
line of a message that is not right.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks._truth._calls import Call, calls_of, failed
from benchmarks._truth._failures import last_error_line, squeezed
from benchmarks._truth._files import command_of, edited, read, run_tests
from benchmarks._truth._window import strings

__all__ = ["KINDS", "Question", "questions"]

KINDS = ("file", "command", "error", "identifier", "said")
MOST = 4
"""Right calls or messages that a question may have."""
TRIES = 60
"""Draws for each question that is wanted."""

PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[\u4e00-\u9fff]+")
WORD = re.compile(r"[A-Za-z0-9_]+|[\u4e00-\u9fff]+")
NAME = re.compile(r"(?<![\w.-])(?:[a-z0-9]+(?:_[a-z0-9]+)+|[a-zA-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)(?![\w-])")
HAN = re.compile(r"[\u4e00-\u9fff]{2,}")
SMALL = re.compile(r"[的了在是和与把被对也都就还有为从到等及或这那个]")
COMMON = frozenset(
    "the and for with that this from not you your are was were will can has have had but all any its into out use let "
    "now then than also when what which there here should would could been being use used using true false null none "
    "self import return const let var def function class new".split()
)
ASKED: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "edit": ("edited {x}", "where was {x} changed", "the edit of {x}", "{x} edit"),
        "read": ("read {x}", "where {x} was read", "content of {x}", "{x} read"),
        "command": ("the command that ran {x}", "command {x}", "ran {x}", "{x} command"),
        "test": ("the command that ran the tests of {x}", "tests of {x}", "ran tests {x}"),
        "error": ("error {x}", "the error about {x}", "{x} failed", "which error said {x}"),
        "identifier": ("{x}", "where is {x} used", "{x} definition"),
        "said": ("{x}", "what was said about {x}"),
    },
    "zh": {
        "edit": ("修改 {x}", "编辑了 {x}", "{x} 的修改", "什么时候改了 {x}"),
        "read": ("读取 {x}", "看过的 {x}", "{x} 的内容", "读 {x} 文件"),
        "command": ("运行 {x} 的命令", "执行过的命令 {x}", "命令 {x}"),
        "test": ("运行 {x} 测试的命令", "{x} 的测试"),
        "error": ("报错 {x}", "{x} 的错误", "失败 {x}"),
        "identifier": ("{x}", "{x} 在哪里用到", "{x} 的定义"),
        "said": ("{x}", "关于{x}说过什么"),
    },
}


@dataclass(frozen=True, slots=True)
class Question:
    """One question and what answers it."""

    kind: str
    words: str
    right: frozenset[int]
    """Positions in the document of the messages that answer it."""


def words_of(text: str) -> list[str]:
    """Words and parts of names, lower case; Han runs whole."""
    found: list[str] = []
    for word in WORD.findall(text):
        parts = [part.lower() for part in PART.findall(word)]
        found += [word.lower(), *(parts if len(parts) > 1 else [])]
    return found


class Gone:
    """The messages of a document that left the window."""

    def __init__(self, document: dict[str, Any], left: int, language: str) -> None:
        self.language = language
        self.messages = document["messages"][:left]
        self.texts = ["\n".join(strings(_unthought(message))) for message in document["messages"]]
        self.calls = [call for call in calls_of(document) if 0 <= call.answered < left]
        self.words = [set(words_of(text)) for text in self.texts]
        self.often = Counter(word for words in self.words for word in words)
        self.lines = [[squeezed(line) for line in text.splitlines()] for text in self.texts]

    def holding(self, line: str) -> list[int]:
        """Messages that hold a text, whitespace aside."""
        return [at for at, text in enumerate(self.texts) if line in squeezed(text)]

    def rivals(self, words: Sequence[str], right: set[int]) -> bool:
        """Whether all the words stand in one line of a message that is not right."""
        lower = [word.lower() for word in words]
        for at, lines in enumerate(self.lines):
            if at in right or not all(word in self.words[at] or HAN.search(word) for word in lower):
                continue
            if any(all(_has(line, word) for word in lower) for line in lines):
                return True
        return False

    def rare(self, found: Sequence[str]) -> list[str]:
        """Words that say something, the rarest first."""
        kept = [word for word in dict.fromkeys(found) if len(word) > 2 and word.lower() not in COMMON]
        kept = [word for word in kept if not word.isdigit() and len(word) <= 40]
        return sorted(kept, key=lambda word: self.often.get(word.lower(), 0))


def _has(line: str, word: str) -> bool:
    return word in line if HAN.search(word) else word in words_of(line)


def _unthought(message: dict[str, Any]) -> dict[str, Any]:
    """A message without its reasoning."""
    content = message.get("content")
    if not isinstance(content, list):
        return {key: message[key] for key in ("content", "tool_calls") if key in message}
    return {"content": [block for block in content if "thinking" not in str(block.get("type"))]}


def _places(calls: Sequence[Call]) -> frozenset[int]:
    return frozenset(at for call in calls for at in (call.index, call.answered))


def _base(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


# -- one question of each kind -------------------------------------------------------


def _file(gone: Gone, rng: random.Random) -> Question | None:
    verb = rng.choice(("edit", "read"))
    did: Callable[[Call], list[str]] = edited if verb == "edit" else read
    done = [(call, path) for call in gone.calls for path in did(call)]
    if not done:
        return None
    call, path = rng.choice(done)
    base = _base(path)
    if not re.search(r"\w", base) or "$" in base or "*" in base:
        return None
    if len({p for _, p in done if _base(p) == base}) > 1:
        return None  # several files of this name
    mine = [c for c, p in done if p == path]
    words, form = [base], rng.random()
    stem = [part.lower() for part in PART.findall(base.partition(".")[0])]
    if (
        form < 0.3
        and len(stem) > 1
        and not any(_base(p) != base and set(stem) <= {part.lower() for part in PART.findall(p)} for _, p in done)
    ):
        words = stem
    if form > 0.6 or len(mine) > MOST:
        told = "\n".join([*strings(call.arguments), call.result if verb == "read" else ""])
        extra = [word for word in gone.rare(WORD.findall(told)) if word.lower() not in base.lower()][:12]
        if not extra:
            return None
        word = rng.choice(extra)
        words = [*words, word]
        mine = [c for c in mine if word.lower() in gone.words[c.index] | gone.words[c.answered]]
    return _asked(gone, rng, "file", verb, words, mine)


def _command(gone: Gone, rng: random.Random) -> Question | None:
    ran = [(call, command) for call in gone.calls if (command := command_of(call)).strip()]
    if not ran:
        return None
    call, command = rng.choice(ran)
    first = command.strip().splitlines()[0][:300]
    found = [word for word in re.findall(r"[A-Za-z\u4e00-\u9fff][\w\u4e00-\u9fff-]*(?:\.\w+)*", first) if len(word) > 2]
    found = [word for word in dict.fromkeys(found) if word.lower() not in COMMON]
    if len(found) < 4:
        return None
    size = rng.choice((2, 2, 3))
    words = rng.sample(sorted(found, key=lambda word: gone.often.get(word.lower(), 0))[: size + 2], size)
    if len(words) > 0.6 * len(found):
        return None
    mine = [c for c, text in ran if all(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) for word in words)]
    tests = "test" if run_tests(call) and rng.random() < 0.6 else "command"
    return _asked(gone, rng, "command", tests, words, mine)


def _asked(
    gone: Gone, rng: random.Random, kind: str, verb: str, words: Sequence[str], calls: Sequence[Call]
) -> Question | None:
    """The question about calls; None where more than a few fit."""
    if not 0 < len(calls) <= MOST:
        return None
    form = rng.choice(ASKED[gone.language][verb])
    return Question(kind, form.format(x=" ".join(words)), _places(calls))


def _error(gone: Gone, rng: random.Random) -> Question | None:
    lines = [line for call in gone.calls if failed(call) and (line := last_error_line(call)[0])]
    return _line(gone, rng, "error", rng.choice(lines)) if lines else None


def _said(gone: Gone, rng: random.Random) -> Question | None:
    at = rng.randrange(len(gone.messages))
    lines = [line for line in gone.lines[at] if len(line) > 30 and (HAN.search(line) or gone.language == "en")]
    if gone.language == "en":
        spoken = gone.messages[at].get("content")
        told = [b.get("text", "") for b in spoken if b.get("type") == "text"] if isinstance(spoken, list) else [spoken]
        prose = {squeezed(line) for text in told if text for line in text.splitlines()}
        lines = [line for line in lines if line in prose and gone.messages[at]["role"] != "tool"]
    return _line(gone, rng, "said", rng.choice(lines)) if lines else None


def _line(gone: Gone, rng: random.Random, kind: str, line: str) -> Question | None:
    """A question of some words of a line."""
    runs = [run for run in SMALL.split(line) for run in HAN.findall(run) if len(run) <= 8]
    chinese = len(runs) >= 2 and gone.language == "zh"
    if chinese:
        words = rng.sample(list(dict.fromkeys(runs)), min(2, len(set(runs))))
    else:
        size = rng.choice((2, 3, 3))
        found = gone.rare([word for word in WORD.findall(line) if not HAN.search(word)])[: size + 2]
        if len(found) < size + 1:
            return None
        words = rng.sample(found, size)
    right = {at for at in gone.holding(line) if at < len(gone.messages)}
    if not 0 < len(right) <= MOST or len(gone.holding(line)) > MOST or gone.rivals(words, right):
        return None
    form = rng.choice(ASKED[gone.language][kind])
    return Question(kind, form.format(x=" ".join(words)), frozenset(right))


def _identifier(gone: Gone, rng: random.Random) -> Question | None:
    at = rng.randrange(len(gone.messages))
    names = sorted({name for name in NAME.findall(gone.texts[at]) if 8 <= len(name) <= 60})
    if not names:
        return None
    name = rng.choice(names)
    parts = [part.lower() for part in PART.findall(name)]
    if len(parts) < 2 or all(len(part) < 3 for part in parts):
        return None
    if len(parts) > 3:
        parts.pop(rng.choice((0, -1)))
    right = {i for i, text in enumerate(gone.texts) if re.search(rf"(?<![\w]){name}(?![\w])", text)}
    if len(right) > MOST or max(right) >= len(gone.messages) or gone.rivals(parts, right):
        return None
    form = rng.choice(ASKED[gone.language]["identifier"])
    return Question("identifier", form.format(x=" ".join(parts)), frozenset(right))


MAKERS: dict[str, Callable[[Gone, random.Random], Question | None]] = {
    "file": _file,
    "command": _command,
    "error": _error,
    "identifier": _identifier,
    "said": _said,
}


def questions(document: dict[str, Any], left: int, *, language: str, seed: int, most: int = 100) -> list[Question]:
    """Up to `most` different questions about the first `left` messages, a fair share of each kind.

    Fewer where the rules give no more: a short session has few lines, names and calls.
    """
    if left <= 0:
        return []
    gone, rng = Gone(document, left, language), random.Random(f"{seed} {document['id']}")
    found: dict[str, Question] = {}
    for made in _draws(gone, rng, most):
        found.setdefault(made.words, made)
        if len(found) == most:
            break
    return list(found.values())


def _draws(gone: Gone, rng: random.Random, most: int) -> Iterator[Question]:
    """A fair share of each kind where the rules give so many, then what there is."""
    asked = Counter[str]()
    for number in range(2 * most * TRIES):
        kind = KINDS[number % len(KINDS)]
        if number < most * TRIES and asked[kind] >= most // len(KINDS):
            continue
        made = MAKERS[kind](gone, rng)
        if made is not None:
            asked[kind] += 1
            yield made
