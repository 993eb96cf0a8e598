"""Live campaigns: decisions under the floor with late, lost and repeated rewards."""

from typing import Any

try:
    import msgspec as _msgspec  # noqa: F401
except ImportError as error:
    raise ImportError(
        "live campaigns need the extra [live]: pip install 'floorline[live]'"
    ) from error

from floorline.live.campaign import Campaign
from floorline.live.errors import (
    CampaignError,
    Conflict,
    DamagedLedger,
    LedgerError,
    Stopped,
    UnknownTicket,
)
from floorline.live.messages import (
    Explanation,
    Outcome,
    Reason,
    Record,
    Result,
    RewardReceipt,
    Term,
    Ticket,
)
from floorline.live.settings import CampaignSettings
from floorline.live.status import ArmStatus, Status

__all__ = [
    "ArmStatus",
    "Campaign",
    "CampaignError",
    "CampaignSettings",
    "Conflict",
    "DamagedLedger",
    "Explanation",
    "LedgerError",
    "Outcome",
    "Reason",
    "Record",
    "Result",
    "RewardReceipt",
    "Status",
    "Stopped",
    "Term",
    "Ticket",
    "UnknownTicket",
]


def __getattr__(name: str) -> Any:
    """Return `CampaignSettings` under its former name, with a warning."""
    if name == "Settings":
        from floorline.core.deprecation import warn_renamed

        warn_renamed("floorline.live.Settings", "floorline.live.CampaignSettings")
        return CampaignSettings
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
