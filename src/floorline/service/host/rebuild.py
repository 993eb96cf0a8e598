"""The points of a series from the events of a ledger, here or in a process of its own."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from asyncio.subprocess import DEVNULL, PIPE
from contextlib import closing, suppress

import msgspec

from floorline.live.ledgers import read_ledger
from floorline.live.replay import load, start
from floorline.live.status import status_of
from floorline.service.host.series import SeriesPoint, SeriesRecorder, point_of

LOCATOR = "FLOORLINE_REPLAYED_LEDGER"
"""The environment variable that tells the other process what to read."""


def replay_points(locator: str, after: int, last: int, max_points: int) -> list[SeriesPoint]:
    """The points of the decisions with after < seq <= last.

    Args:
        locator: of the ledger.
        after: 0, or a sequence number after which there is a snapshot.
        last: the sequence number of the last event to look at.
        max_points: of the series.
    """
    series = SeriesRecorder(max_points)
    with closing(read_ledger(locator)) as ledger:
        state = load(ledger, after) if after else start(ledger)[0]
        for event, _ in ledger.checked_events(after, ledger.check(after) or 0):
            state.apply(event)
            if event.kind == "decided" and series.is_due(event.seq):
                status = status_of("", state, 0, event.time)
                series.add([point_of(event.seq, event.time, status, state.settings)])
            if event.seq >= last:
                break
    return series.points


async def replay_elsewhere(
    locator: str, after: int, last: int, max_points: int
) -> list[SeriesPoint]:
    """The same from another process, of low priority: a long replay delays decisions here.

    Raises:
        ValueError: it failed.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        __name__,
        *map(str, (after, last, max_points)),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env={**os.environ, LOCATOR: locator},  # it may hold a password, and arguments are public
    )
    assert process.stdout is not None
    try:
        output = await process.stdout.read()
    finally:
        with suppress(ProcessLookupError):
            process.kill()  # it has ended, unless this was cancelled
        await process.wait()
    return msgspec.json.decode(output, type=list[SeriesPoint])


def end_with_parent() -> None:
    """End this process when its parent does, whose end of standard input is then closed."""
    sys.stdin.read()
    os._exit(1)


def main() -> None:
    """Write the points that the arguments ask for to standard output."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    with suppress(OSError):  # not allowed
        os.nice(19)
    after, last, max_points = sys.argv[1:]
    points = replay_points(os.environ[LOCATOR], int(after), int(last), int(max_points))
    sys.stdout.buffer.write(msgspec.json.encode(points))
    sys.stdout.flush()
    os._exit(0)  # the other thread waits for standard input, and would keep Python from ending


if __name__ == "__main__":
    main()
