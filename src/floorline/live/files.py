"""The files of a ledger: one writer at a time, and never half a file."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import IO

import apsw

from floorline.live.errors import LedgerError


def lock(path: str) -> IO[bytes]:
    """Keep other writers out for as long as the returned file is open.

    The operating system ends the lock with its owner, however that ends.
    """
    folder = Path(path).parent
    if not folder.is_dir():
        raise LedgerError(f"{path}: there is no folder {folder}")
    try:
        # Under the file's real name, so that a link to it does not let another writer in.
        file = open(f"{os.path.realpath(path)}-lock", "ab")  # noqa: SIM115 (it stays open)
    except OSError as error:
        raise LedgerError(f"{path}: cannot be locked: {error.strerror}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise LedgerError(
            f"{path}: this campaign is open elsewhere; only one process at a time can write to it"
        ) from None
    return file


def begin(path: str, schema: str) -> None:
    """Make an empty ledger, which appears under its name only when it is whole."""
    log = f"{os.path.realpath(path)}-wal"
    if os.path.exists(log):
        raise LedgerError(
            f"{path}: is gone, but not its newest events in {log}; put it back, or move that away"
        )
    unfinished = f"{path}-new"
    Path(unfinished).unlink(missing_ok=True)
    db = apsw.Connection(unfinished)
    db.execute(schema)
    db.close()
    os.replace(unfinished, path)
    folder = os.open(Path(path).absolute().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def is_cut_off(path: str, pages: int, page_size: int) -> bool:
    """Whether a file ends before its last page; not known while a log holds some of them."""
    log = Path(f"{os.path.realpath(path)}-wal")
    in_log = log.exists() and log.stat().st_size > 0
    return not in_log and os.path.getsize(path) < pages * page_size
