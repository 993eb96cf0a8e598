"""Where the campaigns of a service are: their names, and the locators of their ledgers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from floorline.live.clock import SteadyClock, machine_clock
from floorline.live.ledgers import salvage_opening
from floorline.service.host.index import IndexEntry


class CampaignStore(Protocol):
    """The campaigns of a service."""

    is_shared: bool
    """Whether other servers may open campaigns as well."""

    @property
    def clock(self) -> SteadyClock:
        """The clock of the campaigns."""

    def names(self) -> list[str]:
        """Return the campaigns that have a ledger, sorted."""

    def locator(self, name: str) -> str:
        """Return the locator of a campaign's ledger, whether or not there is one."""

    def salvage(self, name: str) -> dict[str, Any] | None:
        """Return the opening event of a damaged ledger; None if it cannot be read."""

    def find(self, name: str | None, campaign_id: str | None) -> list[IndexEntry]:
        """Return the campaigns of this name or id that another server may have opened since."""


class FolderStore:
    """One SQLite file per campaign in a folder."""

    is_shared = False
    clock = machine_clock

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        """Return the campaigns that have a ledger, sorted."""
        return sorted(file.stem for file in self._folder.glob("*.ledger"))

    def locator(self, name: str) -> str:
        """Return the path of a campaign's ledger."""
        return str(self._folder / f"{name}.ledger")

    def salvage(self, name: str) -> dict[str, Any] | None:
        """Return what the campaign of a damaged file was opened with."""
        return salvage_opening(self.locator(name))

    def find(self, name: str | None, campaign_id: str | None) -> list[IndexEntry]:
        """Return nothing: a folder has one server."""
        return []
