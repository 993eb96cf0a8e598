"""API keys in a database, for all servers that share it."""

from __future__ import annotations

import threading
import time
from typing import LiteralString

import msgspec

from floorline.core.checks import require
from floorline.live import LedgerError
from floorline.service.host.database import Session
from floorline.service.http.keys import RELOAD_SECONDS, Key, Keys
from floorline.service.http.problems import KeysError

READ: LiteralString = "SELECT key FROM floorline.keys"
READ_REQUIRED: LiteralString = "SELECT keys_required FROM floorline.service"
ADD: LiteralString = """
WITH required AS (UPDATE floorline.service SET keys_required = true)
INSERT INTO floorline.keys VALUES (%s, %s)
"""
REVOKE: LiteralString = "DELETE FROM floorline.keys WHERE id = %s"


class KeyTable(Keys):
    """The keys in a table, read again by a separate thread: requests never wait for it.

    While the database cannot be reached, the keys that were read last stay valid.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._reading = threading.Lock()
        self._read_at = float("-inf")
        self._keys: dict[str, Key] | None = None
        self._required = False

    @property
    def required(self) -> bool:
        """Whether a key is needed: always, once there has been one, even if it was revoked."""
        self.keys()
        return self._required

    def keys(self) -> dict[str, Key]:
        """Return the keys by id, about a second old."""
        if self._keys is None:
            self._read()
        elif time.monotonic() - self._read_at >= RELOAD_SECONDS and not self._reading.locked():
            threading.Thread(target=self._read_again, daemon=True).start()
        assert self._keys is not None
        return self._keys

    def _read_again(self) -> None:
        if self._reading.acquire(blocking=False):
            try:
                self._read()
            except KeysError:
                self._read_at = time.monotonic()  # no sooner than the next time
            finally:
                self._reading.release()

    def _read(self) -> None:
        decode = msgspec.json.Decoder(Key).decode
        try:
            ((required,),) = self._session.run(READ_REQUIRED)
            keys = [decode(key) for (key,) in self._session.run(READ)]
        except (LedgerError, msgspec.DecodeError) as error:
            raise KeysError(f"data: the keys cannot be read: {error}") from None
        self._required = required
        self._keys = {key.id: key for key in keys}
        self._read_at = time.monotonic()

    def add(self, key: Key) -> None:
        """Store a new key."""
        self._session.run(ADD, (key.id, msgspec.json.encode(key).decode()))
        self._read()

    def revoke(self, key_id: str) -> None:
        """Revoke a key permanently."""
        self._read()
        require(key_id in (self._keys or {}), "key_id", "one of those listed", key_id)
        self._session.run(REVOKE, (key_id,))
        self._read()
