"""Where the campaigns of a service are: their names, and the locators of their ledgers."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class CampaignStore(Protocol):
    """The campaigns of a service."""

    def names(self) -> list[str]:
        """The campaigns that have a ledger, sorted."""

    def locator(self, name: str) -> str:
        """What the ledger of a campaign is opened by, whether or not there is one."""


class FolderStore:
    """One SQLite file per campaign in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def names(self) -> list[str]:
        """The campaigns that have a ledger, sorted."""
        return sorted(file.stem for file in self._folder.glob("*.ledger"))

    def locator(self, name: str) -> str:
        """The path of a campaign's ledger."""
        return str(self._folder / f"{name}.ledger")
