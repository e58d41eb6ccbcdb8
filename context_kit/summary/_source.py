"""What a summary may speak of: the pieces that were read, the record so far, the trail's own texts.

Looked up, never interpreted: a name is known where the source has it, in whatever case or quotes.
Each text is read once; a look-up costs a search in one string at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from context_kit.engrams import Trail, sentences
from context_kit.summary._names import Name, names, plain
from context_kit.summary._transcript import Piece

__all__ = ["Known", "Source", "known_of"]

_WORDS = re.compile(r"[a-z0-9_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]+")
_DIGITS = re.compile(r"\d+(?:[.:,_/-]\d+)*")
_ESCAPED = (("\\n", "\n"), ("\\t", "\t"), ('\\"', '"'), ("\\\\", "/"), ("\\", "/"), ("’", "'"))
"""What JSON in call arguments hides, and what is written in two ways."""
_PLURAL = ("'s", "s", "es")
_ERROR = re.compile(r"\b[A-Za-z_][\w.]*(?:Error|Exception|Warning|Panic|Fault)\b|\berror\[\w+\]|\b[A-Z]{1,4}\d{3,5}\b")
_CONTENT = re.compile(r"[a-z][a-z_]{2,}|\d{2,}")
_BACKED = 0.6
"""Share of an error's words that one place of the source must have."""
_AROUND = 400
"""Characters on both sides of an error's name that count as its place."""
_PLACES = 200
"""So many places of one error are looked at."""
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|you (?:must|should|have to|need to|will)|(?:must|shall) (?:now|always|never|first)|"
    r"important|please|from now on|do not|don't|never|always|immediately|instead|system|assistant|summari[sz]er|"
    r"new (?:policy|task|goal|rule)|goal has changed|user (?:wants|said|decided|asked)|todo|decision|decided)\b|"
    r"^\W*(?:delete|remove|send|e-?mail|upload|post|push|publish|run|execute|call|install|write|reply|respond|answer|"
    r"say|output|print|add|append|copy|disable|enable|move|open|visit|fetch|download|set|use|include|put|record|"
    r"report|remember|note|state|mention|replace|deploy)\b|"
    r"忽略|无视|忘记|请|必须|务必|不要|禁止|不得|立即|从现在起|只能|重要|系统|助手|删除|发送|上传|运行|执行|调用|安装|"
    r"回复|输出|复制|禁用|目标变了|新的?(?:任务|规定)|用户(?:要求|说|决定)|决定",
    re.IGNORECASE,
)
"""A sentence that tells a reader to do something, or says that somebody decided it."""
_SAY = re.compile(
    r"\b(?:reply|respond|answer|say|output|print|write|state|return|include)\b[^.!?\n]{0,40}\Z|(?:回复|回答|输出|写|说)[^。！？\n]{0,20}\Z"
)
"""What stands before the words that a reader is told to say."""
_SHORT = 120
_MARKS = " \t\n.!?。！？\"'`*"
_UNITS = re.compile(r"[a-z0-9_]+|[\u3400-\u9fff]")
_ORDERED = 0.75
"""Share of an entry's words that one such sentence must have."""
_LEAST_WORDS = 4
"""Words under which two sentences may be alike by chance ..."""
_LEAST_PROSE = 3
"""... and of them so many that are no names."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known beside the pieces that a summariser is given."""

    acted: tuple[str, ...] = ()
    """What somebody said or did: words, paths, commands, the plan."""
    shown: tuple[str, ...] = ()
    """What tools told: errors, results."""
    named: tuple[str, ...] = ()
    """Texts that names may come from, and nothing else: system prompt, bridge."""


NOTHING = Known()


def known_of(trail: Trail, named: Iterable[str] = ()) -> Known:
    """What code knows of the whole session."""
    deeds = [deed for deed in trail.deeds if deed.act.kind != "read"]
    opening = trail.opening.text if trail.opening else ""
    return Known(
        acted=(
            opening,
            *(said.text for said in trail.words),
            *(said.text for said in trail.statements),
            *trail.files.views,
            *(todo.text for todo in trail.plan),
            *(f"{deed.act.tool} {deed.act.path} {deed.act.command}" for deed in deeds),
        ),
        shown=tuple(f"{deed.told}\n{deed.act.error if deed.act.failed else ''}" for deed in trail.deeds),
        named=tuple(named),
    )


class Source:
    """The texts in which a summary's names are looked up."""

    def __init__(self, pieces: Iterable[Piece], known: Known = NOTHING, record: str = "") -> None:
        """Take the pieces that a summariser is given, what code knows beside them, and the record so far."""
        found = list(pieces)
        self.spoken = "\n".join(piece.spoken for piece in found if piece.spoken)
        """What persons and the assistant wrote."""
        self.called = "\n".join(piece.called for piece in found if piece.called)
        """Arguments of the assistant's calls."""
        self._looked_at: dict[str, bool] = {}
        self._known = "\n".join([*known.acted, record])
        self._shown = "\n".join([*(piece.shown for piece in found if piece.shown), *known.shown])
        self._texts = [*(piece.text for piece in found), *known.named]

    @cached_property
    def low(self) -> str:
        """All of it in lower case, escapes undone."""
        return _lowered("\n".join([*self._texts, self._shown, self._known]))

    @cached_property
    def acted(self) -> str:
        """What was said or done by somebody, as against only shown."""
        return _lowered(f"{self.spoken}\n{self.called}\n{self._known}")

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(_WORDS.findall(self.low))

    @cached_property
    def _squeezed(self) -> frozenset[str]:
        return frozenset(word.replace("_", "") for word in self._words)

    @cached_property
    def _numbers(self) -> frozenset[str]:
        found: set[str] = set()
        for run in set(_DIGITS.findall(self.low)):
            found.update((run, run.replace(",", "").replace("_", ""), *re.split(r"[.:,_/-]", run)))
        return frozenset(found)

    def unknown(self, text: str) -> list[str]:
        """The names in a text that the source never mentions."""
        return list(dict.fromkeys(name.text for name in names(text) if not self._has(name)))

    def _has(self, name: Name) -> bool:
        low = _lowered(name.text)
        if name.clipped and low.strip("*./") in self.low:
            return True
        if name.kind == "path":
            return self.has_path(low)
        if name.kind == "number":
            return low in self._numbers or ("." in low and self._near(low))
        if name.kind == "proper":
            return low in self.low or any(low.removesuffix(end) in self._words for end in _PLURAL)
        return self._has_word(low)

    def _has_word(self, low: str) -> bool:
        if any(low.removesuffix(end) in self._words for end in ("", *_PLURAL)):
            return True
        if len(low) >= 6 and any(char.isdigit() for char in low) and low in self.low:
            return True  # the beginning of a hash, a part of an id
        return low.replace("_", "") in self._squeezed

    def _near(self, low: str) -> bool:
        """Whether a number with more digits begins so: a rounded one."""
        return re.search(rf"(?<![\d.]){re.escape(low.rstrip('0').rstrip('.'))}\d*", self.low) is not None

    def has_path(self, path: str, *, acted: bool = False) -> bool:
        """Whether a path, or an ending of a longer one, stands in the source; an absolute one also in two parts."""
        text = self.acted if acted else self.low
        low = _lowered(path).strip("\"'`").rstrip("/.").removeprefix("./")
        if not low or _stands(low, text):
            return True
        if not low.startswith(("/", "~")) and ":" not in low[:3]:
            return False
        cuts = [at for at, char in enumerate(low) if char == "/" and at]
        return any(_stands(low[at + 1 :], text) and _stands(low[:at], text) for at in cuts)

    def backs(self, error: str) -> bool:
        """Whether an error that is named was met: its words stand together somewhere.

        True for a text that names no error: that is prose, and may be a translation.
        """
        named = _ERROR.search(error)
        if named is None:
            return True
        low = _lowered(error)
        if low.strip(" .…") in self.low:
            return True
        wanted = set(_CONTENT.findall(low))
        return any(
            len(wanted & set(_CONTENT.findall(place))) >= _BACKED * len(wanted)
            for place in _places(self.low, _lowered(named[0]))
        )

    @cached_property
    def _shown_low(self) -> str:
        return self._shown.lower()

    @cached_property
    def _said_low(self) -> str:
        return "\n".join([self.spoken, self.called.replace("\\n", "\n"), self._known]).lower()

    @cached_property
    def _shown_squeezed(self) -> str:
        return _squeeze(self._shown_low)

    @cached_property
    def _said_squeezed(self) -> str:
        return _squeeze(self._said_low)

    def ordered(self, text: str) -> bool:
        """Whether a text follows what only tool output says: word for word, or an order in other words."""
        if text not in self._looked_at:
            self._looked_at[text] = self._ordered(text)
        return self._looked_at[text]

    def _ordered(self, text: str) -> bool:
        wanted = _units(text)
        if len(wanted) < _LEAST_WORDS or len(_units(plain(text))) < _LEAST_PROSE:
            return False
        if (squeezed := _squeeze(text)) in self._said_squeezed:
            return False
        if squeezed in self._shown_squeezed:
            return True
        found = [line for line in _alike(wanted, self._shown_low) if _ORDER.search(line)]
        return any(_squeeze(line) not in self._said_squeezed for line in found) and not any(
            True for _ in _alike(wanted, self._said_low)
        )

    def says(self, text: str) -> bool:
        """Whether the words of a text stand somewhere in the source, one after the other."""
        return _squeeze(text) in self._all_squeezed

    @cached_property
    def _all_squeezed(self) -> str:
        return _squeeze("\n".join([*self._texts, self._shown, self._known]))

    def asked_for(self, text: str) -> bool:
        """Whether a short text is what a sentence of tool output tells a reader to say, and nobody else says it."""
        low = text.lower().strip(_MARKS)
        if not 0 < len(low) <= _SHORT or _squeeze(low) in self._said_squeezed:
            return False
        ends = (place.rpartition(low)[0].rpartition("\n")[2] for place in _places(self._shown_low, low, after=0))
        return any(_SAY.search(before) for before in ends)


def _lowered(text: str) -> str:
    text = text.lower()
    for old, new in _ESCAPED:
        text = text.replace(old, new)
    return text


def _squeeze(text: str) -> str:
    """Words alone, one space between them, so that marks and line ends don't tell two texts apart."""
    return f" {' '.join(_UNITS.findall(text.lower()))} "


def _stands(path: str, text: str) -> bool:
    """Whether a path stands in a text and is not the end or the beginning of another name."""
    at = text.find(path)
    while at >= 0:
        before, after = text[at - 1 : at] if at else "", text[at + len(path) : at + len(path) + 1]
        joined = before and path[0] not in "/." and ((before.isalnum() and before.isascii()) or before in "_-.")
        longer = after and ((after.isalnum() and after.isascii()) or after in "_-")
        if not joined and not longer:
            return True
        at = text.find(path, at + 1)
    return False


def _places(text: str, word: str, *, after: int = _AROUND) -> Iterator[str]:
    """The text around each place of a word, up to a bound."""
    at = text.find(word)
    for _ in range(_PLACES):
        if at < 0:
            return
        yield text[max(at - _AROUND, 0) : at + len(word) + after]
        at = text.find(word, at + len(word))


def _units(text: str) -> frozenset[str]:
    """The words of a sentence: Latin ones, and pairs of Han characters."""
    found = _UNITS.findall(text.lower())
    pairs = {a + b for a, b in pairwise(found) if a >= "\u3400" and b >= "\u3400"}
    return frozenset(word for word in found if word < "\u3400") | pairs


def _alike(wanted: frozenset[str], text: str) -> Iterator[str]:
    """Sentences of a text that have most of these words; found by the words that are longest."""
    fewest = int((1 - _ORDERED) * len(wanted)) + 1
    for word in sorted(wanted, key=lambda word: (-len(word), word))[:fewest]:
        for place in _places(text, word):
            if sum(each in place for each in wanted) < _ORDERED * len(wanted):
                continue
            yield from (line for line in sentences(place) if len(wanted & _units(line)) >= _ORDERED * len(wanted))
