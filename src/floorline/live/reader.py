"""Reading a ledger: a campaign's events in an SQLite file, while their writer may go on."""

from __future__ import annotations

import os
import zlib
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import apsw
import msgspec

from floorline.live import files
from floorline.live.errors import LedgerError
from floorline.live.events import CHECK, KINDS, SEQ, VERSION, Event, Row, checksum, from_row

APPLICATION_ID = 0x466C6F6F  # "Floo"
PAGE = 4096
"""Rows read at a time."""

LEFT = "it was left as it is"
SELECT = 'SELECT seq, time, kind, ticket, key, body, "check" FROM events WHERE '


class LedgerReader:
    """The events of one campaign, to be read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._db: Any = None
        self.failed = False
        """Whether a statement has failed: if it was to write, its group is lost."""
        try:
            self._connect()
        except apsw.Error as error:
            self.close(untouched=True)
            raise self._in_words(error) from None
        except BaseException:
            self.close(untouched=True)
            raise

    def _connect(self) -> None:
        if not os.path.exists(self.path):
            raise LedgerError(f"{self.path}: there is no such file")
        self._open(apsw.SQLITE_OPEN_READONLY)

    def _open(self, mode: int) -> None:
        self._db = apsw.Connection(self.path, flags=mode)
        self._db.set_busy_timeout(5000)
        self._check_form()

    def _check_form(self) -> None:
        if self._db.pragma("application_id") != APPLICATION_ID:
            raise LedgerError(f"{self.path}: is not a ledger of Floorline; {LEFT}")
        version = self._db.pragma("user_version")
        if version > VERSION:
            raise LedgerError(
                f"{self.path}: was written by a newer version of Floorline (form {version}, "
                f"and this one knows {VERSION}); {LEFT}"
            )
        if files.is_cut_off(self.path, self._db.pragma("page_count"), self._db.pragma("page_size")):
            raise LedgerError(f"{self.path}: is damaged: its end is missing; {LEFT}")

    def close(self, *, untouched: bool = False) -> None:
        """Close the file; `untouched`: leave even its log as it is."""
        if self._db is not None:
            if untouched:
                self._db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._db.close()

    def back_up(self, to: str) -> None:
        """Write the ledger as it is now to a new file, while its campaign may go on."""
        self._do("VACUUM INTO ?", (to,))

    def rows(self, after: int = 0) -> Iterator[Row]:
        """The stored rows after a place, in order."""
        while page := self.page(after):
            yield from page
            after = page[-1][SEQ]

    def page(self, after: int) -> list[Row]:
        """The next stored rows after a place, some thousands of them."""
        return self._do(SELECT + "seq > ? ORDER BY seq LIMIT ?", (after, PAGE))

    def check(self, seq: int) -> int | None:
        """The checksum of the event at a place, if there is one."""
        found = self._do('SELECT "check" FROM events WHERE seq = ?', (seq,))
        return found[0][0] if found else None

    def checked_events(self, after: int, check_before: int) -> Iterator[tuple[Event, int]]:
        """The events after a place, each with its checksum, which was found right."""
        expected = after + 1
        for row in self.rows(after):
            if row[SEQ] != expected or checksum(*row[:CHECK], check_before) != row[CHECK]:
                raise self._damaged(expected)
            check_before = row[CHECK]
            expected += 1
            yield from_row(row), check_before

    def opening(self) -> Event | None:
        """The first event, with which a campaign was opened; None if there is no event yet.

        Raises:
            LedgerError: it is damaged, or gone while others are there.
        """
        first = next(self.checked_events(0, 0), None)
        if first is not None and first[0].kind != "opened":
            raise LedgerError(f"{self.path}: does not begin with the opening of a campaign")
        return None if first is None else first[0]

    def opened(self) -> Event:
        """The first event of a ledger that must have one."""
        first = self.opening()
        if first is None:
            raise LedgerError(f"{self.path}: holds no campaign yet")
        return first

    def event(self, seq: int) -> Event | None:
        """One event by its place."""
        return next(iter(self._events("seq = ?", seq)), None)

    def times(self, places: Collection[int]) -> dict[int, float]:
        """When the events at these places happened."""
        among = ", ".join("?" for _ in places)
        return dict(self._do(f"SELECT seq, time FROM events WHERE seq IN ({among})", (*places,)))

    def by_key(self, key: str) -> Event | None:
        """The decision that was made for a request key."""
        return next(iter(self._events("key = ?", key)), None)

    def about(self, ticket: int) -> list[Event]:
        """What happened to a decision after it was made."""
        return self._events("ticket = ? ORDER BY seq", ticket)

    def decisions(
        self, start: int, limit: int, *, newest: bool = False
    ) -> list[tuple[Event, list[Event]]]:
        """Up to `limit` decisions after a place, each with what happened to it since.

        With `newest`, those before the place, the newest first.
        """
        made = self._events(f"kind = 'decided' AND {_page(newest)}", start, limit)
        return [(event, self.about(event.seq)) for event in made]

    def events(
        self, start: int, limit: int, *, newest: bool = False, kinds: Sequence[str] = KINDS
    ) -> list[Event]:
        """Up to `limit` events after a place; with `newest` before it, the newest first."""
        if kinds == KINDS:
            return self._events(_page(newest), start, limit)
        among = ", ".join("?" for _ in kinds)
        return self._events(f"kind IN ({among}) AND {_page(newest)}", *kinds, start, limit)

    def _events(self, where: str, *values: object) -> list[Event]:
        return [self.read(row) for row in self._do(SELECT + where, values)]

    def read(self, row: Row) -> Event:
        """The event in a row whose checksum need not have been looked at."""
        try:
            return from_row(row)
        except ValueError:
            raise self._damaged(row[SEQ]) from None

    def counts(self) -> dict[str, int]:
        """How many events there are of each kind."""
        return dict(self._do("SELECT kind, count(*) FROM events GROUP BY kind"))

    def snapshots(self) -> list[int]:
        """The places after which there is a snapshot, the latest first."""
        return [seq for (seq,) in self._do("SELECT seq FROM snapshots ORDER BY seq DESC")]

    def snapshot(self, seq: int) -> tuple[int, dict[str, Any]]:
        """The checksum and the state kept after event `seq`.

        Raises:
            ValueError: it is damaged.
        """
        ((blob,),) = self._do("SELECT state FROM snapshots WHERE seq = ?", (seq,))
        try:
            kept = msgspec.json.decode(zlib.decompress(blob))
            return kept["check"], kept["state"]
        except (zlib.error, msgspec.DecodeError, KeyError, TypeError) as error:
            raise ValueError(f"snapshot after event {seq}: is damaged ({error})") from None

    def integrity(self) -> list[str]:
        """What SQLite itself finds wrong with the file."""
        found = [line for (line,) in self._do("PRAGMA integrity_check")]
        return [] if found == ["ok"] else found

    def _do(self, statement: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """All rows that a statement gives."""
        try:
            return self._run(statement, values)
        except apsw.Error as error:
            self.failed = True
            raise self._in_words(error) from None
        except UnicodeDecodeError:
            raise LedgerError(f"{self.path}: is damaged; {LEFT}. Restore a backup") from None

    def _run(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        return self._db.execute(statement, values).fetchall()  # type: ignore[no-any-return]

    def _damaged(self, seq: int) -> LedgerError:
        return LedgerError(
            f"{self.path}: event {seq} is damaged or missing; {LEFT}. Restore a backup"
        )

    def _in_words(self, error: apsw.Error) -> LedgerError:
        """What SQLite says in codes."""
        if isinstance(error, apsw.NotADBError):
            return LedgerError(f"{self.path}: is not a ledger; {LEFT}")
        if isinstance(error, apsw.CorruptError):
            return LedgerError(f"{self.path}: is damaged ({error}); {LEFT}. Restore a backup")
        if isinstance(error, apsw.FullError):
            return LedgerError(f"{self.path}: the disk is full; nothing was written")
        if isinstance(error, apsw.ReadOnlyError):
            return LedgerError(f"{self.path}: cannot be written to (read-only)")
        return LedgerError(f"{self.path}: {error}")


def _page(newest: bool) -> str:
    """What selects a page of events, given its start and its length."""
    return "seq < ? ORDER BY seq DESC LIMIT ?" if newest else "seq > ? ORDER BY seq LIMIT ?"
