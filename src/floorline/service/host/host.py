"""What the handlers of all requests share."""

from __future__ import annotations

from floorline.service.host.folder import Folder
from floorline.service.host.metrics import Metrics
from floorline.service.host.registry import Registry


class Host:
    """The campaigns of a data folder, and the metrics of serving them."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.metrics = Metrics()
        self.registry = Registry(folder.store, self.metrics.commit)
        self.ready = False
        """Whether the campaigns are open."""

    async def start(self) -> None:
        """Open the campaigns."""
        await self.registry.open_all()
        self.ready = True

    async def stop(self) -> None:
        """Finish the pending work and close the campaigns."""
        self.ready = False
        await self.registry.close()
