"""A record as another session may read it: addresses of its own log mean other messages there, so they are left out."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from context_kit.types import Record

__all__ = ["foreign"]

WORDS: Final = ("constraint", "contract")
"""Actions whose records hold words as they were said or written, and no address that code put there."""
ADDRESSES: Final = re.compile(
    r"""
      \s* \( m\d+ (?: (?:,\ |[-–]) m\d+ )* \) (?= [;.,]? \s* $ | ; )  # behind what it belongs to
    | ; \s* m\d+ (?: ,\ \d+× )? \s → \s m\d+ \s* $                    # where a pitfall failed and passed
    """,
    re.VERBOSE | re.MULTILINE,
)


def foreign(record: Record) -> Record:
    """The same record without the addresses that code put into it."""
    if record.action in WORDS:
        return record
    return replace(record, reason=_without(record.reason), result=_without(record.result))


def _without(text: str) -> str:
    return ADDRESSES.sub("", text)
