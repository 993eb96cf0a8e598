"""The data folder: one ledger a campaign, the keys, and which form all of it has."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FORM = 1
"""The form of the folder that this version writes and reads."""


class Folder:
    """A data folder. It is made where there is none."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open or make the folder.

        Raises:
            ValueError: it cannot be used, or a newer version wrote it.
        """
        self.path = Path(path)
        try:
            self.campaigns.mkdir(parents=True, exist_ok=True)
            form = self.path / "format"
            if not form.exists():
                replace(form, f"{FORM}\n".encode())
            written = form.read_text().strip()
        except OSError as error:
            raise ValueError(f"data: {self.path} cannot be used: {error.strerror}") from None
        if written != str(FORM):
            raise ValueError(
                f"data: {self.path} has the form {written!r}, and this version of Floorline knows "
                f"only {FORM}; it was left as it is"
            )

    @property
    def campaigns(self) -> Path:
        """Where the ledgers are."""
        return self.path / "campaigns"

    @property
    def keys(self) -> Path:
        """The file of the keys."""
        return self.path / "keys.json"

    def ledger(self, name: str) -> Path:
        """The ledger of a campaign."""
        return self.campaigns / f"{name}.ledger"

    def names(self) -> list[str]:
        """The campaigns that have a ledger."""
        return sorted(file.stem for file in self.campaigns.glob("*.ledger"))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other servers out.

        Raises:
            ValueError: another one has the folder, or it cannot be written to.
        """
        try:
            file = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise ValueError(f"data: {self.path} cannot be locked: {error.strerror}") from None
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ValueError(f"data: {self.path} is being served by another process") from None
            yield
        finally:
            os.close(file)


def existing(path: Path) -> Folder:
    """A data folder that is there already.

    Raises:
        ValueError: it is not there, or cannot be used.
    """
    if not (path / "format").exists():
        raise ValueError(f"data: {path} is not a data folder")
    return Folder(path)


@contextmanager
def changing(folder: Path) -> Iterator[None]:
    """Keep out others who want to change files of a folder; a server may go on."""
    file = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


def replace(path: Path, content: bytes) -> None:
    """Write a file that is never seen half done, readable by the folder's owner alone."""
    unfinished = path.with_name(path.name + "-new")
    with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        if os.geteuid() == 0:  # the service is often another user, and must be able to read it
            owner = path.parent.stat()
            os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)
    make_durable(path.parent)


def make_durable(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
