"""A database that fails while a server starts."""

from __future__ import annotations

import pytest

from floorline.live import LedgerError
from floorline.service.data import open_data, opened_data


def test_a_connection_lost_at_the_start_is_said_in_one_line(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from floorline.service.host.database import DatabaseStore

    with opened_data(database, create=True):
        pass

    def lost(store: DatabaseStore) -> float:
        raise LedgerError("the connection was closed")

    monkeypatch.setattr(DatabaseStore, "_read_time", lost)
    with pytest.raises(ValueError, match=r"^data: the connection was closed$"):
        open_data(database)
