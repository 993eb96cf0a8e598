"""Errors of the host. Those of a single campaign are in `floorline.live`."""

from __future__ import annotations

from floorline.live import CampaignError


class UnknownCampaign(CampaignError):  # noqa: N818 (named like live's UnknownTicket)
    """No campaign has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no campaign {name!r}")


class CampaignExists(CampaignError):  # noqa: N818
    """A campaign of this name exists with other settings."""


class Unavailable(CampaignError):  # noqa: N818
    """The campaign cannot be used now. Nothing was recorded; retry later."""

    def __init__(self, message: str, retry_after: int = 1) -> None:
        """Say why, and after how many seconds a retry makes sense."""
        super().__init__(message)
        self.retry_after = retry_after
