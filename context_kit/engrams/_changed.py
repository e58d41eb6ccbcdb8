"""Values that an edit changed in a file: each key's newest line, never one that was changed again.

Read from the edits themselves: replaced pieces, patches, whole writes of a known file, plain `sed`. Where an edit's
outcome isn't known, nothing of that file is claimed any more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from context_kit._lazily import regex
from context_kit.tools._disturb import disturbance
from context_kit.tools._paths import same_file
from context_kit.tools._shellwords import simples
from context_kit.typing import Redact

if TYPE_CHECKING:
    from context_kit.engrams._deeds import Deed
    from context_kit.engrams._trail import Trail

__all__ = ["Changed", "changed_values"]

LONGEST = 300
"""Characters of a line that holds a value; a longer one is data."""
MOST = 200
"""Lines that one edit may change; beyond that it writes data, it sets no values."""
_CONFIG = regex(
    r"(?:\.(?:toml|ya?ml|jsonc?|json5|ini|cfg|conf|config|env|properties|tfvars|editorconfig)|(?:^|/)\.env[\w.-]*|"
    r"(?:^|/)\.?\w+rc)$",
    re.IGNORECASE,
)
"""Files that hold settings and nothing else."""
_LOCK = regex(r"(?:^|/)(?:package-lock|composer\.lock|[\w-]*lock)\.(?:json|ya?ml|toml)$|\.lock$|\.ipynb$")
_SETTING = regex(
    r"[ \t]*(?:-[ \t]+)?(?:export[ \t]+)?(?P<key>[\"']?[A-Za-z_$@][\w.$@/-]{0,80}[\"']?)[ \t]*[:=]"
    r"[ \t]*(?P<value>[^\s{\[|>#].*|"
    r"[\[{].*[\]}],?[ \t]*)$"
)
"""A line of a settings file: TOML, YAML, JSON, INI, .env."""
_CONSTANT = regex(
    r"[ \t]*(?:export[ \t]+|public[ \t]+|private[ \t]+|static[ \t]+|final[ \t]+|const[ \t]+|let[ \t]+|var[ \t]+|"
    r"readonly[ \t]+)*"
    r"(?P<key>[A-Z][A-Z0-9_]{1,60})(?:[ \t]*:[ \t]*[\w\[\], .|"
    r"]{1,60})?[ \t]*[:?]?=(?!=)[ \t]*(?P<value>[\w\"'`\[({.+-].*)$"
)
"""A constant of a source file."""
_SUBSTITUTION = regex(
    r"s(?P<d>[/|#,@!])(?P<old>(?:\\.|(?!(?P=d))[^\\\n]){1,300})(?P=d)(?P<new>(?:\\.|(?!(?P=d))[^\\\n]){0,300})(?P=d)"
)
_PATTERN = regex(r"(?<!\\)[\[\](){}*+?|^$]|(?<!\\)\.(?=[*+?])|\\[(){}|+?<>bwsdWSD0-9]")
"""What makes a `sed` expression more than plain words."""


@dataclass(frozen=True, slots=True)
class _Value:
    path: str
    key: str
    line: str
    position: int


@dataclass(slots=True)
class Changed:
    """The values that edits changed so far, the newest last."""

    read_to: int = 0
    """How many deeds are read."""
    values: list[_Value] = field(default_factory=list[_Value])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    """Settings files whose whole text is known."""
    names: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Files by their last name, each as it was first called."""

    def follow(self, deeds: Sequence[Deed], redact: Redact) -> None:
        """Read the deeds that are new; a line is taken from a text only once its secrets are out."""
        for deed in deeds[self.read_to :]:
            self.read_to += 1
            act = deed.act
            if act.kind == "run" and (found := disturbance(act)) is not None and not found.code:
                self._doubt(found.names)
            if act.failed or not act.path or _LOCK.search(act.path):
                continue
            path = self._name(act.path)
            if act.kind == "read" and act.content is not None:
                if _CONFIG.search(path) or any(value.path == path for value in self.values):
                    self._seen(path, redact(act.content), deed.until, whole=act.whole)
            elif act.kind == "edit" and not deed.unsure:
                self._edited(path, deed, self._name(act.gone) if act.gone else "")

    def _doubt(self, names: Sequence[str]) -> None:
        """A command took other texts in: of the files that it names, or of all, nothing is claimed any more."""
        for path in [self._name(name) for name in names] or [*self.texts, *(value.path for value in self.values)]:
            self._forget(path)

    def _name(self, path: str) -> str:
        """A file's name, one for all the names that it goes by."""
        known = self.names.setdefault(path.replace("\\", "/").rpartition("/")[2], [])
        for other in known:
            if same_file(other, path):
                return other
        known.append(path)
        return path

    def _edited(self, path: str, deed: Deed, gone: str) -> None:
        act = deed.act
        if gone and gone != path:
            self._renamed(gone, path)
        elif gone:
            self._forget(path)
        before = self.texts.get(path)
        if act.content is not None:
            if before is not None and act.whole:
                self._changes(path, before, act.content, deed.until)
            elif act.whole:
                self._seen(path, act.content, deed.until, whole=True)
            self._know(path, act.content if act.whole else None)
        elif act.replacements:
            for old, new in act.replacements:
                self._changes(path, old, new, deed.until)
            self._know(path, _after(before, act.replacements, every=act.every, appended=act.first < 0))
        elif not gone:
            self._substituted(path, act.command, deed.until)

    def _substituted(self, path: str, command: str, position: int) -> None:
        """What `sed` put in the place of plain words, or as a whole line; of anything else nothing is known."""
        before = self.texts.pop(path, None)
        found = [pair for script in _scripts(command, path) for pair in _pairs(script)]
        if not found:
            self.values = [value for value in self.values if value.path != path]
        for old, new, plain in found:
            if plain and before is not None and old in before:
                after = before.replace(old, new)
                self._changes(path, before, after, position)
                before = after
            elif plain and (hits := [value for value in self.values if value.path == path and old in value.line]):
                for value in hits:
                    self._put(path, value.key, value.line, value.line.replace(old, new), position)
            elif "\\" not in new and (key := _key(new, path)):
                self.values = [value for value in self.values if value.path != path or value.key != key]
                self._put(path, key, "", new.strip(), position)
                before = None
            else:
                self.values = [value for value in self.values if value.path != path or value.key not in old]
                before = None
        self._know(path, before)

    def _know(self, path: str, text: str | None) -> None:
        if text is not None and _CONFIG.search(path):
            self.texts[path] = text
        else:
            self.texts.pop(path, None)

    def _changes(self, path: str, old: str, new: str, position: int) -> None:
        """Compare the lines with values before and after."""
        before, after = Counter(_lines(old, path)), Counter(_lines(new, path))
        added = list((after - before).elements())
        removed = list((before - after).elements())
        if len(added) > MOST:
            return
        for key, line in added:
            at = next((at for at, (other, _) in enumerate(removed) if other == key), -1)
            self._put(path, key, removed.pop(at)[1] if at >= 0 else "", line, position)
        for key, line in removed:
            self._drop(path, key, line)

    def _put(self, path: str, key: str, old: str, new: str, position: int) -> None:
        self._drop(path, key, old)
        self._drop(path, key, new)
        self.values.append(_Value(path, key, new, position))

    def _drop(self, path: str, key: str, line: str) -> None:
        for at, value in enumerate(self.values):
            if value.path == path and value.key == key and value.line == line:
                del self.values[at]
                return

    def _seen(self, path: str, text: str, position: int, *, whole: bool) -> None:
        """A look at the file: what it shows holds, what it doesn't show any more is gone."""
        if whole:
            self._know(path, text)
        if not any(value.path == path for value in self.values):
            return
        shown: dict[str, set[str]] = {}
        for key, line in _lines(text, path):
            shown.setdefault(key, set()).add(line)
        kept: list[_Value] = []
        for value in self.values:
            now = shown.get(value.key, set[str]())
            if value.path != path or value.line in now or not (now or whole):
                kept.append(value)
            elif len(now) == 1:
                kept.append(_Value(path, value.key, next(iter(now)), position))
        self.values = kept

    def _renamed(self, old: str, new: str) -> None:
        self.values = [
            _Value(new, value.key, value.line, value.position) if value.path == old else value for value in self.values
        ]
        if old in self.texts:
            self.texts[new] = self.texts.pop(old)

    def _forget(self, path: str) -> None:
        self.values = [value for value in self.values if value.path != path]
        self.texts.pop(path, None)


def changed_values(trail: Trail, redact: Callable[[str], str]) -> list[tuple[str, str, int]]:
    """The lines `key = value` that edits changed and that hold now: path, line, position of the edit; newest last."""
    return [(redact(value.path), redact(value.line), value.position) for value in trail.changed().values]


def _key(line: str, path: str) -> str:
    """The key of a line that gives it a value; empty where it is none."""
    if len(line) > LONGEST or not ("=" in line or ":" in line):
        return ""
    found = (_SETTING if _CONFIG.search(path) else _CONSTANT).match(line)
    whole = found is not None and not found["value"].rstrip().endswith(("(", "[", "{", "\\", "=", "|", "&&"))
    return found["key"].strip("\"'") if found and whole else ""


def _lines(text: str, path: str) -> Iterator[tuple[str, str]]:
    """Each key with its line, without what surrounds it."""
    for line in text.splitlines():
        if key := _key(line, path):
            yield key, line.strip()


def _after(text: str | None, replacements: Sequence[tuple[str, str]], *, every: bool, appended: bool) -> str | None:
    for old, new in replacements:
        if text is None:
            return None
        if appended and not old:
            text += new
        elif not old or old not in text:
            return None
        else:
            text = text.replace(old, new) if every else text.replace(old, new, 1)
    return text


def _scripts(command: str, path: str) -> Iterator[str]:
    """The `sed` expressions of a command line that work on this file."""
    name = path.replace("\\", "/").rpartition("/")[2]
    for simple in simples(command) if "sed" in command else ():
        if simple.name in ("sed", "gsed") and any(word.endswith(name) for word in simple.words[1:]):
            yield from (word for word in simple.words[1:] if not word.endswith(name))


def _pairs(script: str) -> Iterator[tuple[str, str, bool]]:
    """What is replaced by what, and whether the first is plain words."""
    for found in _SUBSTITUTION.finditer(script):
        old = found["old"]
        plain = _PATTERN.search(old) is None and "\\" not in found["new"] and "&" not in found["new"]
        yield (_bare(old) if plain else old), found["new"] if not plain else _bare(found["new"]), plain


def _bare(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
