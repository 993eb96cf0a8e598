"""What the handlers of all requests share."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from floorline.service.host.index import CampaignIndex
from floorline.service.host.metrics import Metrics
from floorline.service.host.owners import Owners
from floorline.service.host.registry import Registry
from floorline.service.host.store import CampaignStore


class DataSource(Protocol):
    """The place of everything that a service keeps: a folder or a database."""

    @property
    def shown(self) -> str:
        """Where it is, for messages."""

    @property
    def path(self) -> Path | None:
        """The folder that holds it; None for a database."""

    @property
    def store(self) -> CampaignStore:
        """The campaigns."""

    @property
    def index(self) -> CampaignIndex:
        """The ids and default arms of the campaigns."""

    @property
    def owners(self) -> Owners:
        """Which server owns which campaign."""

    @property
    def max_open(self) -> int:
        """How many campaigns may be open at a time."""

    def locked(self) -> AbstractContextManager[None]:
        """Exclude other servers, where only one is possible."""

    def close(self) -> None:
        """Close it."""


class Host:
    """The campaigns of a data folder or a database, and the metrics of serving them."""

    def __init__(self, data: DataSource) -> None:
        self.data = data
        self.metrics = Metrics(data.store.clock)
        self.registry = Registry(
            data.store, data.index, self.metrics.commit, data.max_open, data.owners
        )
        self.ready = False
        """Whether campaigns are served."""

    async def start(self) -> None:
        """Open or list the campaigns."""
        await self.registry.start()
        self.ready = True

    async def stop(self) -> None:
        """Finish the pending work and close the campaigns."""
        self.ready = False
        await self.registry.close()
        self.data.close()
