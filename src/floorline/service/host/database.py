"""A PostgreSQL database with the campaigns, keys and servers."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any, LiteralString

from floorline.live import LedgerError
from floorline.live.ledgers import postgres_schema as schema
from floorline.live.ledgers.postgres_clock import TIME, database_clock
from floorline.live.ledgers.postgres_connection import (
    Connection,
    connect,
    in_plain_words,
    locator_of,
    without_password,
)
from floorline.service.host.cluster import Cluster
from floorline.service.host.index import CampaignIndex, IndexEntry

CONNECTIONS_SHARE = 4
"""A server uses at most one in this many of the database's connections."""

ANSWER_SECONDS = 3.0
"""How long a statement may take before its session is closed; all of them are short."""

FIND: LiteralString = """
SELECT name, id, default_arm, body FROM floorline.campaigns
JOIN floorline.events USING (campaign)
WHERE seq = 1 AND NOT retired AND (name = %s OR id = %s OR id IS NULL)
"""
ENTRIES: LiteralString = """
SELECT name, id, default_arm FROM floorline.campaigns
WHERE NOT retired AND id IS NOT NULL AND default_arm IS NOT NULL
"""
SET_ENTRY: LiteralString = """
UPDATE floorline.campaigns SET id = %s, default_arm = %s WHERE name = %s AND NOT retired
"""


class Session:
    """A connection for short statements from any thread; it reconnects when it is lost."""

    def __init__(self, url: str, name: str = "floorline") -> None:
        self._url = locator_with(url, name)
        self._shown = without_password(url)
        self._mutex = threading.Lock()
        self._connection: Connection | None = None

    def run(self, statement: LiteralString, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of a statement; raise LedgerError if it fails."""
        with self._mutex, in_plain_words(self._shown):
            cursor = self.connection().execute(statement, values)
            return [] if cursor.description is None else cursor.fetchall()

    def connection(self) -> Connection:
        """Return the connection, a new one if it was lost; only before other threads use it."""
        if self._connection is None or self._connection.closed:
            self._connection = connect(self._url, ANSWER_SECONDS)
        return self._connection

    def close(self) -> None:
        """End the session."""
        if self._connection is not None:
            self._connection.close()


def locator_with(url: str, application_name: str) -> str:
    """Return a URL whose sessions have a name, by which others can end them."""
    return f"{url}{'&' if '?' in url else '?'}application_name={application_name}"


class Database:
    """The campaigns, keys and servers in a database."""

    path = None

    def __init__(self, url: str, *, create: bool = False) -> None:
        """Check the tables.

        Raises:
            ValueError: there are none and `create` is not set, or they cannot be used.
        """
        self.url = url
        self.shown = without_password(url)
        self.session = Session(url)
        try:
            connection = self.session.connection()
            if create:
                schema.create(connection, url)
            elif schema.version_of(connection) == 0:
                raise ValueError(
                    f"data: {self.shown} has no tables of Floorline. If it should hold campaigns, "
                    "restore it; to start with none, use floorline serve --create"
                )
            schema.check_version(connection, url)
            ((self.secret, most),) = self.session.run(
                "SELECT secret, current_setting('max_connections')::integer FROM floorline.service"
            )
            self.max_open = max(1, int(most) // CONNECTIONS_SHARE)
            self.owners = Cluster(Session(url))
            self.store = DatabaseStore(self.session, locator_with(url, self.owners.session_name))
        except LedgerError as error:
            self.close()
            raise ValueError(f"data: {error}") from None
        except BaseException:
            self.close()
            raise

    @cached_property
    def index(self) -> TableIndex:
        """The ids and default arms of the campaigns, read where they are used: by servers."""
        return TableIndex(self.session)

    def locked(self) -> AbstractContextManager[None]:
        """Exclude nobody: several servers serve a database."""
        return nullcontext()

    def close(self) -> None:
        """End the session."""
        self.session.close()


class DatabaseStore:
    """One ledger per campaign in a database."""

    is_shared = True

    def __init__(self, session: Session, url: str) -> None:
        self._session = session
        self._url = url
        self.clock = database_clock(self._read_time)

    def _read_time(self) -> float:
        ((time,),) = self._session.run(TIME)
        return float(time)

    def names(self) -> list[str]:
        """Return the campaigns that have a ledger, sorted."""
        rows = self._session.run("SELECT name FROM floorline.campaigns WHERE NOT retired")
        return sorted(name for (name,) in rows)

    def locator(self, name: str) -> str:
        """Return the locator of a campaign's ledger."""
        return locator_of(self._url, name)

    def salvage(self, name: str) -> None:
        """Return None: this would only wait for a database that has failed."""

    def find(self, name: str | None, campaign_id: str | None) -> list[IndexEntry]:
        """Return the campaigns of this name or id, and those that no server has seen yet."""
        if "\0" in f"{name}{campaign_id}":
            return []  # PostgreSQL has no such text, and refuses to look for it
        entries = []
        for found, known_id, default_arm, body in self._session.run(FIND, (name, campaign_id)):
            opening = json.loads(body)
            arm = default_arm or opening["settings"]["arms"][0]
            entries.append(IndexEntry(found, known_id or opening["id"], arm))
        return entries


class TableIndex(CampaignIndex):
    """An index in the table of campaigns. A separate thread writes its changes."""

    def __init__(self, session: Session) -> None:
        """Read what servers have stored: the default arm must be known before a failure."""
        super().__init__()
        self._session = session
        self._writer = ThreadPoolExecutor(1, "index")
        for row in session.run(ENTRIES):
            self._remember(IndexEntry(*row))

    def _store(self, entry: IndexEntry) -> None:
        values = (entry.id, entry.default_arm, entry.name)
        self._writer.submit(self._session.run, SET_ENTRY, values)
