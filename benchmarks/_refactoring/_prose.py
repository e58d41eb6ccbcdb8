"""A free-form summary as a plain agent gets one: a text of a bounded length, in no fields.

The goal in brief, what was done, how it stands. What was done is chosen by SumBasic (Nenkova and
Vanderwende, 2005): the sentences with the most frequent words, each word worth less once it was
used. The sentences are the session's own, word for word, which is more than a model's prose keeps;
an earlier summary is one of the texts that are summarised.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from benchmarks._judge import count_tokens

__all__ = ["ASKED", "Prose", "plain", "prose"]

Prose = Callable[[Sequence[Mapping[str, Any]], int], str]
"""Messages and the most tokens to a summary."""
ASKED: Final = "The user asked: "
GOAL: Final = 4
"""The goal may take one part in so many."""
LONGEST: Final = 300
"""Characters of a sentence; a longer one is data."""
WORD: Final = re.compile(r"[^\W\d_]{3,}|[\u4e00-\u9fff]")
SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
ENDED: Final = re.compile(r"[\w.]*(?:Error|Exception)\b.*|(?:FAILED|OK|Ran \d+ tests?)\b.*")
"""Lines of an output that tell how it went."""
VERBS: Final = {"read_file": "I read", "write_file": "I wrote", "edit_file": "I edited", "bash": "I ran"}


def prose(messages: Sequence[Mapping[str, Any]], limit: int) -> str:
    """A summary of messages within `limit` tokens."""
    told = [sentence for message in messages for sentence in _told(message)]
    goal = _head(next(iter(_asked(messages)), ()), limit // GOAL)
    last = next((sentence for sentence in reversed(told) if sentence not in goal), "")
    room = limit - count_tokens("\n".join([ASKED, *goal, last])) - 8
    chosen = _chosen([sentence for sentence in dict.fromkeys(told) if sentence not in (*goal, last)], room)
    return "\n".join([ASKED + "\n".join(goal), *chosen, *([last] if last else [])])


def plain(messages: Sequence[Mapping[str, Any]]) -> str:
    """Messages as text, for a model that is to summarise them."""
    return "\n\n".join(f"{message['role']}: {_whole(message)}" for message in messages)


def _whole(message: Mapping[str, Any]) -> str:
    return "\n".join([str(message.get("content") or ""), *_calls(message)])


def _calls(message: Mapping[str, Any]) -> Iterator[str]:
    for call in message.get("tool_calls") or ():
        arguments = json.loads(call["function"]["arguments"])
        what = arguments.get("command") or arguments.get("path") or ""
        yield f"{VERBS.get(call['function']['name'], 'I called')} {what}."


def _asked(messages: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    """What a person said, message by message; an earlier summary is one of these."""
    for message in messages:
        if message["role"] == "user":
            yield _sentences(_said(message))


def _said(message: Mapping[str, Any]) -> str:
    """A message's own words, without the line that introduces a summary."""
    text = str(message.get("content") or "")
    return text.partition(ASKED)[2] or text


def _told(message: Mapping[str, Any]) -> Iterator[str]:
    """The sentences of one message; of an output how it went."""
    if message["role"] == "tool":
        lines = (line.strip() for line in _said(message).splitlines())
        yield from (line for line in lines if len(line) <= LONGEST and ENDED.fullmatch(line))
        return
    yield from _sentences(_said(message))
    yield from _calls(message)


def _sentences(text: str) -> list[str]:
    found = (part.strip() for part in SENTENCE.split(text))
    return [part for part in found if part and len(part) <= LONGEST]


def _head(sentences: Sequence[str], room: int) -> list[str]:
    """The first sentences that have room."""
    found: list[str] = []
    for sentence in sentences:
        room -= count_tokens(sentence) + 1
        if room < 0:
            break
        found.append(sentence)
    return found


def _chosen(sentences: Sequence[str], room: int) -> list[str]:
    """As many sentences as have room, by SumBasic, in their own order."""
    words = [WORD.findall(sentence.lower()) for sentence in sentences]
    counts = Counter(word for each in words for word in each)
    whole = sum(counts.values()) or 1
    weight = {word: count / whole for word, count in counts.items()}
    left, kept = {at for at, each in enumerate(words) if each}, list[int]()
    while left:
        best = max(left, key=lambda at: (sum(weight[word] for word in words[at]) / len(words[at]), at))
        left.remove(best)
        size = count_tokens(sentences[best]) + 1
        if size > room:
            continue
        room -= size
        kept.append(best)
        for word in set(words[best]):
            weight[word] **= 2
    return [sentences[at] for at in sorted(kept)]
