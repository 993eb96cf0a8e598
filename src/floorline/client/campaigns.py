"""Administration of campaigns: everything that the service lets an administrator do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .deadline import Deadline
from .messages import (
    CampaignView,
    ServiceError,
    campaign_path,
    not_floorline,
    parse_campaign,
    parse_json,
)
from .requests import Requests

TIMEOUT = 10.0
"""Seconds for a request that no visitor waits for."""


class CampaignAdmin:
    """The campaigns of a service. Repeating a call changes nothing, except for `note`.

    A method that changes a campaign returns it as it is afterwards, except `erase` and `delete`.
    All methods raise ServiceError if the service refuses or does not respond. Listing and showing
    need an API key with the scope `read`, the others one with `admin`.
    """

    def __init__(self, pool: Requests) -> None:
        self._pool = pool

    def open(
        self, name: str, arms: Sequence[str], max_loss: float, missing: str, **settings: Any
    ) -> CampaignView:
        """Open a campaign, or return the existing one if it has the same settings.

        Args:
            name: of the campaign.
            arms: names of the arms, the default first.
            max_loss: share of the default's reward that may be lost.
            missing: what silence means: `zero` (with a `window`: clicks), `unknown` or `random`.
            settings: others, by the names in the service's API, such as `window=1800`.
        """
        required = {"name": name, "arms": list(arms), "max_loss": max_loss, "missing": missing}
        return self._send("POST", "/v1/campaigns", {**required, **settings})

    def list_all(self) -> list[CampaignView]:
        """Return all campaigns, by name."""
        items = self._ask("GET", "/v1/campaigns", None).get("campaigns")
        if not isinstance(items, list):
            raise not_floorline("the response has no campaigns")
        return [parse_campaign(item) for item in items]

    def show(self, name: str) -> CampaignView:
        """Return one campaign."""
        return self._send("GET", campaign_path(name))

    def pause(self, name: str) -> CampaignView:
        """Play the default arm until the campaign is resumed. Rewards are still accepted."""
        return self._change(name, "pause")

    def resume(self, name: str) -> CampaignView:
        """Explore again after a pause."""
        return self._change(name, "resume")

    def add_arm(self, name: str, arm: str) -> CampaignView:
        """Add a challenger to a campaign that was opened with `arms_may_change=True`."""
        return self._change(name, "add-arm", arm=arm)

    def retire_arm(self, name: str, arm: str) -> CampaignView:
        """Stop playing a challenger. Rewards for its past decisions are still accepted."""
        return self._change(name, "retire-arm", arm=arm)

    def promote_arm(self, name: str, arm: str) -> CampaignView:
        """Make a challenger the new default; the old default becomes a challenger."""
        return self._change(name, "promote-arm", arm=arm)

    def finish(self, name: str, arm: str) -> CampaignView:
        """Declare a winner, the only arm played from now on. Rewards are still accepted."""
        return self._change(name, "finish", arm=arm)

    def stop(self, name: str, arm: str | None = None) -> CampaignView:
        """End a campaign for good. Rewards are still accepted.

        Decisions get `arm` from then on, without a ticket: the default arm if none is given, or the
        winner of a finished campaign.
        """
        return self._change(name, "stop", arm=arm)

    def start_epoch(
        self,
        name: str,
        epoch: int,
        default: str | None = None,
        arms_may_change: bool | None = None,
    ) -> CampaignView:
        """Start a new epoch, with counts, intervals and budget from zero.

        Args:
            name: of the campaign.
            epoch: the number of the epoch to end, as in its status.
            default: the default arm of the new epoch; the same as before unless given.
            arms_may_change: whether challengers may be added; as before unless given.
        """
        changes = {"default": default, "arms_may_change": arms_may_change}
        return self._change(name, "start-epoch", epoch=epoch, **changes)

    def note(self, name: str, text: str) -> CampaignView:
        """Add a note to the campaign's history. If the connection breaks, it may be there twice."""
        return self._change(name, "notes", text=text)

    def label(self, name: str, labels: Sequence[str]) -> CampaignView:
        """Replace the labels of a campaign."""
        return self._change(name, "labels", labels=list(labels))

    def archive(self, name: str, archived: bool = True) -> CampaignView:
        """Hide a campaign from lists, or show it again. It continues as before."""
        return self._change(name, "archive", archived=archived)

    def erase(self, name: str, request_key: str | None = None, before: float | None = None) -> int:
        """Erase the request key and context of one request, or of all decisions before a time.

        Decisions, rewards and checksums stay; see docs/security.md.

        Args:
            name: of the campaign.
            request_key: the key of the request.
            before: a time in seconds since 1970, instead of a key.

        Returns:
            How many decisions had one.
        """
        wanted = {"request_key": request_key, "before": before}
        erased = self._ask("POST", f"{campaign_path(name)}/erase", wanted).get("erased")
        if not isinstance(erased, int):
            raise not_floorline("the response does not say how many were erased")
        return erased

    def delete(self, name: str) -> bool:
        """Delete a finished or stopped campaign with its ledger; False if there is none."""
        try:
            self._ask("POST", f"{campaign_path(name)}/delete", {"name": name})
        except ServiceError as error:
            if error.reason != "unknown-campaign":
                raise
            return False
        return True

    def _change(self, name: str, word: str, **body: Any) -> CampaignView:
        return self._send("POST", f"{campaign_path(name)}/{word}", body)

    def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> CampaignView:
        return parse_campaign(self._ask(method, path, body))

    def _ask(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        sent = None if body is None else json.dumps(body).encode() if body else b""
        return parse_json(*self._pool.request(method, path, sent, Deadline(TIMEOUT)))
