"""Webhooks in a database table, shared by all servers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, LiteralString

import msgspec

from floorline.core.checks import require
from floorline.live import LedgerError
from floorline.service.alerts.webhooks import MAX_WEBHOOKS, Webhook, Webhooks
from floorline.service.host.database import Session

READ: LiteralString = "SELECT webhook FROM floorline.webhooks ORDER BY number"
ADD: LiteralString = """
INSERT INTO floorline.webhooks (id, webhook)
SELECT %s, %s WHERE (SELECT count(*) FROM floorline.webhooks) < %s RETURNING id
"""
REMOVE: LiteralString = "DELETE FROM floorline.webhooks WHERE id = %s"


class WebhookTable(Webhooks):
    """Webhooks in a database table, read at each use, since alerts are rare."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def webhooks(self) -> list[Webhook]:
        """Return all webhooks.

        Raises:
            ValueError: they cannot be read.
        """
        decode = msgspec.json.Decoder(Webhook).decode
        try:
            return [decode(webhook) for (webhook,) in self._run(READ)]
        except msgspec.DecodeError as error:
            raise ValueError(f"data: the webhooks cannot be read: {error}") from None

    def _add(self, webhook: Webhook) -> bool:
        values = (webhook.id, msgspec.json.encode(webhook).decode(), MAX_WEBHOOKS)
        return bool(self._run(ADD, values))

    def remove(self, webhook_id: str) -> None:
        """Remove an address."""
        known = {webhook.id for webhook in self.webhooks()}
        require(webhook_id in known, "webhook_id", "one of those listed", webhook_id)
        self._run(REMOVE, (webhook_id,))

    def _run(self, statement: LiteralString, values: Sequence[Any] = ()) -> list[Any]:
        try:
            return self._session.run(statement, values)
        except LedgerError as error:
            raise ValueError(f"data: the webhooks cannot be read or changed: {error}") from None
