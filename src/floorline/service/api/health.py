"""Handlers of health checks and metrics."""

from __future__ import annotations

from floorline.live import Campaign, Status
from floorline.service.api.responses import Live, Ready
from floorline.service.host.campaigns import HostedCampaign
from floorline.service.host.errors import Unavailable
from floorline.service.host.metrics import MEDIA_TYPE
from floorline.service.http.operations import Call, Reply
from floorline.service.http.problems import problem_of


async def livez(call: Call) -> Live:
    """The process responds."""
    return Live("live")


async def readyz(call: Call) -> Ready:
    """Decisions are served."""
    if not call.host.ready:
        raise Unavailable("the service is starting or stopping")
    campaigns = call.host.registry.all()
    failing = [
        campaign.name
        for campaign in campaigns
        if not isinstance(campaign, HostedCampaign) or campaign.queue.failure
    ]
    return Ready("ready", len(campaigns), failing)


async def metrics(call: Call) -> Reply:
    """Metrics for Prometheus."""
    statuses: dict[str, Status | None] = {}
    for campaign in call.host.registry.all():
        statuses[campaign.name] = None
        if isinstance(campaign, HostedCampaign):
            try:
                statuses[campaign.name] = await campaign.queue.submit(Campaign.status)
            except Exception as error:  # the others are shown
                problem_of(error)  # logs an internal error
    return Reply(call.host.metrics.text(statuses), media_type=MEDIA_TYPE)
