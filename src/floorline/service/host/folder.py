"""The data folder: one ledger per campaign, the keys, and the version of its layout."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from floorline.core.file_locks import lock_file
from floorline.service.host.descriptors import open_campaigns_allowed
from floorline.service.host.files import give_to_owner_of, replace_file
from floorline.service.host.index import CampaignIndex, FileIndex
from floorline.service.host.owners import Owners, SoleOwner
from floorline.service.host.store import FolderStore

LAYOUT_VERSION = 1
"""The layout of the folder that this version writes and reads."""

KEYS_FILE = "keys.json"
KEYS_MARKER = "keys-required"
"""A file beside that of the keys; it stays when the latter is deleted."""
WEBHOOKS_FILE = "webhooks.json"

KEPT_FILES = (KEYS_FILE, KEYS_MARKER, WEBHOOKS_FILE)
"""What a backup holds beside the campaigns."""


class Folder:
    """A data folder."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False) -> None:
        """Open the folder.

        Args:
            path: where it is.
            create: whether it may be a new one. A folder that is not mounted looks like a new
                one, and serving it would permanently refuse the rewards of earlier decisions.

        Raises:
            ValueError: there is none, it cannot be used, or was written by a newer version.
        """
        self.path = Path(path)
        try:
            version_file = self.path / "format"
            if not version_file.exists():
                if not create:
                    raise ValueError(
                        f"data: {self.path} is not a data folder. If it holds campaigns, mount or "
                        "restore it; to start with an empty one, use floorline serve --create"
                    )
                self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
                self.campaigns.mkdir(mode=0o700, exist_ok=True)
                give_to_owner_of(self.path, self.campaigns)
                replace_file(version_file, f"{LAYOUT_VERSION}\n".encode())
            version = version_file.read_text().strip()
        except OSError as error:
            raise ValueError(f"data: {self.path} cannot be used: {error.strerror}") from None
        if version != str(LAYOUT_VERSION):
            raise ValueError(
                f"data: {self.path} has layout version {version!r}, and this version of Floorline "
                f"reads only {LAYOUT_VERSION}; the folder was not changed"
            )

    @property
    def campaigns(self) -> Path:
        """The folder of the ledgers."""
        return self.path / "campaigns"

    @property
    def store(self) -> FolderStore:
        """The campaigns of the folder."""
        return FolderStore(self.campaigns)

    @cached_property
    def index(self) -> CampaignIndex:
        """The index of campaigns, in a file."""
        return FileIndex(self.path / "index.jsonl")

    @property
    def max_open(self) -> int:
        """How many campaigns may be open at a time."""
        return open_campaigns_allowed()

    @cached_property
    def owners(self) -> Owners:
        """Who owns its campaigns: its only server."""
        return SoleOwner()

    @property
    def shown(self) -> str:
        """The folder, for messages."""
        return str(self.path)

    def close(self) -> None:
        """Do nothing: no file is open."""

    @property
    def keys(self) -> Path:
        """The file of the keys."""
        return self.path / KEYS_FILE

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Exclude other servers; without file locks, each campaign's ledger notices them.

        Raises:
            ValueError: another one serves the folder, or it cannot be written to.
        """
        try:
            file = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise ValueError(f"data: {self.path} cannot be locked: {error.strerror}") from None
        try:
            try:
                lock_file(file)
            except OSError:
                raise ValueError(f"data: {self.path} is being served by another process") from None
            yield
        finally:
            os.close(file)
