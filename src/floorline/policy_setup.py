"""The set-up from which the catalogue's policies are built, and the form of its entries."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self

from floorline.boundaries import Boundary
from floorline.core.checks import choice, number, require, whole
from floorline.environments import Environment
from floorline.floors import (
    ConfidenceFloor,
    Floor,
    JointFloor,
    JointSuccessionFloor,
    RandomisedFloor,
    SuccessionFloor,
    WarmUp,
)
from floorline.policy import Policy
from floorline.proposers import (
    Proposer,
    bayes_ucb,
    beta_bayes_ucb,
    beta_thompson,
    gaussian_thompson,
    information_directed,
    paper_targets,
    thompson_votes,
)


@dataclass(frozen=True, kw_only=True)
class PolicySetup:
    """Everything that a policy of the catalogue may need to know; each uses what it needs.

    `PolicySetup.of(environment, horizon)` fills in what an environment knows.

    Args:
        n_arms: how many arms there are, including the default.
        horizon: how many rounds are planned.
        default_mean: the default arm's mean.
        learned: whether floors must learn that mean instead of being given it.
        max_loss: the share of the default's reward that may be lost.
        delta: the probability that the floor ever fails.
        noise_scale: subgaussian scale of the rewards; 1/2 covers rewards in [0, 1].
        low: no arm's mean is below this.
        high: no reward is above this.
        boundary: the name of the confidence boundary.
        floor: the name of the floor, for policies that work with several: `confidence`, `joint`,
            `joint-steady`, `joint-variance` or `randomised`.
        fallback: what confidence floors play instead of a refused candidate.
        guarantee: what confidence floors guarantee: `probability` or `expectation`.
        warm_up: the form of BudgetFirst's warm-up; by default chosen by the boundary.
        lil_ucb: the constants of lil'UCB: `theoretical` or `heuristic`.
        bounded: whether every reward lies in [0, 1]; the posteriors of Thompson sampling, Bayes-UCB
            and information-directed sampling are then Beta, else Gaussian. By default Gaussian,
            with a warning if the simulated rewards lie in [0, 1].
        holdback: the least probability of the fallback arm where a challenger is the candidate;
            by default 0.05 under the randomised floor and 0 under others.
        prior: the Beta prior of the boundary `beta-binomial`.
        voids: whether plays of the default may turn out to have reached nobody, as in live
            campaigns.
        in_flight_rate: with `in_flight_burst`, an assumption about pending rewards under the
            randomised floor; see `RandomisedFloor`.
        in_flight_burst: see `in_flight_rate`.
        numbers: the number of each arm, in the order in which they were added, if arms may be
            added later, as in live campaigns; they determine the shares of delta, see `Boundary`.
    """

    n_arms: int
    horizon: int
    default_mean: float
    learned: bool = False
    max_loss: float = 0.1
    delta: float = 0.05
    noise_scale: float = 1.0
    low: float = 0.0
    high: float = 1.0
    boundary: str = "stitched"
    floor: str = "confidence"
    fallback: str = "default"
    guarantee: str = "probability"
    warm_up: str | None = None
    lil_ucb: str = "theoretical"
    bounded: bool | None = None
    holdback: float | None = None
    prior: tuple[float, float] = (0.5, 0.5)
    voids: bool = False
    in_flight_rate: float = 1.0
    in_flight_burst: float = 0.0
    numbers: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_arms", whole("n_arms", self.n_arms, 2))
        object.__setattr__(self, "horizon", whole("horizon", self.horizon, 1))
        number("max_loss", self.max_loss, 0, 1)
        require(self.learned in (True, False), "learned", "True or False", self.learned)

    @classmethod
    def of(cls, environment: Environment, horizon: float, **others: Any) -> Self:
        """Return the set-up for an environment: its arms, default mean, noise scale and bounds.

        Args:
            environment: where the policy is to play.
            horizon: rounds.
            others: further fields to set, or to override.

        >>> from floorline import Bernoulli
        >>> setup = PolicySetup.of(Bernoulli([0.03, 0.04]), horizon=10_000, max_loss=0.2)
        >>> setup.default_mean, setup.noise_scale, setup.bounded
        (0.03, 0.5, True)
        """
        # An adversary's rewards have no noise, but are known only to lie in the range.
        scale = environment.noise_scale or (environment.high - environment.low) / 2 or 1.0
        known = {
            "n_arms": len(environment.means),
            "default_mean": environment.means[0],
            "noise_scale": scale,
            "bounded": environment.bounded,
        }
        return cls(horizon=whole("horizon", horizon, 1), **{**known, **others})

    def intervals(self) -> Boundary:
        """Return the confidence boundary."""
        return Boundary(
            self.boundary,
            self.delta,
            self.noise_scale,
            self.low,
            self.high,
            self.prior,
            self.numbers,
        )

    def floored(self, proposer: Proposer) -> Policy:
        """Return the proposer under the floor that was asked for."""
        floor = FLOORS[choice("floor", self.floor, FLOORS)](self)
        needed = floor.needs_boundary or proposer.uses_intervals
        held = 0.0 if floor.tosses_coins else self.holdback or 0.0  # its coins hold back already
        return Policy(proposer, floor, self.intervals() if needed else None, held)

    def randomised(self, proposer: Proposer) -> Policy:
        """Return the proposer under the floor that tosses coins."""
        return replace(self, floor="randomised").floored(proposer)

    def confidence_floor(self) -> ConfidenceFloor:
        """Return the paper's floor."""
        mean = None if self.learned else self.default_mean
        self._refuse_in_flight("confidence")
        # If arms may change, another one may become the default, where that is supported.
        changes = self.numbers is not None and self.learned and not self.voids
        kind = SuccessionFloor if changes else ConfidenceFloor
        return kind(self.max_loss, mean, self.fallback, self.guarantee, self.voids)

    def joint_floor(self) -> JointFloor:
        """Return the floor that tests the budget itself; it has one fallback and one guarantee."""
        floor = self._joint_floor(None)
        bounded = self.intervals().kind.needs_range
        if self.numbers is not None and self.learned and bounded:  # as for the confidence floor
            return JointSuccessionFloor(floor.max_loss)
        return floor

    def joint_steady_floor(self) -> JointFloor:
        """Return the same for a single challenger with a steady mean: better with late rewards."""
        return replace(self._joint_floor(None), steady=True)

    def joint_variance_floor(self) -> JointFloor:
        """Return the same for rewards well inside their range."""
        return self._joint_floor("variance")

    def _joint_floor(self, form: str | None) -> JointFloor:
        choice("fallback", self.fallback, ("default",))
        choice("guarantee", self.guarantee, ("probability",))
        self._refuse_voids("joint")
        self._refuse_in_flight("joint")
        return JointFloor(self.max_loss, None if self.learned else self.default_mean, form)

    def randomised_floor(self) -> RandomisedFloor:
        """Return the floor that tosses coins."""
        self._refuse_voids("randomised")
        held = {} if self.holdback is None else {"holdback": self.holdback}
        return RandomisedFloor(
            self.max_loss,
            delta=self.delta,
            low=self.low,
            high=self.high,
            in_flight_rate=self.in_flight_rate,
            in_flight_burst=self.in_flight_burst,
            **held,
        )

    def _refuse_voids(self, floor: str) -> None:
        if self.voids:
            raise ValueError(
                f"voids: the {floor} floor counts every decision when it is made, and cannot take "
                'one back; leave voids out, or use floor="confidence"'
            )

    def _refuse_in_flight(self, floor: str) -> None:
        for name, nothing in (("in_flight_rate", 1.0), ("in_flight_burst", 0.0)):
            if getattr(self, name) != nothing:
                raise ValueError(f"{name}: is for the randomised floor; the {floor} floor has none")

    def warming(self) -> WarmUp:
        """Return BudgetFirst's floor: the authors' form under their boundary, else certified."""
        form = self.warm_up or ("authors" if self.boundary == "authors" else "certified")
        return WarmUp(self.max_loss, self.default_mean, form)

    def thompson(self) -> Proposer:
        """Return Thompson sampling that fits the rewards: Beta for [0, 1], else Gaussian."""
        return beta_thompson() if self.bounded else self._gaussian(gaussian_thompson)

    def votes(self) -> Proposer:
        """Return Thompson sampling by votes, Beta for any range."""
        if self.bounded:
            return thompson_votes()
        if self.has_range:
            return thompson_votes(low=self.low, high=self.high)
        return self._gaussian(thompson_votes)

    @property
    def has_range(self) -> bool:
        """Whether rewards are known to lie in [0, 1], or in a range that the boundary needs."""
        return bool(self.bounded) or self.intervals().kind.needs_range

    def bayes_ucb(self) -> Proposer:
        """Return Bayes-UCB that fits the rewards."""
        return beta_bayes_ucb() if self.bounded else self._gaussian(bayes_ucb)

    def information_directed(self) -> Proposer:
        """Return information-directed sampling that fits the rewards."""
        if self.bounded:
            return information_directed(self.n_arms)
        return self._gaussian(partial(information_directed, self.n_arms))

    def _gaussian(self, proposer: Callable[[float], Proposer]) -> Proposer:
        """Return a proposer for this noise scale that knows whether anybody asked for it."""
        return replace(proposer(self.noise_scale), gaussian_by_default=self.bounded is None)

    def targets(self) -> list[float]:
        """Return the regret targets of the paper's experiments, or of the authors' program."""
        return paper_targets(
            self.n_arms,
            self.horizon,
            self.max_loss,
            self.default_mean,
            as_programmed=self.boundary == "authors",
        )

    def target_rates(self) -> list[float]:
        """Return the same targets divided by the root of the horizon, none of them 0."""
        root = math.sqrt(self.horizon)
        return [max(target, 1 / root) / root for target in self.targets()]

    def may_lose(self) -> float:
        """Return what may be lost against the default arm up to the horizon; never 0."""
        return max(self.max_loss * self.default_mean * self.horizon, 1e-3)


FLOORS: dict[str, Callable[[PolicySetup], Floor]] = {
    "confidence": PolicySetup.confidence_floor,
    "joint": PolicySetup.joint_floor,
    "joint-steady": PolicySetup.joint_steady_floor,
    "joint-variance": PolicySetup.joint_variance_floor,
    "randomised": PolicySetup.randomised_floor,
}
"""The floors that a policy may be asked to run under, by name."""


class Entry(NamedTuple):
    """A policy of the catalogue: what it is, what it guarantees, how it is built.

    >>> from floorline import Entry, classical_ucb
    >>> entry = Entry("UCB", "none", lambda setup: Policy(classical_ucb(setup.noise_scale)))
    """

    summary: str
    """What it does, in one line."""
    guarantee: str
    """What it promises, in one line; `none` if nothing."""
    build: Callable[[PolicySetup], Policy]
    """Returns the policy for a set-up."""
    live: bool = False
    """Whether live campaigns may run it: it has a floor, and needs no horizon."""
    floors: tuple[str, ...] = ()
    """The names in `FLOORS` that it works with; none if it brings its own or has none."""
