"""What a real model remembers: `python -m benchmarks.probed_model --base-url URL [--quick] [--json OUT]`.

Shared transcripts are played up to their first compaction. The same recall checks are then put to a real model from
three windows: the library's record with its engrams (the summary in it made by code), the same with what failed put
back (repair), and a plain summary that the model itself wrote, of the size of that record. Three replicates with seeds
of their own; printed are the shares of right answers with their spread, smallest to largest.

Beside it attention dilution: the same facts, told by the user at the top, in the middle or at the end of a session, are
asked from the whole session and from the compacted one.

The server is `CONTEXT_KIT_MODEL_URL` or `--base-url`, OpenAI-compatible; `llm/start_llm.sh` of the shared folder starts
one. Nothing is a target here: what comes out is reported.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks._judge import count_tokens
from benchmarks._truth._pretenders import holds
from benchmarks._truth._window import strings
from benchmarks.real_model import URL, reachable
from benchmarks.transcripts import documents
from context_kit import ContextManager, Probe, ProbeRequest
from context_kit.probes import grade

WINDOW = 2_400
"""Tokens: a small model on one thread reads some dozens a second."""
K = 8
REPLICATES = 3
WARMTH = 0.4
"""Temperature: replicates differ by their seed."""
ANSWER = 60
"""Tokens of an answer."""
SESSION = 2_600
"""Tokens of the session in which facts are told."""
MOST_TEXT = 1_200
"""Characters of one text of a transcript."""
ASK = "{question}\n\nAnswer in one line, from the conversation above only. If it isn't there, answer: not known"
FACTS = (
    ("the staging port", "48213"),
    ("the owner of the billing module", "team-quokka"),
    ("the release branch", "rel/2031-saffron"),
    ("the feature flag of the new parser", "parser_v7_gate"),
    ("the ticket for the slow import", "OPS-90417"),
    ("the nightly build machine", "walrus-12"),
)
PLACES = ("top", "middle", "end")


def chosen(count: int, only: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """So many transcripts, smallest first, of more than two windows; long outputs clipped, as many agents do."""
    for document in documents():
        if only and not any(part in document["id"] for part in only):
            continue
        messages = [m for m in document["messages"] if m["role"] not in ("system", "developer")]
        messages = [_clipped(message) for message in messages]
        if count and sum(map(count_tokens, messages)) > 2 * WINDOW:
            count -= 1
            yield {**document, "messages": messages}


def _clipped(node: Any, key: str = "") -> Any:
    """A message whose texts are short; a call's arguments stay the JSON that they are."""
    if isinstance(node, dict):
        return {name: _clipped(value, name) for name, value in node.items()}
    if isinstance(node, list):
        return [_clipped(value) for value in node]
    if not isinstance(node, str) or len(node) <= MOST_TEXT or key == "arguments":
        return node
    return f"{node[: MOST_TEXT // 2]}\n[clipped]\n{node[-MOST_TEXT // 2 :]}"


@dataclass
class Local:
    """The model behind a server, asked in plain messages."""

    client: Any
    model: str
    seed: int
    spent: int = 0
    asked: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    """The message that asked each question, so that it is asked in the same words of every window."""

    def say(self, messages: Sequence[dict[str, Any]], most: int) -> str:
        """Its reply."""
        self.spent += 1
        reply = self.client.chat.completions.create(
            model=self.model, messages=plain(messages), max_tokens=most, temperature=WARMTH, seed=self.seed
        )
        return str(reply.choices[0].message.content or "")

    def __call__(self, request: ProbeRequest) -> str:
        """The answer to one question of a recall check."""
        messages = [dict(message) for message in request.messages]
        self.asked[request.question] = messages[-1]
        return self.say(messages, ANSWER) or "(nothing)"


def plain(messages: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    """Messages as plain turns: small models' templates know neither calls nor results."""
    out: list[dict[str, str]] = []
    for message in messages:
        role = message["role"] if message["role"] in ("system", "assistant") else "user"
        text = "\n".join(text for text in strings(message) if text.strip())
        if message["role"] == "tool":
            text = f"[tool output]\n{text}"
        if out and out[-1]["role"] == role:
            out[-1]["content"] += f"\n\n{text}"
        elif text:
            out.append({"role": role, "content": text})
    return out


# -- engrams and repair against a plain summary ------------------------------------------------


@dataclass
class Shares:
    """Answers of one window: right ones of those that the log has, honest ones of what never was."""

    right: int = 0
    of: int = 0
    stands: int = 0
    """Of these, answers that stand in the window: no model can know the others."""
    honest: int = 0
    distractors: int = 0
    tokens: int = 0
    """Of the window."""

    def add(self, other: Shares) -> None:
        """Count another one in."""
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class Found:
    """One transcript in one replicate."""

    id: str
    seed: int
    shares: dict[str, Shares] = field(default_factory=dict[str, Shares])
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list[str])


def compacted(document: dict[str, Any], window: int) -> ContextManager | None:
    """A session at its first compaction."""
    ctx = ContextManager(window)
    for index, message in enumerate(document["messages"]):
        if message["role"] == "assistant" and index:
            ctx.prepare()
            if any(receipt.outcome == "applied" for receipt in ctx.compactions):
                return ctx
        ctx.add(message)
    return None


def compared(document: dict[str, Any], local: Local, window: int, k: int) -> Found | None:
    """One transcript: the same probes from all three windows."""
    began = time.perf_counter()
    ctx = compacted(document, window)
    if ctx is None:
        return None
    row = Found(document["id"], local.seed)
    lean = ctx.messages
    report = ctx.probe(local, k=k, repair=True)
    again = {*report.right, *report.repaired}
    row.shares["engrams"] = _shares(report.probes, set(report.right), lean)
    row.shares["repaired"] = _shares(report.probes, again, ctx.messages)
    summarised = _plain_window(ctx, lean, local)
    right = {probe for probe in report.probes if _asked(probe, summarised, local)}
    row.shares["plain"] = _shares(report.probes, right, summarised)
    row.seconds = time.perf_counter() - began
    row.notes = [*ctx.compactions[-1].failures, *report.failures]
    return row


def _plain_window(ctx: ContextManager, lean: list[Any], local: Local) -> list[dict[str, Any]]:
    """The window with one plain summary in the record's place, written by the model, as long as the record."""
    receipt = ctx.compactions[-1]
    at = next(n for n, message in enumerate(lean) if "[context record" in str(message.get("content"))[:40])
    most = count_tokens(lean[at])
    old = [message for address in receipt.summarised for message in [_original(ctx, address)] if message]
    told = "\n\n".join(f"{message['role']}: {message['content']}" for message in plain(old))
    ask = (
        "Summarise this session of an agent so that it can go on with the work after everything else is gone: the "
        f"task, what was done, files, errors, decisions and what comes next. At most {int(0.7 * most)} words.\n\n{told}"
    )
    summary = local.say([{"role": "user", "content": ask}], most)
    text = f"[summary of the conversation so far]\n{summary}"
    return [*lean[:at], {"role": "user", "content": text}, *lean[at + 1 :]]


def _original(ctx: ContextManager, address: str) -> dict[str, Any] | None:
    found = ctx.recall(address)
    role = found[0].kind if found else ""
    return {"role": "assistant" if role == "assistant" else "user", "content": found[0].text} if found else None


def _asked(probe: Probe, window: list[dict[str, Any]], local: Local) -> bool:
    said = local.say([*window, local.asked[probe.question]], ANSWER)
    return grade(probe, said, has=lambda _: True) == "right"


def _shares(probes: Sequence[Probe], right: set[Probe], window: list[Any]) -> Shares:
    facts = [probe for probe in probes if not probe.distractor]
    return Shares(
        right=sum(probe in right for probe in facts),
        of=len(facts),
        stands=sum(holds("\n".join(strings(window)), probe.answer) for probe in facts),
        honest=sum(probe in right for probe in probes if probe.distractor),
        distractors=len(probes) - len(facts),
        tokens=count_tokens(window),
    )


# -- attention dilution ------------------------------------------------------------------------


def diluted(document: dict[str, Any], local: Local, window: int, session: int) -> dict[str, float]:
    """The share of facts that are answered, by where they were told and which window is asked."""
    found: dict[str, float] = {}
    for place in PLACES:
        messages = _told(document["messages"], place, session)
        whole, small = ContextManager(10 * session), ContextManager(window)
        for ctx in (whole, small):
            ctx.add(messages)
        small.compact()
        for name, shown in (("whole", whole.messages), ("compacted", small.messages)):
            right = sum(_knows(local, shown, what, value) for what, value in FACTS)
            found[f"{name} {place}"] = right / len(FACTS)
            found[f"{name} tokens"] = count_tokens(plain(shown))
    return found


def _told(messages: list[dict[str, Any]], place: str, session: int) -> list[dict[str, Any]]:
    """The beginning of a session, with the facts told in it by the user between two steps."""
    kept: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] == "assistant" and count_tokens(plain(kept)) > session:
            break
        kept.append(message)
    free = [n for n, message in enumerate(kept) if message["role"] == "assistant" and n > 1]
    at = {"top": free[0], "middle": free[len(free) // 2], "end": len(kept)}[place]
    facts = "Note for later: " + "; ".join(f"{what} is {value}" for what, value in FACTS) + "."
    return [*kept[:at], {"role": "user", "content": facts}, *kept[at:]]


def _knows(local: Local, window: list[dict[str, Any]], what: str, value: str) -> bool:
    question = ASK.format(question=f"What is {what}?")
    return holds(local.say([*window, {"role": "user", "content": question}], ANSWER), value)


# -- the run -----------------------------------------------------------------------------------


def spread(values: Sequence[float]) -> str:
    """Mean, and from smallest to largest."""
    if not values:
        return "none"
    return f"{sum(values) / len(values):6.1%}  ({min(values):.1%} to {max(values):.1%}, {len(values)} replicates)"


def _report(rows: Sequence[Found], dilution: Sequence[dict[str, float]]) -> dict[str, Any]:
    seeds = sorted({row.seed for row in rows})
    made: dict[str, Any] = {"windows": {}, "dilution": {}}
    for name in ("plain", "engrams", "repaired"):
        sums = {seed: Shares() for seed in seeds}
        for row in rows:
            sums[row.seed].add(row.shares[name])
        shares = [each.right / max(each.of, 1) for each in sums.values()]
        honest = [each.honest / max(each.distractors, 1) for each in sums.values()]
        stands = [each.stands / max(each.of, 1) for each in sums.values()]
        made["windows"][name] = {
            "right": shares,
            "stands": stands,
            "honest": honest,
            "sums": [vars(each) for each in sums.values()],
        }
        print(
            f"{name:9} right {spread(shares)}  stand there {spread(stands)}  honest of what never was {spread(honest)}"
        )
    for key in dilution[0] if dilution else ():
        values = [each[key] for each in dilution]
        made["dilution"][key] = values
        print(f"{key:18} {int(values[0]):,}" if key.endswith("tokens") else f"{key:18} {spread(values)}")
    return made


def main(argv: list[str] | None = None) -> int:
    """Play, ask, print; 0 also where there is no server."""
    parser = argparse.ArgumentParser(prog="benchmarks.probed_model", description=__doc__)
    parser.add_argument("--base-url", default=os.environ.get(URL), help=f"without /v1; by default {URL}")
    parser.add_argument("--model", default="local", help="what the server calls it")
    parser.add_argument("--transcripts", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=(), help="parts of transcripts' names")
    parser.add_argument("--part", choices=["windows", "dilution"], help="only one of the two")
    parser.add_argument("--quick", action="store_true", help="one transcript, one replicate, few questions")
    parser.add_argument("--json", type=Path, help="write the figures")
    args = parser.parse_args(argv)
    if not args.base_url or not reachable(args.base_url):
        print(f"skipped: no model server at {args.base_url or URL}: start one and give --base-url or {URL}")
        return 0
    import openai

    client = openai.OpenAI(base_url=f"{args.base_url}/v1", api_key="none", timeout=1_800.0)
    chosen_ones = list(chosen(1 if args.quick else args.transcripts, args.only))
    seeds = range(1, 2 if args.quick else REPLICATES + 1)
    k, session = (5, SESSION // 2) if args.quick else (K, SESSION)
    locals_ = [Local(client, args.model, seed) for seed in seeds]
    first = chosen_ones if args.part != "dilution" else []
    second = chosen_ones[:1] if args.part != "windows" else []
    rows = _each(first, locals_, lambda document, local: compared(document, local, WINDOW, k), "compared")
    dilution = _each(second, locals_, lambda d, local: diluted(d, local, WINDOW, session), "diluted")
    figures = _report(rows, dilution)
    print(f"{sum(local.spent for local in locals_)} requests")
    if args.json:
        kept = [{"id": row.id, "seed": row.seed, "seconds": row.seconds, "notes": row.notes} for row in rows]
        args.json.write_text(json.dumps({**figures, "rows": kept}, indent=1, ensure_ascii=False), "utf-8")
    return 0


def _each(
    documents: Sequence[dict[str, Any]],
    models: Sequence[Local],
    do: Callable[[dict[str, Any], Local], Any],
    name: str,
) -> list[Any]:
    """What comes of each document with each model, told as it goes; the same document in a row warms the cache."""
    found: list[Any] = []
    for document in documents:
        for local in models:
            made = do(document, local)
            if made is not None:
                found.append(made)
                print(f"{name} {document['id']} seed {local.seed}: {_line(made)}", flush=True)
    return found


def _line(made: Any) -> str:
    if isinstance(made, Found):
        shares = (
            f"{n} {s.right}/{s.of} right, {s.stands} stand there, {s.honest}/{s.distractors} honest, {s.tokens} tokens"
            for n, s in made.shares.items()
        )
        return f"{'; '.join(shares)}; {made.seconds:.0f} s"
    return "; ".join(f"{name} {value:.0%}" for name, value in made.items() if not name.endswith("tokens"))


if __name__ == "__main__":
    sys.exit(main())
