"""Handlers of health checks and metrics."""

from __future__ import annotations

import asyncio

from floorline.live import Campaign
from floorline.service.api.responses import Live, Ready
from floorline.service.host.errors import Unavailable
from floorline.service.host.metrics import MEDIA_TYPE
from floorline.service.http.operations import Call, Reply
from floorline.service.http.problems import Problem, problem_of


async def livez(call: Call) -> Live:
    """Return 200: the process responds."""
    return Live("live")


async def readyz(call: Call) -> Ready:
    """Return 200 if decisions are served, otherwise 503."""
    if not call.host.ready:
        raise Unavailable("the service is starting or stopping")
    registry = call.host.registry
    failing = [campaign.name for campaign in registry.pool.all() if campaign.is_failing]
    unavailable = sorted([*registry.catalogue.unavailable, *failing])
    access = call.access
    names = [name for name in unavailable if access.allows("read") and access.sees(name)]
    return Ready("ready", len(registry.catalogue), len(unavailable), names)


async def metrics(call: Call) -> Reply:
    """Return metrics for Prometheus."""
    if call.access.is_limited:
        raise Problem(403, "wrong-scope", "metrics cover all campaigns; this key is limited")
    registry = call.host.registry
    unavailable = set(registry.catalogue.unavailable)
    statuses = {name: campaign.status for name, campaign in registry.pool.closed.items()}
    for campaign in registry.pool.all():
        try:
            statuses[campaign.name] = await campaign.queue.submit(Campaign.status)
        except Exception as error:  # the others are shown
            problem_of(error)  # logs an internal error
            unavailable.add(campaign.name)
    available = {name: name not in unavailable for name in registry.catalogue.names()}
    # In a thread: it may take long, and decisions must not wait.
    text = await asyncio.to_thread(call.host.metrics.text, available, statuses)
    return Reply(text, media_type=MEDIA_TYPE)
