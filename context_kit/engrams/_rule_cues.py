"""Cues of rules, as data: words for one deed, and how people forbid, allow, require and drop it.

Each repetition is bounded and over one clause, so that matching is linear in the text.
"""

from __future__ import annotations

import re
from typing import Final

from context_kit._lazily import cue, cued, regex

__all__ = [
    "ALIKE",
    "ALLOWS",
    "ASKS",
    "BOUND",
    "CLAUSE",
    "CONDITION",
    "DEFINITE",
    "DROPS",
    "ENDS",
    "FINE",
    "FORBIDS",
    "FORBIDS_AFTER",
    "IDLE",
    "KIND",
    "KINDS",
    "LEAVES",
    "NAMES",
    "NOT_NEEDED",
    "OF_RULE",
    "ONLY",
    "PASSIVE",
    "PLACES",
    "RENAMES",
    "REQUIRES",
    "TURNS",
    "UNDONE",
    "WIDE",
]

ALIKE: Final = {
    word: group[0]
    for group in (
        "touch edit change modify alter rewrite update tweak".split(),
        "use import adopt prefer employ utilize avoid rely depend".split(),
        "delete remove erase wipe purge drop".split(),
        "add install introduce include create bring".split(),
        "run execute launch start invoke".split(),
        "deploy release ship publish".split(),
        "access call hit contact connect reach query".split(),
        "log print".split(),
    )
    for word in group
}
"""Words for one deed, by the first of them."""

_ADVERB = (
    r"(?:(?:ever|even|now|again|also|just|still|please|simply|freely|safely|always|actually|go ahead and|feel "
    r"free to)\s+)"
)
FORBIDS: Final = regex(
    r"(?:\bnever|\b(?:do|must|should|may|shall|can)\s?not|\bn?ot (?:allowed|permitted|supposed) to|"
    r"\b(?:do|must|should|ca)n['’]?t|\blet['’]?s not|\brefrain from|\b(?:stop|quit)(?=\s+\w+ing\b)|\bavoid|"
    r"\bno more|\bsteer clear of|"
    rf"\bstay away from|\bhands off|"
    rf"^\W*no(?!\s+(?:the|this|that|it|i|we|you|wait|wor\w+|problem|need|longer|one|matter)\b))\s+(?:be\s+)?{_ADVERB}{{0,3}}(?=[\w`\"'./])",
    re.IGNORECASE,
)
"""What stands before a forbidden deed or thing."""
FORBIDS_AFTER: Final = cued(
    cue(
        "forbidden prohibited off banned disallowed not",
        r"\s(?:is|are)\s+(?:strictly\s+|absolutely\s+|now\s+)?(?:forbidden|prohibited|off[- ]limits|banned|"
        r"disallowed|"
        r"not (?:allowed|permitted|acceptable|an option))\b(?!\s+to\b)",
    ),
    flags=re.IGNORECASE,
)
LEAVES: Final = regex(
    r"\b(?:leave|keep)\s+(.{1,60}?)\s+(?:alone|untouched|unchanged|as[- ]is|as (?:it is|they are)|intact)\b",
    re.IGNORECASE,
)
ALLOWS: Final = cued(
    cue(
        "may can could allowed allow free ok fine permitted permit acceptable welcome problem ahead permission",
        rf"(?:\b(?:you|we|i)(?:\s+(?:both|all|two))?\s+{_ADVERB}{{0,2}}(?:may|can|could)\b(?!\s*not|['’]t)|"
        r"\b(?:allowed|free|ok|okay|fine|permitted|acceptable|welcome|"
        r"no problem)\s+(?:for you\s+)?(?:now\s+)?to\b|"
        r"\bgo ahead and\b|\bfeel free to\b|\b(?:i|we)\s+(?:now\s+)?(?:allow|permit)(?:\s+you)?(?:\s+to)?\b|"
        r"\bpermission to\b|\bi(?:['’]m| am) (?:fine|ok|okay) with(?:\s+you)?\b|^\W*(?:may|can)\s+now\b)"
        rf"\s+{_ADVERB}{{0,3}}",
    ),
    flags=re.IGNORECASE,
)
"""What stands before an allowed deed."""
ASKS: Final = regex(
    r"(?:[:–—]\s|\b(?:actually|now|please|then|ok|okay|wait|so|just|let['’]?s|let us|we(?:['’]ll| will| should)|"
    rf"you should|instead|(?:i|we) want (?:you )?to|i['’]d like you to)\b|^)\W{{0,8}}{_ADVERB}{{0,2}}",
    re.IGNORECASE,
)
"""What may stand before an imperative."""
TURNS: Final = cued(
    cue(
        "go switch mov chang revert return migrat from replace swap back make",
        r"\b(?:(?:go|going) (?:with|for|back (?:with|for|to))|"
        r"(?:switch|mov|chang|revert|return|migrat)(?:e|ed|ing)?(?: back| over)? "
        r"(?:(?!on |up )[\w./-]+ )?to|(?:from [\w./-]+ to)|(?:replace|swap)\s+[\w./ -]{1,40}?\s+(?:with|for|by)|"
        r"back to|"
        r"make (?:it|that|this))\s+(?=[\w`\"'./])",
    ),
    flags=re.IGNORECASE,
)
"""What stands before a thing to be used from now on."""
FINE: Final = cued(
    cue(
        "allowed permitted acceptable welcome fine ok good back option longer right",
        r"\s(?:is|are)\s+(?:(?:now|also|actually|totally|perfectly|really|absolutely)\s+)*(?:"
        r"(?P<sure>allowed|permitted|acceptable|welcome|(?:fine|ok|okay|good) (?:to (?:use|have|add)|with me|"
        r"by me|for me|"
        r"too|as well|after all)|back in|an option|no longer (?:forbidden|prohibited|banned|disallowed|"
        r"off[- ]limits))|"
        r"(?:fine|ok|okay|alright|all right))\b(?!\s+(?:not|without|only)\b)",
    ),
    flags=re.IGNORECASE,
)
"""What stands behind an allowed thing; without `sure` it may as well be a report on its state."""
UNDONE: Final = regex(
    r"\b(?:no,? wait|wait|actually|after all|second thoughts?|changed (?:my|our) mind|never ?mind|scratch that|"
    r"forget (?:that|it|what)|instead|from now on|now|again|anyway|correction|any ?more|no longer|too|as well|also)\b",
    re.IGNORECASE,
)
"""Words that say that it is otherwise now."""
CONDITION: Final = regex(
    r"\b(?:if|unless|until|till|once|when|whenever|only|except|later|tomorrow|eventually|someday|provided|before|"
    r"not|never|nor|neither|hardly|cannot|without|emergency|forbidden|prohibited|banned|"
    r"(?:he|she|they|someone|people)\s+(?:said|says?|thinks?|thought|claims?))\b|n['’]t\b",
    re.IGNORECASE,
)
"""A clause that allows something under conditions, or denies it, lifts no rule."""
PASSIVE: Final = regex(
    r"\s(?:may|can)\s+(?:(?:now|again|also|still)\s+)*be\s+(?P<deed>[a-z]+)\b(?=\W*(?:$|again|now|in|on|"
    r"for|from|too|as well|by|after all|any))",
    re.IGNORECASE,
)
"""What stands behind a thing to which something may be done."""
DEFINITE: Final = frozenset("the our my your its their this that these those".split())
BOUND: Final = regex(r"\b(?:unless|except|without)\b|除非|未经|不经|没有[^，。]{1,8}(?:前|就)", re.IGNORECASE)
"""A ban that knows its own exception is not lifted by what meets the exception."""
CLAUSE: Final = regex(
    r"[,;!?()\n]|\.(?=\s|$)|\s[-–—]+\s|:(?=\s)|\b(?:but|because|since|so that|as it|"
    r"instead of|rather than|in (?:place|lieu) of|as opposed to)\b",
    re.IGNORECASE,
)
ENDS: Final = frozenset(
    "instead rather than because since so unless until till if when while although though as please now anymore "
    "again after before too also directly yourself without except then yet ever is are was were be which that who "
    "today yesterday recently tomorrow already here there everywhere anywhere back longer once just only".split()
)
"""Words that end the name of a thing."""
PLACES: Final = frozenset("for in on at to with from by into onto inside within under over through via against".split())
"""Words after which it is said where, or what for."""
IDLE: Final = frozenset(
    "a an the any some all our my your its their this that these those such other more further extra additional "
    "anything everything something it them him her me us of on every each no whatsoever ones stuff upon".split()
)
KINDS: Final = frozenset(
    "library lib package module framework tool file branch function algorithm command folder directory table".split()
)
"""Words for the kind of a thing, which its name does without."""
WIDE: Final = frozenset("new more extra additional further other old external third-party existing local".split())
"""Words that tell no thing by its name."""
REQUIRES: Final = cued(
    cue(
        "must should shall always have has need sure remember keep support",
        r"(?:\b(?:must|should|shall|always|ha(?:s|ve) to|needs? to|make sure (?:to|you|we|that you)|be sure to|"
        rf"remember to)\b(?!\s*(?:not|never)\b)|^\W*(?=keep\b|support\b))\s*{_ADVERB}{{0,2}}",
    ),
    flags=re.IGNORECASE,
)
"""What stands before a deed that is required."""
NOT_NEEDED: Final = cued(
    cue(
        "n' n’ not longer need necessary required stop skip quit",
        r"(?:\b(?:you|we)\s+(?:do\s?n['’]t|do not|no longer|need not|needn['’]t)\s+(?:(?:have|need)\s+to)?|"
        r"\bno (?:longer (?:any )?)?need to|\bno longer (?:necessary|required|needed) to|\b(?:not|"
        r"n['’]t) (?:necessary|"
        r"required|needed) to|\byou (?:can|may)(?: now)? (?:stop|skip|quit)|^\W*(?:\w+\W+){0,2}stop|"
        r"\blet['’]?s stop)\s+"
        rf"{_ADVERB}{{0,2}}",
    ),
    flags=re.IGNORECASE,
)
"""What stands before a deed that is required no more."""
DROPS: Final = regex(
    r"(?:^|\b(?:let['’]?s|we(?:['’]ll| will| can| should)?|you (?:can|may|should)|please|now|actually|to|wait)\b)\W*"
    r"(?:now |just |also )?(?:drop|ditch|remove|abandon|discontinue|scrap|end|cease|skip|forget(?: about)?|lose|retire)"
    r"\s+(?=[\w`\"'./])|\b(?:i|we)(?:['’]ve| have)?\s+(?:now |just |already )?(?:dropped|ditched|abandoned|"
    r"discontinued|retired|ended|given up|stopped supporting)\s+(?=[\w`\"'./])",
    re.IGNORECASE,
)
"""What stands before a thing that is given up."""
OF_RULE: Final = regex(
    r"(?<!n['’]t )(?<!not )(?<!never )\b(?:forget|drop|ignore|scrap|scratch|lift|revoke|cancel|disregard|remove|"
    r"withdraw|take back|rescind)\w*\b"
    r".{0,30}\b(?:rules?|ban|bans|prohibitions?|restrictions?|constraints?|requirements?|instructions?|"
    r"what (?:i|we) (?:said|told|wrote))\b|"
    r"\b(?:rules?|ban|prohibition|restriction|constraint|requirement)\b.{0,60}\b(?:lifted|gone|dropped|revoked|"
    r"cancell?ed|void|obsolete|no longer (?:applies|holds|counts|stands))\b|"
    r"\b(?:i|we)['’]?(?:ve| have)? changed (?:my|our) mind (?:about|on)\b|"
    r"(?:取消|作废|忽略|撤回|撤销|解除|放开|忘掉|不再有).{0,30}(?:规定|要求|限制|禁令|说过|说的|规则|约束)|"
    r"(?:规定|要求|限制|禁令|规则|约束|说过的话).{0,6}(?:取消|作废|解除|放开|不算|撤销|撤回)",
    re.IGNORECASE,
)
"""A sentence that ends an earlier one as a rule."""
ONLY: Final = cued(
    cue(
        "only stick limit",
        rf"(?:\bonly\s+{_ADVERB}{{0,1}}(?=[a-z])|\bstick (?:to|with)\s+|\b(?P<deed>[a-z]+) only\s+|"
        r"\blimit yourself to\s+)",
    ),
    flags=re.IGNORECASE,
)
"""What stands before the only thing that is allowed."""
_NAME = r"[`\"'“「]?([\w./-]*\w)[`\"'”」]?"
_OF_KIND = (
    r"(?:command|class|function|method|module|package|service|branch|file|table|tool|library|project|flag|option|"
    r"variable|helper|script|folder|directory|app|program|component|field|column|key|env|repo|database|queue)"
)
_KIND = rf"(?:\s+{_OF_KIND})?"
KIND: Final = regex(_OF_KIND, re.IGNORECASE)
"""A word that names no thing but its kind."""
_RENAMED = r"(?:重命名|改名|更名|改叫)"
NAMES: Final = cued(
    cue(
        "call name 命名 名 叫",
        rf"\b(?:call|name)\s+(?:it|this|that|them|(?:the|our|my|your|a|an)\s+(?:[\w-]+\s+){{0,3}}?{_OF_KIND})\s+"
        rf"(?:as\s+)?{_NAME}\s*(?:[.!,;]|please|$)|\b(?:is|are|be) (?:called|named)\s+{_NAME}|"
        rf"(?:命名为|取名为?|起名为?|名字[叫是用]|名称[叫是用]|名叫|叫做?|叫作)[ \t]*{_NAME}",
    ),
    flags=re.IGNORECASE | re.ASCII,
)
"""The name that a sentence gives."""
RENAMES: Final = cued(
    cue(
        "renam name called 重命名 改 更名",
        rf"\brenam(?:e|ed|ing)\s+(?:the\s+(?:\w+\s+)?)?(?:from\s+)?{_NAME}\s+(?:to|as|into|->|→)\s|"
        rf"\bchang(?:e|ed|ing)\s+(?:the|its|that)\s+name\s+(?:from\s+)?{_NAME}\s+to\s|"
        rf"(?<![\w./-]){_NAME}{_KIND}\s+(?:is|has been|was|gets?|should be|will be)\s+(?:now\s+)?"
        r"(?:called|named|renamed(?: to| as)?)\s|"
        rf"(?:把|将)[ \t]*{_NAME}[ \t]*(?:{_RENAMED}|改)(?:为|成|到|叫)?|"
        rf"(?<![\w./-]){_NAME}[ \t]*{_RENAMED}(?:为|成|到|叫)?|"
        rf"(?:重命名|改名|更名)[ \t]*{_NAME}[ \t]*(?:为|成|到)",
    ),
    flags=re.IGNORECASE | re.ASCII,
)
"""The name that a sentence replaces."""
