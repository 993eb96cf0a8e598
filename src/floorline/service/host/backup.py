"""A copy of a data folder, made while it may be served."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import closing
from pathlib import Path

from floorline.live import LedgerError
from floorline.live.ledgers import read_ledger
from floorline.service.host.files import sync_to_disk
from floorline.service.host.folder import KEPT_FILES, Folder


def back_up(data: Path, to: Path) -> tuple[list[str], dict[str, str]]:
    """Return the campaigns that were copied to a new folder, and why others could not be.

    Each copy holds what was committed at one moment. The folder appears when it is complete.

    Raises:
        ValueError: `data` is not a data folder, `to` exists, or the disk is full.
    """
    source = Folder(data)
    if to.exists():
        raise ValueError(f"to: {to} exists already")
    names, parent = source.store.names(), to.absolute().parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(dir=parent, prefix=f"{to.name}-"))
        try:
            failures = _copy(source, names, Folder(unfinished, create=True))
            os.rename(unfinished, to)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
        sync_to_disk(parent)
    except OSError as error:
        raise ValueError(f"to: {to} cannot be created: {error}") from None
    return [name for name in names if name not in failures], failures


def _copy(source: Folder, names: list[str], copy: Folder) -> dict[str, str]:
    """Copy keys, webhooks and campaigns; return why some campaigns could not be copied."""
    failures = {}
    for name in names:
        try:
            with closing(read_ledger(source.store.locator(name))) as ledger:
                ledger.back_up(copy.store.locator(name))
        except LedgerError as error:
            failures[name] = str(error)
    for file in copy.campaigns.iterdir():
        if file.stem in failures:
            file.unlink()
        else:
            sync_to_disk(file)
    for name in KEPT_FILES:
        if (source.path / name).exists():
            shutil.copy2(source.path / name, copy.path / name)
            sync_to_disk(copy.path / name)
    sync_to_disk(copy.campaigns)
    sync_to_disk(copy.path)
    return failures
