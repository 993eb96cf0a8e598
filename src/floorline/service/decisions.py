"""Decisions and rewards: the requests that come thousands of times a second."""

from __future__ import annotations

from typing import Any

from floorline.live import Campaign, CampaignError
from floorline.live.campaign import check_request
from floorline.live.tickets import seq_of
from floorline.service.answers import Decision, Decisions, RewardResults, Taken, TakenOrNot
from floorline.service.calls import Call
from floorline.service.entries import Entry
from floorline.service.problems import Problem, problem_of
from floorline.service.requests import DecisionBody, DecisionRequest, TicketReward


async def decide(call: Call) -> Decision | Decisions:
    """Which arm to play, for one request or for many."""
    entry = call.service.registry.get(call.path["name"])
    body: DecisionBody = call.body
    if body.requests is None:
        return await entry.writer.submit(lambda campaign: decide_one(entry, campaign, body))
    if body.request_key is not None or body.candidate is not None:
        raise Problem(422, "invalid", "requests: must be alone, or left out")
    return await decide_many(entry, body.requests)


def decide_one(entry: Entry, campaign: Campaign, request: DecisionRequest) -> Decision:
    """One decision, in the writer's thread."""
    ticket = campaign.decide(request.request_key, request.candidate)
    if seq_of(entry.id, ticket.id) == campaign.seq:  # else it was made before
        entry.track.note(campaign, campaign.seq)
    return Decision(
        ticket.id, ticket.arm, ticket.is_default, ticket.candidate, ticket.reason,
        ticket.guaranteed_budget, ticket.probability,
    )  # fmt: skip


async def decide_many(entry: Entry, requests: list[DecisionRequest]) -> Decisions:
    """Decisions for all requests, or for none of them."""
    for request in requests:
        check_request(entry.settings, request.request_key, request.candidate)
    return await entry.writer.submit(
        lambda campaign: Decisions([decide_one(entry, campaign, one) for one in requests]),
        len(requests),
    )


async def reward(call: Call) -> Taken:
    """Take in the reward of a decision."""
    ticket, value = call.path["ticket"], call.body.reward
    entry = call.service.registry.of_ticket(ticket)
    return await entry.writer.submit(
        lambda campaign: Taken(ticket, campaign.observe(ticket, value))
    )


async def void(call: Call) -> Taken:
    """Take in that a decision reached nobody."""
    ticket = call.path["ticket"]
    entry = call.service.registry.of_ticket(ticket)
    return await entry.writer.submit(lambda campaign: Taken(ticket, campaign.void(ticket)))


async def rewards(call: Call) -> RewardResults:
    """Take in many rewards, each by itself: some may be refused."""
    results: list[Any] = [None] * len(call.body.rewards)
    shares: dict[str, tuple[Entry, list[int]]] = {}
    for place, given in enumerate(call.body.rewards):
        try:
            entry = call.service.registry.of_ticket(given.ticket)
            shares.setdefault(entry.name, (entry, []))[1].append(place)
        except Problem as problem:
            results[place] = _refused(given.ticket, problem)
    for entry, places in shares.values():
        share = [call.body.rewards[place] for place in places]
        try:
            found = await entry.writer.submit(_observer(share), len(share))
        except (CampaignError, Problem) as error:
            found = [_refused(given.ticket, error) for given in share]
        for place, result in zip(places, found, strict=True):
            results[place] = result
    return RewardResults(results)


def _observer(rewards: list[TicketReward]) -> Any:
    def observe_all(campaign: Campaign) -> list[TakenOrNot]:
        return [_observe(campaign, given) for given in rewards]

    return observe_all


def _observe(campaign: Campaign, given: TicketReward) -> TakenOrNot:
    try:
        result = campaign.observe(given.ticket, given.reward)
    except (ValueError, CampaignError) as error:
        return _refused(given.ticket, error)
    return TakenOrNot(given.ticket, result)


def _refused(ticket: str, error: Exception) -> TakenOrNot:
    return TakenOrNot(ticket, problem=problem_of(error).document())
