"""Engrams: which fragments are kept word for word, how many, and until when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_kit._lazily import names_of

if TYPE_CHECKING:
    from context_kit.engrams._changed import changed_values
    from context_kit.engrams._constraints import constraints, corrects, revises, terms
    from context_kit.engrams._contracts import Contract, contract_key, contracts
    from context_kit.engrams._declared import edited_contracts
    from context_kit.engrams._deeds import Deed, Said
    from context_kit.engrams._elsewhere import Elsewhere
    from context_kit.engrams._failures import (
        REFUSED,
        Failure,
        attempt_key,
        attempt_name,
        failures,
        halted,
        unresolved,
    )
    from context_kit.engrams._fit import Board, Mark, fit, shorten
    from context_kit.engrams._fragment import Fragment, address_of, current_file, standing
    from context_kit.engrams._hits import PROMOTED
    from context_kit.engrams._life import aged
    from context_kit.engrams._members import naming, placed, where
    from context_kit.engrams._offers import offer
    from context_kit.engrams._outdated import outdated
    from context_kit.engrams._quote import neutral, one_line, quote
    from context_kit.engrams._recognise import recognise, words_fragment
    from context_kit.engrams._sentences import has_han, sentences
    from context_kit.engrams._steps import Parts
    from context_kit.engrams._taken_back import Later, taken_back
    from context_kit.engrams._trail import Trail
    from context_kit.engrams._words import human, language

__all__ = [
    "PROMOTED",
    "REFUSED",
    "Board",
    "Contract",
    "Deed",
    "Elsewhere",
    "Failure",
    "Fragment",
    "Later",
    "Mark",
    "Parts",
    "Said",
    "Trail",
    "address_of",
    "aged",
    "attempt_key",
    "attempt_name",
    "changed_values",
    "constraints",
    "contract_key",
    "contracts",
    "corrects",
    "current_file",
    "edited_contracts",
    "failures",
    "fit",
    "halted",
    "has_han",
    "human",
    "language",
    "naming",
    "neutral",
    "offer",
    "one_line",
    "outdated",
    "placed",
    "quote",
    "recognise",
    "revises",
    "sentences",
    "shorten",
    "standing",
    "taken_back",
    "terms",
    "unresolved",
    "where",
    "words_fragment",
]

if not TYPE_CHECKING:
    __getattr__ = names_of(
        __name__,
        {
            "_changed": "changed_values",
            "_constraints": "constraints corrects revises terms",
            "_contracts": "Contract contract_key contracts",
            "_declared": "edited_contracts",
            "_elsewhere": "Elsewhere",
            "_failures": "REFUSED Failure attempt_key attempt_name failures halted unresolved",
            "_fit": "Board Mark fit shorten",
            "_fragment": "Fragment address_of current_file standing",
            "_hits": "PROMOTED",
            "_life": "aged",
            "_members": "naming placed where",
            "_offers": "offer",
            "_outdated": "outdated",
            "_quote": "neutral one_line quote",
            "_recognise": "recognise words_fragment",
            "_sentences": "has_han sentences",
            "_steps": "Parts",
            "_taken_back": "Later taken_back",
            "_deeds": "Deed Said",
            "_trail": "Trail",
            "_words": "human language",
        },
    )
