"""The caller's choice of a redactor: the built-in rules, none, or a function of their own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, reduce

from context_kit._redact._rules import redacted
from context_kit.errors import BudgetError
from context_kit.typing import Redact

__all__ = ["redactor"]

SHORT = 300
"""Characters up to which a text's outcome is remembered."""


def redactor(rule: bool | Redact | Sequence[Redact] = True) -> Redact:
    """A function from a text to the text without its secrets.

    `True` is the built-in rules (providers' key shapes, private keys, authorization headers, passwords in URLs,
    secret assignments in env, JSON, YAML and code), `False` changes nothing, a function is the caller's own; a list of
    functions goes on after the built-in rules, each with what the one before gave.

    Raises:
        BudgetError: `rule` is none of these; or, from the returned function, the caller's gives no string.
    """
    if rule is True:
        return _rules
    if rule is False:
        return lambda text: text
    if isinstance(rule, (list, tuple)) and all(map(callable, rule)):
        more = [_checked(each) for each in rule]
        return lambda text: reduce(lambda so_far, each: each(so_far), more, _rules(text))
    if not callable(rule):
        msg = f"redact: {rule!r} is neither True, False, a function of a text, nor a list of such functions"
        raise BudgetError(msg)
    return _checked(rule)


def _rules(text: str) -> str:
    return _short(text) if len(text) <= SHORT else redacted(text)


_short = lru_cache(maxsize=16_384)(redacted)
"""Paths, commands and lines come again at every compaction."""


def _checked(rule: Redact) -> Redact:
    def redact(text: str) -> str:
        found: object = rule(text)
        if not isinstance(found, str):
            msg = f"redact: gave {type(found).__name__} for a text; it must give the text without its secrets"
            raise BudgetError(msg)
        return found

    return redact
