"""The catalogue: the policies with a name, a line each."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from floorline.core.boundaries import Boundary
from floorline.core.checks import choice, number, whole
from floorline.environments import Environment
from floorline.floors import ConfidenceFloor, RealisedFloor, WarmUp
from floorline.policy import Policy
from floorline.proposers import (
    Proposer,
    ab_test,
    beta_thompson,
    classical_ucb,
    exp3_ix,
    gaussian_thompson,
    lil_ucb,
    optimistic,
    paper_targets,
    prior_exp3,
    unbalanced_moss,
    unbalanced_ucb,
)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """All that a policy of the catalogue may ask about; each uses what it needs.

    `Setting.of(environment, horizon)` takes from an environment what it tells.

    Args:
        n_arms: how many arms there are, the default included.
        horizon: how many rounds are played; for policies that are tuned to it.
        default_mean: the default arm's mean reward, also where the policy must learn it: the
            targets of Unbalanced MOSS and its relatives are made of it.
        learned: whether a confidence floor learns the default's mean instead of knowing it.
        max_loss: the share of the default's reward that may be lost.
        delta: the chance with which the guarantee may fail.
        noise_scale: a subgaussian scale of the rewards: 1/2 covers rewards in [0, 1], half the
            width any other range; of Gaussian rewards it is the standard deviation.
        lowest_reward: no arm's mean is below this; for `beta-binomial`, no reward.
        highest_reward: no reward is above this; used by `beta-binomial` alone.
        boundary: the confidence boundary, by its name; see `Boundary`.
        fallback: what a confidence floor plays instead of a refused arm: `default` or
            `best-lower`; see `ConfidenceFloor`.
        guarantee: what a confidence floor holds in: `probability` or `expectation`.
        warm_up: the form of BudgetFirst's warm-up: `certified`, `certain` or `authors`; unless
            told, `authors` under the boundary of that name, else `certified`.
        lil_ucb: the constants of lil'UCB: `theoretical` or `heuristic`.
        bounded: whether every reward lies in [0, 1]. Thompson sampling then has Beta instead of
            Gaussian posteriors, which learn much faster from clicks.
    """

    n_arms: int
    horizon: int
    default_mean: float
    learned: bool = False
    max_loss: float = 0.1
    delta: float = 0.05
    noise_scale: float = 1.0
    lowest_reward: float = 0.0
    highest_reward: float = 1.0
    boundary: str = "stitched"
    fallback: str = "default"
    guarantee: str = "probability"
    warm_up: str | None = None
    lil_ucb: str = "theoretical"
    bounded: bool = False

    def __post_init__(self) -> None:
        whole("arms", self.n_arms, 2)
        whole("horizon", self.horizon, 1)
        number("max_loss", self.max_loss, 0, 1)

    @classmethod
    def of(cls, environment: Environment, horizon: int, **others: Any) -> Setting:
        """The set-up for an environment: its arms, default mean, noise scale and bounds.

        Args:
            environment: where the policy is to play.
            horizon: rounds.
            others: fields to set, or to set otherwise.

        >>> from floorline import Bernoulli
        >>> setting = Setting.of(Bernoulli([0.03, 0.04]), horizon=10_000, max_loss=0.2)
        >>> setting.default_mean, setting.noise_scale, setting.bounded
        (0.03, 0.5, True)
        """
        low, high = environment.reward_range
        # What an adversary pays has no noise, but it is known only to lie in the range.
        scale = environment.noise_scale or (high - low) / 2 or 1.0
        told = {
            "n_arms": len(environment.means),
            "default_mean": environment.means[0],
            "noise_scale": scale,
            "bounded": environment.bounded,
        }
        return cls(horizon=horizon, **{**told, **others})

    def intervals(self) -> Boundary:
        """The confidence boundary."""
        return Boundary(
            self.boundary, self.delta, self.noise_scale, self.lowest_reward, self.highest_reward
        )

    def confidence(self) -> ConfidenceFloor:
        """The paper's floor."""
        mean = None if self.learned else self.default_mean
        return ConfidenceFloor(self.max_loss, mean, self.fallback, self.guarantee)

    def warming(self) -> WarmUp:
        """BudgetFirst's floor: as the authors have it under their boundary, else certified."""
        form = self.warm_up or ("authors" if self.boundary == "authors" else "certified")
        return WarmUp(self.max_loss, self.default_mean, form)

    def thompson(self) -> Proposer:
        """Thompson sampling that fits the rewards: Beta for [0, 1], else Gaussian."""
        return beta_thompson() if self.bounded else gaussian_thompson(self.noise_scale)

    def targets(self) -> list[float]:
        """Regret targets of the paper's experiments, or of the authors' program."""
        return paper_targets(
            self.n_arms, self.horizon, self.max_loss, self.default_mean,
            as_programmed=self.boundary == "authors",
        )  # fmt: skip

    def target_rates(self) -> list[float]:
        """The same targets over the root of the horizon, none of them 0."""
        root = math.sqrt(self.horizon)
        return [max(target, 1 / root) / root for target in self.targets()]

    def may_lose(self) -> float:
        """What may be lost against the default arm up to the horizon, and never nothing."""
        return max(self.max_loss * self.default_mean * self.horizon, 1e-3)


class Entry(NamedTuple):
    """A policy of the catalogue: what it is, what it guarantees, how it is made."""

    summary: str
    guarantee: str
    build: Callable[[Setting], Policy]


_NONE = "none"
_FLOOR = "the floor at all times, except with probability delta"

CATALOGUE: dict[str, Entry] = {
    "ucb": Entry(
        "UCB with index average + sqrt(2 log t / T)", _NONE,
        lambda s: Policy(classical_ucb(s.noise_scale)),
    ),
    "conservative-ucb": Entry(
        "optimistic arm if the guaranteed budget allows it (Algorithm 1)", _FLOOR,
        lambda s: Policy(optimistic(), s.confidence(), s.intervals()),
    ),
    "budget-first": Entry(
        "default arm until the budget is large enough, then UCB",
        f"{_FLOOR} (warm-up certified); for certain (certain); not proved (authors)",
        lambda s: Policy(optimistic(), s.warming(), s.intervals()),
    ),
    "unbalanced-moss": Entry(
        "MOSS with a small regret target for the default arm",
        "regret of the order of its targets at the horizon; no floor",
        lambda s: Policy(unbalanced_moss(s.targets(), s.horizon, s.noise_scale)),
    ),
    "unbalanced-ucb": Entry(
        "UCB that trusts the default arm more, with any-time regret targets (our derivation)",
        "logarithmic regret; no floor",
        lambda s: Policy(unbalanced_ucb(s.target_rates(), s.noise_scale)),
    ),
    "thompson": Entry(
        "Thompson sampling, Gaussian or, for rewards in [0, 1], Beta", _NONE,
        lambda s: Policy(s.thompson()),
    ),
    "conservative-thompson": Entry(
        "Thompson sampling where the guaranteed budget allows it", _FLOOR,
        lambda s: Policy(s.thompson(), s.confidence(), s.intervals()),
    ),
    "exp3-ix": Entry(
        "Exp3-IX, exponential weights against an adversary, any-time",
        "regret of order sqrt(t) against any adversary, except with small probability; no floor",
        lambda s: Policy(exp3_ix(s.n_arms)),
    ),
    "safe-exp3-ix": Entry(
        "Exp3-IX while even a reward of 0 could not break the floor, else the default arm",
        "the floor under rewards received, in every run, if the default pays exactly its mean",
        lambda s: Policy(exp3_ix(s.n_arms), RealisedFloor(s.max_loss, s.default_mean)),
    ),
    "prior-exp3": Entry(
        "Exp3 with a prior on the default arm, a stand-in for Exp3-gamma",
        "expected loss against the default within max_loss at the horizon; no floor before",
        lambda s: Policy(prior_exp3(s.n_arms, s.horizon, s.may_lose())),
    ),
    "lil-ucb": Entry(
        "lil'UCB finds the best arm, then plays it for ever",
        "none proved for these constants; the arm found is rarely not the best",
        lambda s: Policy(lil_ucb(s.n_arms, s.delta, s.noise_scale, s.lil_ucb)),
    ),
    "ab-test": Entry(
        "A/B test with a share max_loss of the traffic for a tenth of the horizon, then the winner",
        "none (on average, the test itself costs at most max_loss)",
        lambda s: Policy(
            ab_test(s.n_arms, s.horizon // 10, s.max_loss, s.delta, s.noise_scale)
        ),
    ),
}  # fmt: skip


def named(name: str, setting: Setting) -> Policy:
    """The policy of the catalogue called `name`, made for `setting`.

    >>> setting = Setting(n_arms=5, horizon=10_000, default_mean=0.5, max_loss=0.1)
    >>> named("conservative-ucb", setting).floor.max_loss
    0.1
    """
    return CATALOGUE[choice("policy", name, CATALOGUE)].build(setting)
