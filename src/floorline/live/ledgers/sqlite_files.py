"""The files of an SQLite ledger: its lock, its creation, and the mark of its last commit."""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO

import apsw

from floorline.core.file_locks import lock_file, sync_folder
from floorline.live.errors import LedgerError, OpenElsewhere
from floorline.live.ledgers.reader import UNCHANGED, Mark


def lock(path: str) -> IO[bytes]:
    """Return an open file that keeps other writers out until it is closed.

    The operating system releases the lock when its owner ends, however that happens. Where there
    are no locks, a second writer is noticed when it appends: the number of its event is taken.
    """
    folder = Path(path).parent
    if not folder.is_dir():
        raise LedgerError(f"{path}: there is no folder {folder}")
    refuse_folder(path)
    try:
        # Under the file's real name, so that a link to it does not let another writer in.
        file = open(f"{os.path.realpath(path)}-lock", "ab")  # noqa: SIM115 (it stays open)
    except OSError as error:
        raise LedgerError(f"{path}: cannot be locked: {error.strerror}") from None
    try:
        lock_file(file)
    except OSError:
        file.close()
        raise OpenElsewhere(path) from None
    return file


def create(path: str, script: str) -> None:
    """Create a ledger with an SQL script; it appears under its name when it is complete."""
    log = f"{os.path.realpath(path)}-wal"
    if os.path.exists(log):
        raise LedgerError(
            f"{path}: is gone, but its newest events are in {log}; put it back, or move {log} away"
        )
    unfinished = f"{path}-new"
    Path(unfinished).unlink(missing_ok=True)
    db = apsw.Connection(unfinished)
    db.execute(script)
    db.close()
    delete_mark(path)  # that of an earlier ledger of this name
    os.replace(unfinished, path)
    _sync_folder_of(path)


def _sync_folder_of(path: str) -> None:
    sync_folder(Path(path).absolute().parent)


def set_aside(path: str) -> str:
    """Rename a ledger and its mark, so that it is no longer found; return its new path."""
    names = (f"{path}-moved{number}" for number in ("", *range(2, 1000)))
    free = next(name for name in names if not os.path.exists(name))
    os.rename(path, free)
    if os.path.exists(mark_path(path)):
        os.rename(mark_path(path), mark_path(free))
    _sync_folder_of(path)
    return free


def refuse_folder(path: str) -> None:
    """Raise LedgerError if the path is that of a folder."""
    if os.path.isdir(path):
        raise LedgerError(f"{path}: is a folder, not a ledger")


def delete(path: str) -> None:
    """Delete a ledger and the files beside it; the ledger first, without which they are useless."""
    real = os.path.realpath(path)
    try:
        for name in (path, real, f"{real}-wal", f"{real}-shm", mark_path(path), f"{real}-lock"):
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise LedgerError(f"{path}: cannot be deleted: {error.strerror}") from None
    _sync_folder_of(path)


def identity(path: str) -> tuple[int, int]:
    """Return the device and the inode of a ledger, which must have only one name.

    Raises:
        LedgerError: it is gone, or has several names, under which others could write to it.
    """
    try:
        found = os.stat(path)
    except OSError as error:
        raise LedgerError(f"{path}: cannot be found: {error.strerror}; {UNCHANGED}") from None
    if found.st_nlink > 1:
        raise LedgerError(
            f"{path}: has {found.st_nlink} names (hard links), under which others could write to "
            f"it at the same time; {UNCHANGED}. Delete all names but one"
        )
    return found.st_dev, found.st_ino


def is_truncated(path: str, pages: int, page_size: int) -> bool:
    """Return whether a file ends before its last page; unknown while a log holds some pages."""
    return not has_log(path) and os.path.getsize(path) < pages * page_size


def has_log(path: str) -> bool:
    """Return whether there is a log beside a ledger that may hold some of its events."""
    log = Path(f"{os.path.realpath(path)}-wal")
    return log.exists() and log.stat().st_size > 0


def mark_path(path: str) -> str:
    """Return the path of a ledger's mark."""
    return f"{os.path.realpath(path)}-mark"


def delete_mark(path: str) -> None:
    """Delete a ledger's mark, if there is one."""
    Path(mark_path(path)).unlink(missing_ok=True)


def write_mark(path: str, mark: Mark) -> None:
    """Overwrite the mark of the last commit.

    It is not synced: it survives the process, and may lag behind after a power cut. The commit
    is durable already, so a mark that cannot be written is not an error.
    """
    with suppress(OSError):
        file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
        try:
            os.write(file, _encode_mark(mark))
        finally:
            os.close(file)


def read_mark(path: str) -> Mark | None:
    """Return the mark of the last commit; None if there is none or it is damaged."""
    try:
        content = Path(path).read_bytes()
        seq, check, _ = map(int, content.split())
    except (OSError, ValueError):
        return None
    mark = Mark(seq, check)
    return mark if _encode_mark(mark) == content else None


def _encode_mark(mark: Mark) -> bytes:
    """Return the mark as a line of fixed length, which is overwritten in place."""
    text = b"%020d %010d" % mark
    return b"%b %010d\n" % (text, zlib.crc32(text))
