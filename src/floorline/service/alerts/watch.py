"""Checks all campaigns periodically, and sends alerts that are raised or cleared."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections import defaultdict
from contextlib import suppress

from floorline.live import Campaign, LedgerError
from floorline.service.alerts.conditions import (
    DISK,
    KEYS,
    REWARDS,
    UNAVAILABLE,
    RewardFlow,
    alerts_of,
)
from floorline.service.alerts.delivery import AlertDelivery, new_alert
from floorline.service.alerts.raised import AlertKey, Raised, RaisedAlerts
from floorline.service.host.campaigns import HostedCampaign
from floorline.service.host.host import Host
from floorline.service.host.owners import OwnedElsewhere

log = logging.getLogger("floorline.service")

INTERVAL_SECONDS = 15.0
"""Seconds between checks."""
MIN_FREE_BYTES = 500 * 2**20
MIN_FREE_SHARE = 0.02
"""Of the disk: an alert is raised below both of them."""
MAX_REFUSED_REQUESTS = 20
"""Requests with a wrong key, or one that lacks the scope, between two checks."""


class Watch:
    """The alerts that are raised now."""

    def __init__(
        self,
        host: Host,
        delivery: AlertDelivery,
        stored: RaisedAlerts,
        interval: float = INTERVAL_SECONDS,
    ) -> None:
        self.raised: Raised = {}
        """The alerts that this server has sent and not cleared."""
        self._host = host
        self._delivery = delivery
        self._interval = interval
        self._stored = stored
        self._flows: defaultdict[str, RewardFlow] = defaultdict(RewardFlow)
        self._refused = 0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start checking."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop checking."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await self._delivery.close()

    async def _run(self) -> None:
        while True:
            try:
                await self.check()
            except Exception:  # the next check may succeed
                log.exception("the check for alerts failed")
            await asyncio.sleep(self._interval)

    async def check(self) -> None:
        """Compare the alerts raised now with the previous ones, and send the differences.

        With several servers, the owner of a campaign sends its alerts. One that has taken over a
        campaign sends raised alerts again: the previous owner may not have done so.
        """
        stored = await self._read_stored()
        of_campaigns, seen = await self._of_campaigns()
        now = {**await self._of_service(), **of_campaigns}
        for (campaign, kind), text in now.items():
            if (campaign, kind) not in self.raised:
                log.warning("alert raised", extra={"campaign": campaign, "kind": kind, "why": text})
                await self._delivery.notify(new_alert(kind, "raised", campaign, text))
        unknown: Raised = {}
        cleared: Raised = {}
        for (campaign, kind), text in {**stored, **self.raised}.items():
            if (campaign, kind) not in now and self._is_own(campaign):
                ended = unknown if self._may_be_as_it_was(campaign, kind, seen) else cleared
                ended[campaign, kind] = text
        for (campaign, kind), text in cleared.items():
            log.info("alert cleared", extra={"campaign": campaign, "kind": kind})
            await self._delivery.notify(new_alert(kind, "cleared", campaign, text))
        sent = {key: text for key, text in unknown.items() if key in self.raised}
        self.raised = {**now, **sent}
        self._host.metrics.set_alerts([*now, *unknown])
        await self._store(
            {key: text for key, text in now.items() if key not in stored},
            [key for key in cleared if key in stored],
        )

    async def _read_stored(self) -> Raised:
        try:
            return await asyncio.to_thread(self._stored.read)
        except LedgerError:  # the next check may succeed
            return {}

    async def _store(self, raised: Raised, cleared: list[AlertKey]) -> None:
        if raised or cleared:
            with suppress(LedgerError):  # the next check tries again
                await asyncio.to_thread(self._stored.change, raised, cleared)

    def _may_be_as_it_was(self, campaign: str | None, kind: str, seen: set[str]) -> bool:
        """Return whether a campaign exists but was not seen in this check, or not long enough."""
        if campaign is None or campaign not in self._host.registry.catalogue:
            return False
        too_short = kind == REWARDS and not self._flows[campaign].is_known
        return campaign not in seen or too_short

    def _is_own(self, campaign: str | None) -> bool:
        """Return whether a campaign's alerts, or for None the service's, are this server's."""
        owners = self._host.registry.owners
        if campaign is None:
            return owners.speaks_for_service
        try:
            owners.route(campaign)
        except OwnedElsewhere:
            return False
        return True

    async def _of_campaigns(self) -> tuple[Raised, set[str]]:
        """Return the alerts of campaigns, and which ones were open and could be checked."""
        registry = self._host.registry
        raised: Raised = {}
        seen = set()
        for name in [name for name in self._flows if name not in registry.catalogue]:
            del self._flows[name]
        for hosted in registry.pool.all():
            try:
                status = await hosted.queue.submit(Campaign.status)
            except Exception as error:  # its ledger fails; the others are checked
                if self._is_open(hosted):
                    raised[hosted.name, UNAVAILABLE] = str(error)
                continue
            found = alerts_of(status, self._flows[hosted.name])
            raised.update({(hosted.name, kind): text for kind, text in found.items()})
            seen.add(hosted.name)
        for name, unavailable in registry.catalogue.unavailable.items():
            if self._is_own(name):
                raised[name, UNAVAILABLE] = unavailable.why
        return raised, seen

    def _is_open(self, hosted: HostedCampaign) -> bool:
        """Return whether a campaign was not closed or taken over meanwhile."""
        is_open = any(one is hosted for one in self._host.registry.pool.all())
        return is_open and not hosted.queue.is_taken_over

    async def _of_service(self) -> Raised:
        raised: Raised = {}
        folder = self._host.data.path
        if folder is not None:  # a database's disk cannot be seen from here
            disk = shutil.disk_usage(folder)
            if disk.free < MIN_FREE_BYTES and disk.free < MIN_FREE_SHARE * disk.total:
                free = f"{disk.free / 2**20:,.0f} MiB"
                raised[None, DISK] = f"{free} are left on the disk of the ledgers"
        owners, here = self._host.registry.owners, self._host.metrics.refused_requests
        before, self._refused = self._refused, await owners.count_refused(here)
        if self._refused - before >= MAX_REFUSED_REQUESTS and owners.speaks_for_service:
            raised[None, KEYS] = (
                f"{self._refused - before:,} requests with a wrong key, or one that lacks the "
                f"scope, within {self._interval:g} seconds"
            )
        return raised
