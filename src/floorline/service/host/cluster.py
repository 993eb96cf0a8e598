"""Servers that share a database: who is alive, and who owns which campaign.

PostgreSQL is the referee. A campaign's owner holds its advisory lock; if a server is silent for two
seconds, its sessions are ended, and with them its locks. None of this is needed for safety: a
server that has lost ownership cannot write (see `floorline.live.ledgers.postgres`).
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, LiteralString, Protocol

from floorline.live import LedgerError
from floorline.service.host.cluster_statements import (
    BEAT,
    CLAIM,
    END_SESSIONS_OF_SILENT,
    EXPEL_SILENT,
    JOIN,
    LEAVE,
    OWNERS,
    REFUSED_ELSEWHERE,
    RELEASE,
    SERVERS,
    UNSERVED_SINCE,
)
from floorline.service.host.owners import HandOver, OwnedElsewhere

log = logging.getLogger("floorline.service")

BEAT_SECONDS = 0.25
SILENT_SECONDS = 2.0
"""Seconds of silence, by the database's clock, after which a server is considered dead."""

SERVICE = ""
"""Stands for the service itself when a server is chosen for it; no campaign has this name."""


class RunsStatements(Protocol):
    """A session of the database."""

    def run(self, statement: LiteralString, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of a statement; raise LedgerError if it fails."""

    def close(self) -> None:
        """End the session."""


class Cluster:
    """This server among those that share a database."""

    def __init__(self, session: RunsStatements) -> None:
        self.server = secrets.token_hex(8)
        self.address = ""
        """Where the others reach this one; set before `start`."""
        self._session = session
        self._thread = ThreadPoolExecutor(1, "heartbeat")  # nothing else may delay it
        self._servers: dict[str, str] = {}
        self._owners: dict[str, str] = {}
        self._suspects: dict[str, float] = {}
        self._member_since = float("inf")
        self._refused = {self.server: 0}
        self._refused_total = 0
        self._handing_over: dict[str, asyncio.Future[None]] = {}
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def session_name(self) -> str:
        """The name of this server's sessions that hold campaigns; others end them by it."""
        return f"floorline-{self.server}"

    async def start(self, owned: Callable[[], list[str]], hand_over: HandOver) -> None:
        """Register this server and start its heartbeat.

        Args:
            owned: returns the names of the campaigns that are open here.
            hand_over: closes one of them, so that another server can open it.
        """
        with suppress(LedgerError):  # the heartbeat keeps trying
            await self._run(self._beat)
        self._task = asyncio.create_task(self._keep_beating(owned, hand_over))

    async def stop(self) -> None:
        """Stop the heartbeat and deregister, so that other servers take over."""
        self._stopping.set()
        if self._task is not None:
            await self._task
        await asyncio.gather(*self._handing_over.values(), return_exceptions=True)
        with suppress(LedgerError):
            await self._run(lambda: self._session.run(LEAVE, (self.server,)))
        self._session.close()
        self._thread.shutdown(wait=False)

    async def refresh(self) -> None:
        """Read again who owns what."""
        await self._run(self._read_members)

    def route(self, name: str) -> None:
        """Raise OwnedElsewhere unless this server should open the campaign."""
        owner = self._owners.get(name)
        if owner is None or not self._is_trusted(owner):
            owner = self._preferred(name)
        if owner != self.server:
            raise OwnedElsewhere(name, owner, self._servers[owner])

    @property
    def speaks_for_service(self) -> bool:
        """Whether this server is the one that sends the alerts of the whole service."""
        return self._preferred(SERVICE) == self.server

    async def count_refused(self, here: int) -> int:
        """Return how many requests all servers have refused, as far as this one knows."""
        values = (here, self.server, self.server)
        with suppress(LedgerError):  # the next reading counts them
            rows = await self._run(lambda: self._session.run(REFUSED_ELSEWHERE, values))
            before, self._refused = self._refused, {**dict(rows), self.server: here}
            for server, refused in self._refused.items():
                # What others refused before this server came is not new.
                self._refused_total += max(0, refused - before.get(server, refused))
        return self._refused_total

    def is_alive(self, server: str) -> bool:
        """Return whether a server's heartbeat is recent."""
        return server in self._servers

    def suspect(self, server: str) -> None:
        """Avoid a server that could not be reached, until its silence is noticed or ends."""
        now = time.monotonic()
        others = {one: until for one, until in self._suspects.items() if until > now}
        self._suspects = {**others, server: now + SILENT_SECONDS}

    def _is_trusted(self, server: str) -> bool:
        until = self._suspects.get(server, 0.0)
        return server in self._servers and time.monotonic() >= until

    def _preferred(self, name: str) -> str:
        """Return the server that should own a campaign: the same everywhere, evenly spread."""
        trusted = [server for server in self._servers if self._is_trusted(server)]

        def weight(server: str) -> bytes:
            return hashlib.blake2b(f"{server} {name}".encode(), digest_size=8).digest()

        return max(trusted, key=weight, default=self.server)

    async def claimed(self, name: str) -> None:
        """Note that this server has opened a campaign."""
        self._owners[name] = self.server
        with suppress(LedgerError):  # expelled just now: the next heartbeat notices it
            await self._run(lambda: self._session.run(CLAIM, (name, self.server)))

    async def unserved_since(self, name: str) -> float | None:
        """Return the last heartbeat of a campaign's owner, unless it gave the campaign up."""
        rows = await self._run(lambda: self._session.run(UNSERVED_SINCE, (self.server, name)))
        return rows[0][0] if rows else None

    async def released(self, name: str) -> None:
        """Note that this server has closed a campaign."""
        with suppress(LedgerError):
            await self._run(lambda: self._session.run(RELEASE, (self.server, name)))
        if self._owners.get(name) == self.server:
            del self._owners[name]

    async def _keep_beating(self, owned: Callable[[], list[str]], hand_over: HandOver) -> None:
        failing = False
        while not self._stopping.is_set():
            try:
                was_member = await self._run(self._beat)
                for name in owned():
                    if not was_member or self._preferred(name) != self.server:
                        self._give_up(name, hand_over)
                    elif self._owners.get(name) != self.server:
                        await self.claimed(name)  # whatever has become of its row
                failing = False
            except LedgerError as error:
                self._member_since = float("inf")
                if not failing:
                    log.error("heartbeat failed", extra={"why": str(error)})
                failing = True
            except Exception:
                log.exception("a heartbeat failed")
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), BEAT_SECONDS)

    def _give_up(self, name: str, hand_over: HandOver) -> None:
        """Hand over a campaign in the background: the heartbeat must not wait for it."""
        if name not in self._handing_over:
            task = asyncio.ensure_future(hand_over(name))
            self._handing_over[name] = task
            task.add_done_callback(lambda _: self._handing_over.pop(name))

    def _beat(self) -> bool:
        """Send a heartbeat and expel silent servers; return whether this one was a member."""
        was_member = bool(self._session.run(BEAT, (self.server,)))
        now = time.monotonic()
        if not was_member:
            self._session.run(JOIN, (self.server, self.address))
        if not was_member or self._member_since > now:
            self._member_since = now
        if now - self._member_since > SILENT_SECONDS:
            # Not sooner: after an outage of the database everybody has been silent.
            self._session.run(END_SESSIONS_OF_SILENT, (SILENT_SECONDS,))
            for (address,) in self._session.run(EXPEL_SILENT, (SILENT_SECONDS,)):
                log.warning("server silent: others take over", extra={"address": address})
        self._read_members()
        return was_member

    def _read_members(self) -> None:
        self._servers = dict(self._session.run(SERVERS))
        self._owners = dict(self._session.run(OWNERS))

    async def _run(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
