"""What the assistant told of its work, as a step: something done or found, said in so many words.

A heading is no step, but what it heads may be one. A condition ("only if one of these applies: …"), a question, a
greeting and an intention tell of nothing that happened.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from context_kit._lazily import regex
from context_kit.engrams._constraints import is_prose
from context_kit.engrams._sentences import sentences
from context_kit.summary._line import LINE, first_line
from context_kit.summary._statements import findings, intent

__all__ = ["problem", "told"]

TELLING = 16
"""Letters of a line that says something, a Han character for two: "Got it." doesn't."""
MARKUP = ("<", "#", "---", "===", "```", "|")
"""Beginnings of lines that only divide or frame a text."""
TITLE = 80
"""Characters of a heading."""
BOLD = regex(r"[ \t]*(?:[-*+•] |[0-9]{1,2}[.)] )?(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__)\W*")
"""A line that is all bold: a heading."""
LEADS = regex(
    r"\b(?:if|unless|requires?|provided that|conditions?|criteria|eligib\w+|qualif\w+|only (?:if|when|for)|"
    r"(?:one|any|all) of (?:the |these)|(?:these|following) cases|needs?|please|provide|would you|could you|options?|"
    r"propos\w+|suggest\w+|recommend\w*)\b|如果|除非|条件|满足|前提|以下情况|只有|才(?:能|可)|请|需要|提供|方案|建议",
    re.IGNORECASE,
)
"""A line that makes the list below it one of conditions, wishes or proposals."""
ITEM = regex(
    r"[ \t]*(?:[-*+•·–—][ \t]+|\(?[0-9]{1,3}[.)][ \t]+|[0-9]{1,3}[、．]|[（(][0-9一二三四五六七八九十]{1,3}[）)]|[①-⑳])"
)
HYPOTHETIC = regex(
    r"^\W*(?:if|unless|only if|only when|provided|in case|assuming)\b.{0,200}\b(?:you|your|customers?|users?|members?|"
    r"passengers?|eligible|allowed|permitted)\b|\b(?:only if|only when|unless|provided that)\b|"
    r"^\W*(?:如果|若|除非|只有|假如|一旦).{0,200}(?:您|你|用户|客户|才能|可以)|(?:只有|除非)[^。]{1,80}才",
    re.IGNORECASE,
)
"""A sentence that holds under a condition only."""
GREETS = regex(
    r"^\W*(?:(?:hi|hello|hey|thanks?|thank you|you['’]re welcome|welcome|good (?:morning|afternoon|evening)|"
    r"i(?:['’]d| would) be (?:happy|glad)|i(?:['’]m| am) (?:happy|glad|here)|(?:happy|glad) to help|how (?:can|may) i|"
    r"i appreciate|i understand (?:your|that you|how|the)|let me know|feel free|if you (?:need|have) any|is there "
    r"anything)\b.*|(?:\w+[ ,]*){0,1}(?:sure|of course|perfect|great|certainly|absolutely|no problem|got it|understood|"
    r"i (?:see|understand)|excellent|okay|ok|good)\W*|"
    r"(?:您好|你好|谢谢|感谢|不客气|很高兴|好的|当然|明白了?|没问题).{0,16})$",
    re.IGNORECASE | re.DOTALL,
)
"""A sentence that is polite and nothing more."""
OPENS = regex(
    r"\W*(?:let me|let['’]s|here(?:['’]s| is| are) (?:what|how|why)|to summari[sz]e|so)\b|让我|下面|以下是",
    re.IGNORECASE,
)
"""How a line begins that only leads over to what comes below it."""
WRONG = regex(
    r"[\w-]\.[a-z]{1,5}:\d+\b|^\W*(?:problem|issue|bug|pitfall|caveat)s?\b|^\W*问题|\bleaks?\b|"
    r"\b(?:the|a|one|another) (?:\w+ )?(?:problem|issue|bug|culprit)\b|"
    r"\b(?:is|are) (?:never|not|broken|wrong|missing)\b",
    re.IGNORECASE,
)
DONE = regex(
    r"\b(?:fixed|added|changed|done|pass(?:es|ed)?|completed?|works|implemented|replaced|removed|rewrote|moved|wrote|"
    r"created|updated|solved|decid\w+|cho[os]se\w*|rejected|because|so)\b|完成|已|修复|修好|通过|成功|决定|采用|改用",
    re.IGNORECASE,
)
"""What makes a line that speaks of a problem more than a finding: something was done, or decided, about it."""
ASKING = regex(r"[?？][\"'”’」）)*_\s]*$")


def told(text: str) -> tuple[str, ...]:
    """The sentences that tell a finding; where there is none, the first line that tells something done."""
    under = _conditions(text)

    def stands(line: str) -> bool:
        return not (HYPOTHETIC.search(line) or any(line in each for each in under))

    found = [each for each in _headed(findings(text), text) if stands(each)]
    return tuple(dict.fromkeys(found)) or _spoken(text, under)


def problem(line: str) -> bool:
    """Whether a line only tells what is wrong, and nothing that was done about it."""
    return WRONG.search(line) is not None and DONE.search(line) is None


def _headed(found: Sequence[str], text: str) -> list[str]:
    """Findings, with what stands below a heading in its place."""
    if not any(map(_heading, found)):
        return list(found)
    every = sentences(text)
    below = dict(pairwise(every))
    shown = (below.get(each, "") if _heading(each) else each for each in found)
    return [each for each in shown if each and not _heading(each) and not ASKING.search(each)]


def _heading(line: str) -> bool:
    """Whether a line only names what comes below it."""
    if len(line) > TITLE:
        return False
    return line.rstrip("*_ \t").endswith((":", "：")) or BOLD.fullmatch(line) is not None


def _conditions(text: str) -> list[str]:
    """The list items that stand below a line which makes them conditions."""
    found: list[str] = []
    lead = False
    for line in text.splitlines():
        if not line.strip():
            continue
        if ITEM.match(line) is None:
            lead = line.rstrip("*_ \t").endswith((":", "：")) and LEADS.search(line) is not None
        elif lead:
            found.append(line)
    return found


def _spoken(text: str, under: Sequence[str]) -> tuple[str, ...]:
    """The first line of what was said that tells something done or found, no intention."""
    led = False
    for line in text.splitlines():
        bare = line.strip()
        if not bare or bare.startswith(MARKUP) or BOLD.fullmatch(bare) or line in under or (led and ITEM.match(line)):
            led = led or bool(bare)
            continue
        led = True
        bare = _plain(bare)
        if bare.endswith((":", "：")):
            bare = "" if LEADS.search(bare) or OPENS.match(bare) else _listed(text, bare)
        letters = sum(char.isalpha() + (char > "\u2e80") for char in bare[:LINE])
        if letters >= TELLING and is_prose(bare) and not intent(bare) and not HYPOTHETIC.search(bare):
            return (first_line(bare),)
    return ()


def _plain(line: str) -> str:
    """A line from the first sentence that is not merely polite up to the first question."""
    start, end = -1, len(line)
    at = 0
    for sentence in sentences(line):
        at = line.index(sentence, at)
        if ASKING.search(sentence):
            if start >= 0:
                end = at
                break
        elif start < 0 and not GREETS.match(sentence):
            start = at
        at += len(sentence)
    return line[start:end].strip() if start >= 0 else ""


def _listed(text: str, line: str) -> str:
    """A line that announces a list, with the list behind it, in one line; nothing where nothing is behind it."""
    after = [each.strip() for each in text[text.index(line) :].splitlines() if each.strip()]
    return " ".join(after) if len(after) > 1 else ""
