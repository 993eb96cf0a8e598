"""Handlers of decisions and rewards, which may be called thousands of times a second."""

from __future__ import annotations

import asyncio
from itertools import chain
from typing import Any

import msgspec

from floorline.live import Campaign, CampaignError, RewardReceipt
from floorline.live.request import check_request, checked_chances
from floorline.service.api.requests import (
    DecisionBody,
    DecisionRequest,
    RewardsBody,
    TicketReward,
)
from floorline.service.api.responses import (
    BatchReceipt,
    DecisionAnswer,
    Decisions,
    RewardResults,
)
from floorline.service.host.campaigns import HostedCampaign
from floorline.service.host.owners import OwnedElsewhere
from floorline.service.host.pending import BATCH_PART
from floorline.service.http.operations import Call
from floorline.service.http.problems import Problem, problem_of


async def decide(call: Call) -> DecisionAnswer | Decisions:
    """Return which arm to play, for one request or a batch."""
    hosted = await call.host.registry.get(call.path["name"])
    body: DecisionBody = call.body
    if body.requests is msgspec.UNSET:
        return await hosted.queue.submit(
            lambda campaign: decide_one(hosted, campaign, body), keys=(body.request_key,)
        )
    if any(getattr(body, name) is not None for name in DecisionRequest.__struct_fields__):
        detail = f"requests: cannot be combined with {', '.join(DecisionRequest.__struct_fields__)}"
        raise Problem(422, "invalid", detail)
    return await decide_batch(hosted, body.requests)


def decide_one(
    hosted: HostedCampaign, campaign: Campaign, request: DecisionRequest
) -> DecisionAnswer:
    """Return one decision, in the thread of the commit queue."""
    before = campaign.seq
    ticket = campaign.decide(
        request.request_key, request.candidate, request.context, request.chances
    )
    if campaign.seq > before:  # else it was made earlier
        hosted.series.note(campaign)
    return DecisionAnswer(
        ticket.id,
        ticket.arm,
        ticket.is_default,
        ticket.candidate,
        ticket.reason,
        ticket.guaranteed_budget,
        ticket.probability,
        ticket.propensity,
    )


async def decide_batch(hosted: HostedCampaign, requests: list[DecisionRequest]) -> Decisions:
    """Return decisions for all requests, or for none of them."""
    for request in requests:
        check_request(hosted.settings, request.request_key, request.candidate, request.context)
        checked_chances(hosted.settings, request.candidate, request.chances)

    def decide_all(campaign: Campaign) -> Decisions:
        return Decisions([decide_one(hosted, campaign, request) for request in requests])

    keys = [request.request_key for request in requests]
    return await hosted.queue.submit(decide_all, len(requests), keys)


async def reward(call: Call) -> RewardReceipt:
    """Record the reward of a decision."""
    ticket, value, metrics = call.path["ticket"], call.body.reward, call.body.metrics
    hosted = await call.host.registry.of_ticket(ticket)
    return await hosted.queue.submit(
        lambda campaign: RewardReceipt(ticket, campaign.observe(ticket, value, metrics))
    )


async def void(call: Call) -> RewardReceipt:
    """Record that a decision reached nobody."""
    ticket = call.path["ticket"]
    hosted = await call.host.registry.of_ticket(ticket)
    return await hosted.queue.submit(lambda campaign: RewardReceipt(ticket, campaign.void(ticket)))


async def rewards(call: Call) -> RewardResults:
    """Record a batch of rewards, each on its own: some may be refused.

    It is committed in parts, so that decisions need not wait for all of it.
    """
    batch: list[TicketReward] = call.body.rewards
    results: list[Any] = [None] * len(batch)
    shares: dict[str, list[int]] = {}
    catalogue = call.host.registry.catalogue
    for index, item in enumerate(batch):
        try:
            await catalogue.learn(None, item.ticket)
            name = call.access.name_of_ticket(catalogue, item.ticket)
            shares.setdefault(name, []).append(index)
        except CampaignError as error:
            results[index] = _refused(item.ticket, error)
    for name, indices in shares.items():  # one by one, since few may be open at a time
        parts = [indices[i : i + BATCH_PART] for i in range(0, len(indices), BATCH_PART)]
        recorded = await asyncio.gather(
            *(_record(call, name, [batch[index] for index in part]) for part in parts)
        )
        for index, receipt in zip(indices, chain(*recorded), strict=True):
            results[index] = receipt
    return RewardResults(results)


async def _record(call: Call, name: str, rewards: list[TicketReward]) -> list[BatchReceipt]:
    """Record rewards of one campaign, in one transaction, or have its owner do so."""

    def observe_all(campaign: Campaign) -> list[BatchReceipt]:
        return [_observe(campaign, item) for item in rewards]

    async def record_here() -> list[BatchReceipt]:
        hosted = await call.host.registry.get(name)
        # A batch, even of one reward: single decisions go first.
        return await hosted.queue.submit(observe_all, max(2, len(rewards)))

    try:
        body = msgspec.json.encode(RewardsBody(rewards))
        return await call.wherever(record_here, "POST", "/v1/rewards", body, _receipts)
    except OwnedElsewhere:
        raise  # the server that sent it here knows better by now
    except CampaignError as error:
        return [_refused(item.ticket, error) for item in rewards]


def _receipts(body: bytes) -> list[BatchReceipt]:
    return msgspec.json.decode(body, type=RewardResults).results


def _observe(campaign: Campaign, item: TicketReward) -> BatchReceipt:
    try:
        result = campaign.observe(item.ticket, item.reward, item.metrics)
    except (ValueError, CampaignError) as error:
        return _refused(item.ticket, error)
    return BatchReceipt(item.ticket, result)


def _refused(ticket: str, error: Exception) -> BatchReceipt:
    return BatchReceipt(ticket, problem=problem_of(error).document())
