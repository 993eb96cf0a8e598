"""A real PostgreSQL server in a temporary folder, as tests start and kill it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg

START_SECONDS = 60.0
PACKAGE_USER = "postgres"
"""The user of Debian's package: PostgreSQL refuses to run as root."""


def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, the newest version; None if there is none."""
    folders = Path("/usr/lib/postgresql").glob("*/bin")
    for folder in sorted(folders, key=lambda path: float(path.parent.name), reverse=True):
        if (folder / "initdb").exists():
            return folder
    found = shutil.which("initdb")
    return None if found is None else Path(found).parent


class PostgresServer:
    """A server on a free port of this machine; everybody here may connect as its superuser."""

    def __init__(
        self, folder_of_programs: Path, primary: PostgresServer | None = None, **settings: str
    ) -> None:
        """Start a server, as a standby if there is a primary."""
        self.programs = folder_of_programs
        self._settings = settings
        # Not in pytest's folder, which the package's user may not enter.
        self._folder = Path(tempfile.mkdtemp(prefix="floorline-postgresql-"))
        self._as_user: dict[str, Any] = {}
        if os.geteuid() == 0:
            shutil.chown(self._folder, PACKAGE_USER)
            self._as_user = {"user": PACKAGE_USER, "group": PACKAGE_USER, "extra_groups": []}
        self._databases = 0
        if primary is None:
            words = ("--auth=trust", "--username=floorline", "--encoding=UTF8", "--no-sync")
            self._run("initdb", *words)
        else:
            words = ("--dbname", primary.url, "--write-recovery-conf", "--checkpoint=fast")
            self._run("pg_basebackup", *words, "--no-sync")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"postgresql://floorline@127.0.0.1:{self.port}"
        self.start()

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(
            [self.programs / program, "-D", self._folder / "data", *words],
            check=True,
            capture_output=True,
            cwd=self._folder,
            **self._as_user,
        )

    def start(self) -> None:
        """Start the server and wait until it answers."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "fsync": "off",  # processes are killed here, not machines
            "max_connections": 200,
            **self._settings,
        }
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with (self._folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", self._folder / "data", *words],
                stdout=log,
                stderr=log,
                cwd=self._folder,
                **self._as_user,
            )
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                psycopg.connect(f"{self.url}/postgres").close()
                return
            except psycopg.OperationalError:
                log_text = (self._folder / "log").read_text()
                assert self.process.poll() is None and time.monotonic() < deadline, log_text
                time.sleep(0.02)

    def new_database(self) -> str:
        """Return the URL of a new, empty database."""
        self._databases += 1
        name = f"test{self._databases}"
        self.execute("postgres", f"CREATE DATABASE {name}")
        return f"{self.url}/{name}"

    def execute(self, database: str, statement: str) -> list[Any]:
        """Return the rows of a statement, if it has any."""
        with psycopg.connect(f"{self.url}/{database}", autocommit=True) as connection:
            cursor = connection.execute(statement)  # type: ignore[call-overload]
            return [] if cursor.description is None else cursor.fetchall()

    def kill(self) -> None:
        """End the server as a crash would."""
        self.end(signal.SIGKILL)

    def end(self, how: signal.Signals = signal.SIGINT) -> None:
        """Send a signal and wait for the end of all processes; SIGINT closes all sessions."""
        if self.process.poll() is not None:
            return
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        self.process.send_signal(how)
        self.process.wait(30)
        if how is signal.SIGKILL:  # one that was stopped does not notice that its parent is gone
            for child in children:
                with suppress(ProcessLookupError):
                    os.kill(int(child), how)
        deadline = time.monotonic() + START_SECONDS
        while any(Path(f"/proc/{child}").exists() for child in children):  # they hold its memory
            assert time.monotonic() < deadline, children
            time.sleep(0.01)

    def delete(self) -> None:
        """End the server and delete its folder."""
        self.end()
        shutil.rmtree(self._folder)


class PostgresPair:
    """A primary with the database `shop`, and its standby."""

    def __init__(self, folder_of_programs: Path) -> None:
        self.primary = PostgresServer(folder_of_programs)
        self.standby = PostgresServer(folder_of_programs, self.primary)
        self.primary.execute("postgres", "CREATE DATABASE shop")

    def locator(self, campaign: str = "") -> str:
        """Return a locator that names both hosts and connects to the writable one."""
        hosts = f"127.0.0.1:{self.primary.port},127.0.0.1:{self.standby.port}"
        path = f"shop/{campaign}" if campaign else "shop"
        return f"postgresql://floorline@{hosts}/{path}?target_session_attrs=read-write"

    def wait_for_standby_at_each_commit(self) -> None:
        """Make the standby a synchronous one."""
        self.primary.execute("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.execute("postgres", "SELECT pg_reload_conf()")

    def fail_over(self) -> None:
        """Kill the primary and promote the standby."""
        self.primary.kill()
        self.standby.execute("postgres", "SELECT pg_promote()")

    def delete(self) -> None:
        """End both and delete their folders."""
        self.standby.delete()
        self.primary.delete()
