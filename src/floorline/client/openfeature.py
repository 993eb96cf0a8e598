"""A provider for OpenFeature, the standard interface to feature flags: a campaign is a flag."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from .messages import Decision, ServiceError
from .synchronous import Client

try:
    from openfeature.evaluation_context import EvaluationContext
    from openfeature.exception import ErrorCode
    from openfeature.flag_evaluation import FlagResolutionDetails, FlagValueType, Reason
    from openfeature.provider import AbstractProvider, Metadata
    from openfeature.track import TrackingEventDetails
except ImportError as error:
    raise ImportError(
        "the OpenFeature provider needs the OpenFeature SDK: pip install openfeature-sdk"
    ) from error

log = logging.getLogger("floorline.client")

T = TypeVar("T")
Object = Sequence[FlagValueType] | Mapping[str, FlagValueType]

CODES = {"unknown-campaign": ErrorCode.FLAG_NOT_FOUND, "invalid": ErrorCode.INVALID_CONTEXT}


class FloorlineProvider(AbstractProvider):
    """Decides string flags: the flag is a campaign, and its value the name of an arm.

    >>> from openfeature import api
    >>> api.set_provider(FloorlineProvider(Client("http://127.0.0.1:9")), "shop")
    >>> details = api.get_client("shop").get_string_details("page", "current")
    >>> details.value, details.error_code.value
    ('current', 'GENERAL')
    >>> api.clear_providers()

    Without a targeting key, every evaluation is a new decision. With one, the same key always gets
    the same decision: one visitor who sees one arm, and whose first reward counts. For a new
    decision at each visit, use a key that identifies the visit. The other attributes of the context
    are kept with the decision; leave out what must not be stored.
    """

    def __init__(self, client: Client) -> None:
        """Use `client`, and close it when the provider is shut down."""
        super().__init__()
        self._client = client

    def get_metadata(self) -> Metadata:
        """Return the provider's name."""
        return Metadata("Floorline")

    def shutdown(self) -> None:
        """Send the waiting rewards, and close the client."""
        self._client.close()

    def resolve_string_details(
        self,
        flag_key: str,
        default_value: str,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[str]:
        """Return the arm that the service decides on; `default_value` if it does not respond.

        The metadata has the ticket, with which the reward is reported.
        """
        key = evaluation_context.targeting_key if evaluation_context else None
        try:
            return _details(
                self._client.ask(flag_key, key or None, context=_context(evaluation_context))
            )
        except ServiceError as error:
            code = CODES.get(error.reason, ErrorCode.GENERAL)
            return FlagResolutionDetails(default_value, code, str(error), Reason.ERROR)

    async def resolve_string_details_async(
        self,
        flag_key: str,
        default_value: str,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[str]:
        """Return the same, decided in a thread, so that the event loop is not blocked."""
        return await asyncio.to_thread(
            self.resolve_string_details, flag_key, default_value, evaluation_context
        )

    def track(
        self,
        tracking_event_name: str,
        evaluation_context: EvaluationContext | None = None,
        tracking_event_details: TrackingEventDetails | None = None,
    ) -> None:
        """Report the event's value, or 1, as the reward of the `ticket` in its attributes.

        Their `metrics` are values of guardrails, by name.
        """
        details = tracking_event_details or TrackingEventDetails()
        ticket = details.attributes.get("ticket")
        if ticket is None:  # another kind of event, or the service made no decision
            log.debug("event %s has no ticket", tracking_event_name)
            return
        try:
            value = 1.0 if details.value is None else details.value
            metrics: Any = details.attributes.get("metrics")  # checked by the client
            self._client.reward(str(ticket), value, metrics)
        except ValueError as error:
            log.warning("event %s: %s", tracking_event_name, error)

    # The value of a campaign is always the name of an arm: a string.

    def resolve_boolean_details(
        self,
        flag_key: str,
        default_value: bool,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[bool]:
        """Return `default_value` and the error TYPE_MISMATCH."""
        return _mismatch(flag_key, default_value)

    def resolve_integer_details(
        self,
        flag_key: str,
        default_value: int,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[int]:
        """Return `default_value` and the error TYPE_MISMATCH."""
        return _mismatch(flag_key, default_value)

    def resolve_float_details(
        self,
        flag_key: str,
        default_value: float,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[float]:
        """Return `default_value` and the error TYPE_MISMATCH."""
        return _mismatch(flag_key, default_value)

    def resolve_object_details(
        self,
        flag_key: str,
        default_value: Object,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[Object]:
        """Return `default_value` and the error TYPE_MISMATCH."""
        return _mismatch(flag_key, default_value)


def _context(evaluation: EvaluationContext | None) -> dict[str, Any] | None:
    """Return the application's attributes as JSON values; dates and the like as text."""
    if not evaluation or not evaluation.attributes:
        return None
    attributes: dict[str, Any] = json.loads(json.dumps(dict(evaluation.attributes), default=str))
    return attributes


def _details(decision: Decision) -> FlagResolutionDetails[str]:
    metadata: dict[str, Any] = {
        "ticket": decision.ticket,
        "is_default": decision.is_default,
        "reason": decision.reason,
        "guaranteed_budget": decision.guaranteed_budget,
    }
    reason = Reason.DEFAULT if decision.is_default else Reason.SPLIT
    return FlagResolutionDetails(
        decision.arm, reason=reason, variant=decision.arm, flag_metadata=metadata
    )


def _mismatch(flag_key: str, default_value: T) -> FlagResolutionDetails[T]:
    message = f"{flag_key} is a campaign: its value is a string, the name of an arm"
    return FlagResolutionDetails(default_value, ErrorCode.TYPE_MISMATCH, message, Reason.ERROR)
