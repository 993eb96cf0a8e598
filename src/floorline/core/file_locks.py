"""File locks and syncing of folders, as far as the operating system supports them."""

from __future__ import annotations

import os
from typing import IO

try:
    import fcntl
except ImportError:  # not available on Windows
    fcntl = None  # type: ignore[assignment]

CAN_OPEN_FOLDERS = hasattr(os, "O_DIRECTORY")


def lock_file(file: int | IO[bytes], *, wait: bool = False) -> None:
    """Lock an open file for this process until it is closed, however the process ends.

    Without `fcntl`, as on Windows, nothing is locked. Callers document what happens then.

    Raises:
        OSError: another process has the lock, and `wait` is not set.
    """
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Wait until the names in a folder are on disk. Windows opens no folders, and needs no wait."""
    if not CAN_OPEN_FOLDERS:
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
