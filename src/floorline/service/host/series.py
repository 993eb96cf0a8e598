"""The history of a campaign's status, at a bounded number of its decisions."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from threading import Event

from floorline.live import Campaign, Settings, Status
from floorline.live.reader import LedgerReader
from floorline.live.state import State
from floorline.live.status import status_of

log = logging.getLogger("floorline.service")

MAX_POINTS = 512


@dataclass(frozen=True)
class SeriesPoint:
    """The status just after one decision."""

    seq: int
    """The sequence number of the decision."""
    time: float
    status: Status


class SeriesRecorder:
    """The status after the first decision in every `step` sequence numbers.

    The step doubles whenever there would be more than MAX_POINTS points. So the points follow
    from the ledger alone, and a replay gives the same ones.
    """

    def __init__(self) -> None:
        self.step = 1
        self.points: list[SeriesPoint] = []
        self._uncommitted: list[SeriesPoint] = []
        self._next = 0

    def note(self, campaign: Campaign, seq: int) -> None:
        """Record a point if one is due at this decision, which is not committed yet."""
        if seq < self._next:
            return
        self._next = (seq // self.step + 1) * self.step
        try:
            self._uncommitted.append(SeriesPoint(seq, time.time(), campaign.status()))
        except Exception:  # the decision matters more than a point
            log.exception("a point of a series is missing")

    def settle(self, committed: bool) -> None:
        """Keep the new points if their transaction was committed, else drop them."""
        if not self._uncommitted:
            return
        if committed:
            self.add(self._uncommitted)
        else:
            self._next = self._uncommitted[0].seq
        self._uncommitted = []

    def add(self, points: list[SeriesPoint]) -> None:
        """Merge points, in any order."""
        merged = sorted([*self.points, *points], key=lambda point: point.seq)
        while len(merged := self._first_of_each_step(merged)) > MAX_POINTS:
            self.step *= 2
        self.points = merged
        if merged:
            self._next = (merged[-1].seq // self.step + 1) * self.step

    def _first_of_each_step(self, points: list[SeriesPoint]) -> list[SeriesPoint]:
        first: dict[int, SeriesPoint] = {}
        for point in points:
            first.setdefault(point.seq // self.step, point)
        return list(first.values())


def replay_points(path: str, last: int, closing: Event) -> list[SeriesPoint]:
    """The points of a ledger up to sequence number `last`; fewer if `closing` is set meanwhile."""
    ledger = LedgerReader(path)
    try:
        first = ledger.event(1)
        if first is None:
            return []
        step = 1
        while last // step >= MAX_POINTS:
            step *= 2
        state = State(Settings.from_json(first.body["settings"]))
        points, due = [], 0
        for event, _ in ledger.checked_events(0, 0):
            state.apply(event)
            if event.kind == "decided" and event.seq >= due:
                status = status_of("", state, 0, event.time)
                points.append(SeriesPoint(event.seq, event.time, status))
                due = (event.seq // step + 1) * step
            if event.seq >= last or closing.is_set():
                break
        return points
    finally:
        ledger.close()
