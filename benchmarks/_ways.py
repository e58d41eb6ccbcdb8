"""Several ways to one server, each of which can be cut and healed: network namespaces, or proxies on the loopback.

A namespace has a cable (veth) of its own to the server; when it is pulled, packets are lost in both directions and
nobody is told. That needs root and `ip`; proxies need nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial

from benchmarks._postgres import Server
from benchmarks._proxy import Proxy

__all__ = ["Way", "by_namespaces", "namespaces", "proxies"]

NET = "198.18"
"""The range for benchmarks of networks (RFC 2544): no real host has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to the server."""

    url: str
    prefix: Sequence[str]
    """What a command begins with to go this way."""
    cut: Callable[[], object]
    heal: Callable[[], object]


def by_namespaces() -> bool:
    """Whether namespaces can be made here."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    name = f"ck{os.getpid()}t"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode == 0
    if made:
        _ip("netns", "del", name)
    return made


@contextmanager
def namespaces(count: int) -> Generator[tuple[Server, list[Way]]]:
    """A durable server, and so many namespaces with a cable each."""
    with ExitStack() as stack:
        names = [f"ck{os.getpid() % 100_000}n{number}" for number in range(count)]
        for number, name in enumerate(names):
            _ip("netns", "add", name)
            stack.callback(_ip, "netns", "del", name)
            _ip("link", "add", name, "type", "veth", "peer", "name", "way", "netns", name)
            _ip("addr", "add", f"{NET}.{number}.1/30", "dev", name)
            _ip("link", "set", name, "up")
            _ip("-n", name, "addr", "add", f"{NET}.{number}.2/30", "dev", "way")
            _ip("-n", name, "link", "set", "way", "up")
        hosts = [f"{NET}.{number}.1" for number in range(count)]
        server = stack.enter_context(Server(listen=",".join(["127.0.0.1", *hosts])))
        ways = [
            Way(
                url=server.url_at(host),
                prefix=("ip", "netns", "exec", name),
                cut=partial(_ip, "link", "set", name, "down"),
                heal=partial(_ip, "link", "set", name, "up"),
            )
            for host, name in zip(hosts, names, strict=True)
        ]
        yield server, ways


@contextmanager
def proxies(count: int) -> Generator[tuple[Server, list[Way]]]:
    """A durable server, and so many proxies before it."""
    with Server() as server, ExitStack() as stack:
        made = [stack.enter_context(Proxy(server.port)) for _ in range(count)]
        yield (
            server,
            [
                Way(url=server.url_at("127.0.0.1", proxy.port), prefix=(), cut=proxy.cut, heal=proxy.heal)
                for proxy in made
            ],
        )


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
