"""Sending one batch of rewards, and sorting them by the service's response."""

from __future__ import annotations

from dataclasses import dataclass, field

from .deadline import Deadline
from .messages import ServiceError, parse_receipts, rewards_request
from .requests import Requests
from .reward import Reward

TIMEOUT = 10.0
"""Seconds for a request that reports rewards."""

REFUSED_BATCH = frozenset({"malformed", "invalid", "too-large", "not-json"})
"""Reasons for which the service refuses the same request every time. Others may come from a proxy,
or be temporary: no key yet, too many requests."""

REFUSED_REWARD = frozenset({"invalid", "conflict"})
"""Reasons for which the service refuses the same reward every time. An unknown ticket is not one of
them: the service also reports it while it cannot read a ledger, as after a failed restore."""


@dataclass(slots=True)
class Delivery:
    """The rewards of a batch that the service has not accepted."""

    retry: list[Reward] = field(default_factory=list)
    """To send again soon: the service, or one of its campaigns, cannot accept them now."""
    deferred: list[tuple[Reward, ServiceError]] = field(default_factory=list)
    """To send again later: refused for a temporary reason, such as an unknown ticket."""
    refused: list[tuple[Reward, ServiceError]] = field(default_factory=list)
    """Not to send again."""
    error: Exception | None = None
    """Why there are rewards in `retry`."""


def deliver(pool: Requests, batch: list[Reward]) -> Delivery:
    """Send a batch of rewards and return which were accepted, refused or left to retry.

    A batch that the service refuses is halved until single rewards are refused.
    """
    delivery = Delivery()
    parts = [batch]
    while parts:
        part = parts.pop()
        try:
            _deliver_part(pool, part, parts, delivery)
        except Exception as error:  # whatever it is, no reward may be lost
            delivery.error = error
            delivery.retry += [reward for rest in (part, *parts) for reward in rest]
            return delivery
    return delivery


def _deliver_part(
    pool: Requests, part: list[Reward], parts: list[list[Reward]], delivery: Delivery
) -> None:
    """Send a part, and sort its rewards into `delivery`, or its halves into `parts`."""
    tickets = [reward.ticket for reward in part]
    try:
        response = pool.request("POST", "/v1/rewards", rewards_request(part), Deadline(TIMEOUT))
        receipts = parse_receipts(*response, tickets)
    except ServiceError as error:
        if error.reason not in REFUSED_BATCH:
            raise
        if len(part) > 1:
            half = len(part) // 2
            parts += [part[half:], part[:half]]
        else:
            delivery.refused.append((part[0], error))
        return
    for reward, receipt in zip(part, receipts, strict=True):
        if receipt.problem is None:
            continue
        if receipt.problem.reason in REFUSED_REWARD:
            delivery.refused.append((reward, receipt.problem))
        elif (receipt.problem.status or 500) >= 500:
            delivery.retry.append(reward)
            delivery.error = receipt.problem
        else:
            delivery.deferred.append((reward, receipt.problem))
