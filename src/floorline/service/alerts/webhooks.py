"""The addresses that alerts are sent to; for a data folder, they are in a file."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from floorline.core.checks import choice, require
from floorline.service.alerts.conditions import KINDS
from floorline.service.host.files import locked_for_change, replace_file
from floorline.service.host.folder import WEBHOOKS_FILE

MAX_WEBHOOKS = 20


class Webhook(msgspec.Struct, frozen=True):
    """One address."""

    id: str
    url: str
    secret: str
    """Signs what is sent, so that the receiver knows who sent it."""
    kinds: tuple[str, ...]
    """The alerts that are sent."""


class Webhooks(ABC):
    """The webhooks of a service. `floorline webhook` changes them while it runs."""

    @abstractmethod
    def webhooks(self) -> list[Webhook]:
        """Return all webhooks.

        Raises:
            ValueError: they cannot be read.
        """

    @abstractmethod
    def _add(self, webhook: Webhook) -> bool:
        """Store a webhook; return False if there are too many."""

    @abstractmethod
    def remove(self, webhook_id: str) -> None:
        """Remove an address."""

    def add(self, url: str, kinds: Iterable[str] = KINDS) -> Webhook:
        """Add an address; return it with its secret."""
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname)
        require(fits, "url", "an address that begins with http:// or https://", url)
        distinct = tuple(dict.fromkeys(kinds))
        require(bool(distinct), "kinds", f"some of {', '.join(KINDS)}", distinct)
        for kind in distinct:
            choice("kinds", kind, KINDS)
        webhook = Webhook(secrets.token_hex(4), url, secrets.token_urlsafe(32), distinct)
        require(self._add(webhook), "url", f"one of at most {MAX_WEBHOOKS}", url)
        return webhook


class WebhookFile(Webhooks):
    """The webhooks of a data folder, read again when the file has changed."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / WEBHOOKS_FILE
        self._version: tuple[int, int] | None = None
        self._webhooks: list[Webhook] = []

    def webhooks(self) -> list[Webhook]:
        """Return all webhooks.

        Raises:
            ValueError: the file cannot be read.
        """
        try:
            stat = self._path.stat()
            version = (stat.st_mtime_ns, stat.st_ino)
            if version != self._version:
                self._webhooks = msgspec.json.decode(self._path.read_bytes(), type=list[Webhook])
                self._version = version
        except FileNotFoundError:
            self._version, self._webhooks = None, []
        except (OSError, msgspec.DecodeError) as error:
            raise ValueError(f"data: {self._path} cannot be read: {error}") from None
        return self._webhooks

    def _add(self, webhook: Webhook) -> bool:
        with locked_for_change(self._path.parent):
            others = self.webhooks()
            if len(others) >= MAX_WEBHOOKS:
                return False
            self._write([*others, webhook])
            return True

    def remove(self, webhook_id: str) -> None:
        """Remove an address."""
        with locked_for_change(self._path.parent):
            webhooks = self.webhooks()
            others = [webhook for webhook in webhooks if webhook.id != webhook_id]
            require(others != webhooks, "webhook_id", "one of those listed", webhook_id)
            self._write(others)

    def _write(self, webhooks: list[Webhook]) -> None:
        replace_file(self._path, msgspec.json.format(msgspec.json.encode(webhooks)))
