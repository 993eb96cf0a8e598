"""The question of a plan: what is known or hoped for before a campaign starts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from floorline.boundaries import BOUNDARIES
from floorline.core.checks import choice, number, require, unit_of_reward, whole
from floorline.environments import Bernoulli, Delayed, Environment, Tabulated
from floorline.floors import Floor
from floorline.policies import make_policy, usual_floor, usual_policy
from floorline.policy import Policy
from floorline.policy_setup import FLOORS, PolicySetup

ANY_LOSS = 0.1
"""A placeholder for max_loss where only properties that do not depend on it are read."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is known or hoped for beforehand. Defaults are those of live campaigns.

    Args:
        challengers: how many new arms are tried.
        default_mean: mean reward of a decision for the default arm.
        decisions_per_day: how many decisions there are.
        improvement: the smallest improvement worth finding, as a share: 0.1 is 10%.
        days: how far to look.
        delta: chance that the floor fails.
        low: no reward is below this.
        high: no reward is above this.
        unit: what rewards are counted in, such as "EUR"; only shown.
        spread: standard deviation of one reward, the same for all arms. None: each reward is
            `low` or `high`, as a click is 0 or 1.
        learned: whether the campaign must learn the default mean instead of being given it.
        floor: the name of the floor; by default that of live campaigns.
        boundary: the confidence boundary, one that live campaigns may have.
        holdback: the share of decisions that always go to the default; by default that of live
            campaigns with this floor.
        missing: what a missing reward means: `unknown`, or after the delay `zero` or `random`.
        lost: the share of all rewards that never arrive.
        delay: decisions until a reward arrives.
        in_flight_rate: with `in_flight_burst`, what is assumed about pending rewards, if the floor
            is randomised; see `RandomisedFloor`.
        in_flight_burst: see `in_flight_rate`.

    >>> question = Question(
    ...     challengers=2, default_mean=0.03, decisions_per_day=1000, improvement=0.1, days=30
    ... )
    >>> question.horizon, question.floor_name, question.share_held_back
    (30000, 'joint', 0.02)
    """

    challengers: int
    default_mean: float
    decisions_per_day: int
    improvement: float = 0.1
    days: int = 90
    delta: float = 0.05
    low: float = 0.0
    high: float = 1.0
    unit: str | None = None
    spread: float | None = None
    learned: bool = True
    floor: str | None = None
    boundary: str = "beta-binomial"
    holdback: float | None = None
    missing: str = "unknown"
    lost: float = 0.0
    delay: int = 0
    in_flight_rate: float = 1.0
    in_flight_burst: float = 0.0

    def __post_init__(self) -> None:
        for name, low in (("challengers", 1), ("decisions_per_day", 1), ("days", 1), ("delay", 0)):
            object.__setattr__(self, name, whole(name, getattr(self, name), low))
        number("delta", self.delta, 0, 1, open_low=True)
        number("low", self.low, -math.inf, math.inf)
        number("high", self.high, max(0.0, self.low), math.inf, open_low=True)
        number("default_mean", self.default_mean, max(0.0, self.low), self.high, open_low=True)
        number("improvement", self.improvement, 0, 1, open_low=True)
        worse, better = (self.default_mean * (1 + sign * self.improvement) for sign in (-1, 1))
        require(
            self.low <= worse and better <= self.high,
            "improvement",
            f"small enough to keep all means from {self.low:g} to {self.high:g}",
            self.improvement,
        )
        if self.spread is not None:
            limits = [(mean - self.low) * (self.high - mean) for mean in (worse, better)]
            number("spread", self.spread, 0, math.sqrt(min(limits)))
        if self.floor is not None:
            choice("floor", self.floor, FLOORS)
        live = [name for name, kind in BOUNDARIES.items() if kind.live]
        choice("boundary", self.boundary, live)
        if self.holdback is not None:
            number("holdback", self.holdback, 0, 1)
        number("lost", self.lost, 0, 1)
        if self.unit is not None:
            unit_of_reward(self.unit)
        self.environment(self.means(0))  # raises if `missing` does not fit the rewards
        self._check_floor()

    def _check_floor(self) -> None:
        floor = self._floor(self._setup(ANY_LOSS))
        if not self.learned and floor.default_mean is None:
            raise ValueError(
                f"learned: must be True under the {self.floor_name} floor, which takes no default "
                "mean"
            )
        if self.missing == "random" and not floor.skips_lost_rewards:
            allowed = f"unknown or zero under the {self.floor_name} floor"
            require(False, "missing", allowed, self.missing)

    @property
    def horizon(self) -> int:
        """The total number of decisions."""
        return self.days * self.decisions_per_day

    def means(self, better: int) -> list[float]:
        """Return the arms' means if `better` challengers are better, the others as much worse."""
        up, down = 1 + self.improvement, 1 - self.improvement
        shares = [1.0, *[up] * better, *[down] * (self.challengers - better)]
        return [share * self.default_mean for share in shares]

    def policy(self, max_loss: float) -> Policy:
        """Return the policy of a live campaign with these settings."""
        setup = self._setup(max_loss)
        return make_policy(usual_policy(setup), setup)

    @property
    def share_held_back(self) -> float:
        """The share of decisions that always go to the default, given or that of the floor."""
        held = self._setup(ANY_LOSS).holdback
        assert held is not None
        return held

    @property
    def explores_by_counting(self) -> bool:
        """Whether the first challenger comes after 1 / max_loss decisions, whatever they earn."""
        return self.low >= 0 and not self._floor(self._setup(ANY_LOSS)).tosses_coins

    def _floor(self, setup: PolicySetup) -> Floor:
        return FLOORS[setup.floor](setup)

    @property
    def floor_name(self) -> str:
        """The name of the floor, given or that of live campaigns."""
        return self._setup(ANY_LOSS).floor

    def _setup(self, max_loss: float) -> PolicySetup:
        half_range = (self.high - self.low) / 2
        setup = PolicySetup(
            n_arms=1 + self.challengers,
            horizon=self.horizon,
            default_mean=self._counted(self.default_mean),
            learned=self.learned,
            max_loss=max_loss,
            delta=self.delta,
            noise_scale=half_range,
            low=self.low,
            high=self.high,
            bounded=(self.low, self.high) == (0, 1),
            boundary=self.boundary,
            holdback=self.holdback,
        )
        setup = replace(setup, floor=self.floor or usual_floor(setup))
        if self.floor == "randomised":  # no other floor uses these
            setup = replace(
                setup, in_flight_rate=self.in_flight_rate, in_flight_burst=self.in_flight_burst
            )
        if self.holdback is None:
            setup = replace(setup, holdback=self._floor(setup).live_holdback)
        return setup

    def environment(self, means: Sequence[float]) -> Environment:
        """Return arms with these means, whose rewards may be delayed or lost."""
        arms = self._rewards(means)
        if self.delay == 0 and self.lost == 0 and self.missing == "unknown":
            return arms
        return Delayed(arms, self.delay, self.lost, self.missing)

    def traffic_limit(self, max_loss: float) -> float:
        """Return the largest share of decisions that the better challenger can ever get.

        That is all but the holdback, unless missing rewards are `unknown`. With enough plays the
        default's upper bound u and the challenger's lower bound l are then their means with the
        worst value for each lost reward. A play of the challenger costs (1 - max_loss) u - l, and a
        play of the default earns max_loss u towards it, or max_loss times the default's own lower
        bound under a floor on rewards received.

        >>> question = Question(challengers=1, default_mean=0.03, improvement=1 / 3,
        ...                     decisions_per_day=1000, lost=0.1)
        >>> round(question.traffic_limit(0.1), 3)
        0.14
        """
        most = 1 - self.share_held_back
        if self.missing != "unknown":
            return most
        arrives = self.default_mean * (1 - self.lost)
        lower, upper = (arrives + self.lost * worst for worst in (self.low, self.high))
        cost = (1 - max_loss) * upper - (lower + self.improvement * arrives)
        if cost <= 0:
            return most
        received = self._floor(self._setup(max_loss)).counts_received
        pay = max_loss * (lower if received else upper)
        return min(most, pay / (pay + cost))

    def reward_values(self, mean: float) -> tuple[float, float, float]:
        """Return the two values of a reward with this mean, and the chance of the larger.

        One value is `low`; the other is `high`, or the one that yields the spread: for a mean
        d above `low`, the value d + spread^2 / d above it. Intervals use only sums and the
        range, so more detail of the distribution would hardly change a plan.
        """
        above = mean - self.low
        if self.spread is None:
            return self.low, self.high, above / (self.high - self.low)
        if self.spread == 0:
            return self.low, mean, 1.0
        return self.low, mean + self.spread**2 / above, above**2 / (above**2 + self.spread**2)

    def _rewards(self, means: Sequence[float]) -> Environment:
        if self.spread is None and (self.low, self.high) == (0, 1):
            return Bernoulli(means)
        arms = [self.reward_values(mean) for mean in means]
        return Tabulated(
            [[least, min(most, self.high)] for least, most, _ in arms],
            [[1 - chance, chance] for _, _, chance in arms],
        )

    def _counted(self, mean: float) -> float:
        """Return the mean with missing rewards as 0, if they count as 0."""
        return mean * (1 - self.lost) if self.missing == "zero" else mean
