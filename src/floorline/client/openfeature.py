"""A provider for OpenFeature, the feature-flag world's standard: a campaign is a flag."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from floorline.client.answers import Decision, ServiceError
from floorline.client.synchronous import Client

try:
    from openfeature.evaluation_context import EvaluationContext
    from openfeature.exception import ErrorCode
    from openfeature.flag_evaluation import FlagResolutionDetails, FlagValueType, Reason
    from openfeature.provider import AbstractProvider, Metadata
    from openfeature.track import TrackingEventDetails
except ImportError as error:
    raise ImportError(
        "the OpenFeature provider needs the extra [openfeature]: pip install "
        "'floorline[openfeature]'"
    ) from error

log = logging.getLogger("floorline.client")

T = TypeVar("T")
Object = Sequence[FlagValueType] | Mapping[str, FlagValueType]

CODES = {"unknown-campaign": ErrorCode.FLAG_NOT_FOUND, "invalid": ErrorCode.INVALID_CONTEXT}


class FloorlineProvider(AbstractProvider):
    """Decides the value of string flags: the flag is a campaign, its value the name of an arm.

    >>> from openfeature import api
    >>> api.set_provider(FloorlineProvider(Client("http://127.0.0.1:9")), "shop")
    >>> found = api.get_client("shop").get_string_details("page", "now")
    >>> found.value, found.error_code.value
    ('now', 'GENERAL')
    >>> api.clear_providers()

    Without a targeting key, every evaluation is a decision of its own. With one, the same key
    gives the same decision for ever: one visitor who sees one arm, and whose first reward counts.
    To decide anew for each visit, let the key name the visit.
    """

    def __init__(self, client: Client) -> None:
        """Ask through a client, which is closed with the provider."""
        super().__init__()
        self._client = client

    def get_metadata(self) -> Metadata:
        """The provider's name."""
        return Metadata("Floorline")

    def shutdown(self) -> None:
        """Send the rewards that wait, and close the client."""
        self._client.close()

    def resolve_string_details(
        self, flag_key: str, default_value: str,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[str]:  # fmt: skip
        """The arm that the service decides; the caller's own value if it does not.

        The ticket, with which the reward is reported, is in the metadata.
        """
        key = evaluation_context.targeting_key if evaluation_context else None
        try:
            return _details(self._client.ask(flag_key, key or None))
        except ServiceError as error:
            code = CODES.get(error.reason, ErrorCode.GENERAL)
            return FlagResolutionDetails(default_value, code, str(error), Reason.ERROR)

    async def resolve_string_details_async(
        self, flag_key: str, default_value: str,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[str]:  # fmt: skip
        """The same, in a thread, so that the loop does not wait."""
        return await asyncio.to_thread(
            self.resolve_string_details, flag_key, default_value, evaluation_context
        )

    def track(
        self, tracking_event_name: str, evaluation_context: EvaluationContext | None = None,
        tracking_event_details: TrackingEventDetails | None = None,
    ) -> None:  # fmt: skip
        """Report a reward: the event's value, or 1, for the ticket among its attributes."""
        details = tracking_event_details or TrackingEventDetails()
        ticket = details.attributes.get("ticket")
        if ticket is None:  # of something else, or of a decision that was never made
            log.debug("event %s has no ticket", tracking_event_name)
            return
        try:
            self._client.reward(str(ticket), 1.0 if details.value is None else details.value)
        except ValueError as error:
            log.warning("event %s: %s", tracking_event_name, error)

    # A campaign has no other values than the names of its arms.

    def resolve_boolean_details(
        self, flag_key: str, default_value: bool,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[bool]:  # fmt: skip
        """Refuse."""
        return _mismatch(flag_key, default_value)

    def resolve_integer_details(
        self, flag_key: str, default_value: int,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[int]:  # fmt: skip
        """Refuse."""
        return _mismatch(flag_key, default_value)

    def resolve_float_details(
        self, flag_key: str, default_value: float,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[float]:  # fmt: skip
        """Refuse."""
        return _mismatch(flag_key, default_value)

    def resolve_object_details(
        self, flag_key: str, default_value: Object,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[Object]:  # fmt: skip
        """Refuse."""
        return _mismatch(flag_key, default_value)


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
