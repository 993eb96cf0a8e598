"""What can go wrong with a live campaign. Bad arguments are ValueError, as everywhere."""

from __future__ import annotations


class CampaignError(Exception):
    """Something that a campaign refuses to do, or cannot."""


class UnknownTicket(CampaignError):  # noqa: N818 (it reads as what is wrong)
    """No decision has this ticket."""


class Conflict(CampaignError):  # noqa: N818
    """What is asked contradicts what the ledger holds."""


class Stopped(CampaignError):  # noqa: N818
    """The campaign has ended: it decides nothing more."""


class LedgerError(CampaignError):
    """The ledger cannot be read or written, or is not what it should be."""
