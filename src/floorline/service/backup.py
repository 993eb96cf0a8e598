"""A copy of a data folder, while it may be served."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from pathlib import Path

from floorline.live.ledger import Ledger
from floorline.service.folder import Folder


def back_up(data: Path, to: Path) -> list[str]:
    """The campaigns that were copied to a new folder, which appears when it is whole.

    Each ledger is copied as it is at one moment: all that is in the copy was durable then.

    Raises:
        ValueError: there is nothing to copy, or something there already.
        LedgerError: a ledger cannot be read.
    """
    if not (data / "format").exists():
        raise ValueError(f"data: {data} is not a data folder")
    if to.exists():
        raise ValueError(f"to: {to} is there already")
    source = Folder(data)
    unfinished = to.with_name(to.name + "-new")
    shutil.rmtree(unfinished, ignore_errors=True)
    copy = Folder(unfinished)
    for name in source.names():
        with closing(Ledger(str(source.ledger(name)), read_only=True)) as ledger:
            ledger.back_up(str(copy.ledger(name)))
        _make_durable(copy.ledger(name))
    if source.keys.exists():
        shutil.copy2(source.keys, copy.keys)
        _make_durable(copy.keys)
    _make_durable(copy.campaigns)
    os.replace(unfinished, to)
    _make_durable(to.absolute().parent)
    return source.names()


def _make_durable(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
