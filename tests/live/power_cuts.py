"""Files as a power cut leaves them: what was not synced is lost, reordered or torn.

`Disk` records what SQLite does to its files, and `files_after` plays a part of it: everything up to
the last sync of each file, and of what came later any subset, with sectors torn out.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

import apsw

REAL = apsw.vfs_names()[0]
"""SQLite's own way to the disk."""

SECTOR = 512
"""Size in bytes of a sector, which is written atomically."""


class Write(NamedTuple):
    """Bytes written at a place."""

    file: str
    offset: int
    data: bytes


class Truncate(NamedTuple):
    """A file cut to a size."""

    file: str
    size: int


class Sync(NamedTuple):
    """What was written to a file is durable from here on."""

    file: str


class Delete(NamedTuple):
    """A file deleted."""

    file: str


Operation = Write | Truncate | Sync | Delete


class Disk(apsw.VFS):
    """Passes everything on to the real disk and records it, as the default of SQLite."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        super().__init__("recording", REAL, makedefault=True)

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return RecordedFile(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self.operations.append(Delete(Path(filename).name))

    def note_file(self, path: str) -> None:
        """Record a small file as it is now, which was written without a sync."""
        name, content = Path(path).name, Path(path).read_bytes()
        self.operations += [Write(name, 0, content), Truncate(name, len(content))]


class RecordedFile(apsw.VFSFile):
    """A file whose changes are recorded."""

    def __init__(self, disk: Disk, name: apsw.URIFilename | str | None, flags: list[int]) -> None:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self._disk = disk
        self._name = Path(path or "").name
        super().__init__(REAL, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        super().xWrite(data, offset)
        self._disk.operations.append(Write(self._name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        super().xTruncate(newsize)
        self._disk.operations.append(Truncate(self._name, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._disk.operations.append(Sync(self._name))


def files_after(
    operations: list[Operation], rng: random.Random, *, honest: bool = True
) -> dict[str, bytes]:
    """Return the files as a power cut leaves them; a dishonest disk ignores syncs."""
    files: dict[str, bytearray] = {}
    unsynced: dict[str, list[Operation]] = {}
    for operation in operations:
        waiting = unsynced.setdefault(operation.file, [])
        if not isinstance(operation, Sync):
            waiting.append(operation)
        elif honest:
            for earlier in waiting:
                _apply(files, earlier)
            waiting.clear()
    choose = rng.choice([_none, _some, _most, _in_any_order])
    for waiting in unsynced.values():
        for operation in choose(waiting, rng):
            if isinstance(operation, Write):
                for part in _torn(operation, rng):
                    _apply(files, part)
            else:
                _apply(files, operation)
    return {name: bytes(content) for name, content in files.items()}


def _none(waiting: list[Operation], rng: random.Random) -> list[Operation]:
    return []


def _some(waiting: list[Operation], rng: random.Random) -> list[Operation]:
    return [operation for operation in waiting if rng.random() < 0.5]


def _most(waiting: list[Operation], rng: random.Random) -> list[Operation]:
    return [operation for operation in waiting if rng.random() < 0.95]


def _in_any_order(waiting: list[Operation], rng: random.Random) -> list[Operation]:
    kept = _some(waiting, rng)
    rng.shuffle(kept)
    return kept


def _torn(write: Write, rng: random.Random) -> list[Write]:
    """Return the sectors of a write that reached the disk, usually all of them."""
    if rng.random() < 0.7:
        return [write]
    parts = [
        Write(write.file, write.offset + at, write.data[at : at + SECTOR])
        for at in range(0, len(write.data), SECTOR)
    ]
    return [part for part in parts if rng.random() < 0.5]


def _apply(files: dict[str, bytearray], operation: Operation) -> None:
    if isinstance(operation, Delete):
        files.pop(operation.file, None)
        return
    content = files.setdefault(operation.file, bytearray())
    if isinstance(operation, Write):
        end = operation.offset + len(operation.data)
        content.extend(bytes(max(0, end - len(content))))
        content[operation.offset : end] = operation.data
    elif isinstance(operation, Truncate):
        del content[operation.size :]
