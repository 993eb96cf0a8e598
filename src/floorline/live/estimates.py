"""Estimates of the arms' means that are not biased by rewards arriving at different speeds.

Clicks are reported at once, while zeros only follow from silence, so the average of what has
arrived is too high while windows are open. An arm's estimate is the average over its decisions
whose window is over. Without a window it is that of all rewards, if at least half of the arm's
decisions have one: an average of the few that arrived would say nothing. It is kept inside the
arm's interval, which also counts rewards in open windows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from floorline.live.order import Order, reorder

if TYPE_CHECKING:
    from floorline.live.settings import CampaignSettings
    from floorline.live.state import State
    from floorline.live.status import ArmStatus

PARTS = 100
"""Parts of a window in which rewards are counted together."""


class EarlyRewards:
    """Rewards of recent decisions: for each part of a window, their numbers and sums by arm.

    A part counts as a whole, once the windows of all its decisions are over.
    """

    def __init__(self, n_arms: int, window: float) -> None:
        self._n_arms = n_arms
        self._window = window
        self._parts: dict[int, tuple[list[int], list[float]]] = {}

    def add(self, arm: int, decided_at: float, reward: float, limit: float) -> None:
        """Count a reward, and forget parts that are entirely before `limit`."""
        part = self._part(decided_at)
        if part not in self._parts:
            first = self._part(limit)
            self._parts = {key: sums for key, sums in self._parts.items() if key >= first}
            if part < first:
                return
            self._parts[part] = ([0] * self._n_arms, [0.0] * self._n_arms)
        numbers, totals = self._parts[part]
        numbers[arm] += 1
        totals[arm] += reward

    def _part(self, time: float) -> int:
        return math.floor(time * PARTS / self._window)

    def by_arm(self, limit: float) -> tuple[list[int], list[float]]:
        """Return the numbers and sums of the parts that are not entirely before `limit`."""
        first = self._part(limit)
        open_parts = [sums for key, sums in self._parts.items() if key >= first]
        numbers = [sum(part[0][arm] for part in open_parts) for arm in range(self._n_arms)]
        totals = [sum(part[1][arm] for part in open_parts) for arm in range(self._n_arms)]
        return numbers, totals

    def rearrange(self, order: Order) -> None:
        """Put the arms into another order."""
        self._n_arms = len(order)
        for numbers, totals in self._parts.values():
            reorder(numbers, order, 0)
            reorder(totals, order, 0.0)

    def to_json(self) -> list[Any]:
        """Return the parts as plain values."""
        return [[part, list(sums[0]), list(sums[1])] for part, sums in self._parts.items()]

    def restore(self, values: list[Any]) -> None:
        """Restore what `to_json` returned."""
        self._parts = {part: (numbers, totals) for part, numbers, totals in values}


def estimates_of(state: State, now: float) -> list[tuple[int, float | None]]:
    """Return, for each arm, how many decisions its mean is estimated from, and the estimate.

    It lies in the arm's interval, and is None before the first such decision. For a default whose
    mean was given, it is what the default has earned. Call `refresh` first.
    """
    numbers = [int(number) for number in state.arms.seen]
    totals = [float(total) for total in state.arms.total]
    if state.settings.default_mean is not None:
        totals[0] = state.drift.total  # `arms` has the mean that was given
    if state.early is not None:
        early_numbers, early_totals = state.early.by_arm(state.over_before(now))
        numbers = [all_ - early for all_, early in zip(numbers, early_numbers, strict=True)]
        totals = [all_ - early for all_, early in zip(totals, early_totals, strict=True)]
    else:
        pairs = zip(numbers, state.book.open, strict=True)
        numbers = [number if number >= pending else 0 for number, pending in pairs]
    return [
        (number, _clipped(state, arm, total / number) if number else None)
        for arm, (number, total) in enumerate(zip(numbers, totals, strict=True))
    ]


def _clipped(state: State, arm: int, average: float) -> float:
    """Return an average, clipped to the arm's interval unless the mean is known."""
    if arm == 0 and state.settings.default_mean is not None:
        return average
    lower, upper = state.ends(arm)
    return min(max(average, lower), upper)


class Rewards(NamedTuple):
    """Estimates of expected rewards in this epoch, in units of reward."""

    campaign: float
    """Of all decisions, as they were made."""
    default: float
    """Of as many decisions for the default at the time."""
    turned_away: float
    """What decisions would have earned beyond the default, had the floor not given them to it."""
    equal_split: float
    """Of as many decisions, split equally at each time among the arms that could be served."""


@dataclass(frozen=True)
class Gain:
    """What a campaign earned beyond the default alone, in units of reward."""

    estimate: float
    lower: float
    """It lies between this and `upper` at all times, at the campaign's confidence."""
    upper: float


def expected_rewards(settings: CampaignSettings, arms: Sequence[ArmStatus]) -> Rewards | None:
    """Return what was and would have been earned; None before the default has an estimate.

    An arm without an estimate counts as the default, as far as its interval allows.
    """
    mean = arms[0].average if settings.default_mean is None else settings.default_mean
    if mean is None:
        return None
    means = [
        min(max(mean, arm.lower), arm.upper) if arm.average is None else arm.average for arm in arms
    ]
    means[0] = mean
    pairs = list(zip(arms, means, strict=True))
    return Rewards(
        sum(arm.plays * mean for arm, mean in pairs),
        sum(arm.as_default * mean for arm, mean in pairs),
        sum((arm.turned_away - arm.turned_to) * mean for arm, mean in pairs),
        sum(arm.as_default for arm in arms) * _split_mean(pairs),
    )


def _split_mean(pairs: Sequence[tuple[ArmStatus, float]]) -> float:
    """Return the mean reward of a decision of an equal split, from arms and their means."""
    decisions = sum(arm.in_equal_split for arm, _ in pairs)
    return sum(arm.in_equal_split * mean for arm, mean in pairs) / decisions if decisions else 0.0


def gain_of(settings: CampaignSettings, arms: Sequence[ArmStatus], expected: Rewards) -> Gain:
    """Return what was earned beyond the default alone, with its interval.

    Each arm adds its mean, somewhere in its interval, as often as it was played beyond the
    decisions in which it was the default. A voided challenger earned nothing in its place.
    """
    given = settings.default_mean
    ends = [(arm.lower, arm.upper) for arm in arms]
    ends[0] = ends[0] if given is None else (given, given)
    beyond = [arm.plays - arm.as_default for arm in arms]
    pairs = list(zip(beyond, ends, strict=True))
    return Gain(
        expected.campaign - expected.default,
        sum(times * (lower if times > 0 else upper) for times, (lower, upper) in pairs),
        sum(times * (upper if times > 0 else lower) for times, (lower, upper) in pairs),
    )
