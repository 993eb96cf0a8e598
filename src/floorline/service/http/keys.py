"""API keys and their scopes. Only the SHA-256 of a key is stored."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from floorline.core.checks import choice, require
from floorline.service.host.files import give_to_owner_of, locked_for_change, replace_file
from floorline.service.host.folder import KEYS_MARKER
from floorline.service.http.problems import KeysError, Problem

SCOPES = ("decide", "reward", "read", "admin")
RELOAD_SECONDS = 1.0
"""After which a running service checks whether the keys have changed."""


class Key(msgspec.Struct, frozen=True):
    """One key, without its secret."""

    id: str
    name: str
    scopes: tuple[str, ...]
    sha256: str
    """Of the secret. It has 256 random bits, so no slow hash is needed."""
    created_at: float
    campaigns: tuple[str, ...] | None = None
    """The names of the campaigns that it is limited to; None if it is not limited."""


class Keys(ABC):
    """The keys of a service. `floorline key` changes them while it runs."""

    @property
    @abstractmethod
    def required(self) -> bool:
        """Whether a key is needed: always, once there has been one, even if it was revoked."""

    @abstractmethod
    def keys(self) -> dict[str, Key]:
        """Return the keys by id, about a second old at most.

        Raises:
            KeysError: they cannot be read, so that nobody may be admitted.
        """

    @abstractmethod
    def add(self, key: Key) -> None:
        """Store a new key."""

    @abstractmethod
    def revoke(self, key_id: str) -> None:
        """Revoke a key permanently."""

    def create(
        self, scopes: Iterable[str], name: str = "", campaigns: Iterable[str] | None = None
    ) -> str:
        """Return a new key, complete. It cannot be shown again.

        Args:
            scopes: what it may do.
            name: what it is for.
            campaigns: the only campaigns that it may see and use, existing or not; None for all.
        """
        distinct = tuple(dict.fromkeys(scopes))
        require(bool(distinct), "scopes", f"some of {', '.join(SCOPES)}", distinct)
        for scope in distinct:
            choice("scopes", scope, SCOPES)
        require(len(name) <= 64, "name", "at most 64 characters", name)
        limited = None if campaigns is None else tuple(dict.fromkeys(campaigns))
        require(limited != (), "campaigns", "some names, or None for all", limited)
        for campaign in limited or ():
            require(0 < len(campaign) <= 64, "campaign", "a name of 1 to 64 characters", campaign)
        key_id, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
        self.add(Key(key_id, name, distinct, _hash(secret.encode()), time.time(), limited))
        return f"fl_{key_id}_{secret}"

    def check(self, authorization: bytes, scope: str) -> Key:
        """Return the key in an `Authorization` header, which must have the scope.

        Raises:
            Problem: 401 for an unknown key, 403 for one without the scope.
        """
        key = self.find(authorization)
        if key is None:
            detail = "a valid key is needed: Authorization: Bearer fl_..."
            raise Problem(401, "no-key", detail, {"WWW-Authenticate": "Bearer"})
        if scope not in key.scopes:
            raise Problem(403, "wrong-scope", f"this needs a key with the scope {scope!r}")
        return key

    def find(self, authorization: bytes) -> Key | None:
        """Return the key in an `Authorization` header, if it is valid."""
        scheme, _, credentials = authorization.partition(b" ")
        parts = credentials.strip().split(b"_", 2)
        key = None
        if scheme.lower() == b"bearer" and len(parts) == 3 and parts[0] == b"fl":
            key = self.keys().get(parts[1].decode("latin-1"))
        expected = key.sha256 if key is not None else "0" * 64
        same = hmac.compare_digest(_hash(parts[-1]), expected)
        return key if same else None


class KeyFile(Keys):
    """The keys in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._marker = path.with_name(KEYS_MARKER)
        self._checked_at = float("-inf")
        self._version: tuple[int, int] | None = None
        self._keys: dict[str, Key] = {}
        self._required = False
        self._failure: str | None = None

    @property
    def required(self) -> bool:
        """Whether a key is needed: always, once there has been one, even if it was revoked."""
        self.keys()
        return self._required

    def keys(self) -> dict[str, Key]:
        """Return the keys by id, at most a second old.

        Raises:
            KeysError: the file exists and cannot be read, so that nobody may be admitted.
        """
        now = time.monotonic()
        if now - self._checked_at >= RELOAD_SECONDS:
            self._checked_at = now
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
            stat = self.path.stat()
        except FileNotFoundError:
            self._version, self._keys = None, {}
            self._required = self._required or self._marker.exists()
            return
        self._require_for_ever()  # even if the content cannot be read
        version = (stat.st_mtime_ns, stat.st_ino)
        if version != self._version:
            keys = msgspec.json.decode(self.path.read_bytes(), type=list[Key])
            self._version, self._keys = version, {key.id: key for key in keys}

    def _require_for_ever(self) -> None:
        """Record that there was a key: deleting the file later must not open the service."""
        if not self._required:
            self._required = True
            with suppress(OSError):  # a full disk; the file of the keys says the same
                self._marker.touch(0o600)
                give_to_owner_of(self.path.parent, self._marker)

    def add(self, key: Key) -> None:
        """Store a new key."""
        with self._changing() as keys:
            self._write([*keys.values(), key])

    def revoke(self, key_id: str) -> None:
        """Revoke a key permanently."""
        with self._changing() as keys:
            require(key_id in keys, "key_id", "one of those listed", key_id)
            self._write([key for key in keys.values() if key.id != key_id])

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Key]]:
        """The current keys, which no other process changes meanwhile."""
        with locked_for_change(self.path.parent):
            self._checked_at = float("-inf")
            yield self.keys()

    def _write(self, keys: list[Key]) -> None:
        replace_file(self.path, msgspec.json.format(msgspec.json.encode(keys)))
        self._require_for_ever()


def _hash(secret: bytes) -> str:
    return hashlib.sha256(secret).hexdigest()
