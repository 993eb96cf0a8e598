"""Requests to the service and its responses: the same for both clients."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from urllib.parse import quote

from .reward import Reward

PROBLEM_PREFIX = "urn:floorline:problem:"

MAX_BATCH = 1000
"""Decisions or rewards that the service accepts in one request."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Which arm to play, and why."""

    ticket: str | None
    """Report the reward with it; None if the client chose the default arm without the service."""
    arm: str
    is_default: bool
    candidate: str | None
    """The arm that was proposed."""
    reason: str
    """The service's reason. Without a decision from it: `timeout`, `unreachable`, or the reason of
    the error that it returned, such as `unknown-campaign`."""
    guaranteed_budget: float | None
    """Lower bound on the budget after this decision; None without the service."""
    probability: float | None
    """How likely this arm was given the candidate; None without the service."""
    propensity: float | None = None
    """How likely it was given everything before the proposer chose; None if that is not known."""


@dataclass(frozen=True, slots=True)
class RewardReceipt:
    """What the service did with one reward: there is a `result`, or a `problem`."""

    ticket: str
    result: str | None
    """`accepted`, `duplicate`, or `late`: recorded after its window, and not used."""
    problem: ServiceError | None


@dataclass(frozen=True, slots=True)
class CampaignView:
    """A campaign: what it was opened with, and its status."""

    name: str
    available: bool
    """Whether the service can use its ledger."""
    default_arm: str | None
    settings: dict[str, Any] | None
    status: dict[str, Any] | None
    problem: str | None
    """Why it is not available."""
    warnings: list[str]
    """What the person who opened it should know."""


DECISION_FIELDS = tuple(field.name for field in fields(Decision) if field.name != "propensity")
"""What every version of the service sends."""
CAMPAIGN_FIELDS = tuple(field.name for field in fields(CampaignView))


class ServiceError(Exception):
    """The service gave no response, or an error. `reason` is an identifier that stays the same."""

    def __init__(
        self, reason: str, detail: str, default_arm: str | None = None, status: int | None = None
    ) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.status = status
        """The HTTP status; None if there was no valid response."""
        self.default_arm = default_arm
        """The arm to play instead, if the response names it."""


def campaign_path(campaign: str) -> str:
    """Return the path of a campaign."""
    return f"/v1/campaigns/{quote(campaign, safe='')}"


def decision_request(
    request_key: str | None,
    candidate: str | None,
    context: Mapping[str, Any] | None = None,
    chances: Mapping[str, float] | None = None,
) -> dict[str, Any]:
    """Return the body of a request for one decision; it has a key, so that it can be retried."""
    key = new_request_key() if request_key is None else request_key
    body: dict[str, Any] = {"request_key": key}
    if candidate is not None:
        body["candidate"] = candidate
    if context is not None:
        body["context"] = dict(context)
    if chances is not None:
        body["chances"] = dict(chances)
    return body


def new_request_key() -> str:
    """Return a key that no other request has.

    It begins with the time in milliseconds, so that new keys are neighbours in the ledger's index
    of keys. Random ones take it several times as long (docs/performance.md).
    """
    return f"{time.time_ns() // 1_000_000:012x}{os.urandom(10).hex()}"


def rewards_request(rewards: Iterable[Reward]) -> bytes:
    """Return the body that reports rewards."""
    return json.dumps({"rewards": [reward.message for reward in rewards]}).encode()


def parse_decision(status: int, body: bytes) -> Decision:
    """Return the decision in a response.

    >>> parse_decision(404, b'{"type": "urn:floorline:problem:unknown-campaign", "detail": "no"}')
    Traceback (most recent call last):
    floorline.client.messages.ServiceError: unknown-campaign: no
    """
    return _decision(parse_json(status, body))


def parse_decisions(status: int, body: bytes, count: int) -> list[Decision]:
    """Return the `count` decisions in the response to a batch."""
    items = parse_json(status, body).get("decisions")
    if not isinstance(items, list) or len(items) != count:
        raise not_floorline(f"the response does not have {count} decisions")
    return [_decision(item) for item in items]


def _decision(item: Any) -> Decision:
    try:
        _check_texts(item["ticket"], item["arm"], item["reason"])
        given = {name: item[name] for name in DECISION_FIELDS}
        return Decision(**given, propensity=item.get("propensity"))
    except (KeyError, TypeError, AttributeError):
        raise not_floorline("the response is not a decision") from None


def parse_receipts(status: int, body: bytes, tickets: Sequence[str]) -> list[RewardReceipt]:
    """Return one receipt for each of `tickets`, in that order."""
    items = parse_json(status, body).get("results")
    try:
        return [
            _receipt(ticket, item)
            for ticket, item in zip(tickets, items, strict=True)  # type: ignore[arg-type]
        ]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise not_floorline(f"the response does not have {len(tickets)} results") from None


def _receipt(ticket: str, item: Any) -> RewardReceipt:
    if item["ticket"] != ticket:
        raise ValueError(f"the receipt is of {item['ticket']}")
    if item.get("problem"):
        return RewardReceipt(ticket, None, _problem(item["problem"]))
    _check_texts(item["result"])  # or the reward would be taken for accepted
    return RewardReceipt(ticket, item["result"], None)


def _check_texts(*values: Any) -> None:
    """Raise TypeError unless all are texts."""
    if not all(isinstance(value, str) for value in values):
        raise TypeError(f"must be texts, not {values!r}")


def parse_campaign(item: Mapping[str, Any]) -> CampaignView:
    """Return the campaign that a decoded response describes."""
    try:
        return CampaignView(*(item[name] for name in CAMPAIGN_FIELDS))
    except (KeyError, TypeError):
        raise not_floorline("the response is not a campaign") from None


def parse_json(status: int, body: bytes) -> dict[str, Any]:
    """Return the decoded object of a successful response; any other is raised as ServiceError."""
    if status not in (200, 201):
        raise parse_problem(status, body)
    try:
        item = json.loads(body)
    except (ValueError, RecursionError):
        item = None
    if not isinstance(item, dict):
        raise not_floorline("the response is not a JSON object")
    return item


def parse_problem(status: int, body: bytes) -> ServiceError:
    """Return the error in a response; one that is not the service's has the reason `status-...`."""
    try:
        return _problem(json.loads(body))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        detail = "the response is not a problem document"
        return ServiceError(f"status-{status}", detail, status=status)


def _problem(item: Any) -> ServiceError:
    _, reason = item["type"].split(PROBLEM_PREFIX)  # fails for a proxy's problem document
    default_arm = item.get("default_arm")
    _check_texts(item["detail"], default_arm or "")
    status = item.get("status")
    if not (status is None or isinstance(status, int)):
        raise TypeError(f"must be an HTTP status, not {status!r}")
    return ServiceError(reason, item["detail"], default_arm, status)


def not_floorline(detail: str) -> ServiceError:
    """Return the error for a successful response that a Floorline service would not send."""
    return ServiceError("not-floorline", detail)
