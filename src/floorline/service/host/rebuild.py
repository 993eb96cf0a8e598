"""The points of a series from the events of a ledger, here or in a child process."""

from __future__ import annotations

from contextlib import closing

import msgspec

from floorline.live.ledgers import read_ledger
from floorline.live.replay import load, start
from floorline.live.series import SeriesPoint, SeriesRecorder, point_after
from floorline.service.host.child_process import become_child, output_of, write_output


def replay_points(locator: str, after: int, last: int, max_points: int) -> list[SeriesPoint]:
    """Return the points of the decisions with after < seq <= last.

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
                series.add([point_after(state)])
            if event.seq >= last:
                break
    return series.points


async def replay_in_child(
    locator: str, after: int, last: int, max_points: int
) -> list[SeriesPoint]:
    """Return the same from a child process: a long replay would delay decisions here.

    Raises:
        ValueError: it failed.
    """
    arguments = (locator, str(after), str(last), str(max_points))
    return msgspec.json.decode(await output_of(__name__, *arguments), type=list[SeriesPoint])


def main() -> None:
    """Write the points that the arguments ask for to standard output."""
    locator, after, last, max_points = become_child()
    points = replay_points(locator, int(after), int(last), int(max_points))
    write_output(msgspec.json.encode(points))


if __name__ == "__main__":
    main()
