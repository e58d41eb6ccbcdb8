"""What the assistant offered and the person's newest words take up: options, a proposal, a plan, a question.

"The first one", "yes, go ahead", 方案二 mean nothing without it, and no tool result holds it. English and Chinese.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from context_kit._lazily import regex
from context_kit.engrams._deeds import Said
from context_kit.engrams._fragment import Fragment
from context_kit.engrams._sentences import sentences
from context_kit.engrams._trail import Trail

__all__ = ["offer", "offered"]

REFERS = regex(
    r"\b(?:options?|choices?|plans?|proposals?|suggestions?|recommendations?|alternatives?|list|summary|offer|quote|"
    r"flights?|items?|steps?|changes|approach|version|draft|ideas?|results?|ones?)\b.{0,24}\b(?:you|we|that|above|"
    r"from|earlier|listed|proposed|suggested|found|mentioned|described|showed|gave)\b|"
    r"\b(?:you|your) (?:just |have |had |'ve )?(?:found|proposed|suggested|offered|listed|mentioned|described|showed|"
    r"recommended?|recommendation|suggestion|proposal|plan|summary|list|outlined|quoted|gave)\b|"
    r"\b(?:the|that|this|your) (?:first|second|third|fourth|fifth|last|former|latter|other|cheapest|cheaper|"
    r"earliest|best|other) (?:one|option|choice|plan|approach|two|three)\b|\b(?:the|go with|take|pick|do|prefer) "
    r"(?:the )?(?:first|second|third|last|former|latter)\b|"
    r"\b(?:option|choice|plan|variant|approach|alternative|number|no\.?|step|#) ?(?:[0-9]{1,2}|[a-e]|one|two|three|"
    r"four)\b|^\W*(?:[0-9]{1,2}|[a-e])\W*$|"
    r"\b(?:both|all of (?:them|these|those|that)|neither|either|that one|this one|those|these changes?|that plan|"
    r"the changes|all (?:three|four|of it))\b|"
    r"(?:方案|选项|选择|办法|建议|计划|方法|第)[ \t]*(?:[0-9一二两三四五六七八九十ABCDabcd])|"
    r"第[一二三四五六七八九十][个种条项]|"
    r"(?:上面|前面|刚才|之前|你)(?:的|说的|给的|列的|提的|提出的|建议的|推荐的)|(?:这|那|前|后)(?:个|两个|几个|些)(?:方案|"
    r"选项|建议|改动|修改)|都(?:要|可以|行)|前者|后者|就(?:用|按|选)(?:这|那|你)",
    re.IGNORECASE,
)
"""Words that speak of what was laid out before."""
AGREES = regex(
    r"^\W*(?:yes|yep|yeah|yup|sure|ok(?:ay)?|fine|perfect|great|good|agreed|approved|confirmed?|correct|right|deal|"
    r"absolutely|definitely|exactly|alright|sounds (?:good|great|fine|right)|looks (?:good|great|fine|right)|lgtm|"
    r"go ahead|go for it|please (?:do|go ahead|proceed|continue)|proceed|do (?:it|that|so)|make it so|ship it|"
    r"no|nope|not (?:yet|now)|neither|let['’]s (?:do|go))\b|"
    r"\b(?:go ahead|please proceed|proceed with|do (?:it|that)|make (?:the|these|those) changes|i (?:confirm|agree|"
    r"accept|approve)|works for me|that works)\b|"
    r"^\W*(?:是的?|对|好的?|好吧|行|可以|没问题|同意|确认|嗯|就这样|继续|开始吧|按(?:你|这个|上面)|就按|不用?|不要|算了)",
    re.IGNORECASE,
)
"""Words that answer."""
OFFERS = regex(
    r"\b(?:options?|choices?|alternatives?|proposals?|proposed?|proposing|suggest\w*|recommend\w*|plan|would you "
    r"like|do you want|shall i|should i|which (?:one|of|option|would)|what would you|please (?:confirm|choose|select|"
    r"let me know)|let me know|i (?:can|could|found)|here(?:['’]s| is| are)|confirm\w*|summary)\b|[?？]\W*$|"
    r"方案|选项|建议|推荐|是否|要不要|请(?:您|你)?(?:确认|选择|告诉)|计划|可以(?:选择|考虑)|以下|如下",
    re.IGNORECASE | re.MULTILINE,
)
"""Words that lay something out."""
ITEM = regex(r"^[ \t]*(?:[-*+•][ \t]+|\|[ \t]*\S|\(?[0-9]{1,2}[.)、][ \t]*|[①-⑳])", re.MULTILINE)
ITEMS = 2
"""So many list items make a list."""
LONG = 4_000
"""Characters of a text that are looked at."""
PLAIN = 240
"""Characters of words that may only agree; longer ones say themselves what they are about."""
SHORT = 60
"""Characters of words that say little without the question before them."""
ASKS = regex(r"[?？][\s*_)）]*$")
LOOKED = 6
"""So many of the assistant's texts before the person's are looked at."""
ID = regex(
    r"(?<![\w./-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{2,}(?![\w/])|(?<![\w.])[$€£¥]?\d[\d,]*(?:\.\d+)?(?!\w)|"
    r"`[^`\n]{1,80}`|(?<![\w/])[\w.-]*/[\w./-]+\w"
)
"""Ids, prices, figures, code, paths: what can't be told from memory."""
LINES = 40
"""So many lines with an id of one offer are named."""


def offer(trail: Trail) -> Said | None:
    """The newest text of the assistant that the newest words of a person take up; None where they take up none."""
    if not trail.words:
        return None
    newest = trail.words[-1]
    before = (said for said in reversed(trail.statements) if said.position < newest.position)
    return trail.memo(("offer", newest.position), lambda: _found(newest.text, list(islice(before, LOOKED))))


def _found(words: str, before: Sequence[Said]) -> Said | None:
    if not before:
        return None
    refers = REFERS.search(words[:LONG]) is not None
    if refers and (found := next((said for said in before if _lists(said.text)), None)) is not None:
        return found
    last = before[0]
    answers = len(words) <= PLAIN and AGREES.search(words) is not None and _offers(last.text)
    told = len(words) <= SHORT and ASKS.search(last.text[-LONG:]) is not None
    return last if answers or told or (refers and _offers(last.text)) else None


def _offers(text: str) -> bool:
    return OFFERS.search(text[-LONG:]) is not None


def _lists(text: str) -> bool:
    """Whether a text lays several things out."""
    return sum(1 for _ in islice(ITEM.finditer(text), ITEMS)) == ITEMS and _offers(text)


def offered(trail: Trail, cut: int, redact: Callable[[str], str]) -> Iterator[Fragment]:
    """The offer as a fragment; the lines that hold ids survive a clip first."""
    said = offer(trail)
    if said is None or said.position >= cut:
        return
    text = trail.clean(said, redact).text
    yield Fragment(
        key=f"offer m{said.position}",
        kind="promoted",
        text=text,
        label=f"m{trail.words[-1].position}",
        source=f"m{said.position}",
        position=said.position,
        must=tuple(_named(text)),
        answered=True,
    )


def _named(text: str) -> list[str]:
    """The sentences that name something by an id, those with more of them first in worth, in their own order."""
    told = list(dict.fromkeys(sentences(text)))
    weights = {line: len(set(ID.findall(line))) for line in told}
    best = sorted((line for line in told if weights[line]), key=lambda line: -weights[line])[:LINES]
    return [line for line in told if line in best]
