"""Verify by simulation that the floor and the intervals fail no more often than promised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floorline.core.checks import number, whole
from floorline.environments import Environment
from floorline.environments.moments import changes
from floorline.policy import Policy
from floorline.simulation import summarize
from floorline.simulation.job import check_order
from floorline.verification.binomial import limits

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["CONFIDENCE", "Share", "Verification", "verify"]

CONFIDENCE = 0.999
"""The confidence of a verdict."""


@dataclass(frozen=True)
class Share:
    """How often an event occurred in the runs, with confidence limits for its chance."""

    count: int
    runs: int
    delta: float
    """The largest chance allowed."""
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """`holds` or `fails` if the limits say so, else `undecided`: more runs are needed."""
        if self.high <= self.delta:
            return "holds"
        return "fails" if self.low > self.delta else "undecided"


@dataclass(frozen=True)
class Verification:
    """The two failure rates that a guarantee limits."""

    breaches: Share
    """Runs ever below the floor, in expected or received rewards, as the floor promises."""
    misses: Share | None
    """Runs in which any interval ever missed its arm's mean; None where intervals are not checked:
    there are none, or rewards come late, or means change or are set by an adversary."""
    rounds_per_second: float

    @property
    def holds(self) -> bool:
        """Whether everything promised is shown to hold."""
        return all(share.verdict == "holds" for share in (self.breaches, self.misses) if share)


def verify(
    policy: Policy,
    environment: Environment,
    *,
    delta: float,
    horizon: float,
    runs: float,
    seed: int = 1,
    max_loss: float | None = None,
    confidence: float = CONFIDENCE,
    threads: int | None = None,
    device: str = "cpu",
    cluster: Client | None = None,
    progress: bool | None = None,
) -> Verification:
    """Return whether breaches and missed means, up to the horizon, stay within `delta` of the runs.

    >>> from floorline import Boundary, ConfidenceFloor, Gaussian, Policy, optimistic
    >>> boundary = Boundary("stitched", delta=0.1)
    >>> policy = Policy(optimistic(), ConfidenceFloor(0.1, default_mean=0.5), boundary)
    >>> result = verify(policy, Gaussian([0.5, 0.0]), delta=0.1, horizon=200, runs=500)
    >>> result.breaches.verdict, result.misses.verdict, result.holds
    ('holds', 'holds', True)

    Args:
        policy: a proposer under a floor.
        environment: draws or sets the rewards.
        delta: the failure rate that the policy promises not to exceed.
        horizon: rounds per run.
        runs: how many runs; with fewer than several times 1/delta the verdict is undecided.
        seed: any whole number from 0.
        max_loss: the loss that breaches are counted against; by default the floor's own.
        confidence: the confidence of the limits, which are exact (Clopper and Pearson).
        threads: how many threads; by default all cores.
        device: `cpu`, `cuda` or `python`, as for `simulate`.
        cluster: a client of a Dask cluster, as for `simulate`.
        progress: whether to show a progress bar after two seconds; by default on a terminal only.
    """
    check_order(policy, environment)
    number("delta", delta, 0, 1, open_low=True)
    runs = whole("runs", runs, 1)
    number("confidence", confidence, 0, 1)
    fixed_means = not (environment.adversarial or environment.late or changes(environment))
    summary = summarize(
        policy,
        environment,
        horizon=horizon,
        runs=runs,
        seed=seed,
        max_loss=max_loss,
        misses=policy.boundary is not None and fixed_means and not policy.floor.counts_received,
        threads=threads,
        device=device,
        cluster=cluster,
        progress=progress,
    )

    def share(rate: float) -> Share:
        count = round(float(rate) * runs)
        return Share(count, runs, delta, *limits(count, runs, confidence))

    return Verification(
        breaches=share(summary.breach_rate[-1]),
        misses=None if summary.miss_rate is None else share(summary.miss_rate[-1]),
        rounds_per_second=summary.rounds_per_second,
    )
