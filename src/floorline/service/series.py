"""How a campaign went: its state at some of its decisions, never too many of them."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from threading import Event

from floorline.live import Campaign, CampaignSettings, Status
from floorline.live.ledgers import read_ledger
from floorline.live.state import State
from floorline.live.status import status_of
from floorline.service.answers import Series

log = logging.getLogger("floorline.service")

MAX_POINTS = 512


@dataclass(frozen=True)
class Point:
    """The state just after one decision."""

    seq: int
    """The decision's place in the ledger."""
    time: float
    status: Status


class Track:
    """The states after the first decision in each `step` places of the ledger.

    The step doubles whenever there would be more than MAX_POINTS. So the points follow from the
    ledger alone, and can be made again from it.
    """

    def __init__(self) -> None:
        self.step = 1
        self.points: list[Point] = []
        self._new: list[Point] = []
        self._next = 0

    def note(self, campaign: Campaign, seq: int) -> None:
        """Look at a decision that is being made."""
        if seq < self._next:
            return
        self._next = (seq // self.step + 1) * self.step
        try:
            self._new.append(Point(seq, time.time(), campaign.status()))
        except Exception:  # the decision is worth more than a point
            log.exception("a point of a series is missing")

    def settle(self, durable: bool) -> None:
        """Keep what was noted if it is durable."""
        if not self._new:
            return
        if durable:
            self.add(self._new)
        else:
            self._next = self._new[0].seq
        self._new = []

    def add(self, points: list[Point]) -> None:
        """Put in points, wherever they belong."""
        known = sorted([*self.points, *points], key=lambda point: point.seq)
        while len(known := self._first_of_each_step(known)) > MAX_POINTS:
            self.step *= 2
        self.points = known
        if known:
            self._next = (known[-1].seq // self.step + 1) * self.step

    def _first_of_each_step(self, points: list[Point]) -> list[Point]:
        first: dict[int, Point] = {}
        for point in points:
            first.setdefault(point.seq // self.step, point)
        return list(first.values())


def points_of(path: str, last: int, closing: Event) -> list[Point]:
    """The points of a ledger up to a place in it, by a replay, unless the service is closing."""
    ledger = read_ledger(path)
    try:
        first = ledger.event(1)
        if first is None:
            return []
        step = 1
        while last // step >= MAX_POINTS:
            step *= 2
        state = State(CampaignSettings.from_json(first.body["settings"]))
        points, expected = [], 0
        for event, _ in ledger.checked_events(0, 0):
            state.apply(event)
            if event.kind == "decided" and event.seq >= expected:
                points.append(Point(event.seq, event.time, status_of("", state, 0, event.time)))
                expected = (event.seq // step + 1) * step
            if event.seq >= last or closing.is_set():
                break
        return points
    finally:
        ledger.close()


def series_of(points: list[Point], settings: CampaignSettings) -> Series:
    """The points in columns."""
    arms = settings.arms
    reasons = sorted({reason for point in points for reason in point.status.reasons})
    series = Series(
        [], [], [], [], [], [], [], [], [],
        {arm: [] for arm in arms}, {reason: [] for reason in reasons},
    )  # fmt: skip
    for point in points:
        _append(series, point, settings)
    return series


def _append(series: Series, point: Point, settings: CampaignSettings) -> None:
    status = point.status
    known = settings.default_mean
    means = [_mean(arm.average, arm.lower, arm.upper) for arm in status.arms]
    reached = status.decisions - status.arms[0].voided  # a voided default counts nowhere
    default = reached * (means[0] if known is None else known)
    series.time.append(point.time)
    series.epoch.append(status.epoch)
    series.decisions.append(status.decisions)
    series.reward.append(sum(a.plays * m for a, m in zip(status.arms, means, strict=True)))
    series.reward_lower.append(sum(arm.plays * arm.lower for arm in status.arms))
    series.reward_upper.append(sum(arm.plays * arm.upper for arm in status.arms))
    series.default.append(default)
    series.floor.append((1 - settings.max_loss) * default)
    series.guaranteed_budget.append(status.guaranteed_budget)
    for arm in status.arms:
        series.plays[arm.name].append(arm.plays)
    for reason, counts in series.reasons.items():
        counts.append(status.reasons.get(reason, 0))


def _mean(average: float | None, lower: float, upper: float) -> float:
    return (lower + upper) / 2 if average is None else average
