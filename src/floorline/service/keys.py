"""API keys: who may do what. Only their SHA-256 is kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from floorline.core.checks import choice, require
from floorline.service.folder import changing, replace
from floorline.service.problems import KeysError, Problem

SCOPES = ("decide", "reward", "read", "admin")
LOOK_AGAIN = 1.0
"""Seconds after which a running service looks whether the keys have changed."""


class Key(msgspec.Struct, frozen=True):
    """One key, without its secret."""

    id: str
    name: str
    scopes: tuple[str, ...]
    sha256: str
    """Of the secret. It has 256 random bits, so that no slow hash is needed."""
    created_at: float


class KeyFile:
    """The keys in a file. `floorline key` changes it while a service runs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._looked = float("-inf")
        self._stamp: tuple[int, int] | None = None
        self._keys: dict[str, Key] = {}
        self._required = False
        self._failure: str | None = None

    @property
    def required(self) -> bool:
        """Whether a key is needed: for ever once there was one, even if it was revoked."""
        self.keys()
        return self._required

    def keys(self) -> dict[str, Key]:
        """The keys by their ids, not older than a second.

        Raises:
            KeysError: the file is there and cannot be read, so that nobody may come in.
        """
        now = time.monotonic()
        if now - self._looked >= LOOK_AGAIN:
            self._looked = now
            try:
                self._read()
                self._failure = None
            except (OSError, msgspec.DecodeError) as error:
                self._failure = f"data: {self.path} cannot be read: {error}"
        if self._failure is not None:
            raise KeysError(self._failure)
        return self._keys

    def _read(self) -> None:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            self._stamp, self._keys = None, {}
            return
        self._required = True  # even if what is in it cannot be read
        stamp = (found.st_mtime_ns, found.st_ino)
        if stamp != self._stamp:
            kept = msgspec.json.decode(self.path.read_bytes(), type=list[Key])
            self._stamp, self._keys = stamp, {key.id: key for key in kept}

    def create(self, scopes: Iterable[str], name: str = "") -> str:
        """A new key, complete. It cannot be shown again."""
        wanted = tuple(dict.fromkeys(scopes))
        require(bool(wanted), "scopes", f"some of {', '.join(SCOPES)}", wanted)
        for scope in wanted:
            choice("scopes", scope, SCOPES)
        require(len(name) <= 64, "name", "at most 64 characters", name)
        number, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
        key = Key(number, name, wanted, _hash(secret.encode()), time.time())
        with self._changing() as keys:
            self._write([*keys.values(), key])
        return f"fl_{number}_{secret}"

    def revoke(self, number: str) -> None:
        """Make a key invalid for ever."""
        with self._changing() as keys:
            choice("key", number, keys)
            self._write([key for key in keys.values() if key.id != number])

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Key]]:
        """The keys as they are now, which nobody else changes meanwhile."""
        with changing(self.path.parent):
            self._looked = float("-inf")
            yield self.keys()

    def _write(self, keys: list[Key]) -> None:
        replace(self.path, msgspec.json.format(msgspec.json.encode(keys)))

    def check(self, authorization: bytes, scope: str) -> str:
        """The id of the key in an `Authorization` header, which has the scope.

        Raises:
            Problem: 401 where there is no such key, 403 where it may not do this.
        """
        known = self.find(authorization)
        if known is None:
            raise Problem(
                401, "no-key", "a valid key is needed: Authorization: Bearer fl_...",
                {"WWW-Authenticate": "Bearer"},
            )  # fmt: skip
        if scope not in known.scopes:
            raise Problem(403, "wrong-scope", f"this needs a key with the scope {scope!r}")
        return known.id

    def find(self, authorization: bytes) -> Key | None:
        """The key in an `Authorization` header, if it is valid."""
        kind, _, given = authorization.partition(b" ")
        parts = given.strip().split(b"_", 2)
        known = None
        if kind.lower() == b"bearer" and len(parts) == 3 and parts[0] == b"fl":
            known = self.keys().get(parts[1].decode("latin-1"))
        expected = known.sha256 if known is not None else "0" * 64
        same = hmac.compare_digest(_hash(parts[-1]), expected)
        return known if same else None


def _hash(secret: bytes) -> str:
    return hashlib.sha256(secret).hexdigest()
