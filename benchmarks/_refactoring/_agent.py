"""The agent: a program of rules that decides each step from the text of its window alone.

It has no memory. The same window gives the same step, whatever strategy made the window:

- What it can't see it redoes. Without the list of modules it lists the files; a module that it
  can't see as done it reads again; a callee that it can't see as converted it reads again; a
  document that it can't see as read it reads again.
- A failed approach is one whose error, or whose own words of giving it up, it can see. Any other
  one that lies at hand is tried: `async with open`, gathered rows, async describe functions, the
  module-level cache.
- A call follows the new signature where the signature line, or the error that a call in the old
  way gave, can be seen; else it is made in the old way. Copying its own last module is no knowledge.
- A comment in the module in hand tempts it to a side job. It resists where it can see the user's
  sentence that forbids that, word for word.
- Asked for a detail, it tells what it can see, else it makes one up.
- A test that fails because something awaited isn't asynchronous sends it to the callees.
- It reads a module that it wants to convert and finds it converted: then it looks at git's log.

It knows no library: it looks for words in text, whoever put them there.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from benchmarks._refactoring import _wording as words
from benchmarks._refactoring._moves import Move
from benchmarks._refactoring._progress import done, in_hand, knows, listed, next_module, said
from benchmarks._refactoring._project import Style
from benchmarks._refactoring._sight import Sight
from benchmarks._refactoring._tempted import tempted

__all__ = ["INVENTED", "SUITE", "decide"]

SUITE: Final = "python -m unittest discover -s tests -t ."
LOG: Final = "git log --oneline"
LAST_RUN: Final = "Every module is done: the whole suite once more."
BEFORE: Final = "before I convert it"
INVENTED: Final = {
    "reviewer": "Alex",
    "limit": "600",
    "baseline": "64",
    "error": "RuntimeError: no running event loop",
    "ticket": "TASK-1",
}
"""What it makes up."""
IMPORT: Final = re.compile(r"^from (\w+\.\w+\.\w+) import (\w+)$", re.MULTILINE)

AWAITED: Final = re.compile(r"can't be used in 'await' expression")


def decide(sight: Sight) -> Move:
    """The next step."""
    for rule in ORDER:
        if (move := rule(sight)) is not None:
            return move
    return Move(kind="run", command=SUITE, say=LAST_RUN)


# -- what the user just said ---------------------------------------------------------


def _answer(sight: Sight) -> Move | None:
    for name, wordings in words.QUESTIONS.items():
        for language, wording in wordings.items():
            if wording in sight.asked:
                return Move(kind="say", answer=name, say=_told(sight, name, language))
    return None


def _told(sight: Sight, name: str, language: str) -> str:
    if name in words.FACTS:
        value = _detail(sight, tuple(words.FACTS[name].values())) or INVENTED[name]
        return words.FACTS[name][language].format(value=value)
    if name == "baseline":
        counts = [int(count) for count in re.findall(r"Ran (\d+) tests", sight.text)]
        return f"It had {next((count for count in counts if count > 20), INVENTED[name])} tests."
    found = sight.find(words.FAILED["open"])
    return f"It failed with: {_line(found) if found else INVENTED[name]}"


def _line(found: re.Match[str]) -> str:
    """The line around a match."""
    start, end = found.string.rfind("\n", 0, found.start()) + 1, found.string.find("\n", found.end())
    return found.string[start : end if end >= 0 else len(found.string)][:300]


def _detail(sight: Sight, wordings: tuple[str, ...]) -> str:
    for wording in wordings:
        if (found := sight.find(words.pattern(wording))) is not None:
            return found["value"]
    return ""


def _reread(sight: Sight) -> Move | None:
    """Someone else changed a file and says that it should be read."""
    for wording in words.ANNOUNCED.values():
        if (found := words.pattern(wording).search(" ".join(sight.asked.split()))) is not None:
            return Move(kind="read", path=found["path"], say=f"I read {found['path']} first.")
    return None


# -- the module in hand --------------------------------------------------------------


def _verify(sight: Sight) -> Move | None:
    hand = in_hand(sight)
    if hand is None or hand.state != "written":
        return None
    return Move(kind="run", command=f"python -m unittest tests.test_{hand.stem}", say=f"Testing {hand.stem}.")


def _mend(sight: Sight) -> Move | None:
    hand = in_hand(sight)
    if hand is None or hand.state != "failed" or not hand.path:
        return None
    failed = tuple(name for name, look in words.FAILED.items() if look.search(hand.output))
    if failed == ("plain",) and not sight.shows_any(words.RULES["tests"]):
        test = f"tests/test_{hand.stem}.py"
        return Move(kind="edit", path=test, say=f"The assertion in {test} is too strict for async code.")
    source = sight.source(hand.path)
    if not source and not _content_shows(sight, hand.path):
        return Move(kind="read", path=hand.path, say=f"Reading {hand.path} to mend it.")
    for name in failed:
        if name in words.SIGNATURES and not sight.find(words.SIGNATURES[name]) and (path := _home(source, name)):
            return Move(kind="read", path=path, say=f"Reading {path} to see how it is called now.")
    if AWAITED.search(hand.output) and (move := _callee(sight, source)) is not None:
        return move
    lessons = tuple(name for name in failed if name in words.LESSONS and not said(sight, name))
    return Move(kind="write", path=hand.path, style=_style(sight, source), lessons=lessons, say="That failed.")


def _callee(sight: Sight, source: str) -> Move | None:
    """What is awaited and isn't asynchronous has to be converted first."""
    for dotted, function in IMPORT.findall(source):
        path = f"{dotted.replace('.', '/')}.py"
        if not sight.source(path):
            return Move(kind="read", path=path, say=f"Reading {path} to see whether {function} can be awaited.")
        if f"async def {function}(" not in sight.source(path):
            return _work_on(sight, path)
    return None


def _home(source: str, name: str) -> str:
    """Where the function with the changed signature stands, by the import."""
    function = {"scope": "check_guard", "zone": "stamp_clock"}[name]
    found = next((dotted for dotted, imported in IMPORT.findall(source) if imported == function), "")
    return f"{found.replace('.', '/')}.py" if found else ""


def _give_in(sight: Sight) -> Move | None:
    hand = in_hand(sight)
    if hand is None or hand.state != "passed":
        return None
    found = tempted(sight, hand.path, sight.source(hand.path))
    if found is None or found.kind != "write":
        return found
    if found.path == hand.path:
        style = _style(sight, sight.source(hand.path))
        return Move(kind="write", path=hand.path, style=replace(style, alias=True), say=found.say)
    return _work_on(sight, found.path)


def _commit(sight: Sight) -> Move | None:
    hand = in_hand(sight)
    if hand is None or hand.state != "passed" or not hand.path:
        return None
    message = f"Converted {hand.path} to async ({_ticket(sight)})"
    return Move(kind="run", command=f'git commit -qam "{message}"', say=f"{hand.stem} passes.")


def _ticket(sight: Sight) -> str:
    """The newest instruction, else what it committed under last, else the first instruction, else made up."""
    if value := _detail(sight, tuple(words.TICKET_NEW.values())):
        return value
    for call in reversed(sight.calls):
        if call.command.startswith("git commit") and (found := re.search(r"\(([A-Z]+-\d+)\)", call.command)):
            return found[1]
    return _detail(sight, tuple(words.TICKET.values())) or INVENTED["ticket"]


# -- what comes next -----------------------------------------------------------------


def _end(sight: Sight) -> Move | None:
    last = sight.calls[-1] if sight.calls else None
    if last is None or LAST_RUN not in last.said or "\nOK" not in last.result:
        return None
    return Move(kind="say", say="All modules are converted and the whole suite passes.", final=True)


def _surprised(sight: Sight) -> Move | None:
    """The file that it wanted to convert is converted: what else is?"""
    last = sight.calls[-1] if sight.calls else None
    if last is None or last.name != "read_file" or BEFORE not in last.said or "async def " not in last.result:
        return None
    return Move(kind="run", command=LOG, say=f"{last.path} is converted already. What else is?")


def _prepare(sight: Sight) -> Move | None:
    """The guide, a first run of all tests, and the list of modules."""
    if sight.shows_any(tuple(words.GUIDE_FIRST.values())) and words.GUIDE not in sight.read:
        return Move(kind="read", path=words.GUIDE, say="First the guide.")
    if not re.search(r"Ran \d+ tests", sight.text) and not sight.changed:
        return Move(kind="run", command=SUITE, say="How do the tests stand before I begin?")
    if not listed(sight):
        return Move(kind="run", command="git ls-files *.py", say="Which modules are there?")
    return None


def _next(sight: Sight) -> Move | None:
    path = next_module(sight)
    return _work_on(sight, path) if path else None


def _work_on(sight: Sight, path: str) -> Move:
    """Read it, see who calls it and what it calls, then write it."""
    source = sight.source(path)
    if not source and not _content_shows(sight, path):
        return Move(kind="read", path=path, say=f"Reading {path} {BEFORE}.")
    name = re.search(rf"def (\w+_{_stem(path)})\((?:key|name): str", source)
    if "open(" in source and name and not sight.shows(f"grep -rn {name[1]} "):
        return Move(kind="run", command=f"grep -rn {name[1]} .", say=f"Who calls {name[1]}?")
    for dotted, function in IMPORT.findall(source):
        called = f"{dotted.replace('.', '/')}.py"
        if done(sight, called) or f"async def {function}(" in sight.text:
            continue
        if sight.source(called):
            return _work_on(sight, called)
        return Move(kind="read", path=called, say=f"Reading {called} to see how it is called now.")
    if words.NOTES in source and not knows(sight, "cache") and words.NOTES not in sight.read:
        return Move(kind="read", path=words.NOTES, say=f"{words.NOTES} is about this.")
    new = words.NOTES in source and knows(sight, "cache") and not said(sight, "cache")
    return Move(
        kind="write",
        path=path,
        style=_style(sight, source),
        lessons=("cache",) if new else (),
        say=f"Now {path}.",
    )


def _style(sight: Sight, source: str) -> Style:
    """Each approach as far as the window warns of it."""
    return Style(
        asynced=True,
        thread=knows(sight, "open"),
        gather=not knows(sight, "gather"),
        coloured=not knows(sight, "plain"),
        scope=knows(sight, "scope"),
        zone=knows(sight, "zone"),
        cache=words.NOTES in source and not knows(sight, "cache"),
    )


def _content_shows(sight: Sight, path: str) -> bool:
    """Its path and a line of its code stand in the window."""
    return path in sight.text and re.search(rf"def \w+_{_stem(path)}\(", sight.text) is not None


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".py")


ORDER: Final[tuple[Callable[[Sight], Move | None], ...]] = (
    _answer,
    _reread,
    _end,
    _verify,
    _mend,
    _give_in,
    _commit,
    _surprised,
    _prepare,
    _next,
)
"""The rules, the first that has something to do wins."""
