"""A ledger in an SQLite file, which is only ever appended to.

Write-ahead log, `synchronous=FULL`: what is committed survives a crash of the process, and of the
machine if its disk is honest. SQLite comes with apsw and not from Python, whose own is often older
than 3.51.3 and can then damage a file that two connections use.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from itertools import chain
from typing import Any

import apsw

from floorline.live.errors import LedgerError
from floorline.live.events import CHECK, SEQ, VERSION, Event, Row, to_rows
from floorline.live.ledgers import sqlite_files as files
from floorline.live.ledgers.interface import Backend, Ledger, new_secret
from floorline.live.ledgers.reader import Mark
from floorline.live.ledgers.sqlite_reader import APPLICATION_ID, SqliteReader, salvage_opening

SCHEMA = f"""
CREATE TABLE events (
    seq INTEGER PRIMARY KEY, time REAL NOT NULL, kind TEXT NOT NULL, ticket INTEGER, key TEXT,
    body TEXT NOT NULL, "check" INTEGER NOT NULL
);
CREATE UNIQUE INDEX keys ON events (key) WHERE key IS NOT NULL;
CREATE INDEX tickets ON events (ticket) WHERE ticket IS NOT NULL;
CREATE TABLE snapshots (seq INTEGER PRIMARY KEY, state BLOB NOT NULL);
CREATE TABLE secrets (secret BLOB NOT NULL);
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
"""

ROW = "(?, ?, ?, ?, ?, ?, ?)"
INSERTS = {
    size: f"INSERT INTO events VALUES {', '.join([ROW] * size)}"
    for size in (64, 32, 16, 8, 4, 2, 1)
}
"""By the number of rows. Each statement lets other threads run, and resuming takes long."""
INSERT_SECRET = "INSERT INTO secrets VALUES (x'{}')"
TAKEN_KEYS = "SELECT key FROM events WHERE key IN (SELECT value FROM json_each(?))"
ERASE = """
UPDATE events SET key = NULL, body = substr(body, 1, instr(body, char(10)) - 1)
WHERE seq = ? AND instr(body, char(10)) > 0
"""
LAST_CHECK = 'SELECT "check" FROM events ORDER BY seq DESC LIMIT 1'


class SqliteLedger(SqliteReader, Ledger):
    """The events of one campaign in an SQLite file, for reading and appending."""

    def __init__(self, locator: str) -> None:
        """Open the ledger of a file, or create one if there is no file yet."""
        self._unwritten: list[Event] = []  # written as a whole, which takes half the time
        self._check: int | None = None  # of the last row written, once that is known
        self._last: Mark | None = None  # the last row written in this transaction
        self._free_keys: set[str] = set()  # looked up, and not taken
        self._has_erased = False  # so the log holds data that must be removed
        self._lock = files.lock(locator)
        super().__init__(locator)

    def _connect(self) -> None:
        if not os.path.exists(self.locator):
            files.create(self.locator, SCHEMA + INSERT_SECRET.format(new_secret().hex()))
        self._identity = files.identity(self.locator)
        self._open(self.locator, apsw.SQLITE_OPEN_READWRITE)
        self._db.pragma("journal_mode", "wal")
        self._db.pragma("synchronous", "full")
        # No copies of rows stay behind where a page is split: `erase` would not find them.
        self._db.pragma("secure_delete", "fast")

    def close(self, *, untouched: bool = False) -> None:
        """Close the file and let others write; `untouched`: leave even its log as it is."""
        super().close(untouched=untouched)
        self._lock.close()

    def take_over_secret(self, secret: bytes | None) -> None:
        """Replace the secret in the transaction."""
        self._change("DELETE FROM secrets", ())
        if secret is not None:
            self._change("INSERT INTO secrets VALUES (?)", (secret,))

    def erase(self, seqs: Collection[int]) -> None:
        """Overwrite what is erased, in the file and in its index; the log is emptied later."""
        self._do("PRAGMA secure_delete = ON")
        for seq in seqs:
            self._change(ERASE, (seq,))
        self._has_erased = True

    def delete(self) -> None:
        """Delete the file and those beside it."""
        SqliteReader.close(self)  # the lock is kept until everything is gone
        files.delete(self.locator)
        self._lock.close()

    def retire(self) -> str:
        """Rename the file and close it; return its new path."""
        SqliteReader.close(self)  # which moves the log into the file; the lock is kept
        path = files.set_aside(self.locator)
        self._lock.close()
        return path

    def append(self, event: Event) -> None:
        """Add an event to the transaction."""
        self._unwritten.append(event)
        if event.key is not None:
            self._free_keys.discard(event.key)

    def row_of_key(self, key: str) -> Row | None:
        """Return the row of the decision made for a request key."""
        return None if key in self._free_keys else super().row_of_key(key)

    def look_up_keys(self, keys: Collection[str]) -> None:
        """Look up request keys together, so that events can also be written together."""
        taken = self._do(TAKEN_KEYS, (json.dumps(list(keys)),))
        self._free_keys = set(keys).difference(key for (key,) in taken)

    def commit(self) -> None:
        """Make the transaction durable, if one has begun, and then mark its last event."""
        if not self.in_transaction:
            return
        self._refuse_if_replaced()
        self._do("COMMIT")
        if self._last is not None:
            files.write_mark(self._mark_path, self._last)
            if self._last.seq == 1:
                self._empty_log()
            self._last = None
        if self._has_erased:  # and tried again at the next commit if it could not be done
            self._has_erased = not self._empty_log(apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def _empty_log(self, mode: int = apsw.SQLITE_CHECKPOINT_PASSIVE) -> bool:
        """Move the log into the file, and return whether that could be done.

        A new ledger needs it: without its log, it must not look unused.
        """
        try:
            self._db.wal_checkpoint(mode=mode)
        except apsw.Error:  # a reader is in the way; what is in the log is durable already
            return False
        return True

    def _refuse_if_replaced(self) -> None:
        """Raise LedgerError if what is written would not be found under the ledger's name."""
        if files.identity(self.locator) != self._identity:
            raise LedgerError(
                f"{self.locator}: another file has taken its place since it was opened; nothing "
                "was written. Open the campaign again"
            )

    def roll_back(self) -> None:
        """Discard the transaction, if one has begun."""
        self._unwritten.clear()
        self._check = self._last = None
        try:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            self.failed = False
        except apsw.Error as error:
            raise self._translated(error) from None

    @property
    def in_transaction(self) -> bool:
        """Whether there is something to commit or to roll back."""
        try:
            return bool(self._unwritten or self._db.in_transaction)
        except apsw.Error as error:
            raise self._translated(error) from None

    def store_snapshot(self, seq: int, snapshot: bytes) -> None:
        """Store a snapshot in the transaction."""
        self._change("INSERT OR REPLACE INTO snapshots VALUES (?, ?)", (seq, snapshot))

    def delete_snapshot(self, seq: int) -> None:
        """Delete a snapshot in the transaction."""
        self._change("DELETE FROM snapshots WHERE seq = ?", (seq,))

    def _change(self, statement: str, values: tuple[Any, ...]) -> None:
        if not self.in_transaction:
            self._do("BEGIN IMMEDIATE")
        self._do(statement, values)

    def _run(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        """Return all rows of a statement, after writing what was appended before."""
        if self._unwritten:
            self._write()
        return super()._run(statement, values)

    def _write(self) -> None:
        """Write what was appended, beginning a transaction if there is none."""
        self.failed = True  # unless all of it is done
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")
        events, self._unwritten = self._unwritten, []
        check = self._db.execute(LAST_CHECK).get or 0 if self._check is None else self._check
        rows = to_rows(events, check)
        begin = 0
        for size, insert in INSERTS.items():
            while begin + size <= len(rows):
                values = tuple(chain.from_iterable(rows[begin : begin + size]))
                self._db.execute(insert, values)
                begin += size
        self._check = rows[-1][CHECK]
        self._last = Mark(rows[-1][SEQ], self._check)
        self.failed = False


BACKEND = Backend(
    open=SqliteLedger,
    read=SqliteReader,
    exists=os.path.exists,
    salvage_opening=salvage_opening,
)
