"""Ledgers by their locators: `:memory:`, the path of an SQLite file, or a URL."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

from floorline.live.errors import LedgerError
from floorline.live.ledgers.interface import Backend, Ledger
from floorline.live.ledgers.reader import LedgerReader, Mark, Snapshot

__all__ = [
    "Ledger",
    "LedgerReader",
    "Mark",
    "Snapshot",
    "exists",
    "open_ledger",
    "read_ledger",
    "salvage_opening",
]

PATHS = "sqlite"
"""The module of locators that are not in the table: paths."""

BACKENDS = {
    ":memory:": "memory",
    "postgresql://": "postgres",
}
"""The module of each kind of locator: a whole locator, or the scheme of a URL with its `://`."""

EXTRAS = {"postgres": "postgres"}
"""The extra that installs what a module needs, if it is not `live`."""


def open_ledger(locator: str) -> Ledger:
    """Return a ledger to read and append to; create an empty one if there is none.

    Raises:
        LedgerError: it cannot be used, or another process writes to it.
    """
    return _backend(locator).open(locator)


def read_ledger(locator: str) -> LedgerReader:
    """Return an existing ledger for reading, even while its campaign runs.

    Raises:
        LedgerError: there is none, or it cannot be read.
    """
    return _backend(locator).read(locator)


def exists(locator: str) -> bool:
    """Return whether there is a ledger, even an empty or a damaged one."""
    return _backend(locator).exists(locator)


def salvage_opening(locator: str) -> dict[str, Any] | None:
    """Return what the campaign of a damaged ledger was opened with; None if it is unreadable.

    It is read without checks and without writing, so this works on a full or read-only disk.
    """
    return _backend(locator).salvage_opening(locator)


def _backend(locator: str) -> Backend:
    scheme, separator, _ = locator.partition("://")
    name = BACKENDS.get(scheme + separator, PATHS)
    if name == PATHS and separator:
        known = ", ".join([*BACKENDS, "a path"])
        raise LedgerError(f"{locator}: no ledger is known for {scheme}://, only for {known}")
    try:
        module = import_module(f"{__name__}.{name}")
    except ImportError as error:
        raise ImportError(
            f"{locator}: this kind of ledger needs the package {error.name}: "
            f"pip install 'floorline[{EXTRAS.get(name, 'live')}]'"
        ) from error
    return cast(Backend, module.BACKEND)
