"""Questions about what ran: the errors, how checks ended, what searches and listings found, what is open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from context_kit.engrams import Failure, failures, unresolved
from context_kit.probes._gone import Answer, Gone, spread
from context_kit.probes._telling import apart, concrete, novel, telling
from context_kit.probes._types import Difficulty, Probe
from context_kit.summary import verified
from context_kit.tools import normal_command

__all__ = ["errors", "open_checks", "outcomes", "plans", "searches"]

MATCH = re.compile(r"(?P<path>[\w~.@/\\-]+\.\w{1,8})[:-](?P<line>\d{1,6})(?:[:-]\d{1,4})?[:-]\s?(?P<text>\D.+)")
"""A line of a search's output."""
TELLS = re.compile(
    r"error|exception|fail|fatal|panic|cannot|can't|could ?n[o']t|not found|no such|denied|undefined|unexpected|"
    r"invalid|unable|missing|timed? ?out|refused|not (?:allowed|permitted|supported)|^E: |"
    r"^\W*[×✗✖✘]|错误|失败|异常|找不到|不存在|无法|拒绝|超时",
    re.IGNORECASE,
)
EXCEPTION = re.compile(
    r"[\w.]+(?:Error|Exception|Warning|Exit|Interrupt)\b|\S+:\d+(?::\d+)?: (?!\(\w+\)\W*$)|E\s{2,}(?![-+?]\s)"
)
FRAME = re.compile(r"\W*[=_*~-]{3,}\D*[=_*~-]{3,}\W*")
"""A heading between two strokes, such as pytest's; one with figures tells how a run ended."""
QUOTED = re.compile(r"\s+(?!\S+:\d+:|[×✗✖✘]|E )|File \"|at \S")
"""How the lines of a traceback begin that show code."""
VERDICT = re.compile(r"pass|fail|error|warning|issue|problem|test|\bok\b|success|通过|失败|错误", re.IGNORECASE)
"""Words of a line that says how a check ended."""
ALIKE = 6
"""So many lines of one error may be right answers; with more of them the question is not about one error."""
MATCHES = 40
"""So many matches of one output are looked at."""


def errors(gone: Gone) -> Iterator[Probe]:
    """The error that an attempt met last; every line of it that tells an error is right."""
    newest = {failure.key: failure for failure in failures(gone.trail)}
    times = [failure.line for failure in newest.values()]
    for failure in spread(list(newest.values())):
        label = gone.shown(failure.attempt.strip("`")) if failure.attempt.startswith("`") else f"`{failure.attempt}`"
        question = gone.ask("error", label=label)
        line, others = failure.line, _telling_lines(failure)
        bare = len(failure.attempt.split()) == 1 and not failure.attempt.startswith("`")  # a tool's name and no more
        if bare or failure.until >= gone.cut or len(others) > ALIKE or not telling(line, question):
            continue
        if concrete(line) and "\\n" not in line and _names_error(line) and len(novel(line, question)) > 1:
            yield Probe(
                kind="recall",
                question=question,
                answer=line,
                address=f"m{failure.until}",
                difficulty="medium" if times.count(line) == 1 else "easy",
                also=tuple(each for each in others if each != line),
            )


def _names_error(line: str) -> bool:
    """Whether a line tells an error by itself."""
    found = TELLS.search(line) is not None or EXCEPTION.match(line) is not None
    return found and FRAME.fullmatch(line) is None


def _telling_lines(failure: Failure) -> list[str]:
    """The lines of an error's text that tell an error."""
    lines = [line.strip() for line in failure.error.split("\n") if not QUOTED.match(line)]
    tells = (line for line in lines if TELLS.search(line) and not FRAME.fullmatch(line))
    found = [line for line in tells if 12 <= len(line) <= 300 and "\\n" not in line]
    return list(dict.fromkeys([*filter(None, [failure.closing]), *found]))


def outcomes(gone: Gone) -> Iterator[Probe]:
    """How commands that verify ended, the last time that they ran."""
    for command, deed in reversed(verified(gone.trail)):
        question = gone.ask("ended", label=gone.shown(command))
        if deed.until < gone.cut and telling(deed.told, question) and VERDICT.search(deed.told) and _counts(deed.told):
            yield Probe(
                kind="recall", question=question, answer=deed.told, address=f"m{deed.until}", difficulty="medium"
            )


def _counts(line: str) -> bool:
    """Whether a line has numbers that nobody guesses."""
    found = re.findall(r"\d+", line)
    return len(found) > 2 or any(len(number) > 1 for number in found)


def searches(gone: Gone) -> Iterator[Probe]:
    """What searches showed: the file of a line, or its number."""
    for answer in spread(gone.answers):
        if answer.kind not in ("run", "search", "other"):
            continue
        found = [each for line in gone.lines(answer) if (each := MATCH.fullmatch(line))][:MATCHES]
        texts = [each["text"].strip() for each in found]
        for each, text in zip(found, texts, strict=True):
            if (
                not 16 <= len(text) <= 120
                or texts.count(text) > 1
                or not _found_still(gone, answer, each["path"], text)
            ):
                continue
            if (probe := _match(gone, answer.position, answer.label, each, text)) is not None:
                yield probe
                break


def _found_still(gone: Gone, answer: Answer, path: str, text: str) -> bool:
    """Whether a search's match holds: it was shown once by such a call, and its file has the line where it was."""
    return answer.alone and not gone.doubts.moved(path, text, answer.position)


def _match(gone: Gone, position: int, label: str, each: re.Match[str], text: str) -> Probe | None:
    path = each["path"]
    question = gone.ask("found", label=label, line=text)
    if apart(path, question):
        return Probe(
            kind="recall",
            question=question,
            answer=path,
            address=f"m{position}",
            difficulty="medium",
            also=(path.replace("\\", "/").rpartition("/")[2], f"{path}:{each['line']}"),
        )
    question = gone.ask("line_of", label=label, line=text, path=path)
    if len(each["line"]) > 1 and telling(each["line"], question):
        return Probe(kind="recall", question=question, answer=each["line"], address=f"m{position}", difficulty="hard")
    return None


def open_checks(gone: Gone) -> Iterator[Probe]:
    """The check that failed last and has not passed since."""
    checks = [failure for failure in unresolved(failures(gone.trail)) if failure.check]
    if checks and checks[-1].until < gone.cut and not _ran_since(gone, checks[-1]):
        yield from _open(gone, checks[-1])


def _ran_since(gone: Gone, failure: Failure) -> bool:
    """Whether a command that begins alike ran since, so that it is not plain what is open."""
    begins = _begins(failure.attempt.strip("`"))
    later = (deed for deed in gone.trail.deeds if deed.position > failure.position and deed.act.kind == "run")
    return any(_begins(normal_command(deed.act.command)) == begins for deed in later)


def _begins(command: str) -> str:
    return re.split(r"\s*(?:[|;]|&&|\d?>)", command, maxsplit=1)[0].strip()


def _open(gone: Gone, failure: Failure) -> Iterator[Probe]:
    command = failure.attempt.strip("`")
    question = gone.ask("open")
    if telling(command, question):
        yield Probe(
            kind="continuation", question=question, answer=command, address=f"m{failure.position}", difficulty="easy"
        )


def plans(gone: Gone) -> Iterator[Probe]:
    """What the newest task list has open."""
    plan = gone.trail.plan
    positions = [deed.position for deed in gone.trail.deeds if deed.act.kind == "plan" and not deed.act.failed]
    if not plan or not positions or positions[-1] >= gone.cut:
        return
    texts = [todo.text for todo in plan]
    doing = [todo.text for todo in plan if todo.status == "in_progress"]
    asked: list[tuple[str, str, str, Difficulty]] = []
    if len(doing) == 1:
        asked.append(("in_progress", "", doing[0], "easy"))
    for one, other in pairwise(plan):
        if other.status != "completed" and texts.count(one.text) == texts.count(other.text) == 1:
            asked.append(("after_item", one.text, other.text, "medium"))
    for form, line, answer, difficulty in asked:
        question = gone.ask(form, line=line)
        position = next((at for at in reversed(positions) if gone.says(at, answer)), 0)
        if telling(answer, question) and len(novel(answer, question)) > 1:
            yield Probe(
                kind="continuation",
                question=question,
                answer=answer,
                address=f"m{position}",
                difficulty=difficulty,
            )
