"""Whether an answer says that it doesn't know, and what it claims all the same.

A disclaimer is honest only by itself: "I'm not sure, but it was X" claims X, and X is what is judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from context_kit._lazily import regex
from context_kit.probes._unknown import LOOK, QUOTED_VALUE, UNKNOWN, simplified

__all__ = ["Clause", "clauses", "disclaims"]

_HEDGE = (
    r"\b(?:maybe|probably|perhaps|possibly|likely|presumably)\b|"
    r"\bi (?:think|believe|guess|suppose|suspect|assume|imagine|would (?:say|guess)|seem to (?:recall|remember))\b|"
    r"\bi['’]d (?:say|guess|bet|go (?:with|for)|pick)\b|\bmy (?:best )?guess\b|\b(?:best|educated) guess\b|"
    r"\bsomething like\b|"
    r"\b(?:it|that|this) (?:might|could|may|must|should|would)\b|\bif i (?:recall|remember)\b|"
    r"可能|大概|也许|应该是|估计|我猜|我觉得|我认为|好像|似乎|或许|多半|印象中|想必"
)
_TURN = (
    r"\b(?:but|however|though|although|still|yet|nevertheless|that said|anyway|even so|except)\b|"
    r"但|不过|然而|只是|虽然|尽管|即便"
)
BESIDE = r"\s(?=\()|\s-{1,2}\s|,\s(?=whose\b|(?:i|we) (?:don|can|do not|cannot)\b)"
"""Where a remark begins."""
SPLIT = regex(
    rf"({BESIDE}|[.!?;](?=\s|\Z)|[;；。！？\n]+|,\s*(?={_TURN})|(?={_TURN})|(?={_HEDGE}))",
    re.IGNORECASE,
)
ADDED = regex(rf"\A\W*(?:{_TURN}|{_HEDGE}|and\b)", re.IGNORECASE)
HEDGED = regex(_HEDGE, re.IGNORECASE)
MENTION = regex(
    r"\b(?:i (?:can |do )?see|only|merely|mentions?|mentioned|refers?|shows?|lists?|contains?|covers?|"
    r"speaks? of|talks? about|"
    r"summari[sz]es|has just|have just|asked|question)\b|只|仅|提到|提及|记录中有|记录里有|显示|问题",
    re.IGNORECASE,
)
"""What is only pointed at, and not given as the answer."""
OFFER = regex(
    rf"(?:\b(?:i|we|you|me|please|happy to)\b|['’](?:d|ll))(?:\W+\w+){{0,4}}?\W+{LOOK}|\b(?:sorry|apolog)|"
    r"\b(?:in|from|of) (?:an?|the|some) (?:earlier|older|previous) (?:message|part|step|turn|output)s?\b|"
    r"(?:可以|需要|请|如果|要|得|能|应该)\S{0,6}(?:查|看|读|找|搜|确认|取回)|抱歉|对不起|编造",
    re.IGNORECASE,
)
"""What offers to find out, or is polite."""
REMEMBERS = regex(
    r"\b(?:i|we) (?:do |still |clearly |just |only )?(?:recall|remember)\b|我(?:还|只)?记得", re.IGNORECASE
)
"""What claims to know."""
CONCEDES = regex(r"\A\W*(?:while|although|though|even (?:if|though)|虽然|尽管|虽)", re.IGNORECASE)
STATED = regex(
    r"\b(?:(?:it|that|this|the \w+|which)\s+(?:was|is|were|(?:might|may|could|should|must|would) (?:be|have been))|"
    r"(?:it|that)['’]s)\b"
    r"(?!\s+(?:possible|best|better|necessary|not|never|nowhere|no|in|gone|lost|unknown|unclear|dropped|summari[sz]ed|"
    r"compacted|evicted|trimmed|removed|left|cut|outside|before|beyond|part|too|all|as|only|just|fine|ok|hard)\b)\W*\w|"
    r"(?:就|应该|可能|大概|好像|似乎)是\W*\w",
    re.IGNORECASE,
)
"""What gives a value, whatever it is."""
QUOTE = regex(r"`[^`\n]+`|\"[^\"\n]+\"|(?<!\w)'[^'\n]+'(?!\w)")
"""Somebody else's words: what they don't know is theirs, ..."""
NO_ANSWER = regex(
    r"\W*(?:not (?:known|stated|mentioned|recorded|available)|unknown|n/a|none|null|i (?:do not|don['’]?t) know|"
    r"不知道|未知|不清楚|没有记录)\W*",
    re.IGNORECASE,
)
"""... unless that is all they say."""
PARTIAL = regex(
    r"\b(?:say|know|state|record|tell|explain|mention|give|recall|remember|sure|known|stated|recorded|given)\s+"
    r"(?:exactly |precisely )?(?:why|when|more|any(?:thing)? (?:more|further|else)|the reason)\b|\A\W*whose\b|"
    r"(?:不知道|没说|未说明|没写|不清楚)(?:为什么|原因|更多|其他)",
    re.IGNORECASE,
)
"""What leaves open a further thing only, ..."""
REASON = regex(r"\breason\b|\bwhy\b|理由|为什么", re.IGNORECASE)
"""... unless that is what was asked."""
PREAMBLE = regex(
    r"\A\W*(?:(?:i|we)\b['’\w]*\W+(?:have |had |can |could |did |only )?"
    r"(?:look|check|search|went|go|read|see|saw|tr)\w*|"
    r"let me|hm+|well|ok(?:ay)?|sure|honestly|yes|no|thanks?|good)\b|\A\W*(?:我(?:看|查|找|读)|让我|好的?)",
    re.IGNORECASE,
)
"""What is said before an answer, and claims nothing."""
UNSURE = regex(
    r"\A\W*(?:(?:i['’]?m |i am )?not (?:\w+ |100% )?(?:sure|certain)|unsure|hard to (?:say|tell)|difficult to say|"
    r"(?:i )?(?:do not|don['’]?t) (?:know|remember|recall) (?:exactly|precisely|for (?:sure|certain))|"
    r"不(?:太|是很)?确定|难说|说不准)\W*\Z",
    re.IGNORECASE,
)
"""What only doubts: what stands behind it is the answer."""
FIGURE = regex(r"\A\W*\d|`")
AN_ERROR = regex(r"\W*[A-Za-z]\w*(?:Error|Exception)\b\W*[:：]")
CONTENT = regex(r"[A-Za-z][\w'-]{2,}|[\u3400-\u9fff]")
LEAST = 2
"""Words that a claim has at least."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of an answer that stands for itself."""

    text: str
    disclaimed: bool
    """It says that something isn't known."""
    partial: bool
    """What isn't known is a further thing: why, or whose."""
    added: bool
    """It is set against what stands before it, or is a guess."""
    pointing: bool
    """It only says what the record has instead, or offers to look."""


def clauses(text: str, masked: str = "") -> list[Clause]:
    """The clauses of a cleaned answer.

    Args:
        text: the answer.
        masked: words in which no disclaimer is looked for: the right answer may be "No such file".
    """
    return list(_clauses(text, masked))


def _clauses(text: str, masked: str) -> Iterator[Clause]:
    own = [found[0] for found in UNKNOWN.finditer(masked)]
    words = [re.escape(word.strip()) for word in (masked, *own) if len(word.strip()) > 3]
    mask = regex("|".join(words), re.IGNORECASE) if words else None
    for piece, set_against in _pieces(text):
        bare = QUOTE.sub(_own_words, QUOTED_VALUE.sub(" ", simplified(mask.sub(" ", piece) if mask else piece)))
        yield Clause(
            text=piece,
            disclaimed=UNKNOWN.search(bare) is not None and AN_ERROR.match(bare) is None and not _gives(bare),
            partial=PARTIAL.search(bare) is not None,
            added=set_against or ADDED.match(bare) is not None,
            pointing=_points(bare),
        )


def _own_words(quote: re.Match[str]) -> str:
    return quote[0] if NO_ANSWER.fullmatch(quote[0]) else " "


def _points(text: str) -> bool:
    """Whether a clause points at something, or offers to look, and gives nothing as the answer."""
    if _gives(text) or REMEMBERS.search(text) is not None:
        return False
    return (MENTION.search(text) or OFFER.search(text)) is not None and HEDGED.search(text) is None


def _gives(text: str) -> bool:
    """Whether a clause that is set against another one gives a value at once: "but it was X"."""
    added = ADDED.match(text)
    return added is not None and STATED.match(text[added.end() :].lstrip(" ,")) is not None


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, and whether one is set against what it begins with: "while I can't quote it, it was X"."""
    for piece in _cut(text):
        before, comma, after = piece.partition(",")
        if comma and after.strip() and CONCEDES.match(before):
            yield before, False
            yield after, True
        else:
            yield piece, False


def _cut(text: str) -> Iterator[str]:
    """The text cut at the ends of sentences, before a turn and before a guess; never inside backticks."""
    begun, ticked = 0, [(m.start(), m.end()) for m in re.finditer(r"`[^`\n]*`", text)]
    for found in SPLIT.finditer(text):
        at = found.end()
        if at > begun and not any(first < at < last for first, last in ticked):
            if text[begun:at].strip(" ,.;!?\n"):
                yield text[begun:at]
            begun = at
    if text[begun:].strip(" ,.;!?\n"):
        yield text[begun:]


def disclaims(found: list[Clause], named: frozenset[str], question: str) -> bool:
    """Whether an answer only says that it doesn't know.

    Args:
        found: its clauses.
        named: the words of names that it could claim: those of its question are none.
        question: what was asked.
    """
    disclaimed = [clause for clause in found if clause.disclaimed]
    if not disclaimed or any(_claims(clause, named) for clause in found):
        return False
    if any(UNSURE.match(one.text) and _states(other) for one, other in pairwise(found)):
        return False
    if REASON.search(question) is not None or not all(clause.partial for clause in disclaimed):
        return True
    return not any(_states(clause) for clause in found)


def _states(clause: Clause) -> bool:
    """Whether a clause says anything of the matter."""
    idle = clause.disclaimed or clause.pointing or PREAMBLE.match(clause.text) is not None
    return not idle and CONTENT.search(clause.text) is not None and OFFER.search(clause.text) is None


def _claims(clause: Clause, named: frozenset[str]) -> bool:
    if clause.disclaimed or clause.pointing:
        return False
    if any(name in clause.text for name in named):
        return True
    if not clause.added:
        return False
    told = ADDED.sub("", clause.text).lstrip(" ,")
    if STATED.match(told) is not None or (HEDGED.match(clause.text.lstrip()) and FIGURE.search(told)):
        return True
    return not OFFER.search(clause.text) and (
        len(CONTENT.findall(told)) >= LEAST or STATED.search(clause.text) is not None
    )
