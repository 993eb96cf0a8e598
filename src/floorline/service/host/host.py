"""What the handlers of all requests share."""

from __future__ import annotations

from floorline.service.host.descriptors import open_campaigns_allowed
from floorline.service.host.folder import Folder
from floorline.service.host.index import CampaignIndex
from floorline.service.host.metrics import Metrics
from floorline.service.host.registry import Registry


class Host:
    """The campaigns of a data folder, and the metrics of serving them."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.metrics = Metrics()
        self.registry = Registry(
            folder.store,
            CampaignIndex(folder.index),
            self.metrics.commit,
            open_campaigns_allowed(),
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
