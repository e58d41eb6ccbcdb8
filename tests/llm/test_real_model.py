"""A real small model as the summariser: whatever it writes, the library's promises hold. `pytest -m model`.

Its server is at `CONTEXT_KIT_MODEL_URL`, else it is started from the shared folder; skipped where neither can be.
"""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.real_model import URL, WINDOW, chosen, play, reachable, summariser
from tests.talks import warm

START = Path(__file__).resolve().parents[3] / "shared" / "llm" / "start_llm.sh"
pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of a model's server."""
    warm()
    given = os.environ.get(URL)
    if given:
        if not reachable(given):
            pytest.skip(f"no model server answers at {URL}={given}")
        yield given
        return
    if not START.is_file():
        pytest.skip(f"no model server: set {URL}, or put {START.name} where the shared folder is")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = Path(os.environ.get("LLM_HOME") or tmp_path_factory.mktemp("model"))
    started = subprocess.run(
        ["bash", str(START), "1.5b"],
        env={**os.environ, "LLM_PORT": str(port), "LLM_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    if started.returncode:
        pytest.skip(f"the model's server can't be had: {started.stderr.strip()[-300:]}")
    yield f"http://127.0.0.1:{port}"
    os.kill(int((home / "server.pid").read_text("utf-8")), 15)


@pytest.mark.parametrize("api", ["chat", "messages"])
def test_the_window_is_true_whatever_the_model_writes(url: str, api: str) -> None:
    """The window fits, a fall is told with its reason, and no invented name is kept."""
    (document,) = chosen(1)
    row = play(document, summariser(url, api, "local"))
    assert row.tokens <= WINDOW
    assert row.requests > 0
    assert row.summariser == "llm" or row.failures
    assert 0 < row.coverage <= 1
    assert row.invented_after == []
