"""Responses computed from a whole ledger, in a child process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from floorline.live import Campaign
from floorline.service.host.campaigns import HostedCampaign
from floorline.service.host.child_process import ChildError
from floorline.service.host.errors import Unavailable
from floorline.service.http.operations import Call
from floorline.service.http.problems import Problem, without_folder

MAX_EVENTS = 1_000_000
"""Events that are replayed for one response."""


async def from_whole_ledger(
    call: Call, hosted: HostedCampaign, work: Callable[[float], Awaitable[bytes]]
) -> bytes:
    """Return the result of `work` for the current time; one at a time, as each slows decisions.

    Raises:
        Problem: the ledger is too long.
        Unavailable: the work failed.
    """
    # Windows that are over are recorded first, so that the result agrees with the status.
    now = (await hosted.queue.submit(Campaign.status)).time
    if await hosted.queue.submit(lambda campaign: campaign.seq) > MAX_EVENTS:
        detail = "this campaign is too long for this; use: floorline report, floorline ledger"
        raise Problem(422, "too-long", detail)
    async with call.host.registry.replays:
        try:
            return await work(now)
        except ChildError as error:
            raise Unavailable(without_folder(str(error))) from None
