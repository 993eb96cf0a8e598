"""The ids and default arms of campaigns that need not be open.

It is a cache: missing entries are read from the ledgers.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

import msgspec

from floorline.service.host.files import replace_file

log = logging.getLogger("floorline.service")


class IndexEntry(msgspec.Struct, frozen=True):
    """One campaign."""

    name: str
    id: str
    default_arm: str
    """The arm to play if it is unavailable; once finished or stopped, the arm that it serves."""


class CampaignIndex:
    """The known campaigns, by name and by id; this one is kept in memory only."""

    def __init__(self) -> None:
        self._by_name: dict[str, IndexEntry] = {}
        self._names: dict[str, str] = {}

    def _remember(self, entry: IndexEntry) -> None:
        self._by_name[entry.name] = entry
        self._names.setdefault(entry.id, entry.name)

    def names(self) -> list[str]:
        """Return the names of all campaigns in the index."""
        return list(self._by_name)

    def get(self, name: str) -> IndexEntry | None:
        """Return a campaign by its name."""
        return self._by_name.get(name)

    def name_of(self, campaign_id: str) -> str | None:
        """Return the name of the campaign with this id: the first of those that share it."""
        return self._names.get(campaign_id)

    def add(self, entry: IndexEntry) -> None:
        """Add a campaign, or replace the one of this name."""
        before = self._by_name.get(entry.name)
        if before == entry:
            return
        if before is not None:
            self.remove(entry.name)
        self._remember(entry)
        self._store(entry)

    def remove(self, name: str) -> None:
        """Forget a campaign."""
        entry = self._by_name.pop(name)
        if self._names.get(entry.id) == name:
            del self._names[entry.id]
            for other in self._by_name.values():
                self._names.setdefault(other.id, other.name)
        self._store_removal()

    def _store(self, entry: IndexEntry) -> None:
        """Keep an entry beyond this process."""

    def _store_removal(self) -> None:
        """Keep the entries that are left."""


class FileIndex(CampaignIndex):
    """An index in a file, which is not synced to disk. Later lines replace earlier ones."""

    def __init__(self, path: Path) -> None:
        """Read the file, as far as it can be read."""
        super().__init__()
        self._path = path
        lines = path.read_bytes().splitlines() if path.exists() else []
        decoder = msgspec.json.Decoder(IndexEntry)
        for line in lines:
            with suppress(msgspec.DecodeError):  # a line that a crash cut off
                self._remember(decoder.decode(line))

    def _store(self, entry: IndexEntry) -> None:
        with suppress(OSError), self._path.open("ab") as file:
            file.write(msgspec.json.encode(entry) + b"\n")

    def _store_removal(self) -> None:
        with suppress(OSError):
            lines = [msgspec.json.encode(entry) + b"\n" for entry in self._by_name.values()]
            replace_file(self._path, b"".join(lines))
