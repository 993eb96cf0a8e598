"""Administration of campaigns, awaited."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from .campaigns import CampaignAdmin
from .messages import CampaignView
from .threads import Threads


class AsyncCampaignAdmin:
    """The campaigns of a service, like `CampaignAdmin`, awaited."""

    def __init__(self, admin: CampaignAdmin, threads: Threads) -> None:
        self._admin = admin
        self._threads = threads

    async def open(
        self, name: str, arms: Sequence[str], max_loss: float, missing: str, **settings: Any
    ) -> CampaignView:
        """Open a campaign, or return the existing one if it has the same settings."""
        call = partial(self._admin.open, name, arms, max_loss, missing, **settings)
        return await self._threads.run(call)

    async def list_all(self) -> list[CampaignView]:
        """Return all campaigns, by name."""
        return await self._threads.run(self._admin.list_all)

    async def show(self, name: str) -> CampaignView:
        """Return one campaign."""
        return await self._threads.run(self._admin.show, name)

    async def pause(self, name: str) -> CampaignView:
        """Play the default arm until the campaign is resumed. Rewards are still accepted."""
        return await self._threads.run(self._admin.pause, name)

    async def resume(self, name: str) -> CampaignView:
        """Explore again after a pause."""
        return await self._threads.run(self._admin.resume, name)

    async def add_arm(self, name: str, arm: str) -> CampaignView:
        """Add a challenger to a campaign that was opened with `arms_may_change=True`."""
        return await self._threads.run(self._admin.add_arm, name, arm)

    async def retire_arm(self, name: str, arm: str) -> CampaignView:
        """Stop playing a challenger. Rewards for its past decisions are still accepted."""
        return await self._threads.run(self._admin.retire_arm, name, arm)

    async def promote_arm(self, name: str, arm: str) -> CampaignView:
        """Make a challenger the new default; the old default becomes a challenger."""
        return await self._threads.run(self._admin.promote_arm, name, arm)

    async def finish(self, name: str, arm: str) -> CampaignView:
        """Declare a winner, the only arm played from now on. Rewards are still accepted."""
        return await self._threads.run(self._admin.finish, name, arm)

    async def stop(self, name: str, arm: str | None = None) -> CampaignView:
        """End a campaign for good, with the arm to play from now on. Rewards still count."""
        return await self._threads.run(self._admin.stop, name, arm)

    async def start_epoch(
        self,
        name: str,
        epoch: int,
        default: str | None = None,
        arms_may_change: bool | None = None,
    ) -> CampaignView:
        """Start a new epoch, with counts, intervals and budget from zero."""
        return await self._threads.run(
            self._admin.start_epoch, name, epoch, default, arms_may_change
        )

    async def note(self, name: str, text: str) -> CampaignView:
        """Add a note to the campaign's history. If the connection breaks, it may be there twice."""
        return await self._threads.run(self._admin.note, name, text)

    async def label(self, name: str, labels: Sequence[str]) -> CampaignView:
        """Replace the labels of a campaign."""
        return await self._threads.run(self._admin.label, name, labels)

    async def archive(self, name: str, archived: bool = True) -> CampaignView:
        """Hide a campaign from lists, or show it again. It continues as before."""
        return await self._threads.run(self._admin.archive, name, archived)

    async def erase(
        self, name: str, request_key: str | None = None, before: float | None = None
    ) -> int:
        """Erase the request key and context of one request, or of all decisions before a time."""
        return await self._threads.run(self._admin.erase, name, request_key, before)

    async def delete(self, name: str) -> bool:
        """Delete a finished or stopped campaign with its ledger; False if there is none."""
        return await self._threads.run(self._admin.delete, name)
