"""Handlers that create, show and control campaigns."""

from __future__ import annotations

import logging
from collections.abc import Callable
from urllib.parse import quote

import msgspec

from floorline.live import Campaign, Conflict
from floorline.live.names import check_campaign_name
from floorline.service.api.campaign_requests import EraseBody
from floorline.service.api.responses import CampaignAnswer, Campaigns, Deleted, Erased
from floorline.service.host.campaigns import ClosedCampaign, HostedCampaign, UnavailableCampaign
from floorline.service.host.errors import Unavailable, UnknownCampaign
from floorline.service.http.forwarding import RefusedThere
from floorline.service.http.operations import Call, Reply
from floorline.service.http.problems import Problem, problem_of, without_folder

log = logging.getLogger("floorline.service")

decode_campaign = msgspec.json.Decoder(CampaignAnswer).decode


async def create(call: Call) -> Reply:
    """Create a campaign: 201, or 200 if the same one exists."""
    fields = msgspec.structs.asdict(call.body)
    name = fields.pop("name")
    check_campaign_name(name)
    if not call.access.sees(name):
        raise Problem(403, "wrong-scope", "this key is limited to campaigns of other names")
    settings = {key: value for key, value in fields.items() if value is not None}
    if "guardrails" in settings:
        settings["guardrails"] = [msgspec.structs.asdict(one) for one in settings["guardrails"]]
    campaign, is_new = await call.host.registry.create(name, settings)
    if is_new:
        log.info("campaign opened", extra={"campaign": name, "settings": settings})
    answer = await answer_of(campaign)
    answer.warnings = campaign.settings.warnings
    location = {"Location": f"/v1/campaigns/{quote(name)}"}
    return Reply(msgspec.json.encode(answer), 201 if is_new else 200, location)


async def list_all(call: Call) -> Campaigns:
    """Return all campaigns that the key reaches."""
    catalogue = call.host.registry.catalogue
    await catalogue.list_again()
    names = [name for name in catalogue.names() if call.access.sees(name)]
    # One by one, since closed ones may have to be opened, and few may be open at a time.
    shown = [await _show_wherever(call, name) for name in names]
    return Campaigns([answer for answer in shown if answer is not None])


async def _show_wherever(call: Call, name: str) -> CampaignAnswer | None:
    """Return a campaign, from its owner if that is another server; None if it was deleted."""

    async def show_here() -> CampaignAnswer:
        return await answer_of(await call.host.registry.last_known(name))

    try:
        return await call.wherever(show_here, "GET", f"/v1/campaigns/{name}", b"", decode_campaign)
    except UnknownCampaign:
        return None
    except Unavailable as error:
        if isinstance(error, RefusedThere) and error.status == 404:
            return None
        return await answer_of(call.host.registry.catalogue.without_slot(name, str(error)))


async def show(call: Call) -> CampaignAnswer:
    """Return one campaign."""
    return await answer_of(await call.host.registry.find(call.path["name"]))


async def answer_of(
    campaign: HostedCampaign | UnavailableCampaign | ClosedCampaign,
) -> CampaignAnswer:
    """Return a campaign as a response."""
    settings = None if campaign.settings is None else campaign.settings.to_json()
    answer = CampaignAnswer(campaign.name, False, campaign.default_arm, settings, None)
    if isinstance(campaign, UnavailableCampaign):
        answer.problem = without_folder(campaign.why)
        return answer
    if isinstance(campaign, ClosedCampaign):
        answer.status, answer.available = campaign.status, True
        return answer
    try:
        answer.status = await campaign.queue.submit(Campaign.status)
        answer.available = True
    except Exception as error:  # one campaign must not break the list of all
        answer.problem = problem_of(error).detail
    return answer


async def pause(call: Call) -> CampaignAnswer:
    """Play the default arm until resumed."""
    return await _change(call, Campaign.pause)


async def resume(call: Call) -> CampaignAnswer:
    """Resume after a pause."""
    return await _change(call, Campaign.resume)


async def finish(call: Call) -> CampaignAnswer:
    """Declare a winner: it is served from now on, and nothing else."""
    return await _change(call, Campaign.finish, call.body.arm)


async def stop(call: Call) -> CampaignAnswer:
    """End a campaign for good, and say which arm to play from now on."""
    return await _change(call, Campaign.stop, call.body.arm)


async def add_arm(call: Call) -> CampaignAnswer:
    """Add a challenger."""
    return await _change(call, Campaign.add_arm, call.body.arm)


async def retire_arm(call: Call) -> CampaignAnswer:
    """Stop playing a challenger."""
    return await _change(call, Campaign.retire_arm, call.body.arm)


async def promote_arm(call: Call) -> CampaignAnswer:
    """Make a challenger the default."""
    return await _change(call, Campaign.promote_arm, call.body.arm)


async def note(call: Call) -> CampaignAnswer:
    """Record a remark."""
    return await _change(call, Campaign.note, call.body.text)


async def label(call: Call) -> CampaignAnswer:
    """Replace the labels of a campaign."""
    return await _change(call, Campaign.label, call.body.labels)


async def archive(call: Call) -> CampaignAnswer:
    """Hide a campaign from lists, or show it again."""
    return await _change(call, Campaign.archive, call.body.archived)


async def erase(call: Call) -> Erased:
    """Erase request keys and contexts of decisions, which themselves stay."""
    body: EraseBody = call.body
    campaign = await call.host.registry.get(call.path["name"])
    erased = await campaign.queue.submit(lambda found: found.erase(body.request_key, body.before))
    log.info("keys and contexts erased", extra={"campaign": campaign.name, "decisions": erased})
    return Erased(erased)


async def delete(call: Call) -> Deleted:
    """Delete a campaign that was finished or stopped, with everything in it."""
    name = call.path["name"]
    if call.body.name != name:
        raise ValueError(f"name: must be {name}, to confirm the deletion")
    await call.host.registry.delete(name)
    log.info("campaign deleted", extra={"campaign": name})
    return Deleted(name)


async def start_epoch(call: Call) -> CampaignAnswer:
    """Start a new epoch, with counts, intervals and budget from zero.

    The request names the epoch to end, so that repeating it does not start another one.
    """
    ending: int | None = call.body.epoch
    default: str | None = call.body.default
    may_change: bool | None = call.body.arms_may_change
    settings = {} if may_change is None else {"arms_may_change": may_change}

    def start_epoch(campaign: Campaign) -> None:
        epoch = campaign.status().epoch
        if ending is None or ending == epoch:
            campaign.start_epoch(default, **settings)
        elif ending != epoch - 1:
            raise Conflict(f"epoch: the campaign is in epoch {epoch}, not in {ending}")

    return await _change(call, start_epoch)


async def _change(call: Call, change: Callable[..., object], *arguments: object) -> CampaignAnswer:
    """Call a method of the campaign with these arguments, and return the campaign after it."""
    campaign = await call.host.registry.get(call.path["name"])
    await campaign.queue.submit(lambda found: change(found, *arguments))
    call.host.registry.catalogue.add(campaign.index_entry)
    log.info("campaign changed", extra={"campaign": campaign.name, "change": change.__name__})
    return await answer_of(campaign)
