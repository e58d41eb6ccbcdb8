"""A real model in the loop: `python -m benchmarks.real_model --base-url URL [--api chat|messages] [--json OUT]`.

Plays shared transcripts up to the first compaction that asks the summariser: a model behind an OpenAI- or
Anthropic-compatible server. Printed for each: how many of its replies were JSON with the six fields, the coverage, how
many names in them the transcript never mentions, before and after the library's check, and the seconds. A small model
writes nonsense at times: the window has to be true all the same, and that is judged too.

The server is `CONTEXT_KIT_MODEL_URL` or `--base-url`; `llm/start_llm.sh` of the shared folder starts one. No key is
read: loopback servers want none.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks._judge import count_tokens
from benchmarks.transcripts import documents
from context_kit import (
    LLM,
    Compaction,
    ContextManager,
    SummaryError,
    SummaryReply,
    SummaryRequest,
    TaskSummary,
    from_anthropic,
    from_openai,
)
from context_kit.summary import parse

WINDOW = 6_000
LEAST = 8_000
"""Tokens that a transcript has at least, so that it is compacted."""
URL = "CONTEXT_KIT_MODEL_URL"
NAME = re.compile(r"[\w./-]*(?:/|\.|_)[\w./-]*\w|\b[a-z]+[A-Z]\w+|\b(?:[A-Z][a-z]+){2,}\b|\b\w*\d\w*\b")
"""Paths, dotted and snake-case names, camel case, and words with figures."""
ADDRESS = re.compile(r"[mc]\d+")
"""What the library itself adds: the address of a message or a compaction."""


@dataclass
class Row:
    """One transcript."""

    id: str
    requests: int = 0
    valid: int = 0
    """Replies that were JSON with the six fields."""
    summariser: str = ""
    coverage: float = 0.0
    invented: list[str] = field(default_factory=list[str])
    """Names in the model's replies that the transcript never mentions."""
    invented_after: list[str] = field(default_factory=list[str])
    """The same of the record that the library kept."""
    seconds: float = 0.0
    tokens: int = 0
    """Largest list that was sent, by an independent count."""
    failures: list[str] = field(default_factory=list[str])


@dataclass
class Heard:
    """A summariser and what it said."""

    llm: Any
    replies: list[str] = field(default_factory=list[str])

    def __call__(self, request: SummaryRequest) -> SummaryReply:
        """The summariser's reply, noted."""
        reply: SummaryReply = self.llm(request)
        self.replies.append(reply.text)
        return reply


def reachable(url: str) -> bool:
    """Whether a server answers there."""
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=5):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def summariser(url: str, api: str, model: str) -> LLM:
    """The adapter on a client of the SDK."""
    slow: dict[str, Any] = {"deadline": 1_800.0, "timeout": 900.0, "attempts": 2}
    if api == "messages":
        import anthropic

        return from_anthropic(anthropic.Anthropic(base_url=url, api_key="none"), model, **slow)
    import openai

    client = openai.OpenAI(base_url=f"{url}/v1", api_key="none")
    return from_openai(client, model, api="responses" if api == "responses" else "chat", **slow)


def chosen(count: int, only: str | None = None) -> Iterator[dict[str, Any]]:
    """So many transcripts, smallest first, without system messages and large enough to be compacted."""
    for document in documents(only):
        messages = [message for message in document["messages"] if message["role"] not in ("system", "developer")]
        if count and count_tokens(messages) > LEAST:
            count -= 1
            yield {**document, "messages": messages}


def play(document: dict[str, Any], llm: LLM) -> Row:
    """Feed one transcript until its first compaction in which there was something to summarise."""
    row, heard = Row(document["id"]), Heard(llm)
    ctx = ContextManager(WINDOW, llm=heard)
    began, told = time.perf_counter(), ""
    for index, message in enumerate(document["messages"]):
        if message["role"] == "assistant" and index:
            window = ctx.prepare()
            row.tokens = max(row.tokens, count_tokens(window))
            if heard.replies:
                break
        ctx.add(message)
        told += "\n".join(_strings(message)) + "\n"
    row.seconds = time.perf_counter() - began
    if ctx.compactions:
        _judge(row, ctx.compactions[-1], heard.replies, told)
    return row


def _judge(row: Row, receipt: Compaction, replies: list[str], told: str) -> None:
    row.requests, row.summariser, row.coverage = len(replies), receipt.summariser, receipt.coverage
    row.failures = list(receipt.failures)
    records = [found for text in replies if (found := _parsed(text)) is not None]
    row.valid = sum(_is_json(text) for text in replies)
    row.invented = sorted({name for record in records for name in _names(record) if name not in told})
    if receipt.summary is not None:
        kept = {name for name in _names(receipt.summary) if not ADDRESS.fullmatch(name)}
        row.invented_after = sorted(name for name in kept if name not in told)


def _parsed(text: str) -> TaskSummary | None:
    try:
        return parse(text)
    except SummaryError:
        return None


def _is_json(text: str) -> bool:
    try:
        found = json.loads(text)
    except ValueError:
        return False
    return isinstance(found, dict) and set(TaskSummary.model_fields) <= found.keys()


def _names(record: TaskSummary) -> set[str]:
    """Names in the fields that a model writes; the goal is code's."""
    words = json.dumps(record.model_dump(exclude={"original_goal"}), ensure_ascii=False)
    return {name.strip(".-/") for text in _strings(json.loads(words)) for name in NAME.findall(text)} - {""}


def _strings(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, (dict, list)):
        for inner in node.values() if isinstance(node, dict) else node:
            yield from _strings(inner)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.real_model", description=__doc__)
    parser.add_argument("--base-url", default=os.environ.get(URL), help=f"without /v1; by default {URL}")
    parser.add_argument("--api", choices=["chat", "responses", "messages"], default="chat")
    parser.add_argument("--model", default="local", help="what the server calls it")
    parser.add_argument("--transcripts", type=int, default=6)
    parser.add_argument("--only", help="part of a transcript's name")
    parser.add_argument("--json", type=Path, help="write the rows")
    args = parser.parse_args(argv)
    if not args.base_url or not reachable(args.base_url):
        print(f"skipped: no model server at {args.base_url or URL}: start one and give --base-url or {URL}")
        return 0
    rows: list[Row] = []
    print(f"{'transcript':24} replies  valid  by          coverage  invented  after  tokens  seconds")
    llm = summariser(args.base_url, args.api, args.model)
    for document in chosen(args.transcripts, args.only):
        row = play(document, llm)
        rows.append(row)
        names = f"{len(row.invented):8}  {len(row.invented_after):5}"
        print(
            f"{row.id:24} {row.requests:7}  {row.valid:5}  {row.summariser:10}  {row.coverage:8.0%}  {names}"
            f"  {row.tokens:6}  {row.seconds:7.1f}",
            flush=True,
        )
        for failure in row.failures:
            print(f"{'':24} {failure[:150]}", flush=True)
    if args.json:
        args.json.write_text(json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False), "utf-8")
    return 1 if any(row.tokens > WINDOW for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
