"""Decisions for the default arm when the service gives none."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from .messages import Decision, ServiceError

log = logging.getLogger("floorline.client")


class DefaultArms:
    """The default arm of each campaign: given, or learned from the service's responses."""

    def __init__(self, given: Mapping[str, str] | None) -> None:
        self._arms = dict(given or {})
        self._told: dict[str, str] = {}  # what the service said to play instead, or permanently
        self._failing: dict[str, str] = {}

    def learn(self, campaign: str, decision: Decision) -> Decision:
        """Return the decision, remembering its arm if that is the default."""
        if decision.is_default:
            self._arms[campaign] = decision.arm
        if decision.reason == "finished":
            self._told[campaign] = decision.arm
        else:
            self._told.pop(campaign, None)
        if self._failing.pop(campaign, None):
            log.info("campaign %s: the service decides again", campaign)
        return decision

    def fallback_decision(self, campaign: str, error: ServiceError) -> Decision:
        """Return the decision to play the default arm because of `error`.

        For a finished or stopped campaign it is the arm that the campaign serves.

        Raises:
            ServiceError: `error` itself, if the arm is not known.
        """
        arm = error.default_arm or self._told.get(campaign) or self._arms.get(campaign)
        if arm is None:
            raise error
        self._told[campaign] = arm
        default = self._arms.setdefault(campaign, arm)
        if self._failing.get(campaign) != error.reason:  # once an outage, not once a visitor
            log.warning("campaign %s: playing %s: %s", campaign, arm, error)
            self._failing[campaign] = error.reason
        return Decision(None, arm, arm == default, None, error.reason, None, None)
