"""How a record of another session is shown: what it is, from which session, how old, and its words as data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Final

from context_kit._topic import Remembered
from context_kit.bridge import BridgeWords, Line, bridge_words
from context_kit.engrams import neutral
from context_kit.memory._journal._memory import record_line
from context_kit.types import Record

__all__ = ["aged", "declares", "shown"]

LINES: Final = 12
"""Lines up to which a declaration is shown whole."""
UNITS: Final = ((60, 60, "minute", "分钟"), (3_600, 24, "hour", "小时"), (86_400, 60, "day", "天"))
"""Up to so many seconds each; how many of them are told; their names."""
MONTH: Final = 30 * 86_400


def shown(records: Sequence[Record], language: str, *, brief: Collection[str] = ()) -> tuple[Remembered, ...]:
    """The records, each in a line or a fence; ages count to this moment.

    Args:
        records: most important first.
        language: of the session.
        brief: ids of declarations that are told by their signature alone.
    """
    page = _Page(bridge_words(language), language, datetime.now(timezone.utc), frozenset(brief))
    decided = frozenset(record.reason for record in records if record.action == "decide")
    return tuple(page.remembered(record, decided) for record in records)


def declares(record: Record) -> bool:
    """Whether a record is of one declaration by name; a contract in a caller's own words is none."""
    return record.action == "contract" and bool(record.name)


@dataclass(frozen=True, slots=True)
class _Page:
    """In which language, and when."""

    words: BridgeWords
    language: str
    now: datetime
    brief: frozenset[str]

    def remembered(self, record: Record, decided: frozenset[str]) -> Remembered:
        """One record; a reason that a decision tells is not told again."""
        tell, says = self._by_action(record)
        why = record.reason if record.reason not in decided else ""
        return Remembered(
            id=record.id,
            line=self._declared(record) if declares(record) else Line(body=f"- {tell(record, why)}"),
            says=says,
            action=record.action,
            file=record.file,
            name=record.name,
        )

    def _by_action(self, record: Record) -> tuple[Callable[[Record, str], str], str]:
        """How the rest is told, and what of it are the words themselves."""
        told: Mapping[str, tuple[Callable[[Record, str], str], str]] = {
            "pitfall": (self._pitfall, record.error),
            "decide": (self._words, record.reason),
            "constraint": (self._words, record.reason),
            "contract": (self._words, record.result if declares(record) else record.reason),
        }
        return told.get(record.action, (self._step, record.reason or record_line(record)))

    def _place(self, record: Record) -> str:
        source = f"{record.session or '?'}{f'/{record.agent}' if record.agent else ''}"
        return f"({_one(source)}, {aged(record.ts, self.now, self.language)})"

    def _declared(self, record: Record) -> Line:
        """A declaration under its file; a long one by its signature and where the rest is."""
        whole, begin = record.result, signature(record.result)
        short = f'{begin}\n… {self.words.whole} recall("{record.id}")' if begin != whole else ""
        long = record.id in self.brief or len(whole.splitlines()) > LINES
        return Line(
            head=f"- {self.words.contract} {_one(record.file)} {self._place(record)}:",
            body=short if short and long else whole,
            short="" if long else short,
            order=tuple(record.name.split(".")),
            path=record.file,
        )

    def _pitfall(self, record: Record, why: str) -> str:
        change = f"{self.words.cured} {_one(record.result)}" if record.result else ""
        cured = " · ".join(filter(None, (change, _one(why))))
        return f"{self.words.pitfall} {self._place(record)}: `{_one(record.cmd)}` → {_one(record.error)} · {cured}"

    def _words(self, record: Record, _: str) -> str:
        kinds = {"decide": self.words.decided, "constraint": self.words.rule, "contract": self.words.contract}
        file = record.file if record.action == "contract" else ""
        head = " ".join(filter(None, (kinds[record.action], _one(file), self._place(record))))
        was = f" · {self.words.taken_back} {_one(record.was)}" if record.action == "decide" and record.was else ""
        return f"{head}: {_one(f'{record.reason} {record.result} {record.error}')}{was}"

    def _step(self, record: Record, _: str) -> str:
        return f"{self._place(record)}: {_one(record_line(record))}"


def signature(text: str) -> str:
    """The first line of a declaration; where its parameters reach further, the lines up to their end."""
    lines = text.splitlines()
    for count in range(1, min(len(lines), LINES) + 1):
        begin = "\n".join(lines[:count])
        if begin.count("(") == begin.count(")"):
            return begin
    return lines[0] if lines else ""


def _one(text: str) -> str:
    return neutral(" ".join(text.split()))


def aged(ts: str, now: datetime, language: str) -> str:
    """How long ago a time was, in words; what is no time is told as it stands."""
    try:
        then = datetime.fromisoformat(ts.replace("Z", "+00:00"))
        seconds = (now - (then if then.tzinfo else then.replace(tzinfo=timezone.utc))).total_seconds()
    except (ValueError, TypeError):
        return _one(ts) or "?"
    if seconds < UNITS[0][0]:
        return "刚刚" if language == "zh" else "just now"
    for size, most, english, chinese in UNITS:
        count = int(seconds // size)
        if count < most:
            return f"{count} {chinese}前" if language == "zh" else f"{count} {english}{'s' * (count > 1)} ago"
    count = int(seconds // MONTH)
    return f"{count} 个月前" if language == "zh" else f"{count} months ago"
