"""What `--data` names: a folder, or a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from floorline.service.alerts.raised import RaisedAlerts
from floorline.service.alerts.webhooks import WebhookFile, Webhooks
from floorline.service.host.folder import Folder
from floorline.service.host.host import DataSource
from floorline.service.http.forwarding import Forwarder
from floorline.service.http.keys import KeyFile, Keys

DATABASE = "postgresql://"


class Data(NamedTuple):
    """Everything that a service keeps."""

    source: DataSource
    keys: Keys
    forwarder: Forwarder | None
    """Sends requests to other servers; None if there can be none."""
    webhooks: Webhooks
    alerts: RaisedAlerts


def open_data(data: str | Path, *, create: bool = False) -> Data:
    """Return what a service keeps in a folder or a database.

    Raises:
        ValueError: there is none and `create` is not set, or it cannot be used.
    """
    if not str(data).startswith(DATABASE):
        folder = Folder(Path(data), create=create)
        keys = KeyFile(folder.keys)
        return Data(folder, keys, None, WebhookFile(folder.path), RaisedAlerts())
    try:
        from floorline.service.alerts.raised_table import RaisedTable
        from floorline.service.alerts.webhook_table import WebhookTable
        from floorline.service.host.database import Database
        from floorline.service.http.key_table import KeyTable
    except ImportError as error:
        raise ValueError(
            "data: a database needs the extra [postgres]: pip install 'floorline[postgres]' "
            f"({error})"
        ) from None
    database = Database(str(data), create=create)
    forwarder = Forwarder(database.owners, database.secret)
    webhooks = WebhookTable(database.session)
    alerts = RaisedTable(database.session)
    return Data(database, KeyTable(database.session), forwarder, webhooks, alerts)


@contextmanager
def opened_data(data: str | Path, *, create: bool = False) -> Iterator[Data]:
    """Open what a service keeps, for a command that changes some of it."""
    opened = open_data(data, create=create)
    try:
        yield opened
    finally:
        opened.source.close()
