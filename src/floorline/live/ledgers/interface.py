"""The ledger interface: what a campaign needs from the store that keeps its events.

A backend is one module with a subclass of `Ledger`, perhaps one of `LedgerReader`, and a
`Backend`; `floorline.live.ledgers` lists them. `floorline.testing.ledgers` checks one.
"""

from __future__ import annotations

import secrets
from abc import abstractmethod
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from floorline.live.clock import machine_clock
from floorline.live.errors import LedgerError
from floorline.live.events import Event
from floorline.live.ledgers.reader import LedgerReader, Snapshot

KEPT_SNAPSHOTS = 2
SECRET_BYTES = 32


class Ledger(LedgerReader):
    """The events of one campaign, for reading and appending; a ledger has one writer at a time.

    The first `append` or `save_snapshot` begins a transaction, which `commit` makes durable as a
    whole and `roll_back` discards. Reads see what was appended before. After an error inside a
    transaction, the caller rolls back.
    """

    @abstractmethod
    def append(self, event: Event) -> None:
        """Add an event to the transaction; sequence numbers are consecutive, from 1.

        A sequence number or a request key that is taken raises LedgerError, here or at `commit`.
        """

    @abstractmethod
    def commit(self) -> None:
        """Make the transaction durable, if one has begun, and then mark its last event."""

    @abstractmethod
    def roll_back(self) -> None:
        """Discard the transaction, if one has begun, and reset `failed`."""

    @property
    @abstractmethod
    def in_transaction(self) -> bool:
        """Whether there is something to commit or to roll back."""

    @abstractmethod
    def store_snapshot(self, seq: int, snapshot: bytes) -> None:
        """Store a snapshot in the transaction, in place of one with the same sequence number."""

    @abstractmethod
    def delete_snapshot(self, seq: int) -> None:
        """Delete a snapshot in the transaction."""

    def look_up_keys(self, keys: Collection[str]) -> None:
        """Look up request keys together, before the decisions for them are made.

        It only makes `row_of_key` faster, where that is a round trip or has to write appended
        events first.
        """
        return

    def erase(self, seqs: Collection[int]) -> None:
        """Delete request key and private part of these sealed events, in the transaction.

        What `floorline.live.seals.chained_part` returns of their bodies stays.
        """
        raise LedgerError(f"{self.locator}: cannot erase anything")

    def take_over_secret(self, secret: bytes | None) -> None:
        """Replace the secret of a ledger without events by that of another, in the transaction."""
        raise LedgerError(f"{self.locator}: cannot take over the secret of another ledger")

    def delete(self) -> None:
        """Delete the ledger with everything in it, and close it."""
        raise LedgerError(f"{self.locator}: is deleted by the tools of its store")

    def retire(self) -> str:
        """Take the ledger out of use and close it; return the locator by which it is still read."""
        raise LedgerError(f"{self.locator}: cannot be taken out of use")

    @property
    def clock(self) -> Callable[[], float]:
        """The time in seconds since 1970: this machine's, unless the store has a clock."""
        return machine_clock

    def save_snapshot(self, seq: int, state: dict[str, Any], points: Any = None) -> None:
        """Store the state after event `seq`, and keep one older snapshot beside it."""
        check = self.check(seq)
        if check is None:
            raise LedgerError(f"{self.locator}: there is no event {seq} to take a snapshot after")
        self.add_snapshot(seq, Snapshot(check, state, points).encode())

    def add_snapshot(self, seq: int, encoded: bytes) -> None:
        """Store an encoded snapshot, and keep one older beside it."""
        self.store_snapshot(seq, encoded)
        for old in self.snapshots()[KEPT_SNAPSHOTS:]:
            self.delete_snapshot(old)


class Backend(NamedTuple):
    """How the ledgers of one kind are found by their locators."""

    open: Callable[[str], Ledger]
    """Open a ledger for writing; create an empty one if there is none."""
    read: Callable[[str], LedgerReader]
    """Open an existing ledger for reading."""
    exists: Callable[[str], bool]
    """Whether there is a ledger, even an empty or a damaged one."""
    salvage_opening: Callable[[str], dict[str, Any] | None]
    """What the campaign of a damaged ledger was opened with, unverified; None if unreadable."""


def new_secret() -> bytes:
    """Return the secret of a new ledger."""
    return secrets.token_bytes(SECRET_BYTES)
