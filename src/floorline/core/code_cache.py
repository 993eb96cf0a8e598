"""Where compiled code is kept on disk, and for how long."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

NAME_LENGTH = 32
"""Characters of a folder's name."""

UNUSED_SECONDS = 21 * 86_400
"""Compiled code that has not been used for this long is removed."""

PACKAGE = Path(__file__).resolve().parents[1]


def folder_for(options: str) -> Path | None:
    """Return the folder of code compiled with these options, or None if it cannot be written."""
    digest = hashlib.sha256(f"{version('numba')} {sys.version} {options}".encode())
    digest.update(package_hash().encode())
    try:
        folder = cache_root() / digest.hexdigest()[:NAME_LENGTH]
        if not folder.is_dir():
            remove_old_folders()
            folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)  # in use
    except (OSError, RuntimeError):  # RuntimeError: this user has no home
        return None
    return folder if os.access(folder, os.W_OK) else None


def write_code(path: Path, code: bytes) -> None:
    """Write a file of code atomically: another process finds all of it or nothing."""
    temporary = path.with_suffix(f".{os.urandom(8).hex()}")
    temporary.write_bytes(code)
    temporary.replace(path)


def remove_old_folders() -> None:
    """Remove folders of compiled code that no process has used for weeks.

    They belong to other versions and earlier edits. Each use marks a folder, so one that another
    process is about to use is recent and stays.
    """
    latest = time.time() - UNUSED_SECONDS
    for folder in cache_root().glob("[0-9a-f]" * NAME_LENGTH):
        with suppress(OSError):  # gone already, or not ours
            if folder.stat().st_mtime < latest:
                shutil.rmtree(folder)


def cache_root() -> Path:
    """Return the user's cache folder: FLOORLINE_CACHE_DIR, else one in the system's."""
    configured = os.environ.get("FLOORLINE_CACHE_DIR")
    if configured:
        return Path(configured)
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "floorline"


@cache
def package_hash() -> str:
    """Return a hash of every source file of this package."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(str(path.relative_to(PACKAGE)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
