"""Files that commands write: where one cannot be written, the error names --out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO


@contextmanager
def out_errors(path: Path | str) -> Iterator[None]:
    """Turn an OSError in the block into a ValueError that names --out and the path."""
    try:
        yield
    except OSError as error:
        raise ValueError(f"out: cannot write {path}: {error.strerror}") from None


def make_folder(out: Path) -> None:
    """Make a folder that can be written; raise ValueError now, not after hours of work."""
    with out_errors(out):
        out.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=out).close()


@contextmanager
def writing(out: Path | None) -> Iterator[IO[str]]:
    """Yield the opened file, or standard output if there is no path."""
    with out_errors(out or "standard output"):
        if out is None:
            yield sys.stdout
        else:
            with open(out, "w", newline="", encoding="utf-8") as stream:
                yield stream
