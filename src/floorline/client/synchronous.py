"""The client for programs with threads."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .campaigns import TIMEOUT, CampaignAdmin
from .checks import checked_timeout, ticket_id
from .deadline import Deadline
from .fallback import DefaultArms
from .messages import (
    MAX_BATCH,
    Decision,
    RewardReceipt,
    ServiceError,
    campaign_path,
    decision_request,
    parse_decision,
    parse_decisions,
    parse_json,
    parse_receipts,
    rewards_request,
)
from .reward import checked_reward
from .reward_queue import RewardQueue

URL = "http://127.0.0.1:8400"

TicketReward = tuple[str, float] | tuple[str, float, Mapping[str, float]]
"""Ticket, reward and, if there are any, metrics."""

DECISION_TIMEOUT = 0.15
"""Seconds for a decision, by default: a visitor waits."""

FLUSH_TIMEOUT = 5.0
"""Seconds for sending queued rewards when the client is flushed or closed."""


class Client:
    """Asks a decision service, and plays the default arm when there is no response.

    Nothing listens here, so the client decides:

    >>> with Client("http://127.0.0.1:9", defaults={"page": "current"}) as client:
    ...     decision = client.decide("page")
    >>> decision.arm, decision.ticket, decision.reason
    ('current', None, 'unreachable')

    Every method may be called from any thread. `campaigns` opens campaigns and administers them.
    """

    def __init__(
        self,
        url: str = URL,
        key: str | None = None,
        *,
        defaults: Mapping[str, str] | None = None,
        timeout: float = DECISION_TIMEOUT,
        queue_size: int = 10_000,
        queue_file: str | os.PathLike[str] | None = None,
    ) -> None:
        """Set up the client. Nothing is sent yet, except rewards that `queue_file` still holds.

        Args:
            url: where the service is.
            key: an API key with the scopes `decide` and `reward`, if the service has keys.
            defaults: the default arm of each campaign. One that is left out is learned from the
                service's responses; until then, `decide` raises ServiceError without a response.
            timeout: seconds after which `decide` plays the default arm. They include everything:
                looking up the host, connecting, all attempts, and reading the response.
            queue_size: how many rewards may wait to be sent.
            queue_file: a file that holds the waiting rewards, so that they survive the end of the
                process. Only one client at a time can use it.
        """
        from .pool import ConnectionPool  # loads http.client and ssl: more than all the rest

        self.timeout = checked_timeout(timeout)
        self._pool = ConnectionPool(url, key)
        self._defaults = DefaultArms(defaults)
        self._rewards = RewardQueue(self._pool, queue_size, queue_file)
        self.campaigns = CampaignAdmin(self._pool)

    def decide(
        self,
        campaign: str,
        request_key: str | None = None,
        candidate: str | None = None,
        context: Mapping[str, Any] | None = None,
        chances: Mapping[str, float] | None = None,
    ) -> Decision:
        """Return a decision: which arm of the campaign to play now.

        Args:
            campaign: its name.
            request_key: identifies the request; the same key always gets the same decision.
                Without one, every call is a new decision, however often it is retried.
            candidate: an arm that your own bandit proposes; it may look at this request only if
                the campaign has the randomised floor.
            context: what was known about the request: a JSON object of at most 4 KB that is kept
                with the decision.
            chances: how likely your bandit was to propose each arm; the decision then has a
                `propensity`.

        Raises:
            ServiceError: there is no response, and the default arm is not known.
        """
        try:
            return self.ask(campaign, request_key, candidate, context, chances)
        except ServiceError as error:
            return self.fallback_decision(campaign, error)

    def ask(
        self,
        campaign: str,
        request_key: str | None = None,
        candidate: str | None = None,
        context: Mapping[str, Any] | None = None,
        chances: Mapping[str, float] | None = None,
    ) -> Decision:
        """Return the service's decision, like `decide`, but raise every failure as ServiceError."""
        path = f"{campaign_path(campaign)}/decisions"
        body = json.dumps(decision_request(request_key, candidate, context, chances)).encode()
        response = self._pool.request("POST", path, body, Deadline(self.timeout))
        return self._defaults.learn(campaign, parse_decision(*response))

    def decide_many(
        self,
        campaign: str,
        request_keys: Sequence[str | None],
        candidates: Sequence[str | None] | None = None,
        timeout: float | None = None,
        contexts: Sequence[Mapping[str, Any] | None] | None = None,
    ) -> list[Decision]:
        """Return one decision for each of `request_keys`, in that order; see `decide`.

        They are sent a thousand at a time. `timeout` is for all of them, the client's unless given;
        those that are not decided by then get the default arm.

        Raises:
            ServiceError: there is no response, and the default arm is not known.
        """
        count = len(request_keys)
        arms = [None] * count if candidates is None else candidates
        known = [None] * count if contexts is None else contexts
        for name, given in (("candidates", arms), ("contexts", known)):
            if len(given) != count:
                raise ValueError(
                    f"{name}: must be as many as request_keys, {count}, not {len(given)}"
                )
        requests = [
            decision_request(*request) for request in zip(request_keys, arms, known, strict=True)
        ]
        deadline = Deadline(self.timeout if timeout is None else checked_timeout(timeout))
        decisions = []
        for start in range(0, len(requests), MAX_BATCH):
            batch = requests[start : start + MAX_BATCH]
            try:
                decisions += self._ask_many(campaign, batch, deadline)
            except ServiceError as error:
                decisions += [self.fallback_decision(campaign, error)] * len(batch)
        return decisions

    def _ask_many(
        self, campaign: str, requests: list[dict[str, Any]], deadline: Deadline
    ) -> list[Decision]:
        path = f"{campaign_path(campaign)}/decisions"
        body = json.dumps({"requests": requests}).encode()
        response = self._pool.request("POST", path, body, deadline)
        decisions = parse_decisions(*response, len(requests))
        return [self._defaults.learn(campaign, decision) for decision in decisions]

    def fallback_decision(self, campaign: str, error: ServiceError) -> Decision:
        """Return the decision to play the default arm because of `error`; raise it if unknown."""
        return self._defaults.fallback_decision(campaign, error)

    def reward(
        self, ticket: str | None, value: float, metrics: Mapping[str, float] | None = None
    ) -> bool:
        """Report a reward, in the background; False if the queue is full.

        It is sent again until the service has it. A decision without a ticket was made without the
        service, which does not want its reward: nothing is sent, and False is returned.

        Args:
            ticket: that of the decision.
            value: the reward.
            metrics: values of the campaign's guardrails, by name. With a name that the campaign
                does not have, the service refuses the reward.
        """
        return ticket is not None and self._rewards.put(ticket, value, metrics)

    def reward_many(self, rewards: Iterable[TicketReward]) -> list[RewardReceipt]:
        """Report rewards and return a receipt for each.

        A reward is a pair of ticket and value, or these and its metrics. Unlike `reward` this waits
        for the service, and does not use the queue.

        Raises:
            ServiceError: there is no response, or an error. Some may have been accepted: it is safe
                to report all of them again.
        """
        checked = [checked_reward(*reward) for reward in rewards]
        receipts = []
        for start in range(0, len(checked), MAX_BATCH):
            batch = checked[start : start + MAX_BATCH]
            body = rewards_request(batch)
            response = self._pool.request("POST", "/v1/rewards", body, Deadline(TIMEOUT))
            receipts += parse_receipts(*response, [reward.ticket for reward in batch])
        return receipts

    def void(self, ticket: str) -> None:
        """Report that a decision reached nobody.

        Raises:
            ServiceError: it may not be voided, or there is no response.
        """
        path = f"/v1/decisions/{ticket_id(ticket)}/void"
        parse_json(*self._pool.request("POST", path, b"", Deadline(TIMEOUT)))

    def flush(self, timeout: float = FLUSH_TIMEOUT) -> bool:
        """Wait until every reward was accepted or finally refused; False if some are left."""
        return self._rewards.flush(timeout)

    def close(self, timeout: float = FLUSH_TIMEOUT) -> None:
        """Send queued rewards, as far as the timeout allows, and close the connections."""
        self._rewards.close(timeout)
        self._pool.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
