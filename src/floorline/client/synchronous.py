"""The client for programs with threads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import TracebackType
from uuid import uuid4

from floorline.client.answers import (
    Decision,
    Defaults,
    ServiceError,
    decision_of,
    decision_request,
    problem_of,
)
from floorline.client.rewards import RewardQueue, checked_ticket
from floorline.client.wire import Wire
from floorline.core.checks import number

URL = "http://127.0.0.1:8400"
TIMEOUT = 0.15
PATIENCE = 5.0
"""Seconds for what no visitor waits for."""


class Client:
    """Asks a decision service, and answers the default arm by itself when there is no answer.

    Nothing listens here, so the client answers:

    >>> with Client("http://127.0.0.1:9", defaults={"page": "now"}) as client:
    ...     decision = client.decide("page")
    >>> decision.arm, decision.ticket, decision.reason
    ('now', None, 'unreachable')

    Every method may be called from any thread.
    """

    def __init__(
        self, url: str = URL, key: str | None = None, *, defaults: Mapping[str, str] | None = None,
        timeout: float = TIMEOUT, queue_size: int = 10_000,
        queue_file: str | os.PathLike[str] | None = None,
    ) -> None:  # fmt: skip
        """Ask nothing yet.

        Args:
            url: where the service is.
            key: an API key with the scopes `decide` and `reward`, if the service has keys.
            defaults: the default arm of each campaign. One that is left out is learned from the
                service's answers; until then, `decide` raises ServiceError if there is none.
            timeout: seconds after which `decide` answers the default arm, tries included. A server
                that sends its answer in drops can take longer; AsyncClient is strict there too.
            queue_size: rewards that wait to be sent, at most.
            queue_file: where rewards wait too, so that they survive the end of this process.
                Only one client can use it.
        """
        self.timeout = number("timeout", timeout, 0, 3600, open_low=True)
        self._wire = Wire(url, key)
        self._defaults = Defaults(defaults)
        self._rewards = RewardQueue(self._wire, queue_size, queue_file)

    def decide(
        self, campaign: str, request_key: str | None = None, candidate: str | None = None
    ) -> Decision:
        """Which arm of the campaign to play now.

        Args:
            campaign: its name.
            request_key: names the request; asking again with it gives the same decision, for ever.
                Without one, every call is a decision of its own, however often it is retried.
            candidate: an arm that your own bandit proposes, without a look at this request.

        Raises:
            ServiceError: there is no answer, and the default arm is not known.
        """
        try:
            return self.ask(campaign, request_key, candidate)
        except ServiceError as error:
            return self.stand_in(campaign, error)

    def ask(
        self, campaign: str, request_key: str | None = None, candidate: str | None = None
    ) -> Decision:
        """What the service decides: as `decide`, but every failure is raised as ServiceError."""
        key = uuid4().hex if request_key is None else request_key
        path, body = decision_request(campaign, key, candidate)
        decision = decision_of(*self._wire.post(path, body, self.timeout))
        return self._defaults.learn(campaign, decision)

    def stand_in(self, campaign: str, error: ServiceError) -> Decision:
        """The default arm, as an answer instead of the service's; raises `error` if not known."""
        return self._defaults.answer(campaign, error)

    def reward(self, ticket: str | None, value: float) -> bool:
        """Report a reward, in the background: whether there was room for it.

        It is sent again until the service has it. The reward of a decision that the client made
        by itself, without a ticket, is not wanted: it changes nothing, and False comes back.
        """
        return ticket is not None and self._rewards.put(ticket, value)

    def void(self, ticket: str) -> None:
        """Say that a decision reached nobody.

        Raises:
            ServiceError: it may not be voided, or there is no answer.
        """
        path = f"/v1/decisions/{checked_ticket(ticket)}/void"
        status, body = self._wire.post(path, b"", PATIENCE)
        if status != 200:
            raise problem_of(status, body)

    def flush(self, timeout: float = PATIENCE) -> bool:
        """Wait for the rewards to be sent: whether all are."""
        return self._rewards.flush(timeout)

    def close(self, timeout: float = PATIENCE) -> None:
        """Send the rewards that wait, if that is possible in time, and close the connections."""
        self._rewards.close(timeout)
        self._wire.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()
