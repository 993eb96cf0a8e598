"""Reading a ledger in PostgreSQL, even while its campaign runs."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import closing
from typing import Any, LiteralString

import psycopg

from floorline.live.errors import LedgerError
from floorline.live.events import KINDS, VERSION, Row
from floorline.live.ledgers.postgres_connection import (
    Connection,
    connect,
    in_plain_words,
    parse,
)
from floorline.live.ledgers.postgres_schema import check_version, version_of
from floorline.live.ledgers.reader import PAGE_SIZE, UNCHANGED, LedgerReader, Mark

FIND: LiteralString = (
    "SELECT campaign, form, secret, retired FROM floorline.campaigns WHERE name = %s"
)
SELECT: LiteralString = (
    'SELECT seq, time, kind, ticket, key, body, "check" FROM floorline.events WHERE campaign = %s '
)
BY_KEY: LiteralString = SELECT + "AND key = %s"


class PostgresReader(LedgerReader):
    """The events of one campaign in a PostgreSQL database, for reading."""

    _db: Connection
    _answer_seconds = float("inf")  # counting a long ledger may take a while

    def __init__(self, locator: str) -> None:
        found = parse(locator)
        super().__init__(found.shown)
        self._database, self._name = found.database, found.campaign
        self._db = connect(self._database, self._answer_seconds)
        try:
            self._find_campaign()
        except BaseException:
            self.close(untouched=True)
            raise

    def _find_campaign(self) -> None:
        with in_plain_words(self.locator):
            check_version(self._db, self._database)
            row = self._db.execute(FIND, (self._name,)).fetchone()
        if row is None:
            raise LedgerError(f"{self.locator}: there is no such campaign")
        self._campaign, form, self._secret, self._retired = row
        if form > VERSION:
            raise LedgerError(
                f"{self.locator}: was written by a newer version of Floorline (form {form}, "
                f"and this one knows {VERSION}); {UNCHANGED}"
            )

    def close(self, *, untouched: bool = False) -> None:
        """End the session."""
        self._db.close()

    def page(
        self,
        start: int,
        limit: int = PAGE_SIZE,
        *,
        newest: bool = False,
        kinds: Sequence[str] = KINDS,
    ) -> list[Row]:
        """Return up to `limit` rows of these kinds after `start`, or before it, newest first."""
        order: LiteralString = (
            "AND seq < %s ORDER BY seq DESC LIMIT %s"
            if newest
            else "AND seq > %s ORDER BY seq LIMIT %s"
        )
        if kinds == KINDS:
            return self._rows(SELECT + order, start, limit)
        return self._rows(SELECT + "AND kind = ANY(%s) " + order, list(kinds), start, limit)

    def rows_at(self, seqs: Collection[int]) -> list[Row]:
        """Return the rows with these sequence numbers, as far as they exist."""
        return self._rows(SELECT + "AND seq = ANY(%s::bigint[]) ORDER BY seq", list(seqs))

    def rows_about(self, decision_seqs: Collection[int]) -> list[Row]:
        """Return the rows about these decisions, in order."""
        return self._rows(
            SELECT + "AND ticket = ANY(%s::bigint[]) ORDER BY seq", list(decision_seqs)
        )

    def row_of_key(self, key: str) -> Row | None:
        """Return the row of the decision made for a request key."""
        return next(iter(self._rows(BY_KEY, key)), None)

    def counts(self) -> dict[str, int]:
        """Return the number of events of each kind."""
        return dict(
            self._rows(
                "SELECT kind, count(*) FROM floorline.events WHERE campaign = %s GROUP BY kind"
            )
        )

    def snapshots(self) -> list[int]:
        """Return the sequence numbers of the snapshots, the latest first."""
        query: LiteralString = (
            "SELECT seq FROM floorline.snapshots WHERE campaign = %s ORDER BY seq DESC"
        )
        return [seq for (seq,) in self._rows(query)]

    def stored_snapshot(self, seq: int) -> bytes:
        """Return a snapshot as it was stored."""
        query: LiteralString = (
            "SELECT state FROM floorline.snapshots WHERE campaign = %s AND seq = %s"
        )
        ((state,),) = self._rows(query, seq)
        return bytes(state)

    @property
    def secret(self) -> bytes | None:
        """The secret of this ledger; None if it was moved here from a file without one."""
        return None if self._secret is None else bytes(self._secret)

    def mark(self) -> Mark | None:
        """Return the mark of the last commit, from a separate table."""
        query: LiteralString = 'SELECT seq, "check" FROM floorline.marks WHERE campaign = %s'
        mark = next((Mark(*row) for row in self._rows(query)), None)
        return None if mark is None or mark.seq == 0 else mark

    def _rows(self, query: LiteralString, *values: Any) -> list[Any]:
        """Return all rows of a query about this campaign."""
        try:
            with in_plain_words(self.locator):
                return self._db.execute(query, (self._campaign, *values)).fetchall()
        except LedgerError:
            self.failed = True
            raise


def exists(locator: str) -> bool:
    """Return whether a database has a ledger of this name."""
    found = parse(locator)
    with closing(connect(found.database)) as connection, in_plain_words(found.shown):
        if version_of(connection) == 0:
            return False
        return connection.execute(FIND, (found.campaign,)).fetchone() is not None


def salvage_opening(locator: str) -> dict[str, Any] | None:
    """Return what a campaign was opened with, read without checks."""
    try:
        with closing(PostgresReader(locator)) as reader:
            ((body,),) = reader._rows(
                "SELECT body FROM floorline.events WHERE campaign = %s AND seq = 1"
            )
        return dict(json.loads(body))
    except (LedgerError, psycopg.Error, ValueError, TypeError):
        return None
