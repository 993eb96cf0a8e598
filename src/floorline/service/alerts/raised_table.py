"""Raised alerts in a database table, shared by all servers."""

from __future__ import annotations

from collections.abc import Collection
from typing import LiteralString

from floorline.service.alerts.raised import AlertKey, Raised, RaisedAlerts
from floorline.service.host.cluster import SERVICE
from floorline.service.host.database import Session

READ: LiteralString = "SELECT campaign, kind, text FROM floorline.alerts"
RAISE: LiteralString = """
INSERT INTO floorline.alerts VALUES (%s, %s, %s)
ON CONFLICT (campaign, kind) DO UPDATE SET text = excluded.text
"""
CLEAR: LiteralString = "DELETE FROM floorline.alerts WHERE campaign = %s AND kind = %s"


class RaisedTable(RaisedAlerts):
    """Raised alerts in a database table; raises LedgerError if it cannot be used."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def read(self) -> Raised:
        """Return what all servers have raised."""
        rows = self._session.run(READ)
        return {(campaign or None, kind): text for campaign, kind, text in rows}

    def change(self, raised: Raised, cleared: Collection[AlertKey]) -> None:
        """Store what was raised, and remove what was cleared."""
        for (campaign, kind), text in raised.items():
            self._session.run(RAISE, (campaign or SERVICE, kind, text))
        for campaign, kind in cleared:
            self._session.run(CLEAR, (campaign or SERVICE, kind))
