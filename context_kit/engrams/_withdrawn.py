"""Rules that are withdrawn as rules: "the freeze on X is lifted", "X is fair game", "no need to ask before X".

Such a sentence names no deed that is allowed, but what the rule was about. All that it names must stand in the rule,
and what the rule is about must be named: a withdrawal of another rule, or of a part, leaves this one as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from context_kit._lazily import regex
from context_kit.engrams._rule_acts import Act, Rules, Withdrawal
from context_kit.engrams._rule_cues import ALIKE

__all__ = ["english_withdrawal", "plain_words", "withdraws"]

_RULE = (
    r"(?:rules?|bans?|freezes?|restrictions?|prohibitions?|constraints?|moratorium|embargo|locks?|requirements?|"
    r"polic(?:y|ies)|blocks?|holds?|instructions?)"
)
_OVER = (
    r"(?:lifted|over|off(?! limits)|gone|dropped|revoked|cancell?ed|void|obsolete|withdrawn|history|ended|waived|"
    r"removed|rescinded|retired|scrapped|no longer (?:applies|apply|holds|counts|stands|valid|in (?:force|effect|"
    r"place)|"
    r"relevant|needed))"
)
_NOW = r"(?:(?:now|been|officially|also|all|hereby|finally|already|just|completely)\s+)*"
_IS = (
    rf"(?:(?:is|are|was|were|has|have|got)\s+{_NOW}{_OVER}|"
    r"(?:no longer (?:applies|apply|holds?|counts?|stands?)|ended|expired))"
)
_ABOUT = r"(?:on|about|against|for|of|regarding|concerning|that (?:says|forbids|forbade)|to)"
_THING = r"([^,;:!?\n]{1,80}?)"
_END = r"(?=[ ]*(?:$|[.,;:!]|now\b|again\b|from now on|as of|and\b|so\b|for (?:good|now)\b|too\b))"
_LIFT = (
    r"(?<!n['’]t )(?<!not )(?<!never )\b(?:forget|drop|ignore|scrap|scratch|lift|revoke|cancel|disregard|remove|"
    r"withdraw|rescind|waive|end|lose|take back)(?:ing|ping|ed|ped)?\s+(?:about\s+)?(?:the|that|this|my|our)"
)
LIFTED = (
    regex(rf"\b{_RULE}\s+{_ABOUT}\s+{_THING}\s+{_IS}{_END}", re.IGNORECASE),
    regex(rf"\b(?:the|that|this|my|our|your)\s+{_THING}\s+{_RULE}\s+{_IS}{_END}", re.IGNORECASE),
    regex(
        rf"{_LIFT}\s+{_RULE}\s+{_ABOUT}\s+{_THING}{_END}",
        re.IGNORECASE,
    ),
    regex(
        rf"{_LIFT}\s+{_THING}\s+{_RULE}{_END}",
        re.IGNORECASE,
    ),
    regex(
        rf"(?:^|[,;:.]\s+){_THING}\s+(?:is|are)\s+{_NOW}(?:no longer (?:off[- ]limits|forbidden|banned|prohibited|"
        r"frozen|protected|locked|blocked|restricted|read-only|untouchable|disallowed)|fair game|open (?:for|"
        r"to) (?:edits?|changes?|"
        r"editing|modifications?)|unfrozen|unlocked|unblocked|back on the table|(?:allowed|permitted|fine|ok|"
        r"okay) again)"
        rf"{_END}",
        re.IGNORECASE,
    ),
)
"""How the end of a rule is told: what the group holds is what the rule was about."""
PART = regex(
    r"\b(?:if|unless|only|except|until|once|when|whether|but (?:only|not)|still|stays?|back again|maybe|should be)\b",
    re.IGNORECASE,
)
"""What makes it the end of a part, or none."""
_ASK = (
    r"(?:ask(?:ing)?|approv(?:al|e|ing)|permission|confirm(?:ation|ing)?|consent|sign-?off|check(?:ing)? with|"
    r"go-?ahead|ok(?:ay)? from)"
)
UNASKED = regex(
    rf"\b(?:do(?:es)?\s?n['’]?t|do not|no longer|need\s?n['’]?t|need not|no need)\s+(?:(?:have|need|to|get|"
    rf"wait for|for|"
    rf"my|our|me|any)\s+){{0,4}}{_ASK}\b|"
    rf"\b(?:you|we) (?:can|may|are free to)\b[^,;.!?]{{1,80}}\bwithout (?:my |our |any |first )?{_ASK}\b",
    re.IGNORECASE,
)
"""Who need not ask any more."""
ASKS = regex(
    rf"\bwithout\s+(?:\w+\s+){{0,2}}?{_ASK}\b|\b{_ASK}\b(?:\s+\w+){{0,3}}\s+(?:before|first)\b|"
    rf"\bbefore\b.{{1,60}}\b{_ASK}\b|"
    rf"\bunless\s+(?:\w+\s+){{0,3}}?(?:approve|agree|say|confirm|ok|allow)\w*\b",
    re.IGNORECASE,
)
"""A rule that wants to be asked."""
YET = regex(
    r"\b(?:yet|for now|for the moment|at the moment|right now)\b|暂时|先(?:别|不要|不)|目前|现在(?:先)?(?:别|不要)",
    re.IGNORECASE,
)
"""A rule that holds for the time being."""
BEGUN = regex(
    r"(?:^|[,;:]\s*)(?:ok(?:ay)?|good|great|fine|right|alright|so|and|then|please)?[,\s]*(?:(?:you can |we can |"
    r"it['’]?s |"
    r"please )?(?:now|time to|let['’]?s|start|begin|go ahead and)[,\s]+(?:please |now |start |begin |to )*)(?=[a-z])|"
    r"(?:^|[,;:]\s*)(?:ok(?:ay)?[,\s]+|please\s+|so\s+|and\s+)*(?=[a-z][^,;:.!?]{2,80}\bnow\W*$)",
    re.IGNORECASE,
)
"""What stands before a deed that is to begin now."""
INSTEAD = regex(
    r"\b(?:instead of|rather than|in place of|no more)\s+([\w./-]+(?: [\w./-]+){0,2}?)\s*(?:$|[.,;!])", re.IGNORECASE
)
USES = regex(
    r"^\W*(?:please\s+)?(?:use|prefer|stick (?:to|with))\s+([\w./-]+(?: [\w./-]+){0,2}?)\s*[.!]?$", re.IGNORECASE
)
"""An order that is nothing but to use something."""
HINTS = regex(
    r"(?P<rule>\b(?:rule|ban|bans|freeze|restriction|prohibition|constraint|moratori|embargo|lock|requirement|polic|"
    r"block|hold|instruction)|no longer|fair game|open (?:for|to)|unfrozen|unlocked|unblocked|back on the|again)|"
    r"(?P<ask>\bask|approv|permission|confirm|consent|sign-?off|check\w* with|go-?ahead\b|ok(?:ay)? from|unless)|"
    r"(?P<now>\bnow\b|time to|let['’]?s|\bstart|\bbegin|go ahead and|\byet\b|moment)|"
    r"(?P<use>instead of|rather than|in place of|no more|^\W*(?:please )?(?:use|prefer|stick) )"
)
"""Cheap look first: a sentence whose small letters have none of these withdraws nothing."""
NOTHING = Withdrawal()
WORD = regex(r"[A-Za-z0-9_][A-Za-z0-9_./+#]*[A-Za-z0-9_+#]|[A-Za-z0-9]")
SMALL = frozenset(
    "the a an any all some new more extra additional further other no not don never do be use used to of in on at for "
    "about with from by and or anything something that this these those our my your its is are it them code stuff "
    "thing us i we you me rule ban yourself own whole entire".split()
)
"""Words that tell no rule from another."""
_POLITE = frozenset(
    "ask asking approval approve permission confirm confirmation consent check checking before first longer need have "
    "get wait without can may free now again always must should ever will please so ok okay every time each go ahead "
    "unless signoff sign off even just doesn needn don t s n re anymore".split()
)
"""Words that only say that one asks, or need not."""


def plain_words(text: str) -> frozenset[str]:
    """The words that say what a rule is about, each in the form in which two of them compare equal."""
    found = map(_plain, WORD.findall(text))
    return frozenset(word for word in found if word and word not in SMALL)


def _plain(word: str) -> str:
    """A word without its ending; of a deed the first of its group."""
    low = word.lower().rstrip("./")
    if not low.isalpha():
        return low
    if low in SMALL or low in _POLITE:
        return low
    for form in _forms(low):
        if form in ALIKE:
            return {"access": "use"}.get(ALIKE[form], ALIKE[form])
    if low.endswith("ies") and len(low) > 4:
        low = f"{low[:-3]}y"
    elif low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(low) > 3:
        low = low[:-1]
    bare = re.sub(r"(?:ing|ed|e|ion)$", "", low) if len(low) > 4 else low
    return bare[:-1] if len(bare) > 3 and bare[-1] == bare[-2] else bare


def _forms(word: str) -> Iterator[str]:
    yield word
    for ending in ("s", "es", "ing", "ed", "d"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            bare = word[: -len(ending)]
            yield from (bare, f"{bare}e", bare[:-1] if bare[-1:] == bare[-2:-1] else bare)
    if word in ("usage", "access"):
        yield "access"
    if word == "deletion":
        yield "delete"


def english_withdrawal(sentence: str) -> Withdrawal:
    """What an English sentence withdraws, and what of a rule in it may be withdrawn."""
    small = sentence.lower()
    hinted = frozenset(found.lastgroup for found in HINTS.finditer(small))
    if not hinted:
        return NOTHING
    sure = PART.search(sentence) is None
    cues = LIFTED if sure and "rule" in hinted else ()
    lifted = [plain_words(found[1]) for cue in cues for found in cue.finditer(sentence)]
    unasked = sure and "ask" in hinted and UNASKED.search(sentence) is not None
    asks = not unasked and "ask" in hinted and ASKS.search(sentence) is not None
    asked = plain_words(sentence) - _POLITE if unasked or asks else frozenset[str]()
    begun = BEGUN.search(sentence) if sure and "now" in hinted else None
    instead = INSTEAD.search(sentence) if "use" in hinted else None
    uses = USES.search(sentence) if "use" in hinted else None
    return Withdrawal(
        lifted=tuple(words for words in lifted if words),
        unasked=asked if unasked else None,
        asks=asked if asks else None,
        yet="now" in hinted and YET.search(sentence) is not None,
        begun=plain_words(sentence[begun.end() :]) - _POLITE if begun else frozenset(),
        instead=plain_words(instead[1]) if instead else frozenset(),
        uses=plain_words(uses[1]) if uses else frozenset(),
    )


def withdraws(newer: Rules, older: Rules) -> bool:
    """Whether a later sentence withdraws what an earlier one rules."""
    gone, was = newer.gone, older.gone
    if newer.chinese or older.chinese:
        return False
    if gone.unasked is not None and was.asks is not None:
        return gone.unasked <= was.asks
    if was.uses and gone.instead == was.uses:
        return True
    acts = older.forbidden
    if not acts:
        return False
    if any(all(_about(words, act) for act in acts) for words in gone.lifted):
        return True
    return was.yet and bool(gone.begun) and all(_begins(gone.begun, act) for act in acts)


def _words(act: Act) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Of a forbidden deed: its own word, the words of its thing, the words of its place."""
    thing = frozenset(each for word in act.what for each in plain_words(word))
    place = frozenset(each for word in act.where for each in plain_words(word))
    return plain_words(act.deed), thing, place


def _about(words: frozenset[str], act: Act) -> bool:
    """Whether all that is named stands in the rule, and what the rule is about is named."""
    deed, thing, place = _words(act)
    if not words <= deed | thing | place | plain_words(act.kind) | _deed_words(act):
        return False
    head = plain_words(act.what[-1]) if act.what else place | deed
    return bool(words & (head or thing))


def _deed_words(act: Act) -> frozenset[str]:
    """Words by which a freeze calls what it forbids."""
    return frozenset(["touch", "use", "add"]) if act.deed in ("touch", "add", "use", "") else frozenset()


def _begins(words: frozenset[str], act: Act) -> bool:
    """Whether the very deed is to begin now."""
    deed, thing, place = _words(act)
    return deed <= words and thing <= words and words <= deed | thing | place | frozenset(["start", "begin"])
