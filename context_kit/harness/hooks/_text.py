"""The text that a new context begins with, cut to what its agent takes: a program's record, not an instruction.

The invariant guarded here: it is never larger than the limit, and what is left out is counted. Nothing is composed:
words, paths, commands and errors are the session's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from context_kit.engrams import neutral
from context_kit.harness.hooks._cutting import ANSWER, cut, end, first_text, in_hand, indented, stepped, told, undone
from context_kit.harness.hooks._facts import Facts, Failed, Words
from context_kit.harness.hooks._phrases import EN, ZH, Phrases

__all__ = ["compose"]

Size = Callable[[str], int]

NEXT, RULES, FILES, FAILURES, TALK, MORE, REST = range(7)
"""What is let in first."""
HEADING = 60
"""Room kept for a section's heading and the line that counts what it leaves out."""
TASKS, CHECKS = 3, 8
DENSE = 0.4
"""Share of the limit above which edited files are put together by directory, so many on a line at most."""
TOGETHER = 12
LEAST_ERROR, MORE_ERROR, MOST_ERROR = 240, 900, 2_500
SHORT, MIDDLE, LONG = 240, 1_200, 6_000
NEWEST, LOOKS = 24, 8
"""So many failures, of them looks at something that isn't there, and commits come before what has less weight."""
OLD = 20
"""Messages after which it is said how old a plan is."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line of a section, in one form or in several, the shortest first."""

    rank: int
    forms: tuple[str, ...]
    holds: int = 1
    """How many things it names."""


@dataclass(frozen=True, slots=True)
class _Section:
    heading: str
    entries: Sequence[_Entry]


def compose(facts: Facts, *, limit: int, size: Size = len, folder: str = "", whole: str = "") -> str:
    """The record of a session.

    Args:
        facts: what is known.
        limit: the most that the text may measure.
        size: measures a text; of two texts together no more than the sum.
        folder: the project's directory; paths below it are shown from there.
        whole: where the whole record stands, to be named in the title.
    """
    words = ZH if facts.chinese else EN
    title = words.title.format(whole=whole) if whole else words.bare_title
    paths = _Paths(folder)
    dense = sum(size(paths(each.path)) + 3 for each in facts.edited) > DENSE * limit
    sections = [
        section for section in _sections(facts, words, paths, dense=dense, brief=bool(whole)) if section.entries
    ]
    chosen = _chosen(sections, limit - size(title) - 2, size)
    blocks = [title, *(_block(section, chosen, words) for section in sections)]
    text = "\n\n".join(block for block in blocks if block)
    return text if size(text) <= limit else _clipped(text, limit, size)


def _chosen(sections: Sequence[_Section], room: int, size: Size) -> dict[int, str]:
    """The form that each entry gets, by its identity: the shortest ones first, then longer ones while there is room."""
    chosen: dict[int, str] = {}
    room -= sum(min(HEADING, size(section.heading)) + HEADING for section in sections)
    entries = sorted((entry for section in sections for entry in section.entries), key=lambda entry: entry.rank)
    for level in range(max((len(entry.forms) for entry in entries), default=0)):
        for entry in entries:
            if level >= len(entry.forms) or (level and id(entry) not in chosen):
                continue
            new, old = entry.forms[level], chosen.get(id(entry), "")
            cost = size(new) + 1 - (size(old) + 1 if level else 0)
            if cost <= room:
                chosen[id(entry)] = new
                room -= cost
    return chosen


def _block(section: _Section, chosen: dict[int, str], words: Phrases) -> str:
    shown = [chosen[id(entry)] for entry in section.entries if id(entry) in chosen]
    left = sum(entry.holds for entry in section.entries if id(entry) not in chosen)
    if left:
        shown.append(words.more.format(number=left))
    return "\n".join([section.heading, *shown])


def _clipped(text: str, limit: int, size: Size) -> str:
    """The beginning of a text that measures no more than the limit."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(text[:middle]) <= limit else (low, middle - 1)
    return text[:low]


# -- sections ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Paths:
    """Paths as they are shown."""

    folder: str

    def __call__(self, path: str) -> str:
        base = self.folder.rstrip("/\\")
        rest = path[len(base) + 1 :]
        below = base and path.startswith(base) and path[len(base) : len(base) + 1] in ("/", "\\")
        return rest if below and ("/" in rest or "\\" in rest) else path  # a bare name could be any directory's

    def command(self, told: str) -> str:
        """A command without the change into the project that it begins with."""
        base = self.folder.rstrip("/\\")
        return told.replace(f"cd {base} && ", "", 1).replace(f"cd {base}/", "cd ", 1) if base else told


def _sections(facts: Facts, words: Phrases, paths: _Paths, *, dense: bool, brief: bool) -> Iterator[_Section]:
    yield _Section(words.next, list(_next(facts, words, paths)))
    yield _Section(words.user, list(_talk(facts, words, brief=brief)))
    if facts.approved:
        plan = indented(facts.approved)
        yield _Section(words.approved, [_entry(TALK, *(f"  {cut(plan, most)}" for most in (SHORT, MIDDLE, LONG)))])
    yield _Section(words.refused, list(_refusals(facts, words, paths)))
    yield _Section(words.failed.format(number=len(facts.failed)), list(_failures(facts.failed, words, paths)))
    yield _Section(words.halted, [_entry(FAILURES, f"- {undone(each, words)}") for each in reversed(facts.halted)])
    yield _Section(words.done.format(number=len(facts.done)), list(_done(facts, words)))
    yield _Section(
        words.edited.format(number=len(facts.edited)),
        list(_folders(facts, paths) if dense else _files(facts, words, paths)),
    )
    yield _Section(words.decided, [_decision(each.text, each.why) for each in reversed(facts.decided)])
    checks = reversed(facts.checks[-CHECKS:])
    yield _Section(words.checks, [_entry(MORE, f"- `{paths.command(each.command)}` → {each.told}") for each in checks])
    yield _Section(words.read, [_entry(REST, f"- {paths(path)}") for path in reversed(facts.read)])


def _entry(rank: int, *forms: str) -> _Entry:
    """An entry whose every form is quoted text."""
    return _Entry(rank, tuple(dict.fromkeys(neutral(form) for form in forms)))


def _next(facts: Facts, words: Phrases, paths: _Paths) -> Iterator[_Entry]:
    if facts.wish:
        yield _entry(NEXT, f"- {words.wish} {cut(facts.wish, SHORT)}", f"- {words.wish} {cut(facts.wish, MIDDLE)}")
    for line in in_hand(facts, words, SHORT):
        yield _entry(NEXT, f"- {paths.command(line)}")
    yield from _planned(facts, words)
    said = indented(facts.said.strip())
    least = end(said, SHORT)
    if facts.intent and facts.intent not in least and not facts.intent.endswith((":", "：")):
        yield _entry(NEXT, f"- {words.intent} {facts.intent}")
    if said:
        yield _entry(NEXT, f"- {words.said} {least}", f"- {words.said} {end(said, MIDDLE)}")
    refused = {each.name for each in facts.refused}
    for failure in [each for each in reversed(facts.failed) if each.check and each.name not in refused][:TASKS]:
        yield _entry(NEXT, f"- {words.still} {paths.command(failure.name)}")


def _planned(facts: Facts, words: Phrases) -> Iterator[_Entry]:
    """What the agent's plan has open; how old it is, where the user has spoken since or much was done."""
    order = {"in_progress": 0, "pending": 1}
    open_ones = sorted((task for task in facts.plan if task.status in order), key=lambda task: order[task.status])
    ago = facts.at - facts.plan_at
    spoken = bool(facts.words) and facts.words[-1].at > facts.plan_at
    if open_ones and (ago >= OLD or spoken):
        yield _entry(NEXT, f"- ({(words.plan_old if spoken else words.plan_age).format(number=ago)})")
    for number, task in enumerate(open_ones):
        mark = words.doing if task.status == "in_progress" else words.pending
        yield _entry(NEXT if number < TASKS else MORE, f"- [{mark}] {task.text}")


def _talk(facts: Facts, words: Phrases, *, brief: bool) -> Iterator[_Entry]:
    """What the user said, newest first, the first text before all; constraints before anything else."""
    if not facts.words and facts.opening:
        yield _entry(RULES, f"- {words.goal} {cut(facts.opening, SHORT)}", f"- {words.goal} {cut(facts.opening, LONG)}")
    said_so = [each for each in facts.words if each.rules or each.text != facts.wish]  # a wish stands in its own line
    first = first_text(said_so)
    for number, said in enumerate([*said_so[first : first + 1], *reversed([*said_so[:first], *said_so[first + 1 :]])]):
        if number > 1 and brief and not (said.rules or said.asked or said.opened) and len(said.text) <= ANSWER:
            continue
        mark = (_first(facts, said, words), words.newest)[number] if number < 2 else words.earlier
        forms = [told(mark, said, most, words) for most in (SHORT, MIDDLE, LONG)]
        if said.rules:
            yield _entry(RULES, told(mark, said, 0, words), *forms)
        else:
            yield _entry(TALK if number < 2 else MORE, *forms)


def _first(facts: Facts, said: Words, words: Phrases) -> str:
    """The first text is the goal, unless it is a few words and something longer came later."""
    short = len(said.text) <= ANSWER and any(len(said.text) > ANSWER for said in facts.words[1:])
    return words.first if short else words.goal


def _failures(failed: Sequence[Failed], words: Phrases, paths: _Paths) -> Iterator[_Entry]:
    """What failed and is open, the newest first; what only looked for something comes last, in a line each."""
    looks = [failure for failure in failed if failure.look]
    for number, failure in enumerate(reversed([failure for failure in failed if not failure.look])):
        head = f"- {paths.command(failure.name)}{_how(failure, words)}{stepped(failure, words)}"
        shown = [line for line in (failure.line, failure.closing) if line]
        least = "\n".join([head, *(f"    {line}" for line in shown)])
        more = (
            f"{head}\n    {indented(_around(failure, most), 4)}"
            for most in (LEAST_ERROR, MORE_ERROR, MOST_ERROR)
            if len(failure.error) > most // 4
        )
        yield _entry(FAILURES if number < NEWEST else REST, least, *more)
    for number, failure in enumerate(reversed(looks)):
        yield _entry(FAILURES if number < LOOKS else REST, f"- {paths.command(failure.name)}: {failure.line}")


def _refusals(facts: Facts, words: Phrases, paths: _Paths) -> Iterator[_Entry]:
    """What the user refused, with their reason where they gave one; the newest first."""
    reasons = {said.at: said.text for said in facts.words}
    for each in reversed(facts.refused):
        head = f"- {paths.command(each.name)}"
        reason = " ".join(reasons.get(each.at, "").split())
        yield _entry(FAILURES, head, *([f"{head} ({words.reason} {cut(reason, SHORT)})"] if reason else []))


def _how(failure: Failed, words: Phrases) -> str:
    notes = [
        *([f"{failure.times}×"] if failure.times > 1 else []),
        *([words.edited_since] if failure.edited else []),
        *([f"{words.passed_since} {', '.join(failure.passed[-TASKS:])}"] if failure.passed else []),
    ]
    return f" ({', '.join(notes)})" if notes else ""


def _around(failure: Failed, most: int) -> str:
    """The end of an error, with the lines that tell it where they stand before."""
    text = failure.error.strip()
    ending = end(text, most)
    before = [line for line in dict.fromkeys((failure.line, failure.closing)) if line and line not in ending]
    return "\n".join([*before, ending])


def _files(facts: Facts, words: Phrases, paths: _Paths) -> Iterator[_Entry]:
    verified = max((check.at for check in facts.checks if not check.failed), default=0)
    committed = _committed(facts)
    for edited in reversed(facts.edited):
        notes = [
            *([f"{edited.times}×"] if edited.times > 1 else []),
            *([words.gone] if edited.gone else []),
            *([words.unverified] if edited.at > verified else []),
            *([words.uncommitted] if 0 < committed < edited.at else []),
        ]
        told = f" ({', '.join(notes)})" if notes else ""
        path = paths(edited.path)
        yield _entry(
            FILES, f"- {path}", f"- {path}{told}", f"- {path}{told}{': ' if edited.change else ''}{edited.change}"
        )


def _committed(facts: Facts) -> int:
    """Where the newest commit was made; 0 where there is none."""
    return max((each.at for each in facts.done if each.what == "git commit"), default=0)


def _done(facts: Facts, words: Phrases) -> Iterator[_Entry]:
    committed = _committed(facts)
    later = sum(edited.at > committed for edited in facts.edited)
    if committed and later:
        yield _entry(TALK, f"- {words.not_committed.format(number=later)}")
    for number, each in enumerate(reversed(facts.done)):
        yield _entry(TALK if number < NEWEST else REST, f"- `{each.what}`{' → ' if each.told else ''}{each.told}")


def _folders(facts: Facts, paths: _Paths) -> Iterator[_Entry]:
    """Very many files: those of one directory in one line, the newest edit first."""
    folders: dict[str, list[str]] = {}
    for edited in reversed(facts.edited):
        folder, _, name = paths(edited.path).rpartition("/")
        folders.setdefault(folder, []).append(name)
    for folder, names in folders.items():
        for at in range(0, len(names), TOGETHER):
            some = names[at : at + TOGETHER]
            yield replace(
                _entry(FILES, f"- {folder}/: {', '.join(some)}" if folder else f"- {', '.join(some)}"), holds=len(some)
            )


def _decision(text: str, why: str) -> _Entry:
    return _entry(MORE, f"- {text}", f"- {text} ({why})" if why and why not in text else f"- {text}")
