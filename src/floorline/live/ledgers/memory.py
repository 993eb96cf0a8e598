"""A ledger in memory, which ends with its process."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from floorline.live.errors import LedgerError
from floorline.live.events import (
    BODY,
    CHECK,
    DECISION_SEQ,
    KEY,
    KIND,
    KINDS,
    SEQ,
    Event,
    Row,
    to_row,
)
from floorline.live.ledgers.interface import Backend, Ledger, new_secret
from floorline.live.ledgers.reader import PAGE_SIZE, Mark
from floorline.live.seals import chained_part


class MemoryLedger(Ledger):
    """The events of one campaign in a list: event `seq` is at index seq - 1."""

    def __init__(self, locator: str = ":memory:") -> None:
        super().__init__(locator)
        self._rows: list[Row] = []
        self._by_key: dict[str, Row] = {}
        # Tuples, because the garbage collector need not look into them.
        self._about: defaultdict[int, tuple[Row, ...]] = defaultdict(tuple)
        self._snapshots: dict[int, bytes] = {}
        self._committed_rows = 0
        self._committed_snapshots = self._snapshots
        self._secret: bytes | None = new_secret()
        self._erased: dict[int, Row] = {}  # in this transaction, as they were

    # Reading.

    def page(
        self,
        start: int,
        limit: int = PAGE_SIZE,
        *,
        newest: bool = False,
        kinds: Sequence[str] = KINDS,
    ) -> list[Row]:
        """Return up to `limit` rows of these kinds after `start`, or before it, newest first."""
        rows = self._rows
        last = min(start - 1, len(rows)) - 1
        indices = range(last, -1, -1) if newest else range(start, len(rows))
        page: list[Row] = []
        for index in indices:
            if len(page) == limit:
                break
            if kinds == KINDS or rows[index][KIND] in kinds:
                page.append(rows[index])
        return page

    def rows_at(self, seqs: Collection[int]) -> list[Row]:
        """Return the rows with these sequence numbers, as far as they exist."""
        return [self._rows[seq - 1] for seq in sorted(seqs) if 1 <= seq <= len(self._rows)]

    def rows_about(self, decision_seqs: Collection[int]) -> list[Row]:
        """Return the rows about these decisions, in order."""
        return sorted(row for seq in decision_seqs for row in self._about.get(seq, ()))

    def row_of_key(self, key: str) -> Row | None:
        """Return the row of the decision made for a request key."""
        return self._by_key.get(key)

    def counts(self) -> dict[str, int]:
        """Return the number of events of each kind."""
        return dict(Counter(row[KIND] for row in self._rows))

    def snapshots(self) -> list[int]:
        """Return the sequence numbers of the snapshots, the latest first."""
        return sorted(self._snapshots, reverse=True)

    def stored_snapshot(self, seq: int) -> bytes:
        """Return a snapshot as it was stored."""
        return self._snapshots[seq]

    @property
    def secret(self) -> bytes | None:
        """The secret of this ledger."""
        return self._secret

    def mark(self) -> Mark | None:
        """Return the mark of the last commit."""
        if not self._committed_rows:
            return None
        row = self._rows[self._committed_rows - 1]
        return Mark(row[SEQ], row[CHECK])

    # Writing.

    def take_over_secret(self, secret: bytes | None) -> None:
        """Replace the secret."""
        self._secret = secret

    def erase(self, seqs: Collection[int]) -> None:
        """Delete key and private part."""
        for seq in seqs:
            row = self._rows[seq - 1]
            chained = chained_part(row[BODY])
            if chained is None or chained == row[BODY]:
                continue
            self._erased.setdefault(seq, row)
            self._rows[seq - 1] = (*row[:KEY], None, chained, row[CHECK])
            if row[KEY] is not None:
                del self._by_key[row[KEY]]

    def append(self, event: Event) -> None:
        """Add an event to the transaction."""
        rows, key, decision_seq = self._rows, event.key, event.decision_seq
        if event.seq != len(rows) + 1:
            raise LedgerError(f"{self.locator}: event {event.seq} cannot follow event {len(rows)}")
        if key is not None and key in self._by_key:
            raise LedgerError(f"{self.locator}: request key {key!r} is taken")
        row = to_row(event, rows[-1][CHECK] if rows else 0)
        rows.append(row)
        if key is not None:
            self._by_key[key] = row
        if decision_seq is not None:
            self._about[decision_seq] += (row,)

    def commit(self) -> None:
        """Keep the transaction."""
        self._committed_rows = len(self._rows)
        self._committed_snapshots = self._snapshots
        self._erased = {}

    def roll_back(self) -> None:
        """Discard the transaction."""
        for seq, row in self._erased.items():
            self._rows[seq - 1] = row
            if row[KEY] is not None:
                self._by_key[row[KEY]] = row
        self._erased = {}
        while len(self._rows) > self._committed_rows:
            row = self._rows[-1]
            key, decision_seq = row[KEY], row[DECISION_SEQ]
            if key is not None:
                self._by_key.pop(key, None)
            if decision_seq is not None:
                about = self._about[decision_seq]
                self._about[decision_seq] = tuple(kept for kept in about if kept is not row)
            self._rows.pop()  # last, so that an interrupted roll back can be repeated
        self._snapshots = self._committed_snapshots

    @property
    def in_transaction(self) -> bool:
        """Whether something was added since the last commit."""
        rows_added = len(self._rows) > self._committed_rows
        snapshots_changed = self._snapshots is not self._committed_snapshots
        return rows_added or snapshots_changed or bool(self._erased)

    def store_snapshot(self, seq: int, snapshot: bytes) -> None:
        """Store a snapshot in the transaction."""
        self._snapshots = {**self._snapshots, seq: snapshot}

    def delete_snapshot(self, seq: int) -> None:
        """Delete a snapshot in the transaction."""
        self._snapshots = {kept: self._snapshots[kept] for kept in self._snapshots if kept != seq}


def _read(locator: str) -> Ledger:
    raise LedgerError(f"{locator}: a ledger in memory can be read only through its campaign")


BACKEND = Backend(
    open=MemoryLedger,
    read=_read,
    exists=lambda locator: False,
    salvage_opening=lambda locator: None,
)
