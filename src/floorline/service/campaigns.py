"""Campaigns: open them, look at them, pause and stop them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import msgspec

from floorline.live import Campaign
from floorline.service.answers import CampaignAnswer, Campaigns
from floorline.service.calls import Call, Reply
from floorline.service.entries import Broken, Entry
from floorline.service.problems import Problem, problem_of, without_folder

log = logging.getLogger("floorline.service")


async def create(call: Call) -> Reply:
    """Open a campaign; 200 if the same one exists."""
    given = msgspec.structs.asdict(call.body)
    name = given.pop("name")
    settings = {word: value for word, value in given.items() if value is not None}
    entry, new = await call.service.registry.open(name, settings)
    if new:
        log.info("campaign opened", extra={"campaign": name, "settings": settings})
    answer = await answer_of(entry)
    answer.warnings = entry.settings.warnings
    body = msgspec.json.encode(answer)
    return Reply(body, 201 if new else 200, {"Location": f"/v1/campaigns/{name}"})


async def list_all(call: Call) -> Campaigns:
    """All campaigns."""
    return Campaigns(await asyncio.gather(*map(answer_of, call.service.registry.all())))


async def show(call: Call) -> CampaignAnswer:
    """One campaign."""
    found = call.service.registry.find(call.path["name"])
    if found is None:
        raise Problem(404, "unknown-campaign", f"there is no campaign {call.path['name']!r}")
    return await answer_of(found)


async def answer_of(found: Entry | Broken) -> CampaignAnswer:
    """A campaign as it is answered."""
    settings = None if found.settings is None else found.settings.to_json()
    answer = CampaignAnswer(found.name, False, found.default_arm, settings, None)
    if isinstance(found, Broken):
        answer.problem = without_folder(found.why)
        return answer
    try:
        answer.status = await found.writer.submit(Campaign.status)
        answer.available = True
    except Exception as error:  # whatever it is, the others are listed
        answer.problem = problem_of(error).detail
    return answer


async def pause(call: Call) -> CampaignAnswer:
    """Play the default arm until resumed."""
    return await _switch(call, Campaign.pause)


async def resume(call: Call) -> CampaignAnswer:
    """Go on after a pause."""
    return await _switch(call, Campaign.resume)


async def stop(call: Call) -> CampaignAnswer:
    """End a campaign for good."""
    return await _switch(call, Campaign.stop)


async def start_epoch(call: Call) -> CampaignAnswer:
    """Begin anew, with counts, intervals and budget from zero."""
    return await _switch(call, Campaign.start_epoch)


async def _switch(call: Call, what: Callable[[Campaign], None]) -> CampaignAnswer:
    entry = call.service.registry.get(call.path["name"])
    await entry.writer.submit(what)
    log.info("campaign changed", extra={"campaign": entry.name, "change": what.__name__})
    return await answer_of(entry)
