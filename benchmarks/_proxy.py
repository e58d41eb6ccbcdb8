"""A way to a server that can be cut, healed, and lose answers: a TCP proxy on the loopback."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Proxy"]


class Proxy:
    """One listener; what comes is passed on to the server."""

    def __init__(self, port: int) -> None:
        """Listen on a free port.

        Args:
            port: the server's, on the loopback.
        """
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._open = threading.Event()
        self._open.set()
        self._mute = threading.Event()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.reset()

    def cut(self) -> None:
        """From now on nothing arrives, in either direction; nobody is told."""
        self._open.clear()

    def heal(self) -> None:
        """What was on the way arrives, and the rest again."""
        self._open.set()

    def reset(self) -> None:
        """Cut every connection off, so that both ends know."""
        pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for end in pair:
                _end(end)

    def lose_answers(self) -> None:
        """Questions arrive; at its answer a connection breaks, and the client never gets it."""
        self._mute.set()

    def keep_answers(self) -> None:
        """Answers arrive again."""
        self._mute.clear()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._target), timeout=5)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            self._pairs.append((client, server))
            threading.Thread(target=self._pass, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client, True), daemon=True).start()

    def _pass(self, source: socket.socket, to: socket.socket, answers: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self._open.wait()
                if answers and self._mute.is_set():
                    break
                to.sendall(data)
        _end(source)
        _end(to)


def _end(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
