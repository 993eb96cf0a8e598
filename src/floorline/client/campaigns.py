"""Administration of campaigns: open, list, pause, resume, change arms, finish, stop."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .deadline import Deadline
from .messages import CampaignView, campaign_path, not_floorline, parse_campaign, parse_json
from .requests import Requests

TIMEOUT = 10.0
"""Seconds for a request that no visitor waits for."""


class CampaignAdmin:
    """The campaigns of a service. Every call can be repeated: it then changes nothing.

    All methods raise ServiceError if the service refuses, or gives no response. Listing and showing
    need an API key with the scope `read`, the others one with `admin`.
    """

    def __init__(self, pool: Requests) -> None:
        self._pool = pool

    def open(
        self, name: str, arms: Sequence[str], max_loss: float, missing: str, **settings: Any
    ) -> CampaignView:
        """Open a campaign, or return the one that was opened with these very settings.

        Args:
            name: of the campaign.
            arms: names of the arms, the default first.
            max_loss: share of the default's reward that may be lost.
            missing: what silence means: `zero` (with a `window`: clicks), `unknown` or `random`.
            settings: others, by the names in the service's API, as `window=1800`.
        """
        required = {"name": name, "arms": list(arms), "max_loss": max_loss, "missing": missing}
        body = {**required, **settings}
        return self._send("POST", "/v1/campaigns", json.dumps(body).encode())

    def list_all(self) -> list[CampaignView]:
        """All campaigns, by name."""
        response = self._pool.request("GET", "/v1/campaigns", None, Deadline(TIMEOUT))
        items = parse_json(*response).get("campaigns")
        if not isinstance(items, list):
            raise not_floorline("the response has no campaigns")
        return [parse_campaign(item) for item in items]

    def show(self, name: str) -> CampaignView:
        """One campaign."""
        return self._send("GET", campaign_path(name), None)

    def pause(self, name: str) -> CampaignView:
        """Play the default arm until the campaign is resumed. Rewards are still taken."""
        return self._send("POST", f"{campaign_path(name)}/pause", b"")

    def resume(self, name: str) -> CampaignView:
        """Explore again after a pause."""
        return self._send("POST", f"{campaign_path(name)}/resume", b"")

    def add_arm(self, name: str, arm: str) -> CampaignView:
        """Add a challenger to a campaign that was opened with `arms_may_change=True`."""
        return self._name_arm(name, "add-arm", arm)

    def retire_arm(self, name: str, arm: str) -> CampaignView:
        """Stop playing a challenger. Rewards for its past decisions are still accepted."""
        return self._name_arm(name, "retire-arm", arm)

    def promote_arm(self, name: str, arm: str) -> CampaignView:
        """Make a challenger the new default; the old default becomes a challenger."""
        return self._name_arm(name, "promote-arm", arm)

    def finish(self, name: str, arm: str) -> CampaignView:
        """Declare a winner, the only arm played from now on. Rewards are still accepted."""
        return self._name_arm(name, "finish", arm)

    def stop(self, name: str, arm: str | None = None) -> CampaignView:
        """End a campaign for good. Rewards are still taken.

        Decisions get `arm` from then on, without a ticket: the default arm unless told, or the
        winner of a finished campaign.
        """
        return self._name_arm(name, "stop", arm)

    def _name_arm(self, name: str, word: str, arm: str | None) -> CampaignView:
        body = json.dumps({"arm": arm}).encode()
        return self._send("POST", f"{campaign_path(name)}/{word}", body)

    def _send(self, method: str, path: str, body: bytes | None) -> CampaignView:
        response = self._pool.request(method, path, body, Deadline(TIMEOUT))
        return parse_campaign(parse_json(*response))
