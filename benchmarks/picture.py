"""The picture of one compaction: `python -m benchmarks.picture [-o OUT] [--window N]`.

Drawn from a real run of the bundled demo session: the window just before and just after its last
compaction at soft. Every number is the receipt's, or the library's own count of a part; the parts
add up to the receipt's totals, else nothing is drawn.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from pathlib import Path

from context_kit import ContextManager, PostCompact, PreCompact
from context_kit.bridge import bridge_words
from context_kit.cli._play import session
from context_kit.cli._replay import replay
from context_kit.tokens import cost, counter
from context_kit.typing import Message
from context_kit.wire import read

PICTURE = Path(__file__).parents[1] / "docs" / "assets" / "window.svg"
WINDOW = 10_000

COUNT = counter(None)
LEFT, WIDTH, BAR, ROW = 40, 800, 46, 25
BEFORE_Y, AFTER_Y, LEGEND_Y = 100, 196, 312
FULL = LEFT + WIDTH + LEFT

STYLE = """
text { font: 14px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
.title { font-size: 17px; font-weight: 600 }
.quiet { fill: #59636e; font-size: 13px }
.in { fill: #ffffff; font-weight: 600 }
.card { fill: #ffffff; stroke: #d1d9e0 }
.track { fill: none; stroke: #d1d9e0 }
.band { fill: #bf8700; fill-opacity: .28 }
.same { fill: #1a7f37; fill-opacity: .13 }
.head { fill: #59636e } .old { fill: #a44a12 } .tail { fill: #1a7f37 } .bridge { fill: #6639ba }
.checkpoint { fill: #0a3069 } .goal { fill: #0969da } .engrams { fill: #8250df }
.summary { fill: #bf3989 } .journal { fill: #0a7b83 } .live { fill: #9a6700 } .system { fill: #59636e }
.notes { fill: #8c959f }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .quiet { fill: #9198a1 } .in { fill: #ffffff }
.card { fill: #0d1117; stroke: #3d444d } .track { stroke: #3d444d }
.band { fill: #d29922; fill-opacity: .34 } .same { fill: #3fb950; fill-opacity: .18 }
.head { fill: #656c76 } .checkpoint { fill: #1158c7 } .goal { fill: #1f6feb }
}
"""


@dataclass(frozen=True, slots=True)
class Part:
    """One stretch of a bar."""

    kind: str
    name: str
    tokens: int
    told: str = ""
    """What it holds, for the legend."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a compaction did, as the picture needs it."""

    id: str
    before: tuple[Part, ...]
    after: tuple[Part, ...]


class Watch:
    """Two hooks that look at the window just before and just after each compaction."""

    def __init__(self) -> None:
        self.ctx: ContextManager | None = None
        self.seen: list[Seen] = []
        self._window: list[Message] = []
        self._event: PreCompact | None = None

    def before(self, event: PreCompact) -> None:
        """Note the window that is about to be compacted."""
        if self.ctx is not None:
            self._window, self._event = self.ctx.messages, event

    def after(self, event: PostCompact) -> None:
        """Measure both windows, where a compaction at soft was applied and nothing was clipped in the tail."""
        receipt, was = event.receipt, self._event
        if self.ctx is None or was is None or (receipt.outcome, receipt.trigger) != ("applied", "soft"):
            return
        stays, leaves = len(receipt.kept), len(receipt.summarised)
        now = self.ctx.messages
        tail = _tokens(now[-stays:])
        leaving = _tokens(self._window[-stays - leaves : -stays])
        record = _tokens(self._window[: -stays - leaves])
        bridge = _tokens(now[:-stays])
        head = receipt.tokens_after - tail - bridge
        old = [Part("old", "messages that leave", leaving), Part("tail", "stays", tail)]
        earlier = [Part("bridge", "record before", record)] if record else []
        first = Part("head", "head", head, "system prompt and tools: never compacted")
        last = Part("tail", "tail", tail, f"the newest {stays} messages, the same bytes as before")
        before = (first, *earlier, *old)
        if _sum(before) == receipt.tokens_before:
            kept = Counter[str](engram.kind for engram in receipt.engrams)
            self.seen.append(Seen(receipt.id, before, (first, *_bridge(now[-stays - 1], bridge, kept), last)))


def _tokens(messages: Sequence[Message]) -> int:
    return sum(cost(read(message).messages[0], count=COUNT) for message in messages)


def _bridge(message: Message, whole: int, kept: Mapping[str, int]) -> list[Part]:
    """The sections of a bridge by its own headings; its title and what is no section of its own are notes."""
    kinds = _headings()
    found: dict[str, list[str]] = {kind: [] for kind in ("notes", *dict.fromkeys(kinds.values()))}
    kind = "notes"
    for line in str(message["content"]).split("\n"):
        kind = kinds.get(line, kind)
        found[kind].append(line)
    told = {
        "checkpoint": "what is in hand, what failed, what is next",
        "goal": "the user's first words",
        "engrams": "word for word: " + ", ".join(f"{number} {kind}" for kind, number in kept.items()),
        "summary": "the five other fields",
        "journal": "what was recorded since the record before",
        "live": "what the caller's functions say now",
        "system": "system messages that can't stand in front",
    }
    sizes = {kind: COUNT("\n".join(lines)) for kind, lines in found.items() if lines and kind in told}
    parts = [Part(kind, kind, tokens, told[kind]) for kind, tokens in sizes.items()]
    return [*parts, Part("notes", "frame", whole - sum(sizes.values()), "the title: a record, no instruction")]


def _headings() -> Mapping[str, str]:
    """Every heading of a bridge, in both languages, and the part that it begins."""
    kinds: dict[str, str] = {}
    for language in ("en", "zh"):
        words = bridge_words(language)
        kinds |= {words.in_hand: "checkpoint", words.system: "system", words.goal: "goal", words.kept: "engrams"}
        kinds |= dict.fromkeys((words.steps, words.files, words.decisions, words.failed, words.todo), "summary")
        kinds |= {words.journal: "journal", words.live: "live"}
    return kinds


def run(window: int) -> Seen:
    """The last compaction at soft of the demo session.

    Raises:
        LookupError: there was none in a window of this size.
    """
    transcript, watch = session(), Watch()
    tools = list(transcript.tools) if transcript.tools else None
    watch.ctx = ContextManager(
        window, system=transcript.system, tools=tools, pre_compact=watch.before, post_compact=watch.after
    )
    replay(watch.ctx, transcript)
    if not watch.seen:
        msg = f"no compaction at soft in a window of {window:,} tokens: try another --window"
        raise LookupError(msg)
    return watch.seen[-1]


# -- drawing -------------------------------------------------------------------


def draw(seen: Seen, window: int) -> str:
    """The picture as SVG text; the same run gives the same bytes."""
    height = LEGEND_Y + ROW * len(seen.after)
    edges = [at for at, part in _placed(seen.before, window) if part.kind == "tail"]
    body = [
        f'<rect class="card" x=".5" y=".5" width="{FULL - 1}" height="{height - 1}" rx="10"/>',
        _text(LEFT, 34, "One compaction of the demo session", "title"),
        _text(LEFT, 55, f"{seen.id}, at soft, in a window of {window:,} tokens; no model was asked", "quiet"),
        *_band(),
        _same(seen, edges[0], window),
        *_bar(seen.before, BEFORE_Y, window, "before"),
        *_bar(seen.after, AFTER_Y, window, "after"),
        *_legend(seen.after, window),
    ]
    title = f"The window before ({_sum(seen.before):,} tokens) and after ({_sum(seen.after):,}) one compaction"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {FULL} {height}" role="img" '
        f'aria-label="{escape(title)}">\n<title>{escape(title)}</title>\n<style>{STYLE}</style>\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )


def _sum(parts: Sequence[Part]) -> int:
    return sum(part.tokens for part in parts)


def _placed(parts: Sequence[Part], window: int) -> list[tuple[float, Part]]:
    """Each part with where it begins, in pixels."""
    starts = accumulate((part.tokens for part in parts), initial=0)
    return [(LEFT + WIDTH * start / window, part) for start, part in zip(starts, parts, strict=False)]


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _bar(parts: Sequence[Part], y: int, window: int, name: str) -> list[str]:
    whole = _sum(parts)
    out = [
        f'<rect class="track" x="{LEFT}" y="{y}" width="{WIDTH}" height="{BAR}"/>',
        _text(LEFT, y - 9, f"{name}: {whole:,} tokens, {100 * whole / window:.0f} % of the window"),
    ]
    for x, part in _placed(parts, window):
        width = WIDTH * part.tokens / window
        out.append(f'<rect class="{part.kind}" x="{x:.1f}" y="{y}" width="{max(width - 1, 0.5):.1f}" height="{BAR}"/>')
        if label := _label(part, width, short=name == "after"):
            out.append(_text(x + width / 2, y + BAR / 2 + 5, label, "in", "middle"))
    return out


def _label(part: Part, width: float, *, short: bool) -> str:
    """What has room inside a stretch, if anything."""
    choices = (f"{part.tokens:,}",) if short else (f"{part.name} {part.tokens:,}", part.name, f"{part.tokens:,}")
    return next((text for text in choices if 8.6 * len(text) + 6 <= width), "")


def _same(seen: Seen, left: float, window: int) -> str:
    """The tail is the same in both bars."""
    x, tail = next((x, part) for x, part in _placed(seen.after, window) if part.kind == "tail")
    width = WIDTH * tail.tokens / window
    top, bottom = BEFORE_Y + BAR, AFTER_Y
    points = f"{left:.1f},{top} {left + width:.1f},{top} {x + width:.1f},{bottom} {x:.1f},{bottom}"
    return f'<polygon class="same" points="{points}"/>'


def _band() -> list[str]:
    """The trigger band, 70 to 75 % of the window."""
    x, width = LEFT + 0.70 * WIDTH, 0.05 * WIDTH
    top = BEFORE_Y - 22
    return [
        f'<rect class="band" x="{x:.1f}" y="{top}" width="{width:.1f}" height="{AFTER_Y + BAR + 6 - top}"/>',
        _text(x + width / 2, top - 7, "70–75 %: compaction", "quiet", "middle"),
    ]


def _legend(parts: Sequence[Part], window: int) -> list[str]:
    out = [_text(LEFT, LEGEND_Y - 28, "What the model reads after it")]
    for index, part in enumerate(parts):
        y = LEGEND_Y + index * ROW
        out += [
            f'<rect class="{part.kind}" x="{LEFT}" y="{y - 12}" width="14" height="14" rx="3"/>',
            _text(LEFT + 24, y, part.name),
            _text(LEFT + 120, y, part.told, "quiet"),
            _text(LEFT + WIDTH - 70, y, f"{part.tokens:,} tokens", "", "end"),
            _text(LEFT + WIDTH, y, f"{100 * part.tokens / window:.1f} %", "quiet", "end"),
        ]
    return out


def main(argv: list[str] | None = None) -> int:
    """Run the session and write the picture."""
    parser = argparse.ArgumentParser(description="Draw one compaction of the demo session.")
    parser.add_argument("-o", "--output", type=Path, default=PICTURE)
    parser.add_argument("--window", type=int, default=WINDOW)
    args = parser.parse_args(argv)
    seen = run(args.window)
    args.output.write_text(draw(seen, args.window), "utf-8")
    for name, parts in (("before", seen.before), ("after", seen.after)):
        print(f"{seen.id} {name}: {_sum(parts):,} = " + ", ".join(f"{part.kind} {part.tokens:,}" for part in parts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
