"""What is asked and answered: the same whether one waits for it in a thread or in a loop."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, fields
from urllib.parse import quote

log = logging.getLogger("floorline.client")

PROBLEM = "urn:floorline:problem:"


@dataclass(frozen=True, slots=True)
class Decision:
    """Which arm to play, and why."""

    ticket: str | None
    """Report the reward with it; None if the client answered by itself."""
    arm: str
    is_default: bool
    candidate: str | None
    """The arm that was proposed."""
    reason: str
    """The service's reason. If the client answered by itself: `timeout`, `unreachable`, or the
    word of the service's problem, as `unknown-campaign`."""
    guaranteed_budget: float | None
    """Lower bound on the budget after this decision; None if the client answered by itself."""
    probability: float | None
    """How likely this arm was, given all before; None where that is not known."""


NAMES = tuple(field.name for field in fields(Decision))


class ServiceError(Exception):
    """The service could not be asked, or refused. `reason` is a word that stays the same."""

    def __init__(self, reason: str, detail: str, default_arm: str | None = None) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.default_arm = default_arm
        """The arm to play instead, if the service told it."""


def decision_request(
    campaign: str, request_key: str, candidate: str | None
) -> tuple[str, bytes]:  # fmt: skip
    """The path and body of the question which arm to play."""
    body = {"request_key": request_key}
    if candidate is not None:
        body["candidate"] = candidate
    return f"/v1/campaigns/{quote(campaign, safe='')}/decisions", json.dumps(body).encode()


def decision_of(status: int, body: bytes) -> Decision:
    """The decision in an answer.

    >>> decision_of(404, b'{"type": "urn:floorline:problem:unknown-campaign", "detail": "no"}')
    Traceback (most recent call last):
    floorline.client.answers.ServiceError: unknown-campaign: no
    """
    if status != 200:
        raise problem_of(status, body)
    try:
        found = json.loads(body)
        return Decision(*(found[name] for name in NAMES))
    except (ValueError, KeyError, TypeError):
        raise ServiceError("not-floorline", "the answer is no decision") from None


def problem_of(status: int, body: bytes) -> ServiceError:
    """The error that an answer with another status than 200 is."""
    try:
        found = json.loads(body)
        _, word = found["type"].split(PROBLEM)  # a proxy's problem has not two parts
        return ServiceError(word, found["detail"], found.get("default_arm"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return ServiceError(f"status-{status}", "the answer is no problem document")


class Defaults:
    """The default arm of each campaign: given, or learned from the service's answers."""

    def __init__(self, given: Mapping[str, str] | None) -> None:
        self._arms = dict(given or {})
        self._failing: dict[str, str] = {}

    def learn(self, campaign: str, decision: Decision) -> Decision:
        """The decision, after a look at it."""
        if decision.is_default:
            self._arms[campaign] = decision.arm
        if self._failing.pop(campaign, None):
            log.info("campaign %s: the service decides again", campaign)
        return decision

    def answer(self, campaign: str, error: ServiceError) -> Decision:
        """The decision for the default arm that stands in for the service's.

        Raises:
            ServiceError: the one given, if the default arm is not known.
        """
        arm = error.default_arm or self._arms.get(campaign)
        if arm is None:
            raise error
        self._arms[campaign] = arm
        if self._failing.get(campaign) != error.reason:  # a line for an outage, not for a visitor
            log.warning("campaign %s: answering the default arm, %s", campaign, error)
            self._failing[campaign] = error.reason
        return Decision(None, arm, True, None, error.reason, None, None)
