"""A progress bar on stderr for work that takes longer than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SECONDS_BEFORE_BAR = 2.0


@contextmanager
def progress_bar(
    label: str, total: int, show: bool | None = None
) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with how much is done; a bar appears after two seconds.

    By default only on a terminal, so that logs and notebooks stay clean.
    """
    if not (sys.stderr.isatty() if show is None else show):
        yield lambda done: None
        return

    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(label, total=total)
    start = time.monotonic()
    started = False

    def tick(done: int) -> None:
        nonlocal started
        if not started and time.monotonic() - start > SECONDS_BEFORE_BAR:
            started = True  # an interrupt in the next line must stop it, too
            bar.start()
        bar.update(task, completed=done)

    try:
        yield tick
    finally:
        if started:
            bar.stop()
