"""Writing files so that a crash never leaves half of one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from floorline.core.file_locks import CAN_OPEN_FOLDERS, lock_file, sync_folder


@contextmanager
def locked_for_change(folder: Path) -> Iterator[None]:
    """Exclude other processes that change files in a folder; a server may keep reading.

    Windows opens no folders: there, of two changes at the same moment one may be lost.
    """
    if not CAN_OPEN_FOLDERS:
        yield
        return
    file = os.open(folder, os.O_RDONLY)
    try:
        lock_file(file, wait=True)
        yield
    finally:
        os.close(file)


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file atomically; only the owner of its folder can read it."""
    unfinished = path.with_name(path.name + "-new")
    with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        give_to_owner_of(path.parent, file.fileno())
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)
    sync_folder(path.parent)


def give_to_owner_of(folder: Path, file: int | Path) -> None:
    """Give what root creates to the owner of a folder: the service often runs as another user."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # Windows has no such owners
        owner = folder.stat()
        os.chown(file, owner.st_uid, owner.st_gid)


def sync_to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    if path.is_dir():
        return sync_folder(path)
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
