"""What a policy would have earned per decision: estimates, with intervals valid at all times."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from floorline.core.checks import number, require
from floorline.core.display import Displayed, Table
from floorline.core.records import Counts, Floats
from floorline.offpolicy.logged import LoggedData
from floorline.offpolicy.sequences import error_probability, lower_average

ROUNDING = 1e-9
"""A chance below this is one of 0, after rounding."""

SUPPORT_ERRORS = 4.0
"""Standard errors by which the mean weight must fall short of 1 to report missing support."""


class Interval(NamedTuple):
    """Ends between which the value lies at all times, with the stated confidence."""

    lower: float
    upper: float


@dataclass(frozen=True, repr=False)
class Evaluation(Displayed):
    """Estimates of what a policy would have earned per decision."""

    decisions: int
    confidence: float
    ips: float
    """Inverse propensity scoring: the average of weight times reward. Unbiased."""
    self_normalised: float
    """The same over the average weight: slightly biased, often closer. NaN if all weights are 0."""
    doubly_robust: float
    """Inverse propensity scoring of what each arm's earlier average does not explain. Unbiased."""
    interval: Interval
    """For the value itself; holds even if some arms had no chance in some decisions."""
    doubly_robust_interval: Interval | None
    """Often narrower; None unless the least propensity is known."""
    mean_weight: float
    """About 1 if every arm that the policy plays had a chance in every decision."""
    weight_error: float
    """Standard error of the mean weight."""
    largest_weight: float
    effective_decisions: float
    """The effective sample size: (sum of weights)^2 / sum of squared weights."""
    logged: float
    """What the logged decisions earned on average."""
    unsupported: int
    """Decisions in which an arm that the policy plays had no chance: another was certain."""

    @property
    def supported(self) -> bool:
        """Whether nothing in the log contradicts that every arm of the policy had a chance."""
        looks_so = self.mean_weight + SUPPORT_ERRORS * self.weight_error >= 1
        return looks_so and self.unsupported == 0

    def _table(self) -> Table:
        title = (
            f"{self.decisions:,} logged decisions, worth {self.effective_decisions:,.0f} by the "
            f"policy itself; mean weight {self.mean_weight:.3g}, largest "
            f"{self.largest_weight:.3g}; intervals hold at all times with confidence "
            f"{self.confidence:.6g}"
        )
        if not self.supported:
            where = f"{self.unsupported:,}" if self.unsupported else "some"
            title += (
                f"\nSome arms that the policy plays had no chance in {where} decisions: the "
                "estimates are biased, but the first interval still holds"
            )
        known = self.doubly_robust_interval
        missing = ("needs the least", "propensity")
        rows = [
            ("inverse propensity", f"{self.ips:.6g}", *_ends(self.interval)),
            ("self-normalised", f"{self.self_normalised:.6g}", *_ends(self.interval)),
            (
                "doubly robust",
                f"{self.doubly_robust:.6g}",
                *(missing if known is None else _ends(known)),
            ),
            ("what was logged", f"{self.logged:.6g}", "", ""),
        ]
        return Table(title, ("estimate", "reward per decision", "from", "to"), rows)


def _ends(interval: Interval) -> tuple[str, str]:
    return f"{interval.lower:.6g}", f"{interval.upper:.6g}"


def evaluate(
    log: LoggedData,
    target: Floats,
    *,
    confidence: float = 0.95,
    least_propensity: float | None = None,
) -> Evaluation:
    """Return what a policy would have earned per decision.

    Args:
        log: decisions with their propensities.
        target: the policy's probability of each arm in each decision: decisions x arms. It may
            depend on the context and on everything before the decision, not on its reward.
        confidence: the confidence of each interval, at all times simultaneously.
        least_propensity: a lower bound on the propensity of every arm that the policy plays, in
            every decision; the doubly robust interval needs it.

    Raises:
        ValueError: propensities are missing, or the arguments do not fit.

    >>> from floorline.offpolicy import fixed_target
    >>> arm, reward = np.tile([0, 1], 500), np.tile([0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0], 125)
    >>> log = LoggedData(("now", "video"), arm, reward, propensity=np.full(1000, 0.5))
    >>> video = evaluate(log, fixed_target(log, "video"))
    >>> video.ips, [round(float(end), 2) for end in video.interval], video.logged
    (0.75, [0.63, 0.83], 0.5)
    """
    log.require_propensities()
    alpha = error_probability(confidence)
    chances = np.asarray(target, float)
    fits = chances.shape == (len(log), len(log.arms)) and bool((chances >= 0).all())
    require(
        fits and bool(np.allclose(chances.sum(axis=1), 1)),
        "target",
        f"{len(log)} rows of {len(log.arms)} probabilities that add up to 1",
        f"an array of shape {chances.shape}",
    )
    width = log.high - log.low
    rewards = (log.reward - log.low) / width
    weights = chances[np.arange(len(log)), log.arm] / log.propensity
    predicted = earlier_averages(log.arm, rewards, len(log.arms))
    own = predicted[np.arange(len(log)), log.arm]
    robust = (chances * predicted).sum(axis=1) + weights * (rewards - own)
    # Lower bounds on the value and on 1 minus the value: they need no largest weight, nor support.
    interval = Interval(
        max(0.0, lower_average(weights * rewards, alpha / 2)),
        min(1.0, 1 - lower_average(weights * (1 - rewards), alpha / 2)),
    )
    robust_interval = None
    if least_propensity is not None:
        _require_least(log, chances, least_propensity)
        largest = 1 / least_propensity
        robust_interval = Interval(
            max(0.0, lower_average(robust, alpha / 2, largest)),
            min(1.0, 1 - lower_average(1 - robust, alpha / 2, largest)),
        )

    def in_units(value: float) -> float:
        return log.low + width * value

    def both(ends: Interval) -> Interval:
        return Interval(in_units(ends.lower), in_units(ends.upper))

    total = float(weights.sum())
    return Evaluation(
        decisions=len(log),
        confidence=confidence,
        ips=float(np.mean(weights * log.reward)),
        self_normalised=float(weights @ log.reward) / total if total > 0 else math.nan,
        doubly_robust=in_units(float(robust.mean())),
        interval=both(interval),
        doubly_robust_interval=None if robust_interval is None else both(robust_interval),
        mean_weight=total / len(log),
        weight_error=float(weights.std()) / math.sqrt(len(log)),
        largest_weight=float(weights.max()),
        effective_decisions=total**2 / float(weights @ weights) if total > 0 else 0.0,
        logged=float(log.reward.mean()),
        unsupported=int((_left_for_others(log, chances) < ROUNDING).sum()),
    )


def earlier_averages(arm: Counts, rewards: Floats, n_arms: int) -> Floats:
    """Return each arm's average over the decisions before each decision; 1/2 before the first."""
    played = np.eye(n_arms)[arm]
    counts = np.cumsum(played, axis=0) - played
    totals = np.cumsum(played * rewards[:, None], axis=0) - played * rewards[:, None]
    averages: Floats = np.where(counts > 0, totals / np.maximum(counts, 1), 0.5)
    return averages


def _require_least(log: LoggedData, chances: Floats, least: float) -> None:
    """Raise if the log contradicts that all arms of the policy had a chance of `least`."""
    number("least_propensity", least, 0, 1, open_low=True)
    left = _left_for_others(log, chances)
    unsupported = int((left < ROUNDING).sum())
    if unsupported:
        raise ValueError(
            f"least_propensity: there is none: in {unsupported:,} of {len(log):,} decisions an arm "
            "that the policy plays had no chance"
        )
    played = chances[np.arange(len(log)), log.arm] > 0
    smallest = min(left.min(), log.propensity[played].min(initial=1.0))
    require(
        smallest >= least - ROUNDING,
        "least_propensity",
        f"at most {smallest:g}, the smallest in the log",
        least,
    )


def _left_for_others(log: LoggedData, chances: Floats) -> Floats:
    """Return, for each decision, the chance that was left for the policy's other arms.

    1 where the policy plays the logged arm for certain, and needs no other.
    """
    certain = chances[np.arange(len(log)), log.arm] >= 1 - ROUNDING
    left: Floats = np.where(certain, 1.0, 1.0 - log.propensity)
    return left
