"""Errors of live campaigns. Bad arguments raise ValueError, as everywhere."""

from __future__ import annotations


class CampaignError(Exception):
    """A campaign refuses to do something, or cannot do it."""


class UnknownTicket(CampaignError):  # noqa: N818 (it reads as what is wrong)
    """No decision has this ticket."""


class Conflict(CampaignError):  # noqa: N818
    """The request contradicts what the ledger holds."""


class Stopped(CampaignError):  # noqa: N818
    """The campaign was stopped and makes no more decisions."""


class LedgerError(CampaignError):
    """The ledger cannot be read or written, or is damaged."""


class OpenElsewhere(LedgerError):  # noqa: N818
    """Another process writes to the ledger."""

    def __init__(self, locator: str) -> None:
        super().__init__(
            f"{locator}: this campaign is open elsewhere; only one process at a time can write "
            "to it"
        )


class DamagedLedger(LedgerError):  # noqa: N818
    """The ledger is damaged: only a backup helps."""
