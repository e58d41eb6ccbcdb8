"""The English words around a value, as data: what states one, what changes one, what takes one back.

Each entry is a regular expression of words in a row; long ones stand before the short ones that they begin with.
Repetitions are bounded, so that one pass over a sentence is linear.
"""

from __future__ import annotations

import re
from typing import Final

from context_kit._lazily import regex

__all__ = ["IDLE", "NOUN", "NUMBERED", "STATES", "TOKEN", "UNITS", "VALUE"]

VALUE: Final = (
    r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ \t]+/[^\s，。；、：！？)）]{1,200}",
    r"`[^`\n]{1,80}`|\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”|「[^」\n]{1,80}」",
    (
        r"https?://[^\s，。；、：！？)）]{1,200}(?<![.,;:!?])|(?<![\w.])(?:~|"
        r"\.{1,2})?/\w[\w./{}:@%+~*-]{0,200}(?<![.,;:!?])"
    ),
    r"[\w.+-]{1,60}@\w[\w.-]{0,60}\w|(?<![\w-])--?[a-z][\w-]{1,40}",
    r"[$€£¥]?(?<![\w.])\d(?:[\w.,:/%-]{0,60}[\w%])?",
    (
        r"(?<![\w'’])(?:[A-Za-z][\w-]{0,60}\d(?:[\w.-]{0,60}\w)?|[A-Za-z_]\w{0,60}(?:[./]+\w[\w-]{0,60}){1,20}|"
        r"_?[A-Za-z]+(?:_\w{0,60})+|[a-z]+[A-Z]\w{0,60}|[A-Z][a-z0-9]+[A-Z]\w{0,60})"
    ),
)
"""Requests, quoted words, addresses and paths, numbers and versions, identifiers."""

_PART = (
    r"(?:changed|moved|switched|set|put|pushed|bumped|raised|lowered|renamed|updated|corrected|revised|shifted|reset|"
    r"postponed|extended|delayed|brought|reduced|increased|cut|swapped|upgraded|downgraded|reverted|"
    r"adjusted|fixed|rescheduled|migrated|relocated|restored)"
)
_NOW = r"(?:\s+(?:now|actually|really|again|currently|just|instead|hereby))?"
_COPULA = (
    (
        rf"(?:(?:has|have|had)\s+(?:now\s+|just\s+|since\s+)?(?:been\s+)?|(?:is|are|was|were|gets?|"
        rf"got)\s+(?:now\s+|being\s+|"
        rf"hereby\s+)?|will\s+be\s+)?(?:{_PART}|slipped|slips|went|goes|gone|moves|changes|switches|grows?|"
        rf"drops|dropped|"
        rf"jumps|jumped|turned|turns|bumps)(?:\s+(?:back|over|up|down|out|forward|on))?\s+(?:to|into|until|till)"
    ),
    r"(?:has|have|had|needs?|ought|is|are|going|supposed|meant|expected)\s+to\s+(?:now\s+)?(?:be|become|read|equal)",
    (
        r"(?:is|are)\s+going\s+to\s+be|(?:will|shall|should|must|can|may|would)\s+(?:now\s+|actually\s+|"
        r"really\s+|instead\s+|"
        r"rather\s+|again\s+|have\s+to\s+)?(?:be|become|read|equal|stay)(?:\s+set\s+to)?"
    ),
    r"(?:now\s+)?(?:listens|runs|lives|sits|starts|points|resides|stands|ends)\s+(?:now\s+)?(?:on|at|in|under|to)",
    rf"is\s+due(?:\s+on)?|(?:is|are){_NOW}\s+(?:at|on|set\s+to|called|named|under)|(?:is|are){_NOW}",
    r"becomes?|became|equals?|reads|remains|stays",
)
_TO = (
    r"(?:back\s+)?(?:to|into|until|till)|at(?=\s+(?:[$\d\"`/]|(?-i:[A-Z]{3,})))",
    rf"make\s+(?:it|that|this)|(?:it|that)\s+(?:is|will\s+be|should\s+be|must\s+be|has\s+to\s+be|becomes?){_NOW}",
    (
        rf"(?:it|that)['’]s{_NOW}|i\s+(?:really\s+)?mean[t]?(?:\s+to\s+(?:say|write))?|['’]s\s+(?:now|actually|"
        rf"really)|with|"
        r"go(?:es)?\s+up\s+to"
    ),
)
_USE = (
    (
        r"(?:go(?:es|ing)?|went)\s+(?:back\s+)?(?:with|for)|(?:go|going)\s+back\s+to|settl(?:e|ed|ing)\s+(?:on|for)|"
        r"agreed?\s+on|(?:decid(?:e|ed)|opt(?:ed)?)\s+(?:on|for|to\s+use)|stick(?:ing)?\s+(?:with|to)"
    ),
    (
        r"(?:switch(?:ed|ing)?|mov(?:e|ed|ing)|return(?:ed|ing)?|revert(?:ed|ing)?|migrat(?:e|ed|ing)|"
        r"fall(?:ing)?\s+back)"
        r"(?:\s+(?:back|over))?\s+to"
    ),
    (
        r"use[sd]?|using|take|taking|took|pick(?:ed|ing)?|choos(?:e|ing)|chose|chosen|prefer(?:red)?|adopt(?:ed|"
        r"ing)?|"
        r"select(?:ed|ing)?|wants?|wanted|needs?|needed|run\s+on|ask(?:s|ed)?\s+for|insists?\s+on|expects?"
    ),
)
_SET = (
    (
        r"(?:set|put|chang(?:e|ed|ing)|switch(?:ed|ing)?|mov(?:e|ed|ing)|bump(?:ed|ing)?|rais(?:e|ed|ing)|"
        r"lower(?:ed|ing)?|"
        r"renam(?:e|ed|ing)|updat(?:e|ed|ing)|correct(?:ed|ing)?|fix(?:ed|ing)?|revert(?:ed|ing)?|reset|"
        r"extend(?:ed|ing)?|"
        r"postpon(?:e|ed|ing)|push(?:ed|ing)?|shift(?:ed|ing)?|migrat(?:e|ed|ing)|reduc(?:e|ed|ing)|increas(?:e|"
        r"ed|ing)|"
        r"cut|keep|adjust(?:ed|ing)?|revis(?:e|ed|ing)|upgrad(?:e|ed|ing)|downgrad(?:e|ed|ing)|"
        r"delay(?:ed|ing)?|configur(?:e|ed|ing)|pin(?:ned)?|bind|limit|cap|bring)(?:\s+(?:back|up|down|out))?"
    ),
)
_NOT = (
    (
        r"(?:instead|in\s+place|ahead)\s+of|rather\s+than|in\s+lieu\s+of|as\s+opposed\s+to|"
        r"no\s+longer(?:\s+(?:use|be|have|"
        r"need|want|take|run\s+on))?|(?:do|does|did|is|are|was|were|will|would|should|must|can|may)(?:\s+not|n['’]?t)"
        r"(?:\s+(?:use|be|take|want|need|work\s+with|go\s+with|keep|have))?(?:\s+(?:actually|"
        r"really))?(?:\s+any\s*more)?|"
        r"(?:and\s+|but\s+)?not(?!\s+any\s*more)|never(?!\s*mind)|stop(?:ped)?\s+using|stop\s+with|away\s+from"
    ),
    (
        r"(?:forget|scrap|drop(?:ped)?|ditch(?:ed)?|scratch|ignore|disregard|retire[sd]?|abandon(?:ed)?|kill|"
        r"remove|withdraw|"
        r"take\s+back|skip|swap\s+out|swap|replac(?:e|es|ed|ing)|supersed(?:e|es|ed|ing)|exchange)(?:\s+about)?"
    ),
    (
        r"used\s+to\s+be|(?:i|we)\s+(?:said|wrote|told\s+you|had)|"
        r"(?<!more )(?<!less )(?<!fewer )(?<!later )(?<!other )(?<!higher )(?<!lower )(?<!longer )than|"
        r"was|were|goodbye|bye|formerly|previously|from"
    ),
)
_AFTER_NOT = (
    (
        r"(?:is|are|was|were)\s+(?:just\s+|plain\s+|all\s+)?(?:wrong|obsolete|gone|out|outdated|out\s+of\s+date|"
        r"stale|taken|"
        r"dead|invalid|void|incorrect|deprecated|off|history|a\s+typo|no\s+longer\s+(?:valid|right|true|correct|"
        r"supported))"
    ),
    (
        r"(?:no\s+longer|does\s?n['’]t|does\s+not)\s+(?:holds?|works?(?!\s+with)|appl(?:y|ies)|counts?|stands?)|"
        r"is\s+replaced\s+by|gives\s+way\s+to|won['’]t\s+(?:do|work)|clashes"
    ),
)
_WHY = (
    (
        r"because|since(?!\s+(?:then|last|yesterday))|so\s+that|due\s+to|given\s+that|as\s+(?=it\b|this\b|"
        r"that\b|they\b|we\b|"
        r"the\b)|in\s+order\s+to|otherwise|which|where|unless"
    ),
)
_PHRASES = (
    (
        r"from\s+(?:now|here|today|this\s+point|tomorrow|monday|next\s+\w+)(?:\s+on(?:wards?)?)?|going\s+forward|"
        r"for\s+(?:the\s+record|now|sure|good)|as\s+of\s+(?:today|now|this\s+\w+|yesterday|\w+)|"
        r"on\s+second\s+thoughts?|"
        r"of\s+course|in\s+(?:fact|the\s+end)|after\s+(?:all|the\s+\w+)|at\s+the\s+end|by\s+the\s+way|heads?[- ]up"
    ),
    (
        r"change\s+of\s+plans?|my\s+(?:mistake|bad)|what\s+i\s+(?:said|wrote|told\s+you)(?:\s+\w+)?(?:\s+about)?|"
        r"(?:i|we)\s+(?:was|were)\s+wrong(?:\s+(?:about|on|with))?|got\s+(?:it\s+|that\s+)?wrong|"
        r"(?:it\s+)?turns?\s+out(?:\s+that)?|changed\s+(?:my|our)\s+mind|sc(?:ratch|rap)\s+that|forget\s+(?:that|it|"
        r"what\s+i\s+\w+)|never\s*mind|(?:not\s+)?any\s*more|instead|(?:earlier|before|above)|it\s+is(?=\s*[.!]?$)"
    ),
)
_ARTICLES = (
    (
        r"the|an?|our|my|your|its|their|his|her|each|every|this|that|these|those|some|new|old|current|actual|"
        r"right|correct|"
        r"initial|original|earlier|previous"
    ),
)
_IDLE_WORDS = (
    "i we you it they he she me us i'll we'll i'm we're i've we've let's lets let here there and or but so then than "
    "now actually please pls plz just also too again ok okay well yes no hey hi sorry correction update news "
    "fyi note "
    "remember today yesterday tomorrow tonight still really only both all everything thing things about at by "
    "to from up "
    "out over will would should must shall may can could do does did have has had be been being is are was were "
    "am go goes "
    "got get rather wrong finally decision decided decide final change plan mistake slip typo oops whoops wait "
    "hmm hold "
    "thanks thank apologies edit according per due currently later previously after any more longer always not first "
    "second said say says told tell asked ask reversal exactly simply everywhere it's that's there's don't "
    "doesn't isn't "
    "can't won't henceforth hereby onwards onward revising revise revised choice chosen via since everyone anyone "
    "meeting with let service server value setting settings config configuration earlier decision"
)
IDLE: Final = frozenset(_IDLE_WORDS.split())
"""Words that never say what a sentence is about."""
UNITS: Final = frozenset(
    "ms s sec secs second seconds min mins minute minutes h hour hours day days week weeks month months year "
    "years kb mb gb "
    "tb kib mib gib bytes byte characters chars px percent rows lines items entries requests per times usd eur "
    "dollars "
    "euros am pm utc january february march april may june july august september october november december".split()
)
"""Words after a number that belong to it."""
NOUN: Final = regex(
    r"(?i:limit|cap|cut|fix|change|set|switch|update|name|call|drop|swap|pin|reset|push|shift|move|make)"
)
"""Verbs that are as often names of things."""
NUMBERED: Final = frozenset(
    "phase step stage part level tier node shard round sprint week chapter section milestone page task ticket issue "
    "point item rule".split()
)
"""Words that a number after them tells apart."""
STATES: Final = regex(
    r"(?:ok|okay|fine|good|bad|green|red|broken|ready|done|open|closed|slow|fast|available|clear|clean|correct|wrong|"
    r"right|complete|empty|full|stable|flaky|safe|live|up|down|back|better|worse|important|optional|required|"
    r"\w+ed|\w+ing)"
)
"""Words that tell how a thing is, not what value it has."""


def _words(*tables: tuple[str, ...]) -> str:
    alternatives = "|".join(entry for table in tables for entry in table)
    return rf"(?i:(?<![\w'’-])(?:{alternatives})(?![\w-]))"


TOKEN: Final = regex(
    "|".join(
        (
            rf"(?P<value>{'|'.join(VALUE)})",
            rf"(?P<after_not>{_words(_AFTER_NOT)})",
            rf"(?P<no>{_words(_NOT[:1])})",
            rf"(?P<idle>{_words(_PHRASES)})",
            rf"(?P<why>{_words(_WHY)})",
            r"(?P<to>->|→|⇒|=>|(?i:(?<![\w-])(?:" + "|".join(_TO) + r")(?![\w-])))",
            rf"(?P<copula>{_words(_COPULA)})",
            r"(?P<sign>:=|[:=])",
            rf"(?P<drop>{_words(_NOT[1:])})",
            rf"(?P<use>{_words(_USE)})",
            rf"(?P<make>{_words(('mak(?:e|es|ing)|made|call|name',))})",
            rf"(?P<set>{_words(_SET)})",
            rf"(?P<as>{_words(('as', 'to be', 'to become'))})",
            rf"(?P<link>{_words(('for|of|in|on|within|inside|at',))}|['’]s(?![\w]))",
            rf"(?P<article>{_words(_ARTICLES)})",
            r"(?P<stop>[^\w\s]|\n|(?i:\bbut\b))",
            r"(?P<word>[A-Za-z][A-Za-z'’-]*)",
        )
    ),
    re.ASCII,
)
"""One token of an English sentence, by what it does there."""
