"""What PostgreSQL's errors mean: which are worth another try, and what to do about the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import psycopg
from psycopg_pool import PoolClosed
from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_random_exponential

from context_kit.errors import StoreError

__all__ = ["FENCED", "again", "store_error"]

Made = TypeVar("Made")

FENCED = "CK001"
"""Raised by the schema's own functions: another writer holds the session by now."""

PASSING = frozenset("40001 40P01 25P03 53300 57P01 57P02 57P03 57P05".split())
"""Serialisation failure, deadlock, idle too long, too many connections, shutdown, crash, starting up, idle session.

https://www.postgresql.org/docs/current/errcodes-appendix.html
"""
BROKEN = "08"
"""Class of the errors of a connection."""
STARTING = (
    "starting up",
    "shutting down",
    "recovery mode",
    "not yet accepting",
    "too many clients",
    "connection slots",
)
"""Words of a refusal to connect that passes; libpq gives no code for one."""
LONGEST_WAIT = 1.0
"""Seconds between two tries at most."""

ADVICE = {
    "28000": "check the user and the server's pg_hba.conf",
    "28P01": "check the user and the password",
    "3D000": "create the database first",
    "08003": "open the pool before the store, and close it after it",
    "25006": "the server is read-only: connect to the primary, target_session_attrs=read-write finds it",
    "42501": "grant the role its rights: CREATE on the database the first time, later all on the schema and its tables",
    "42P01": "its tables are not whole: drop the schema or restore it",
    "53100": "make room on the server's disk, then go on; nothing was lost",
    "57014": "raise statement_timeout for this role",
    "54000": "the text is too large for a column: put large output into a file",
}
"""Code → what to do."""


def again(act: Callable[[], Made], *, patience: float) -> Made:
    """Do it until it is done or fails for good; a failure that passes is tried again for `patience` seconds.

    Raises:
        StoreError: it failed for good.
    """
    tries = Retrying(
        retry=retry_if_exception(passes),
        stop=stop_after_delay(patience),
        wait=wait_random_exponential(multiplier=0.05, max=LONGEST_WAIT),
        reraise=True,
    )
    try:
        return tries(act)
    except psycopg.Error as error:
        raise store_error(error) from error


def passes(error: BaseException) -> bool:
    """Whether the same may succeed a moment later."""
    if not isinstance(error, psycopg.Error) or isinstance(error, PoolClosed):
        return False
    if error.sqlstate is not None:
        return error.sqlstate in PASSING or error.sqlstate.startswith(BROKEN)
    if not isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
        return False
    text = str(error)
    return "FATAL" not in text or "terminating connection" in text or any(words in text for words in STARTING)


def store_error(error: BaseException) -> StoreError:
    """It as a `StoreError` that says what to do."""
    code = getattr(error, "sqlstate", None) or ""
    if code == FENCED:
        return StoreError(_first(error))
    if passes(error):
        text = f"store: PostgreSQL can't be reached ({_first(error)})"
        return StoreError(f"{text}: see that the server runs and the way to it is open, then go on")
    advice = ADVICE.get(code) or _advice_of(str(error)) or "see the server's log"
    return StoreError(f"store: PostgreSQL refused ({_first(error)}): {advice}")


def _advice_of(text: str) -> str:
    """By the words of a refusal to connect, which comes without a code."""
    found = {"pool": "08003", "password": "28P01", "does not exist": "3D000", "pg_hba": "28000"}
    return next((ADVICE[code] for words, code in found.items() if words in text), "")


def _first(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
