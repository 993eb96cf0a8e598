"""A ledger in PostgreSQL: one table of events, whose primary key is (campaign, seq).

A session holds the campaign's advisory lock, so that one process writes at a time. Safety does not
depend on it: a group of events is written only if the last event is the one that the writer knows,
so a writer that has lost the lock writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any, LiteralString

import msgspec
import psycopg

from floorline.live.errors import DamagedLedger, LedgerError, OpenElsewhere
from floorline.live.events import CHECK, SEQ, VERSION, Event, Row, to_rows
from floorline.live.ledgers.interface import Backend, Ledger, new_secret
from floorline.live.ledgers.postgres_clock import TIME, database_clock
from floorline.live.ledgers.postgres_connection import (
    connect,
    in_plain_words,
    in_transaction,
    locator_of,
    without_password,
)
from floorline.live.ledgers.postgres_reader import (
    BY_KEY,
    PostgresReader,
    exists,
    salvage_opening,
)
from floorline.live.ledgers.postgres_schema import LOCK_CLASS, create
from floorline.live.ledgers.postgres_statements import (
    COMMIT_GROUP,
    DELETE_CAMPAIGN,
    DELETE_SNAPSHOT,
    END_SESSION,
    ERASE,
    INSERT,
    MOVE_MARK,
    NEW_CAMPAIGN,
    RETIRE,
    SET_SECRET,
    STORE_SNAPSHOT,
    TAKEN_KEYS,
)
from floorline.live.ledgers.reader import UNCHANGED, Mark
from floorline.live.names import MAX_NAME

NO_EVENT = Mark(0, 0)
"""The mark of a ledger without events."""


class PostgresLedger(PostgresReader, Ledger):
    """The events of one campaign in a PostgreSQL database, for reading and appending."""

    _answer_seconds = 4.0  # others have taken over by then

    def __init__(self, locator: str) -> None:
        """Open the ledger, or create one if there is none of this name."""
        self._unwritten: list[Event] = []  # written as a whole, in one round trip
        self._new_keys: set[str] = set()  # of those
        self._free_keys: set[str] = set()  # no event has them, including this transaction
        self._written: Mark | None = None  # the last row written in this transaction
        self._committed = NO_EVENT
        super().__init__(locator)

    def _find_campaign(self) -> None:
        create(self._db, self._database)
        with in_plain_words(self.locator):
            self._db.execute(NEW_CAMPAIGN, (self._name, VERSION, new_secret()))
        super()._find_campaign()
        if self._retired:
            raise LedgerError(f"{self.locator}: was moved, and can only be read; {UNCHANGED}")
        self._begin_session()
        self._committed = self.mark() or NO_EVENT
        self._clock = database_clock(self._read_time)

    def _begin_session(self) -> None:
        """Lock the campaign, and wait for the disk at each commit."""
        with in_plain_words(self.locator):
            locked = self._db.execute(
                "SELECT pg_try_advisory_lock(%s, %s)", (LOCK_CLASS, self._campaign)
            ).fetchone()
            if locked != (True,):
                raise OpenElsewhere(self.locator)
            self._backend = self._db.info.backend_pid
            # Unless more than that is asked for: remote_apply.
            self._db.execute(
                "SELECT set_config('synchronous_commit', 'on', false) "
                "WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')"
            )

    @property
    def clock(self) -> Callable[[], float]:
        """The database's time."""
        return self._clock

    def _read_time(self) -> float:
        with in_plain_words(self.locator):
            ((time,),) = self._db.execute(TIME).fetchall()
        return float(time)

    def take_over_secret(self, secret: bytes | None) -> None:
        """Replace the secret in the transaction."""
        self._change(SET_SECRET, campaign=self._campaign, secret=secret)
        self._secret = secret

    def erase(self, seqs: Collection[int]) -> None:
        """Delete key and private part; the database's VACUUM removes the old values."""
        self._change(ERASE, campaign=self._campaign, seqs=list(seqs))

    def delete(self) -> None:
        """Delete all rows of the campaign in one transaction."""
        for statement in DELETE_CAMPAIGN:
            self._change(statement, campaign=self._campaign)
        self.commit()
        self.close()

    def retire(self) -> str:
        """Rename the campaign and close the ledger; return its new locator."""
        suffix = f"-moved-{self._campaign}"
        name = self._name[: MAX_NAME - len(suffix)] + suffix
        self._change(RETIRE, campaign=self._campaign, name=name)
        self.commit()
        self.close()
        return locator_of(without_password(self._database), name)

    def append(self, event: Event) -> None:
        """Add an event to the transaction."""
        self._unwritten.append(event)
        if event.key is not None:
            self._new_keys.add(event.key)
            self._free_keys.discard(event.key)

    def commit(self) -> None:
        """Make the transaction durable, if one has begun, and mark its last event with it."""
        if not self.in_transaction:
            return
        with self._changing():
            if in_transaction(self._db):
                self._commit_in_steps()
            else:
                rows = self._take_rows()
                last = Mark(rows[-1][SEQ], rows[-1][CHECK])
                written = self._db.execute(COMMIT_GROUP, self._values(last, rows=_encode(rows)))
                if written.rowcount != len(rows):
                    raise self._lost_turn()
                self._written = last
        self._committed = self._written or self._committed
        self._written = None
        self._free_keys.clear()

    def _commit_in_steps(self) -> None:
        """Commit a transaction of which part is already written."""
        if self._unwritten:
            self._write()
        if self._written is not None:
            moved = self._db.execute(MOVE_MARK, self._values(self._written))
            if moved.rowcount != 1:
                raise self._lost_turn()
        if self._db.execute("COMMIT").statusmessage != "COMMIT":
            raise LedgerError(f"{self.locator}: the transaction was rolled back")

    def _values(self, mark: Mark, **others: Any) -> dict[str, Any]:
        """Return the parameters that move the mark of the last commit to another event."""
        return {
            "campaign": self._campaign,
            "seq": mark.seq,
            "check": mark.check,
            "last_seq": self._committed.seq,
            "last_check": self._committed.check,
            **others,
        }

    def _lost_turn(self) -> LedgerError:
        return LedgerError(
            f"{self.locator}: another process has written to it since event "
            f"{self._committed.seq}; nothing was written"
        )

    def roll_back(self) -> None:
        """Discard the transaction, if one has begun; connect again if the session is lost."""
        self._unwritten.clear()
        self._new_keys.clear()
        self._free_keys.clear()
        self._written = None
        if not self._db.closed:
            with suppress(psycopg.Error):  # then the session is lost
                self._db.execute("ROLLBACK")
        if self._db.closed:
            self._connect_again()
        self._committed = self.mark() or NO_EVENT
        self.failed = False

    def _connect_again(self) -> None:
        """Begin a new session, which must find everything that was committed."""
        known, lost_backend = self._committed, self._backend
        self._db = connect(self._database, self._answer_seconds)
        try:
            with in_plain_words(self.locator):
                # The lost session may still hold the lock if the network was cut.
                self._db.execute(END_SESSION, (LOCK_CLASS, self._campaign, lost_backend))
            self._begin_session()
            lost_tail = None if known == NO_EVENT else self.lost_tail(known)
            if lost_tail is not None:
                raise DamagedLedger(
                    f"{self.locator}: {lost_tail}. The database has lost what it had committed, "
                    "perhaps by a failover to a standby that lagged behind"
                )
        except BaseException:
            self._db.close()
            raise

    @property
    def in_transaction(self) -> bool:
        """Whether there is something to commit or to roll back."""
        return bool(self._unwritten) or in_transaction(self._db)

    def close(self, *, untouched: bool = False) -> None:
        """Release the lock, since the session may end a moment later, and end the session."""
        if not (self.failed or self._db.closed):
            with suppress(psycopg.Error):
                self._db.execute("SELECT pg_advisory_unlock_all()")
        super().close(untouched=untouched)

    def store_snapshot(self, seq: int, snapshot: bytes) -> None:
        """Store a snapshot in the transaction."""
        self._change(STORE_SNAPSHOT, campaign=self._campaign, seq=seq, state=snapshot)

    def delete_snapshot(self, seq: int) -> None:
        """Delete a snapshot in the transaction."""
        self._change(DELETE_SNAPSHOT, campaign=self._campaign, seq=seq)

    def row_of_key(self, key: str) -> Row | None:
        """Return the row of the decision made for a request key.

        Events that were appended before are written for it only if one of them has the key.
        """
        if key in self._free_keys:
            return None
        if key in self._new_keys:
            self._write()
        return next(iter(PostgresReader._rows(self, BY_KEY, key)), None)

    def look_up_keys(self, keys: Collection[str]) -> None:
        """Look up request keys in one round trip."""
        taken = {key for (key,) in PostgresReader._rows(self, TAKEN_KEYS, list(keys))}
        self._free_keys = set(keys) - taken - self._new_keys

    def _rows(self, query: LiteralString, *values: Any) -> list[Any]:
        """Return all rows of a query, after writing what was appended before."""
        if self._unwritten:
            self._write()
        return super()._rows(query, *values)

    def _change(self, statement: LiteralString, **values: Any) -> None:
        if self._unwritten:
            self._write()
        with self._changing():
            self._begin()
            self._db.execute(statement, values)

    def _write(self) -> None:
        """Write what was appended, beginning a transaction if there is none."""
        with self._changing():
            rows = self._take_rows()
            self._begin()
            self._db.execute(INSERT, {"campaign": self._campaign, "rows": _encode(rows)})
            self._written = Mark(rows[-1][SEQ], rows[-1][CHECK])

    def _begin(self) -> None:
        if not in_transaction(self._db):
            self._db.execute("BEGIN")

    def _take_rows(self) -> list[Row]:
        """Return the rows of what was appended, which must follow the last row."""
        events, self._unwritten = self._unwritten, []
        self._new_keys.clear()
        last = self._written or self._committed
        if events[0].seq != last.seq + 1:
            raise LedgerError(
                f"{self.locator}: event {events[0].seq} cannot follow event {last.seq}"
            )
        return to_rows(events, last.check)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Mark the transaction as failed unless the whole change succeeds."""
        self.failed = True
        with in_plain_words(self.locator):
            yield
        self.failed = False


def _encode(rows: list[Row]) -> str:
    return msgspec.json.encode(rows).decode()


BACKEND = Backend(
    open=PostgresLedger,
    read=PostgresReader,
    exists=exists,
    salvage_opening=salvage_opening,
)
