"""Reading a campaign's ledger without delaying its decisions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import closing
from typing import TypeVar

from floorline.live import DamagedLedger, ledgers
from floorline.live.ledgers import LedgerReader
from floorline.service.host.campaigns import HostedCampaign

T = TypeVar("T")


async def read_ledger(hosted: HostedCampaign, read: Callable[[LedgerReader], T]) -> T:
    """Return the result of `read` on a separate connection, in another thread."""

    def with_ledger() -> T:
        with closing(ledgers.read_ledger(hosted.locator)) as ledger:
            return read(ledger)

    try:
        return await asyncio.to_thread(with_ledger)
    except DamagedLedger as error:
        hosted.queue.notice_damage(error)
        raise
