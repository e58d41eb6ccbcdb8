"""What every test gets: the root on the path; nightly runs and a real model only where they are asked for."""

from __future__ import annotations

import logging
import os
import secrets
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from benchmarks._postgres import Server
    from context_kit.memory import FileStore, PostgresStore

APART = ("model", "nightly")
"""Marks of tests that are run only where they are asked for."""

ROOT = Path(__file__).resolve().parents[1]

if str(ROOT) not in sys.path:  # for `pytest` as a command, which puts only the tests' own folder there
    sys.path.insert(0, str(ROOT))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave these tests out, unless `-m` asks for them, or `CONTEXT_KIT_NIGHTLY=1` for the nightly ones."""
    if config.getoption("-m"):
        return
    wanted = {"nightly"} if os.environ.get("CONTEXT_KIT_NIGHTLY") == "1" else set[str]()
    left = [item for item in items if any(item.get_closest_marker(name) for name in {*APART} - wanted)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


MOST_OPEN = 10
"""Stores of one test: each has connections."""


@pytest.fixture(autouse=True)
def same_log_level() -> Iterator[None]:
    """A benchmark that is run as a test silences the library's log; the next test hears it again."""
    log = logging.getLogger("context_kit")
    level = log.level
    yield
    log.setLevel(level)


# -- stores ------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A real PostgreSQL server; tests that need one are skipped where there is none."""
    from benchmarks._postgres import NoServerError, Server

    try:
        with Server(durable=False) as started:
            yield started
    except NoServerError as error:
        pytest.skip(str(error))


@pytest.fixture
def postgres(server: Server) -> Iterator[Callable[..., PostgresStore]]:
    """A way to open a store in a schema of this test's own, as often as wanted; the newest few stay open."""
    from context_kit.memory import PostgresStore

    schema = f"t{secrets.token_hex(6)}"
    opened: list[PostgresStore] = []

    def begin(url: str | None = None, **arguments: Any) -> PostgresStore:
        if len(opened) == MOST_OPEN:
            opened.pop(0).close()
        opened.append(PostgresStore(url or server.url, schema=schema, **arguments))
        return opened[-1]

    yield begin
    for store in opened:
        store.close()
    server.query(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')


@pytest.fixture(params=["files", "postgres"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], FileStore | PostgresStore]:
    """A way to open one and the same store as often as wanted, of either kind."""
    from context_kit.memory import FileStore

    if request.param == "files":
        return lambda: FileStore(tmp_path)
    begin: Callable[[], PostgresStore] = request.getfixturevalue("postgres")
    return begin
