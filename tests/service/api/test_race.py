"""Requests that race for the last of the budget: never more than it can pay for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from floorline.live import Campaign
from floorline.live.choose import choose
from floorline.service.api import decisions
from floorline.service.api.routes import OPERATIONS
from floorline.service.app import Service
from floorline.service.config import Config
from floorline.service.host.campaigns import HostedCampaign

RACERS = 8
CAMPAIGN = {
    "name": "page",
    "arms": ["now", "video"],
    "max_loss": 0.1,
    "missing": "unknown",
    "default_mean": 0.5,
    "holdback": 0.0,
}
# Nothing is known of the video, so that each play may cost 0.45. Each default play adds 0.05.
# After ten of them there is 0.5: enough for one video, and not for two, even if the other racers
# are given the default.
DEFAULTS = 10


async def race(data: Path) -> int:
    """How many of the requests were given the video."""
    service = Service(Config(data, create=True))
    transport = httpx.ASGITransport(app=service)
    async with (
        service.router.lifespan_context(service),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client,
    ):
        await client.post("/v1/campaigns", json=CAMPAIGN)
        path = "/v1/campaigns/page/decisions"
        for _ in range(DEFAULTS):
            assert (await client.post(path, json={"candidate": "now"})).json()["is_default"]
        asked = [client.post(path, json={"candidate": "video"}) for _ in range(RACERS)]
        made = [answer.json() for answer in await asyncio.gather(*asked)]
        status = (await client.get("/v1/campaigns/page")).json()["status"]
    assert status["decisions"] == DEFAULTS + RACERS
    return sum(not one["is_default"] for one in made)


def test_only_one_is_allowed(tmp_path: Path) -> None:
    assert asyncio.run(race(tmp_path)) == 1


async def decide_outside(call: Any) -> Any:
    """A broken service: it checks first, and writes down what it found later."""
    hosted: HostedCampaign = await call.host.registry.get(call.path["name"])
    candidate = call.body.candidate

    def check(campaign: Campaign) -> Any:
        return choose(campaign._state, candidate, 0.5, campaign._rng)

    body = await hosted.queue.submit(check)

    def write(campaign: Campaign) -> Any:
        event = campaign._recorder.record("decided", body=body)
        is_default = body["arm"] == campaign.settings.arms[0]
        return {"ticket": str(event.seq), **body, "is_default": is_default}

    return await hosted.queue.submit(write)


def test_a_check_outside_the_transaction_would_be_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken: Callable[[Any], Awaitable[Any]] = decide_outside
    operation = next(one for one in OPERATIONS if one.handler is decisions.decide)
    monkeypatch.setitem(operation.__dict__, "handler", broken)
    assert asyncio.run(race(tmp_path)) > 1
