"""Servers that share a database: who is alive, and who owns which campaign.

PostgreSQL is the referee. A campaign's owner holds its advisory lock; a server that is silent for
two seconds has its sessions ended, and with them its locks. None of this is needed for safety: a
server that lost its turn cannot write (see `floorline.live.ledgers.postgres`).
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
from floorline.service.host.owners import HandOver, OwnedElsewhere

log = logging.getLogger("floorline.service")

BEAT_SECONDS = 0.25
SILENT_SECONDS = 2.0
"""After which a server is taken for dead, by the database's clock."""

BEAT: LiteralString = (
    "UPDATE floorline.servers SET seen = clock_timestamp() WHERE server = %s RETURNING server"
)
JOIN: LiteralString = (
    "INSERT INTO floorline.servers (server, address, seen) VALUES (%s, %s, clock_timestamp())"
)
LEAVE: LiteralString = "DELETE FROM floorline.servers WHERE server = %s"
END_SESSIONS_OF_SILENT: LiteralString = """
SELECT pg_terminate_backend(pid) FROM floorline.servers
JOIN pg_stat_activity ON application_name = 'floorline-' || server
WHERE seen < clock_timestamp() - %s * interval '1 second' AND datname = current_database()
"""
EXPEL_SILENT: LiteralString = """
WITH expelled AS (
    DELETE FROM floorline.servers
    WHERE seen < clock_timestamp() - %s * interval '1 second' RETURNING server, address, seen
), unserved AS (
    UPDATE floorline.campaigns SET unserved_since = seen
    FROM floorline.owners JOIN expelled USING (server)
    WHERE campaigns.campaign = owners.campaign
)
SELECT address FROM expelled
"""
SERVERS: LiteralString = "SELECT server, address FROM floorline.servers"
OWNERS: LiteralString = (
    "SELECT name, server FROM floorline.owners JOIN floorline.campaigns USING (campaign)"
)
UNSERVED_SINCE: LiteralString = """
SELECT extract(epoch FROM coalesce(seen, unserved_since))::double precision
FROM floorline.campaigns
LEFT JOIN floorline.owners ON owners.campaign = campaigns.campaign AND server <> %s
LEFT JOIN floorline.servers USING (server)
WHERE name = %s AND NOT retired
"""
CLAIM: LiteralString = """
WITH claimed AS (
    UPDATE floorline.campaigns SET unserved_since = NULL WHERE name = %s AND NOT retired
    RETURNING campaign
)
INSERT INTO floorline.owners SELECT campaign, %s FROM claimed
ON CONFLICT (campaign) DO UPDATE SET server = excluded.server
"""
RELEASE: LiteralString = """
DELETE FROM floorline.owners WHERE server = %s
AND campaign = (SELECT campaign FROM floorline.campaigns WHERE name = %s)
"""

REFUSED_ELSEWHERE: LiteralString = """
WITH here AS (UPDATE floorline.servers SET refused = %s WHERE server = %s)
SELECT server, refused FROM floorline.servers WHERE server <> %s
"""

SERVICE = ""
"""Stands for the service where a server is chosen for it; no campaign has this name."""


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
        self._thread = ThreadPoolExecutor(1, "heartbeat")  # which nothing else may delay
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
        with suppress(LedgerError):  # the heart goes on trying
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
        """Look again who owns what."""
        await self._run(self._look)

    def route(self, name: str) -> None:
        """Raise OwnedElsewhere unless this server is to open the campaign."""
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
        """Return how many requests the servers have refused, as far as this one has seen it."""
        values = (here, self.server, self.server)
        with suppress(LedgerError):  # the next look counts them
            rows = await self._run(lambda: self._session.run(REFUSED_ELSEWHERE, values))
            before, self._refused = self._refused, {**dict(rows), self.server: here}
            for server, refused in self._refused.items():
                # What others refused before this server came is not new.
                self._refused_total += max(0, refused - before.get(server, refused))
        return self._refused_total

    def is_alive(self, server: str) -> bool:
        """Whether a server has been heard of a moment ago."""
        return server in self._servers

    def suspect(self, server: str) -> None:
        """Do without a server that could not be reached, until its silence shows or ends."""
        now = time.monotonic()
        others = {one: until for one, until in self._suspects.items() if until > now}
        self._suspects = {**others, server: now + SILENT_SECONDS}

    def _is_trusted(self, server: str) -> bool:
        until = self._suspects.get(server, 0.0)
        return server in self._servers and time.monotonic() >= until

    def _preferred(self, name: str) -> str:
        """The server that should own a campaign: the same choice everywhere, evenly spread."""
        trusted = [server for server in self._servers if self._is_trusted(server)]

        def weight(server: str) -> bytes:
            return hashlib.blake2b(f"{server} {name}".encode(), digest_size=8).digest()

        return max(trusted, key=weight, default=self.server)

    async def claimed(self, name: str) -> None:
        """Note that this server has opened a campaign."""
        self._owners[name] = self.server
        with suppress(LedgerError):  # expelled just now: the next beat tells
            await self._run(lambda: self._session.run(CLAIM, (name, self.server)))

    async def unserved_since(self, name: str) -> float | None:
        """Return when the owner of a campaign was last heard of, unless it gave the campaign up."""
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
        """Hand a campaign over beside the heartbeat, which must not wait for it."""
        if name not in self._handing_over:
            task = asyncio.ensure_future(hand_over(name))
            self._handing_over[name] = task
            task.add_done_callback(lambda _: self._handing_over.pop(name))

    def _beat(self) -> bool:
        """Tell the others of this server, and expel silent ones; return whether it was a member."""
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
        self._look()
        return was_member

    def _look(self) -> None:
        self._servers = dict(self._session.run(SERVERS))
        self._owners = dict(self._session.run(OWNERS))

    async def _run(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
