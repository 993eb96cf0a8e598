"""Live campaigns: decisions under the floor with late, lost and repeated rewards."""

try:
    import apsw as _apsw  # noqa: F401
    import msgspec as _msgspec  # noqa: F401
except ImportError as error:
    raise ImportError(
        "live campaigns need the extra [live]: pip install 'floorline[live]'"
    ) from error

from floorline.live.campaign import Campaign
from floorline.live.errors import CampaignError, Conflict, LedgerError, Stopped, UnknownTicket
from floorline.live.history import Record
from floorline.live.settings import Settings
from floorline.live.status import ArmStatus, Status
from floorline.live.tickets import Ticket

__all__ = [
    "ArmStatus",
    "Campaign",
    "CampaignError",
    "Conflict",
    "LedgerError",
    "Record",
    "Settings",
    "Status",
    "Stopped",
    "Ticket",
    "UnknownTicket",
]
