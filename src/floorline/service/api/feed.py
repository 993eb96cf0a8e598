"""The handler of live updates: server-sent events."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec

from floorline.live import CampaignSettings
from floorline.live.series import point_of
from floorline.service.api.responses import Update
from floorline.service.api.series import series_of
from floorline.service.host import feed
from floorline.service.host.campaigns import HostedCampaign
from floorline.service.host.errors import Unavailable
from floorline.service.host.feed import StatusUpdate
from floorline.service.http.operations import Call, StreamReply
from floorline.service.http.problems import problem_of

FULL_RETRY_AFTER_SECONDS = 30
"""Seconds after which a client should retry if there were too many listeners."""


async def live(call: Call) -> StreamReply:
    """Return a stream of the campaign's status, from now on."""
    hosted = await call.host.registry.get(call.path["name"])
    if hosted.feed.listeners >= feed.MAX_LISTENERS:
        why = f"this campaign has {feed.MAX_LISTENERS} listeners already"
        raise Unavailable(why, FULL_RETRY_AFTER_SECONDS)
    return StreamReply(_messages(hosted), "text/event-stream", {"Cache-Control": "no-store"})


async def _messages(hosted: HostedCampaign) -> AsyncGenerator[bytes, None]:
    async with aclosing(hosted.feed.listen()) as updates:
        async for update in updates:
            yield message_of(update, hosted.settings)


def message_of(update: StatusUpdate, settings: CampaignSettings) -> bytes:
    """Return one server-sent event."""
    if update.status is None:
        why = None if update.error is None else problem_of(update.error).detail
        body = Update(None, None, why)
    else:
        point = point_of(0, update.time, update.status, settings)
        body = Update(update.status, series_of([point], settings.arms))
    return b"event: update\ndata: " + msgspec.json.encode(body) + b"\n\n"
