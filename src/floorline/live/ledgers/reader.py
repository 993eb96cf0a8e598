"""Reading a ledger: what every backend implements, and what follows from it."""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from floorline.live.errors import DamagedLedger, LedgerError
from floorline.live.events import (
    BODY,
    CHECK,
    KEY,
    KINDS,
    SEQ,
    TIME,
    Event,
    Row,
    checksum,
    from_row,
)
from floorline.live.seals import seal_holds

PAGE_SIZE = 4096
"""Rows that are read at a time."""

UNCHANGED = "it was not changed"


class Mark(NamedTuple):
    """The last committed event: its sequence number and its chained checksum."""

    seq: int
    check: int


class Snapshot(msgspec.Struct, frozen=True, omit_defaults=True):
    """The state after an event, to open a long campaign quickly."""

    check: int
    """Checksum of the event, to tell whether the snapshot belongs to these events."""
    state: dict[str, Any]
    points: Any = None
    """Plain JSON values that the program running the campaign stores with the state."""

    def encode(self) -> bytes:
        """Return it as it is stored.

        Piece by piece: no other thread can run while one of them is encoded.
        """
        whole = Snapshot(self.check, _in_pieces(self.state), self.points)
        return zlib.compress(msgspec.json.encode(whole), 1)


def _in_pieces(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a nested dictionary, each encoded."""
    return {
        name: _in_pieces(value)
        if isinstance(value, dict)
        else msgspec.Raw(msgspec.json.encode(value))
        for name, value in values.items()
    }


class LedgerReader(ABC):
    """The events of one campaign, for reading even while the campaign runs.

    Reads take no write lock and begin no write transaction. One thread at a time may use a
    reader. Every failure raises `LedgerError`, with the locator and one line of text.
    """

    def __init__(self, locator: str) -> None:
        self.locator = locator
        """The locator that opens the ledger: a path, a URL or any other text."""
        self.failed = False
        """Whether a statement has failed since the last roll back: its transaction is lost."""

    @abstractmethod
    def page(
        self,
        start: int,
        limit: int = PAGE_SIZE,
        *,
        newest: bool = False,
        kinds: Sequence[str] = KINDS,
    ) -> list[Row]:
        """Return up to `limit` rows of these kinds with seq > start, in order.

        With `newest`, those with seq < start, in reverse order. `KINDS` means any kind.
        """

    @abstractmethod
    def rows_at(self, seqs: Collection[int]) -> list[Row]:
        """Return the rows with these sequence numbers, as far as they exist, in order."""

    @abstractmethod
    def rows_about(self, decision_seqs: Collection[int]) -> list[Row]:
        """Return the rows about these decisions (not the decisions themselves), in order."""

    @abstractmethod
    def row_of_key(self, key: str) -> Row | None:
        """Return the row of the decision made for a request key, or None."""

    @abstractmethod
    def counts(self) -> dict[str, int]:
        """Return the number of events of each kind."""

    @abstractmethod
    def snapshots(self) -> list[int]:
        """Return the sequence numbers after which there is a snapshot, the latest first."""

    @abstractmethod
    def stored_snapshot(self, seq: int) -> bytes:
        """Return the snapshot after event `seq` as it was stored."""

    @property
    @abstractmethod
    def secret(self) -> bytes | None:
        """Random bytes created with the ledger; None for older ledgers, which have none.

        They are in no event and in no export.
        """

    @abstractmethod
    def mark(self) -> Mark | None:
        """Return the mark of the last commit, kept apart from the events; None if unknown.

        It may lag behind the events, after a power cut for instance, but is never ahead of them.
        """

    def problems(self) -> list[str]:
        """Return what the store itself finds wrong with its files; nothing by default."""
        return []

    def back_up(self, locator: str) -> None:
        """Copy the ledger as it is now to a new one, even while its campaign runs."""
        raise LedgerError(f"{self.locator}: is backed up by the tools of its store")

    def close(self, *, untouched: bool = False) -> None:
        """Close the store; `untouched`: without tidying up, for a ledger that is refused."""
        return

    # What follows is the same for every backend.

    def event(self, seq: int) -> Event | None:
        """Return one event by its sequence number."""
        return next(iter(self._verified(self.rows_at((seq,)))), None)

    def check(self, seq: int) -> int | None:
        """Return the checksum of one event, or None if there is no such event."""
        return next((row[CHECK] for row in self.rows_at((seq,))), None)

    def times(self, seqs: Collection[int]) -> dict[int, float]:
        """Return the times of these events by sequence number."""
        return {row[SEQ]: row[TIME] for row in self.rows_at(seqs)}

    def by_key(self, key: str) -> Event | None:
        """Return the decision that was made for a request key."""
        row = self.row_of_key(key)
        return None if row is None else self._verified([row])[0]

    def about(self, decision_seq: int) -> list[Event]:
        """Return what happened to a decision after it was made."""
        return self._verified(self.rows_about((decision_seq,)))

    def events(
        self, start: int, limit: int, *, newest: bool = False, kinds: Sequence[str] = KINDS
    ) -> list[Event]:
        """Return a page of events, chosen as by `page`."""
        return self._verified(self.page(start, limit, newest=newest, kinds=kinds))

    def decisions(
        self, start: int, limit: int, *, newest: bool = False
    ) -> list[tuple[Event, list[Event]]]:
        """Return a page of decisions as `events` does, each with what happened to it since."""
        decided = self.events(start, limit, newest=newest, kinds=("decided",))
        later: dict[int | None, list[Event]] = {event.seq: [] for event in decided}
        for event in self._verified(self.rows_about([event.seq for event in decided])):
            later[event.decision_seq].append(event)
        return [(event, later[event.seq]) for event in decided]

    def checked_events(self, after: int, check_before: int) -> Iterator[tuple[Event, int]]:
        """Yield the events after a sequence number with their verified checksums.

        Raises:
            LedgerError: an event is damaged or missing.
        """
        expected = after + 1
        while rows := self.page(expected - 1):
            for row in rows:
                if row[SEQ] != expected:
                    raise self._damaged(expected)
                event = self._event(row, check_before)
                check_before = row[CHECK]
                expected += 1
                yield event, check_before

    def opening(self) -> Event | None:
        """Return the event with which the campaign was opened; None if there is no event yet.

        Raises:
            LedgerError: it is damaged, or missing while there are others.
        """
        rows = self.page(0, 1)
        if not rows:
            return None
        if rows[0][SEQ] != 1:
            raise self._damaged(1)
        first = self._event(rows[0], 0)
        if first.kind != "opened":
            raise LedgerError(f"{self.locator}: does not begin with the opening of a campaign")
        return first

    def opened(self) -> Event:
        """Return the event with which the campaign was opened; raise if there is none."""
        first = self.opening()
        if first is None:
            raise LedgerError(f"{self.locator}: holds no campaign yet")
        return first

    def lost_tail(self, mark: Mark | None) -> str | None:
        """Return what is wrong if the event of a mark is not here; None if there is no mark."""
        if mark is None or self.check(mark.seq) == mark.check:
            return None
        last = next((row[SEQ] for row in self.page(mark.seq + 1, 1, newest=True)), 0)
        if last == mark.seq:
            return f"event {mark.seq} is not the one that was committed"
        return f"event {mark.seq} was committed, but the events here end at {last}"

    def snapshot(self, seq: int) -> Snapshot:
        """Return the snapshot after event `seq`.

        Raises:
            ValueError: it is damaged.
        """
        try:
            return msgspec.json.decode(zlib.decompress(self.stored_snapshot(seq)), type=Snapshot)
        except (zlib.error, msgspec.DecodeError, TypeError) as error:
            raise ValueError(f"snapshot after event {seq}: is damaged ({error})") from None

    def _verified(self, rows: list[Row]) -> list[Event]:
        """Return the events of rows, each verified by its checksum and that of the previous row."""
        checks = {0: 0, **{row[SEQ]: row[CHECK] for row in rows}}
        before = {row[SEQ] - 1 for row in rows} - checks.keys()
        if before:
            checks.update((row[SEQ], row[CHECK]) for row in self.rows_at(before))
        return [self._event(row, checks.get(row[SEQ] - 1)) for row in rows]

    def _event(self, row: Row, check_before: int | None) -> Event:
        """Return the event of a row whose checksum continues that of the previous row."""
        try:
            if (
                check_before is not None
                and checksum(*row[:CHECK], check_before) == row[CHECK]
                and seal_holds(row[KEY], row[BODY])
            ):
                return from_row(row)
        except (ValueError, TypeError):  # damage can have turned the values into anything
            pass
        raise self._damaged(row[SEQ])

    def _damaged(self, seq: int) -> DamagedLedger:
        return DamagedLedger(
            f"{self.locator}: event {seq} is damaged or missing; {UNCHANGED}. Restore a backup"
        )
