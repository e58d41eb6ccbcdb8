"""A cancelled summary ends at once: no further request, and the log as it was."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from context_kit import ContextManager
from tests.llm.provider import BREAKS, Break, Provider, Seen
from tests.llm.trials import APIS, client_of, llm_of
from tests.talks import prints, session


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", ["timeout", "500"])
@pytest.mark.parametrize("api", APIS)
def test_cancelling_leaves_the_log_as_it_was(api: str, name: str, stream: bool) -> None:
    """While the server says nothing, or while the next try is waited for: the task ends, and the session goes on."""
    asked = threading.Event()

    def play(_: Seen) -> Break:
        asked.set()
        return BREAKS[name]

    with Provider(play) as provider:
        before, after = asyncio.run(_cancelled(api, provider.url, asked, stream))
        assert len(provider.seen) == 1
    assert after == before


async def _cancelled(api: str, url: str, asked: threading.Event, stream: bool) -> tuple[Any, Any]:
    async with client_of(api, url, awaited=True) as client:
        ctx = ContextManager(6_000, llm=llm_of(api, client, wait=3_000.0, deadline=9_000.0, stream=stream))
        ctx.add(session(APIS[api]))
        before = (prints(ctx.messages), ctx.compactions)
        task = asyncio.create_task(ctx.acompact())
        await asyncio.to_thread(asked.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return before, (prints(ctx.messages), ctx.compactions)
