"""A PostgreSQL server of one's own, thrown away afterwards; for the tests and benchmarks that need a real one.

    with Server() as server:                  # raises NoServerError where there are no binaries
        store = PostgresStore(server.url)
        server.kill(); server.start()         # kill -9 of the postmaster, and back
        server.kill_backend()                 # kill -9 of one backend: the server restarts all of them

initdb refuses root, so the server then runs as `postgres` or `nobody`.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["USER", "NoServerError", "Server", "binaries"]

USER = "ck"
"""Name of the database's own superuser."""
PLAIN_USERS = ("postgres", "nobody")
"""Who runs the server where we are root."""
START = 60.0
"""Seconds in which it has to answer."""


class NoServerError(Exception):
    """There is no server to be had here; the text says why."""


def binaries() -> Path:
    """The directory of the newest server's programs.

    Raises:
        NoServerError: it is not installed.
    """
    places = [Path(found).resolve().parent for found in [shutil.which("postgres")] if found]
    if asked := shutil.which("pg_config"):
        told = subprocess.run([asked, "--bindir"], capture_output=True, text=True, check=False)
        places.append(Path(told.stdout.strip()))
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    for place in places:
        if (place / "initdb").exists() and (place / "postgres").exists():
            return place
    msg = "PostgreSQL's server is not installed: apt-get install postgresql"
    raise NoServerError(msg)


def _version(path: Path) -> float:
    try:
        return float(path.parent.name)
    except ValueError:
        return 0.0


class Server:
    """One server: its directory, its port, its process."""

    def __init__(self, *, listen: str = "127.0.0.1", durable: bool = True) -> None:
        """Make the directory and the database.

        Args:
            listen: addresses, as in `listen_addresses`; who can reach them is trusted.
            durable: whether a commit waits for the disk.

        Raises:
            NoServerError: it can't be made.
        """
        self._bin = binaries()
        self._user = _plain_user()
        self.folder = Path(tempfile.mkdtemp(prefix="ck-postgres-"))
        self._listen, self._durable = listen, durable
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        if self._user:
            os.chown(self.folder, *pwd.getpwnam(self._user)[2:4])
        initdb = [
            self._bin / "initdb",
            "-D",
            self.folder / "data",
            "-U",
            USER,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-sync",
        ]
        done = subprocess.run(
            [*map(str, initdb), "--locale=C"], capture_output=True, text=True, check=False, **self._as_user()
        )
        if done.returncode:
            self._remove()
            msg = f"initdb failed: {(done.stderr or done.stdout).strip().splitlines()[-1:]}"
            raise NoServerError(msg)
        with (self.folder / "data" / "pg_hba.conf").open("a") as file:
            file.write("host all all all trust\n")

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._remove()

    @property
    def url(self) -> str:
        """Its conninfo, over the loopback."""
        return self.url_at("127.0.0.1")

    def url_at(self, host: str, port: int | None = None) -> str:
        """Its conninfo by another address, such as that of a network namespace or a proxy."""
        return f"postgresql://{USER}@{host}:{port or self.port}/postgres"

    @property
    def pid(self) -> int:
        """The postmaster."""
        if self._process is None:
            msg = "the server is not running"
            raise NoServerError(msg)
        return self._process.pid

    def start(self) -> None:
        """Start it, and wait until it answers; after a crash it recovers first.

        Raises:
            NoServerError: it doesn't answer in time.
        """
        until = time.monotonic() + START
        while time.monotonic() < until:
            if self._process is None or self._process.poll() is not None:
                self._process = self._begun()  # just after a crash the old processes may still be ending
            if self._ready():
                return
            time.sleep(0.05)
        msg = f"the server does not start: {(self.folder / 'log').read_text('utf-8', 'replace')[-600:]}"
        raise NoServerError(msg)

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stop it: SIGQUIT at once, SIGINT cutting its clients off, SIGTERM once they have left."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(timeout=START)
            self._process = None

    def kill(self) -> None:
        """Kill -9 of the postmaster; its backends end by themselves."""
        self.stop(signal.SIGKILL)

    def restart(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stop and start."""
        self.stop(how)
        self.start()

    def backends(self) -> list[int]:
        """Processes of its clients' connections, waited for while it recovers."""
        self.start()
        return [pid for (pid,) in self.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'context-kit'")]

    def kill_backend(self, at: int = 0) -> bool:
        """Kill -9 of one client's backend, at which the server restarts all; whether there was one."""
        found = self.backends()
        if not found:
            return False
        os.kill(found[at % len(found)], signal.SIGKILL)
        return True

    def query(self, text: Any, *values: object) -> list[tuple[Any, ...]]:
        """The rows of a statement, by a connection of its own."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as conn, conn.cursor() as cursor:
            cursor.execute(text, values or None)
            return cursor.fetchall() if cursor.description is not None else []

    def _begun(self) -> subprocess.Popen[bytes]:
        settings = {
            "listen_addresses": self._listen,
            "port": self.port,
            "unix_socket_directories": "",
            "max_connections": 200,
            "fsync": "on" if self._durable else "off",
            "log_min_messages": "warning",
        }
        command: Sequence[str] = [str(self._bin / "postgres"), "-D", str(self.folder / "data")]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen[bytes](
                [*command, *(word for name, value in settings.items() for word in ("-c", f"{name}={value}"))],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
                **self._as_user(),
            )

    def _ready(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _as_user(self) -> dict[str, Any]:
        if not self._user:
            return {}
        entry = pwd.getpwnam(self._user)
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}

    def _remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _plain_user() -> str:
    """Who runs the server: nobody else where we are not root.

    Raises:
        NoServerError: we are root, and there is no other user.
    """
    if os.geteuid() != 0:
        return ""
    known = {entry.pw_name for entry in pwd.getpwall()}
    for name in PLAIN_USERS:
        if name in known:
            return name
    msg = f"initdb refuses root, and there is no user {' or '.join(PLAIN_USERS)}"
    raise NoServerError(msg)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
