"""What a summary may speak of: the pieces that were read, the record so far, the trail's own texts.

A name is known where the source has it, in whatever case or quotes. An instruction is the session's
own where somebody said it; what only tool output says is data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from context_kit.engrams import Trail
from context_kit.summary._names import Name, names, plain
from context_kit.summary._texts import Text, alike, lowered, places, squeeze, stands, units
from context_kit.summary._transcript import Piece

__all__ = ["Known", "Source", "known_of"]

_PLURAL = ("", "'s", "s", "es")
_ERROR = re.compile(r"\b[A-Za-z_][\w.]*(?:Error|Exception|Warning|Panic|Fault)\b|\berror\[\w+\]|\b[A-Z]{1,4}\d{3,5}\b")
_CONTENT = re.compile(r"[a-z][a-z_]{2,}|\d{2,}")
_BACKED = 0.6
"""Share of an error's words that one place of the source must have."""
_TOLD = (
    r"\b(?:ignore|disregard|forget|you (?:must|should|have to|need to|will)|(?:must|shall) (?:now|always|never|first)|"
    r"important|please|from now on|do not|don't|never|always|immediately|instead|system|assistant|summari[sz]er|"
    r"new (?:policy|task|goal|rule)|(?:goal|task|job|work) (?:has changed|is (?:now|done|only|to)\b)|only when|"
    r"user (?:wants|said|decided|asked)|todo|decision|decided)\b|"
    r"忽略|无视|忘记|请|必须|务必|不要|禁止|不得|立即|从现在起|只能|重要|系统|助手|目标变了|新的?(?:任务|规定)|"
    r"用户(?:要求|说|决定)|决定"
)
_VERB = (
    r"(?:^|[:：\]>】])\W*(?:delete|remove|send|e-?mail|upload|post|push|publish|run|execute|call|install|write|reply|"
    r"respond|answer|say|output|print|add|append|copy|disable|enable|move|open|visit|fetch|download|set|use|include|"
    r"put|record|report|remember|note|state|mention|replace|deploy)\b|"
    r"删除|发送|上传|运行|关闭|安装|移到|执行|调用|采用|回复|输出|复制|禁用"
)
_STRONG: Final = re.compile(_TOLD, re.IGNORECASE)
"""A sentence that tells a reader to do something, or says that somebody decided it."""
_ORDER: Final = re.compile(f"{_TOLD}|{_VERB}", re.IGNORECASE)
"""The same, or one that begins as an order."""
_SAY = re.compile(
    r"\b(?:reply|respond|answer|say|output|print|write|state|return|include)\b[^.!?\n]{0,40}\Z|(?:回复|回答|输出|写|说)[^。！？\n]{0,20}\Z"
)
"""What stands before the words that a reader is told to say."""
_SHORT = 120
_HASH = 6
"""Characters from which on a part of an id or a hash says which."""
_MARKS = " \t\n.!?。！？\"'`*"
_ORDERED = 0.75
"""Share of an entry's words that one such sentence must have."""
_LEAST_WORDS = 4
"""Words under which two sentences may be alike by chance ..."""
_LEAST_PROSE = 3
"""... and of them so many that are no names."""


@dataclass(frozen=True)
class Known:
    """What is known beside the pieces that a summariser is given."""

    acted: tuple[str, ...] = ()
    """What somebody said or did: words, paths, commands, the plan."""
    shown: tuple[str, ...] = ()
    """What tools told: errors, results."""
    named: tuple[str, ...] = ()
    """Texts that names may come from, and nothing else: system prompt, bridge."""

    @cached_property
    def texts(self) -> tuple[Text, Text, Text]:
        """What was said, what was shown, all of it; prepared once for all requests of a compaction."""
        said, shown = "\n".join(self.acted), "\n".join(self.shown)
        return Text(said), Text(shown), Text("\n".join([said, shown, *self.named]))


NOTHING = Known()


def known_of(trail: Trail, named: Iterable[str] = ()) -> Known:
    """What code knows of the whole session."""
    deeds = [deed for deed in trail.deeds if deed.act.kind != "read"]
    return Known(
        acted=(
            trail.opening.text if trail.opening else "",
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
        shown = "\n".join(piece.shown for piece in found if piece.shown)
        said, told, everything = known.texts
        self._said = (Text(f"{self.spoken}\n{self.called}\n{record}"), said)
        self._shown = (Text(shown), told)
        self._all = (Text("\n".join([*(piece.text for piece in found), shown, record])), everything)
        self._looked_at: dict[tuple[str, bool], bool] = {}

    # -- names -----------------------------------------------------------------------------

    def unknown(self, text: str) -> list[str]:
        """The names in a text that the source never mentions."""
        return list(dict.fromkeys(name.text for name in names(text) if not self.has(name)))

    def has(self, name: Name) -> bool:
        """Whether the source mentions a name."""
        low = lowered(name.text)
        if name.clipped and any(low.strip("*./") in text.low for text in self._all):
            return True
        if name.kind == "path":
            return self.has_path(low)
        look = {"number": _has_number, "proper": _has_proper}.get(name.kind, _has_word)
        return any(look(text, low) for text in self._all)

    def has_path(self, path: str, *, acted: bool = False) -> bool:
        """Whether a path, or an ending of a longer one, stands in the source; an absolute one also in two parts."""
        texts = [text.low for text in (self._said if acted else self._all)]
        low = lowered(path).strip("\"'`").rstrip("/.").removeprefix("./")
        if not low or any(stands(low, text) for text in texts):
            return True
        if not low.startswith(("/", "~")) and ":" not in low[:3]:
            return False
        cuts = [at for at, char in enumerate(low) if char == "/" and at]
        return any(
            any(stands(low[at + 1 :], text) for text in texts) and any(stands(low[:at], text) for text in texts)
            for at in cuts
        )

    def backs(self, error: str) -> bool:
        """Whether an error that is named was met: its words stand together somewhere.

        True for a text that names no error: that is prose, and may be a translation.
        """
        named = _ERROR.search(error)
        low = lowered(error)
        if named is None or any(low.strip(" .…") in text.low for text in self._all):
            return True
        wanted = set(_CONTENT.findall(low))
        return any(
            len(wanted & set(_CONTENT.findall(place))) >= _BACKED * len(wanted)
            for text in self._all
            for place in places(text.low, lowered(named[0]))
        )

    # -- instructions ----------------------------------------------------------------------

    def ordered(self, text: str, *, done: bool = False) -> bool:
        """Whether a text follows what only tool output says: word for word, or an order in other words.

        Args:
            text: an entry of a summary.
            done: it tells what was done: then a title of a task that a tool showed may be its name, and only what
                speaks to a reader counts.
        """
        key = (text, done)
        if key not in self._looked_at:
            self._looked_at[key] = self._ordered(text, _STRONG if done else _ORDER, verbatim=not done)
        return self._looked_at[key]

    def _ordered(self, text: str, cue: re.Pattern[str], *, verbatim: bool) -> bool:
        wanted, squeezed = units(text), squeeze(text)
        if not wanted or _in(squeezed, self._said):
            return False
        if len(wanted) < _LEAST_WORDS or len(units(plain(text))) < _LEAST_PROSE:
            news = not all(any(word in said.units for said in self._said) for word in wanted)
            return news and any(cue.search(line) for shown in self._shown for line in alike(wanted, shown.low, 1.0))
        if verbatim and _in(squeezed, self._shown):
            return True
        found = (line for shown in self._shown for line in alike(wanted, shown.low, _ORDERED) if cue.search(line))
        if all(_in(squeeze(line), self._said) for line in found):
            return False
        return not any(True for said in self._said for _ in alike(wanted, said.low, _ORDERED))

    def says(self, text: str) -> bool:
        """Whether the words of a text stand somewhere in the source, one after the other."""
        return _in(squeeze(text), self._all)

    def lines(self, most: int) -> list[str]:
        """The newest lines of what was read."""
        return self._all[0].raw.splitlines()[-most:]

    def asked_for(self, text: str) -> bool:
        """Whether a short text is what a sentence of tool output tells a reader to say, and nobody else says it."""
        low = text.lower().strip(_MARKS)
        if not 0 < len(low) <= _SHORT or _in(squeeze(low), self._said):
            return False
        ends = (place.rpartition(low)[0] for shown in self._shown for place in places(shown.low, low, after=0))
        return any(_SAY.search(before.rpartition("\n")[2]) for before in ends)


def _in(squeezed: str, texts: Iterable[Text]) -> bool:
    return any(squeezed in text.squeezed for text in texts)


def _has_word(text: Text, low: str) -> bool:
    """An identifier, in the plural as well; the beginning of a hash; in another spelling."""
    if any(low.removesuffix(end) in text.words for end in _PLURAL):
        return True
    if len(low) >= _HASH and any(char.isdigit() for char in low) and low in text.low:
        return True
    return low.replace("_", "") in text.joined


def _has_proper(text: Text, low: str) -> bool:
    return low in text.low or any(low.removesuffix(end) in text.words for end in _PLURAL)


def _has_number(text: Text, low: str) -> bool:
    """A number, or one with more digits that begins so: a rounded one."""
    if low in text.numbers or "." not in low:
        return low in text.numbers
    bare = low.rstrip("0").rstrip(".")
    return re.search(rf"(?<![\d.]){re.escape(bare)}\d*", text.low) is not None
