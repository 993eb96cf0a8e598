"""A copy of a data folder, while it may be served."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import closing
from pathlib import Path

from floorline.live import LedgerError
from floorline.live.ledgers import read_ledger
from floorline.service.folder import Folder, existing, make_durable


def back_up(data: Path, to: Path) -> tuple[list[str], dict[str, str]]:
    """The campaigns that were copied to a new folder, and why others could not be.

    Each ledger is copied as it is at one moment: all that is in the copy was durable then.
    The folder appears when it is whole.

    Raises:
        ValueError: there is nothing to copy, something there already, or no room.
    """
    source = existing(data)
    if to.exists():
        raise ValueError(f"to: {to} is there already")
    names, beside = source.names(), to.absolute().parent
    try:
        beside.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(dir=beside, prefix=f"{to.name}-"))
        try:
            failed = _copy(source, names, Folder(unfinished))
            os.rename(unfinished, to)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
        make_durable(beside)
    except OSError as error:
        raise ValueError(f"to: {to} cannot be made: {error}") from None
    return [name for name in names if name not in failed], failed


def _copy(source: Folder, names: list[str], copy: Folder) -> dict[str, str]:
    """Why some campaigns could not be copied; all others were."""
    failed = {}
    for name in names:
        try:
            with closing(read_ledger(str(source.ledger(name)))) as ledger:
                ledger.back_up(str(copy.ledger(name)))
            make_durable(copy.ledger(name))
        except LedgerError as error:
            copy.ledger(name).unlink(missing_ok=True)
            failed[name] = str(error)
    if source.keys.exists():
        shutil.copy2(source.keys, copy.keys)
        make_durable(copy.keys)
    make_durable(copy.campaigns)
    make_durable(copy.path)
    return failed
