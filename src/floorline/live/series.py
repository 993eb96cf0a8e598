"""The history of a campaign, at a bounded number of its decisions."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import msgspec

from floorline.live.assessment import standing_of
from floorline.live.campaign import Campaign
from floorline.live.estimates import expected_rewards
from floorline.live.same_rounds import SameRounds
from floorline.live.settings import CampaignSettings
from floorline.live.state import State
from floorline.live.status import Standing, Status

log = logging.getLogger("floorline.live")

MAX_POINTS = 256
"""As many as fit into a chart. Each of a campaign's first decisions makes one."""


class SeriesPoint(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The state of a campaign just after one decision."""

    seq: int
    """The sequence number of the decision."""
    time: float
    epoch: int
    decisions: int
    reward: float | None
    """None before the default's mean can be estimated, as are `default` and `floor`. Where the
    same rounds are compared, it is what was received."""
    reward_lower: float
    reward_upper: float
    default: float | None
    floor: float | None
    guaranteed_budget: float
    plays: dict[str, int]
    """By arm, for the arms at the time."""
    reasons: dict[str, int]
    floor_lower: float | None = None
    """None, as are those below, unless the same rounds are compared."""
    floor_upper: float | None = None
    challengers: float | None = None
    missed: float | None = None
    missed_upper: float | None = None
    default_probability: float | None = None


PLAYS = SeriesPoint.__struct_fields__.index("plays")


def point_after(state: State) -> SeriesPoint:
    """Return the point of a state whose last event is a decision."""
    return point_of(state.seq, state.time, standing_of(state, state.time), state.settings)


def point_of(
    seq: int, when: float, status: Status | Standing, settings: CampaignSettings
) -> SeriesPoint:
    """Return the point of a status."""
    if status.same_rounds is not None:
        promised_share = 1 - settings.max_loss
        return _same_rounds_point(seq, when, status, status.same_rounds, promised_share)
    arms = status.arms
    expected = expected_rewards(settings, arms)
    return SeriesPoint(
        seq,
        when,
        status.epoch,
        status.decisions,
        None if expected is None else expected.campaign,
        sum(arm.plays * arm.lower for arm in arms),
        sum(arm.plays * arm.upper for arm in arms),
        None if expected is None else expected.default,
        None if expected is None else (1 - settings.max_loss) * expected.default,
        status.guaranteed_budget,
        {arm.name: arm.plays for arm in arms},
        dict(status.reasons),
    )


def _same_rounds_point(
    seq: int, when: float, status: Status | Standing, same: SameRounds, promised_share: float
) -> SeriesPoint:
    return SeriesPoint(
        seq,
        when,
        status.epoch,
        status.decisions,
        same.received,
        same.received,
        same.received,
        same.default,
        promised_share * same.default,
        status.guaranteed_budget,
        {arm.name: arm.plays for arm in status.arms},
        dict(status.reasons),
        promised_share * same.default_lower,
        promised_share * same.default_upper,
        same.challengers,
        same.missed,
        same.missed_upper,
        same.default_probability,
    )


class SeriesRecorder:
    """The state after the first decision in every `step` sequence numbers.

    The step doubles whenever the last decision is beyond `max_points` steps. So the points
    follow from the ledger alone, and a replay gives the same ones.
    """

    def __init__(self, max_points: int) -> None:
        self.max_points = max_points
        self.step = 1
        self.points: list[SeriesPoint] = []
        self.last_decision_at: float | None = None
        """None before the first decision in this process."""
        self._uncommitted: list[SeriesPoint] = []
        self._next = 0

    def is_due(self, seq: int) -> bool:
        """Return whether the decision with this sequence number is a point."""
        return seq >= self._next

    def note(self, campaign: Campaign) -> None:
        """Record a point if one is due at the last event: a decision, not committed yet."""
        seq = campaign.seq
        self.last_decision_at = campaign.last_event_time
        if not self.is_due(seq):
            return
        step = self._step_at(seq)  # the step of the series once this is committed
        self._next = (seq // step + 1) * step
        try:
            self._uncommitted.append(campaign.look(point_after))
        except Exception:  # the decision matters more than a point
            log.exception("a point of a series is missing")

    def _step_at(self, seq: int) -> int:
        """Return the step of the series after an event with this sequence number is committed."""
        step = self.step
        while seq // step >= self.max_points:
            step *= 2
        return step

    def settle(self, committed: bool) -> None:
        """Keep the new points if their transaction was committed, else drop them."""
        if not self._uncommitted:
            return
        if not committed:
            self._next = self._uncommitted[0].seq
        elif self._uncommitted[-1].seq // self.step >= self.max_points:
            self.add(self._uncommitted)
        else:
            for point in self._uncommitted:  # later than all others
                if not self.points or point.seq // self.step > self.points[-1].seq // self.step:
                    self.points.append(point)
        self._uncommitted = []

    def add(self, points: Sequence[SeriesPoint]) -> None:
        """Merge points, in any order."""
        if not points:
            return
        merged = sorted([*self.points, *points], key=lambda point: point.seq)
        last = merged[-1].seq
        self.step = self._step_at(last)
        first: dict[int, SeriesPoint] = {}
        for point in merged:
            first.setdefault(point.seq // self.step, point)
        self.points = list(first.values())
        self._next = (last // self.step + 1) * self.step

    def to_store(self) -> list[SeriesPoint]:
        """Return all points, including those of the transaction that stores them."""
        return [*self.points, *self._uncommitted]

    def restore(self, stored: Any, arms: Sequence[str]) -> None:
        """Add points that were stored, in a campaign that was opened with these arms.

        Raises:
            ValueError: they are not points.
        """
        points = []
        for point in msgspec.convert(stored, list[list[Any]]):
            if isinstance(point[PLAYS], list):  # as stored before arms could change
                point[PLAYS] = dict(zip(arms, point[PLAYS], strict=True))
            points.append(msgspec.convert(point, SeriesPoint))
        self.add(points)
