"""What a session learns for the next one: decisions, contracts, pitfalls and the user's standing constraints.

Written by code as it watches, in the session's own words, each once: ids come from the session and what is
recorded, so a session that is opened again writes nothing twice. Contracts and pitfalls as they come, words at each
compaction and at the end. Records of what no longer holds stay; whoever reads them judges by the newer ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from typing import Final

from context_kit.engrams import (
    REFUSED,
    Contract,
    Deed,
    Said,
    Trail,
    attempt_key,
    constraints,
    contracts,
    revises,
    sentences,
)
from context_kit.memory._journal import Memory
from context_kit.summary import decisions
from context_kit.tools import Act, FileView, error_line, normal_command, verifies
from context_kit.types import Decision, Record

__all__ = ["LESSONS", "OWN", "Lessons", "own_id"]

OWN = "a"
"""How the ids of records begin that the session wrote by itself; the log has what they say."""
LESSONS: Final = ("decide", "contract", "pitfall", "constraint", "revise")
"""Actions of the records that are written here."""
LONGEST: Final = 400
"""Characters of one field; of a declaration ..."""
DECLARATION: Final = 2_000
"""... so many, whole lines."""
STATEMENTS: Final = 200
"""So many newest statements are looked at at once."""
MOST: Final = 60
"""Declarations of one file that are recorded when it is first edited, the most; later only what an edit changed."""
PERSON: Final = 20_000
"""Characters of a person's text; a longer one is data that was pasted."""

_BOUND: Final = re.compile(
    r"\b(?:for now|for the moment|this (?:time|turn|session|step|once)|right now|today|at this (?:point|stage)|until i|"
    r"before (?:you|we) (?:start|begin|go on|continue)|yet)\b|这次|本次|暂时|暂且|目前|今天|这一步|此刻|先不|"
    r"\b(?:(?:your|the|this) task|(?:the|this) (?:issue|pr|pull request|patch|fix|bug|request)|submi(?:t|ssion)\w*|"
    r"(?:your|the) (?:response|reply|answer|output)|at least one|(?:issue|pr|task) description)\b|"
    r"任务描述|(?:本|这个|该)任务|(?:你的|回复|回答)(?:中|里|必须)|[?？]\W*$|[:：]\W*$",
    re.IGNORECASE,
)
"""A constraint that is bound to the moment, to one task or to the form of an answer is none of the project's; nor is
a question, or what only announces a list."""
_CURES: Final = re.compile(
    r"\b(?:install|add|upgrade|update|downgrade|migrate|init|mkdir|chmod|chown|export|generate|compile|build|start|"
    r"restart|rm|mv|cp|ln|touch|unset|set|checkout|stash|sync|lock)\b"
)
"""A command that changes something; a look cures nothing."""


def own_id(*what: object) -> str:
    """The id of a record that a session writes by itself: from what it is about, never from the clock."""
    told = ":".join(str(part) for part in what)
    return f"{OWN}{blake2b(told.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"


@dataclass(slots=True)
class _Attempt:
    """A command that failed and has not passed since."""

    name: str
    error: str
    position: int
    """Of the result that said so last."""
    count: int = 1
    cure: Deed | None = None
    """The newest change since."""


@dataclass(slots=True)
class Lessons:
    """What of a session's trail stands in the journal as something to know later."""

    memory: Memory
    began: int
    """What tells this session from an older one of its name: where the journal stood when it began."""
    known: set[str]
    """Ids of the session's own records."""
    own: Sequence[Record] = ()
    """Its own records up to now, for what they say of contracts."""
    since: int = 0
    """Position before which everything is another session's own: a fork's parent."""
    _said: int = 0
    _heard: int = 0
    _done: int = 0
    _decided: set[str] = field(default_factory=set[str])
    _stands: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    """Declarations by file and name, as they were recorded last."""
    _seen: dict[str, str] = field(default_factory=dict[str, str])
    """Whole contents that were read of files not yet edited."""
    _open: dict[str, _Attempt] = field(default_factory=dict[str, _Attempt])
    _due: dict[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    """Records by id that are not written yet."""

    def __post_init__(self) -> None:
        for record in self.own:
            if record.action == "contract" and record.id.startswith(OWN):
                self._stands.setdefault(record.file, {})[record.name] = record.result
        self.own = ()

    def follow(self, trail: Trail) -> None:
        """Record what the work taught: contracts and pitfalls, as soon as they are known.

        Raises:
            StoreError: the journal can't be written; what was not written is tried again next time.
        """
        self._deeds(trail)
        self._write()

    def conclude(self, trail: Trail, summarised: Sequence[Decision] = (), compaction: str = "") -> None:
        """Record what was said: rules and decisions, which count once nothing near takes them back.

        Args:
            trail: the session up to now.
            summarised: decisions that a model's summary holds.
            compaction: id of the compaction that it was made for.

        Raises:
            StoreError: the journal can't be written; what was not written is tried again next time.
        """
        self._words(trail)
        self._statements(trail)
        self._summary(summarised, compaction)
        self._write()

    def _write(self) -> None:
        self.memory.write_all(self._due)
        self.known.update(self._due)
        self._due.clear()

    def _note(self, *what: object, action: str, **fields: str) -> None:
        name = own_id(self.memory.session, self.began or "", *what)
        if name not in self.known:
            self._due[name] = {"action": action, **fields}

    # -- words -------------------------------------------------------------------------

    def _words(self, trail: Trail) -> None:
        """A person's standing constraints, and the words that take something back."""
        for said in trail.words[self._heard :]:
            if said.position < self.since:
                continue
            clean = trail.clean(said, trail.redact)
            rules = frozenset(trail.once(constraints, clean))
            for line in sentences(clean.text) if len(clean.text) <= PERSON else ():
                action = "constraint" if line in rules else "revise"
                if len(line) <= LONGEST and (line in rules or revises(line)) and not _BOUND.search(line):
                    self._note(said.position, action, line, action=action, reason=line)
        self._heard = len(trail.words)

    def _statements(self, trail: Trail) -> None:
        """What the assistant decided, with its reason."""
        fresh = trail.statements[max(self._said, len(trail.statements) - STATEMENTS) :]
        for said in fresh:
            for sentence, why in trail.once(decisions, trail.clean(said, trail.redact)):
                self._decided.add(_plain(sentence))
                told = sentence if not why or why in sentence else f"{sentence} {why}"
                file = _file_at(trail, said)
                self._note(said.position, "decide", sentence, action="decide", file=file, reason=_line(told))
        self._said = len(trail.statements)

    def _summary(self, summarised: Sequence[Decision], compaction: str) -> None:
        """What only the summary tells."""
        for decision in summarised:
            plain = _plain(decision.decision)
            if plain and not any(plain in known or known in plain for known in self._decided):
                self._decided.add(plain)
                told = f"{decision.decision}: {decision.reason}" if decision.reason else decision.decision
                self._note(compaction, "decide", plain, action="decide", reason=_line(told))

    # -- deeds -------------------------------------------------------------------------

    def _deeds(self, trail: Trail) -> None:
        edited: dict[str, Deed] = {}
        for deed in trail.deeds[self._done :]:
            act = deed.act
            if act.kind == "run" and act.command:
                self._ran(deed)
            elif act.failed or not act.path:
                continue
            elif act.kind == "read" and act.whole and act.content is not None:
                self._seen[act.path] = act.content
            elif act.kind == "edit":
                edited[act.path] = deed
                self._cured(deed)
        for path, deed in edited.items():
            view = trail.files.find(path)
            if view is not None:
                self._declared(trail, view, deed, path)
        self._done = len(trail.deeds)

    def _ran(self, deed: Deed) -> None:
        """A failure is noted; a success of what failed before, with a change between, is a pitfall known."""
        act = deed.act
        key = attempt_key(act)
        if act.failed:
            if act.error.lstrip("[").startswith(REFUSED):
                return
            before = self._open.get(key)
            name = normal_command(act.command)
            self._open[key] = _Attempt(name, error_line(act.error), deed.until, (before.count if before else 0) + 1)
        elif act.ended:
            attempt = self._open.pop(key, None)
            if attempt is not None and attempt.cure is not None:
                self._pitfall(attempt, attempt.cure, deed)
            elif not verifies(act.command) and _CURES.search(act.command):
                self._cured(deed)

    def _cured(self, deed: Deed) -> None:
        for attempt in self._open.values():
            attempt.cure = deed

    def _pitfall(self, attempt: _Attempt, cure: Deed, passed: Deed) -> None:
        """What was tried, the error, what was changed before it passed, and where the log has it."""
        act = cure.act
        by = f"`{normal_command(act.command)}`" if act.kind == "run" else act.path
        times = f", {attempt.count}×" if attempt.count > 1 else ""
        self._note(
            passed.position,
            "pitfall",
            attempt.name,
            action="pitfall",
            file=act.path if act.kind == "edit" else "",
            cmd=attempt.name[:LONGEST],
            error=attempt.error[:LONGEST],
            reason=_last_sentence(cure.why),
            result=f"{by} (m{cure.position}); m{attempt.position}{times} → m{passed.until}"[:LONGEST],
        )

    def _declared(self, trail: Trail, view: FileView, deed: Deed, path: str) -> None:
        """The declarations of an edited file that are new or changed, and those that are gone."""
        if not view.gone and not view.text:
            return
        file, seen = trail.redact(view.path), self._seen.pop(path, "")
        before = self._stands.get(file)
        base = _texts(contracts(trail.redact(seen), view.path)) if before is None else before
        older = {} if base else _replaced(deed.act, view.path)
        now = {} if view.gone else _texts(trail.declared(view))
        changed = {name: text for name, text in now.items() if base.get(name) != text}
        for name, text in islice(({**changed, **now} if before is None else changed).items(), MOST):
            was = base.get(name) or older.get(name.rpartition(".")[2], "")
            self._contract(deed, file, name, text, was if was != text else "")
        all_known = view.gone or view.whole
        for name, text in base.items() if all_known else ():
            if text and name not in now:
                self._contract(deed, file, name, "", text)
        self._stands[file] = now if all_known else {**base, **now}

    def _contract(self, deed: Deed, file: str, name: str, text: str, was: str) -> None:
        self._note(
            deed.position,
            "contract",
            file,
            name,
            text,
            action="contract",
            file=file,
            name=name,
            result=_whole_lines(text),
            was=_whole_lines(was),
            reason=_last_sentence(deed.why) if was else "",
        )


def _texts(found: Sequence[Contract]) -> dict[str, str]:
    """By name, what others may hang on: tests and private helpers are none."""
    return {each.name: _whole_lines(each.text) for each in found if each.public and not _is_test(each.name)}


def _is_test(name: str) -> bool:
    return name.lower().startswith("test")


def _replaced(act: Act, path: str) -> dict[str, str]:
    """By its last name, each declaration in the text that an edit took out."""
    found = (each for old, _ in act.replacements for each in contracts(old, path))
    return {each.name.rpartition(".")[2]: _whole_lines(each.text) for each in found}


def _file_at(trail: Trail, said: Said) -> str:
    """The file that was edited in the same message; empty where none was."""
    for deed in _newest(trail, said.position):
        if deed.position == said.position and deed.act.kind == "edit" and deed.act.path:
            return trail.redact(deed.act.path)
    return ""


def _newest(trail: Trail, position: int) -> Iterator[Deed]:
    """Deeds from the newest back to a position."""
    for deed in reversed(trail.deeds):
        if deed.position < position:
            return
        yield deed


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .。!！")


def _line(text: str) -> str:
    return " ".join(text.split())[:LONGEST]


def _last_sentence(why: str) -> str:
    found = sentences(why.rstrip()[-LONGEST:].rpartition("\n")[2])
    return found[-1][:LONGEST] if found else ""


def _whole_lines(text: str) -> str:
    """The lines that have room."""
    if len(text) <= DECLARATION:
        return text
    return text[:DECLARATION].rpartition("\n")[0] or text[:DECLARATION]
