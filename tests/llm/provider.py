"""A provider on loopback that speaks three APIs and breaks on demand.

Each request is judged as the provider would: the SDKs' own request types, known parameters only, calls paired with
results, strict schemas. An illegal one is answered with 400 and noted in `illegal`.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.llm.judge import fault_of
from tests.llm.replies import APIS, Reply, Speech

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["BREAKS", "Break", "Provider", "Seen"]


class Seen(NamedTuple):
    """One request that came in."""

    api: str
    body: dict[str, Any]


class Break(NamedTuple):
    """An answer that is no good reply: a status with its error, or damage on the way."""

    name: str
    status: int = 200
    kind: str = ""
    message: str = ""
    headers: Mapping[str, str] = {}


BREAKS: dict[str, Break] = {
    found.name: found
    for found in (
        Break("429", 429, "rate_limit_error", "Rate limit reached", {"retry-after": "0.01"}),
        Break("500", 500, "api_error", "The server had an error"),
        Break("503", 503, "service_unavailable", "Try again"),
        Break("529", 529, "overloaded_error", "Overloaded"),
        Break("401", 401, "authentication_error", "invalid x-api-key"),
        Break("403", 403, "permission_error", "not allowed for this key"),
        Break("400", 400, "invalid_request_error", "metadata is too strange"),
        Break("timeout"),
        Break("reset"),
        Break("html"),
        Break("cut"),
        Break("malformed"),
        Break("error"),
    )
}
"""`cut`: the body or the stream ends in the middle; `malformed`: it is no JSON; `error`: 200 with an error in it."""

Play = Callable[[Seen], "Reply | Break"]
HTML = b"<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>"


@dataclass
class Provider:
    """The server; used with `with`."""

    play: Play
    """What is answered to a legal request."""
    lacks: frozenset[str] = frozenset()
    """Parameters that it refuses as not supported."""
    window: int = 1_000_000
    """Characters of text that a request may have."""
    seen: list[Seen] = field(default_factory=list[Seen])
    illegal: list[str] = field(default_factory=list[str])
    _done: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"provider": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Base URL; OpenAI clients want `/v1` behind it."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, seen: Seen) -> Reply | Break:
        """Judge a request, then play."""
        self.seen.append(seen)
        missing = sorted(self.lacks & _used(seen.body))
        if missing:
            return Break(
                "400",
                400,
                "invalid_request_error",
                f"Unsupported parameter: '{missing[0]}' is not supported with this model.",
            )
        if len(json.dumps(seen.body)) > self.window:
            return Break("400", 400, "context_length_exceeded", "This model's maximum context length is exceeded")
        fault = fault_of(seen.api, seen.body)
        if fault:
            self.illegal.append(f"{seen.api}: {fault}")
            return Break("400", 400, "invalid_request_error", fault)
        return self.play(seen)

    def stall(self) -> None:
        """Say nothing until the client is gone or the test is over."""
        self._done.wait(5)


def _used(body: Mapping[str, Any]) -> set[str]:
    """Parameters and features that a request uses."""
    form = body.get("response_format") or (body.get("text") or {}).get("format") or {}
    return {*body, str(form.get("type", "")), *(body.get("output_config") or {})}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    provider: Provider

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        api = next(name for name, speech in APIS.items() if self.path.endswith(speech.path))
        found = self.provider.answer(Seen(api, body))
        speech = APIS[api]
        if isinstance(found, Reply):
            self._say(speech, found, body)
        else:
            self._break(speech, found, body)

    def _say(self, speech: Speech, reply: Reply, body: Mapping[str, Any]) -> None:
        if body.get("stream"):
            self._stream(speech.events(reply, body))
        else:
            self._body(200, json.dumps(speech.whole(reply)).encode())

    def _break(self, speech: Speech, found: Break, body: Mapping[str, Any]) -> None:
        if found.status != 200:
            error = {"type": found.kind, "message": found.message, "code": found.kind, "param": None}
            self._body(found.status, json.dumps({"type": "error", "error": error}).encode(), headers=found.headers)
        elif found.name == "timeout":
            self.provider.stall()
            self.close_connection = True
        elif found.name == "reset":
            self._reset()
        elif found.name == "html":
            self._body(200, HTML, kind="text/html; charset=utf-8")
        elif body.get("stream"):
            self._damaged(found.name, speech.events(Reply(), body), speech)
        else:
            whole = json.dumps(speech.whole(Reply())).encode()
            told = json.dumps({"error": {"message": "upstream failed", "code": 502}}).encode()
            self._body(200, {"cut": whole[: len(whole) // 2], "malformed": b"{]" + whole, "error": told}[found.name])

    def _damaged(self, name: str, events: list[str], speech: Speech) -> None:
        middle = len(events) // 2
        if name == "cut":
            self._stream(events[:middle])
        elif name == "malformed":
            self._stream([*events[:middle], events[middle].replace("data: {", "data: {]"), *events[middle + 1 :]])
        else:
            self._stream([*events[:middle], speech.error])

    def _body(
        self, status: int, body: bytes, *, kind: str = "application/json", headers: Mapping[str, str] = {}
    ) -> None:
        self.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, events: list[str]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            self.wfile.write(event.encode())
        self.close_connection = True

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True
