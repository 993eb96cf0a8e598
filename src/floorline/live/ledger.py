"""The ledger: a campaign's events in an SQLite file, only ever added to.

Write-ahead log, `synchronous=FULL`: what is committed survives the process, and the machine
if its disk is honest. SQLite comes with apsw and not from Python, whose own is often older than
3.51.3 and can then damage a file that two connections use.
"""

from __future__ import annotations

import os
import zlib
from typing import Any

import apsw
import msgspec

from floorline.live import files
from floorline.live.errors import LedgerError
from floorline.live.events import CHECK, VERSION, Event, to_row
from floorline.live.reader import APPLICATION_ID, LedgerReader

MEMORY = ":memory:"
KEPT_SNAPSHOTS = 2

SCHEMA = f"""
CREATE TABLE events (
    seq INTEGER PRIMARY KEY, time REAL NOT NULL, kind TEXT NOT NULL, ticket INTEGER, key TEXT,
    body TEXT NOT NULL, "check" INTEGER NOT NULL
);
CREATE UNIQUE INDEX keys ON events (key) WHERE key IS NOT NULL;
CREATE INDEX tickets ON events (ticket) WHERE ticket IS NOT NULL;
CREATE TABLE snapshots (seq INTEGER PRIMARY KEY, state BLOB NOT NULL);
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
"""

INSERT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)"
LAST_CHECK = 'SELECT "check" FROM events ORDER BY seq DESC LIMIT 1'


class Ledger(LedgerReader):
    """The events of one campaign, in a file or in memory, to be read and added to."""

    def __init__(self, path: str) -> None:
        """Open an existing ledger, or begin one if there is no file yet."""
        self._owner = os.getpid()
        self._unwritten: list[Event] = []  # together they are written in half the time
        self._check: int | None = None  # of the last event written, once that is known
        self._lock = None if path == MEMORY else files.lock(path)
        super().__init__(path)

    def _connect(self) -> None:
        if self.path == MEMORY:
            self._db = apsw.Connection(MEMORY)
            self._db.execute(SCHEMA)
            return
        if not os.path.exists(self.path):
            files.begin(self.path, SCHEMA)
        self._open(apsw.SQLITE_OPEN_READWRITE)
        self._db.pragma("journal_mode", "wal")
        self._db.pragma("synchronous", "full")

    def close(self, *, untouched: bool = False) -> None:
        """Close the file and let others write; `untouched`: leave even its log as it is."""
        super().close(untouched=untouched)
        if self._lock is not None:
            self._lock.close()

    @property
    def in_group(self) -> bool:
        """Whether a group has begun and not ended."""
        try:
            return bool(self._db.in_transaction)
        except apsw.Error as error:
            raise self._in_words(error) from None

    def begin(self) -> None:
        """Start a group of events that become durable together."""
        if os.getpid() != self._owner:
            raise LedgerError(
                f"{self.path}: is open in the process that this one was forked from; only one "
                "can write to it"
            )
        self._do("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Make the events since `begin` durable."""
        self._do("COMMIT")

    def roll_back(self) -> None:
        """Forget the events since `begin`, where there are any."""
        self._unwritten.clear()
        self._check = None
        try:
            if self.in_group:
                self._db.execute("ROLLBACK")
            self.failed = False
        except apsw.Error as error:
            raise self._in_words(error) from None

    def append(self, event: Event) -> None:
        """Add an event to the group."""
        self._unwritten.append(event)

    def save_snapshot(self, seq: int, state: dict[str, Any]) -> None:
        """Keep the state after event `seq`, and one older snapshot."""
        kept = {"check": self.check(seq), "state": state}
        blob = zlib.compress(msgspec.json.encode(kept), 1)
        self._do("INSERT OR REPLACE INTO snapshots VALUES (?, ?)", (seq, blob))
        for old in self.snapshots()[KEPT_SNAPSHOTS:]:
            self._do("DELETE FROM snapshots WHERE seq = ?", (old,))

    def _run(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        """All rows that a statement gives, once what was added before it is written."""
        if self._unwritten:
            self._write()
        return super()._run(statement, values)

    def _write(self) -> None:
        """Write what was added, each row's checksum continuing that of the row before."""
        self.failed = True  # unless all of it is done
        events, self._unwritten = self._unwritten, []
        check = self._db.execute(LAST_CHECK).get or 0 if self._check is None else self._check
        rows = []
        for event in events:
            rows.append(to_row(event, check))
            check = rows[-1][CHECK]
        self._db.executemany(INSERT, rows)
        self._check, self.failed = check, False
