"""The ledger: a campaign's events in an SQLite file, only ever added to.

Write-ahead log, `synchronous=FULL`: what is committed survives the process, and the machine if
its disk is honest. One process writes; an operating system lock on a file beside the ledger
keeps a second one out and ends with its owner, however that ends. SQLite comes with apsw, not
from Python: many of the latter are older than 3.51.3 and can lose pages of a write-ahead log.
"""

from __future__ import annotations

import fcntl
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from floorline.live.errors import LedgerError
from floorline.live.events import VERSION, Event, Row, checksum, from_row, to_row

try:
    import apsw
except ImportError as error:  # pragma: no cover
    raise ImportError(
        "live campaigns need the extra [live]: pip install 'floorline[live]'"
    ) from error

MEMORY = ":memory:"
APPLICATION_ID = 0x466C6F6F  # "Floo"
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

COLUMNS = 'seq, time, kind, ticket, key, body, "check"'


class Ledger:
    """The events of one campaign, in a file or in memory."""

    def __init__(self, path: str, *, read_only: bool = False) -> None:
        """Open an existing ledger, or begin one if there is no file yet."""
        self.path = path
        self._lock = None if path == MEMORY or read_only else _lock(path)
        try:
            with self._errors():
                self._db = self._connect(read_only)
        except LedgerError:
            self.close()
            raise

    def _connect(self, read_only: bool) -> Any:
        if self.path == MEMORY:
            db = apsw.Connection(MEMORY)
            db.execute(SCHEMA)
            return db
        exists = os.path.exists(self.path)
        if read_only:
            if not exists:
                raise LedgerError(f"{self.path}: there is no such file")
            db = apsw.Connection(self.path, flags=apsw.SQLITE_OPEN_READONLY)
        else:
            if not exists:
                _begin(self.path)
            db = apsw.Connection(self.path, flags=apsw.SQLITE_OPEN_READWRITE)
        self._db = db
        db.set_busy_timeout(5000)
        self._check_form()
        if not read_only:
            db.pragma("journal_mode", "wal")
            db.pragma("synchronous", "full")
            db.pragma("wal_autocheckpoint", 4000)
        return db

    def _check_form(self) -> None:
        if self._db.pragma("application_id") != APPLICATION_ID:
            raise LedgerError(f"{self.path}: is not a ledger of Floorline; it was left as it is")
        version = self._db.pragma("user_version")
        if version > VERSION:
            raise LedgerError(
                f"{self.path}: was written by a newer version of Floorline (form {version}, "
                f"and this one knows {VERSION}); it was left as it is"
            )

    def close(self) -> None:
        """Close the file and let others write."""
        if hasattr(self, "_db"):
            self._db.close()
        if self._lock is not None:
            self._lock.close()

    # Writing.

    def begin(self) -> None:
        """Start a group of events that become durable together."""
        with self._errors():
            self._db.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Make the events since `begin` durable."""
        with self._errors():
            self._db.execute("COMMIT")

    def roll_back(self) -> None:
        """Forget the events since `begin`, where there are any."""
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def append(self, event: Event, check_before: int) -> int:
        """Add an event to the group, and give its checksum."""
        row = to_row(event, check_before)
        with self._errors():
            self._db.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        return row.check

    def save_snapshot(self, seq: int, check: int, state: dict[str, Any]) -> None:
        """Keep the state after event `seq`; older snapshots but one go."""
        text = json.dumps({"check": check, "state": state}, separators=(",", ":"))
        blob = zlib.compress(text.encode(), 1)
        with self._errors():
            self._db.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?)", (seq, blob))
            self._db.execute(
                "DELETE FROM snapshots WHERE seq NOT IN "
                "(SELECT seq FROM snapshots ORDER BY seq DESC LIMIT ?)", (KEPT_SNAPSHOTS,),
            )  # fmt: skip

    # Reading.

    def rows(self, after: int = 0, upto: int | None = None) -> Iterator[Row]:
        """The stored rows after a place, up to another, in order."""
        limit = 2**62 if upto is None else upto
        query = f"SELECT {COLUMNS} FROM events WHERE seq > ? AND seq <= ? ORDER BY seq"
        with self._errors():
            for row in self._db.execute(query, (after, limit)):
                yield Row(*row)

    def checked_events(self, after: int, check_before: int) -> Iterator[tuple[Event, int]]:
        """The events after a place, each with its checksum, which was found right."""
        expected = after + 1
        for row in self.rows(after):
            if row.seq != expected or checksum(row, check_before) != row.check:
                raise LedgerError(
                    f"{self.path}: event {expected} is damaged or missing; the file was left as "
                    "it is. Restore a backup"
                )
            check_before = row.check
            expected += 1
            yield from_row(row), row.check

    def snapshots(self) -> list[int]:
        """The places after which there is a snapshot, the latest first."""
        with self._errors():
            query = "SELECT seq FROM snapshots ORDER BY seq DESC"
            return [seq for (seq,) in self._db.execute(query)]

    def snapshot(self, seq: int) -> tuple[int, dict[str, Any]]:
        """The checksum and the state kept after event `seq`.

        Raises:
            ValueError: it is damaged.
        """
        with self._errors():
            ((blob,),) = self._db.execute("SELECT state FROM snapshots WHERE seq = ?", (seq,))
        try:
            kept = json.loads(zlib.decompress(blob))
        except zlib.error as error:
            raise ValueError(f"snapshot after event {seq}: is damaged ({error})") from None
        return kept["check"], kept["state"]

    def event(self, seq: int) -> Event | None:
        """One event by its place."""
        return next(self._events("seq = ?", seq), None)

    def row(self, seq: int) -> Row | None:
        """One event as it is stored."""
        return next(self.rows(seq - 1, seq), None)

    def decisions(
        self, start: int, limit: int, *, newest: bool = False
    ) -> list[tuple[Event, list[Event]]]:
        """Up to `limit` decisions after a place, each with what happened to it since.

        With `newest`, those before the place, the newest first.
        """
        where = f"kind = 'decided' AND {_page(newest)}"
        return [(made, self.about(made.seq)) for made in list(self._events(where, start, limit))]

    def events(self, start: int, limit: int, *, newest: bool = False) -> list[Event]:
        """Up to `limit` events after a place; with `newest` before it, the newest first."""
        return list(self._events(_page(newest), start, limit))

    def by_key(self, key: str) -> Event | None:
        """The decision that was made for a request key."""
        return next(self._events("key = ?", key), None)

    def about(self, ticket: int) -> list[Event]:
        """What happened to a decision after it was made."""
        return list(self._events("ticket = ? ORDER BY seq", ticket))

    def _events(self, where: str, *values: object) -> Iterator[Event]:
        with self._errors():
            for row in self._db.execute(f"SELECT {COLUMNS} FROM events WHERE {where}", values):
                yield from_row(Row(*row))

    def count(self) -> int:
        """How many events there are."""
        with self._errors():
            return int(self._db.execute("SELECT count(*) FROM events").get)

    def integrity(self) -> list[str]:
        """What SQLite itself finds wrong with the file."""
        with self._errors():
            found = [line for (line,) in self._db.execute("PRAGMA integrity_check")]
        return [] if found == ["ok"] else found

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Say in words what SQLite says in codes."""
        try:
            yield
        except apsw.NotADBError:
            raise LedgerError(f"{self.path}: is not a ledger; it was left as it is") from None
        except apsw.CorruptError as error:
            raise LedgerError(
                f"{self.path}: is damaged ({error}); it was left as it is. Restore a backup"
            ) from None
        except apsw.FullError:
            raise LedgerError(f"{self.path}: the disk is full; nothing was written") from None
        except apsw.Error as error:
            raise LedgerError(f"{self.path}: {error}") from None


def _page(newest: bool) -> str:
    """What selects a page of events, given its start and its length."""
    return "seq < ? ORDER BY seq DESC LIMIT ?" if newest else "seq > ? ORDER BY seq LIMIT ?"


def _lock(path: str) -> IO[bytes]:
    """Keep other writers out for as long as the returned file is open."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise LedgerError(f"{path}: there is no folder {folder}")
    try:
        file = open(f"{path}-lock", "ab")  # noqa: SIM115 (it stays open)
    except OSError as error:
        raise LedgerError(f"{path}: cannot be locked: {error.strerror}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise LedgerError(
            f"{path}: another process has this campaign open; only one at a time can write to it"
        ) from None
    return file


def _begin(path: str) -> None:
    """Make an empty ledger, which appears under its name only when it is whole."""
    unfinished = f"{path}-new"
    Path(unfinished).unlink(missing_ok=True)
    db = apsw.Connection(unfinished)
    db.execute(SCHEMA)
    db.close()
    os.replace(unfinished, path)
    folder = os.open(Path(path).absolute().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
