"""What is known or hoped for before a campaign starts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from floorline.boundaries import BOUNDARIES
from floorline.core.checks import choice, number, require, whole
from floorline.environments import Bernoulli, Environment, Gaussian
from floorline.policy_setup import PolicySetup


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is known or hoped for beforehand.

    Args:
        challengers: how many new arms are tried.
        default_mean: mean reward of a decision for the default arm.
        improvement: the smallest improvement worth finding, as a share: 0.1 is 10%.
        decisions_per_day: how many decisions there are.
        days: how far to look.
        delta: chance that the floor fails.
        noise_scale: subgaussian scale of the rewards; None for rewards of 0 or 1.
        learned: whether the default mean is a guess that the policy must not rely on.
        boundary: the confidence boundary; live campaigns have `beta-binomial`.
        lost: share of all rewards that never come, where silence is `unknown`.
    """

    challengers: int
    default_mean: float
    decisions_per_day: int
    improvement: float = 0.1
    days: int = 90
    delta: float = 0.05
    noise_scale: float | None = None
    learned: bool = False
    boundary: str = "stitched"
    lost: float = 0.0

    def __post_init__(self) -> None:
        whole("challengers", self.challengers, 1)
        whole("decisions_per_day", self.decisions_per_day, 1)
        whole("days", self.days, 1)
        number("delta", self.delta, 0, 1, open_low=True)
        highest = 1.0 if self.noise_scale is None else math.inf
        number("default_mean", self.default_mean, 0, highest, open_low=True)
        number("improvement", self.improvement, 0, 1, open_low=True)
        require(self.default_mean * (1 + self.improvement) <= highest, "improvement",
                "small enough to leave the better mean at 1 or below",
                self.improvement)  # fmt: skip
        clicks = self.noise_scale is None
        fitting = [name for name, kind in BOUNDARIES.items() if clicks or not kind.needs_range]
        choice("boundary", self.boundary, fitting)
        number("lost", self.lost, 0, 1 if clicks else 0)

    @property
    def horizon(self) -> int:
        """Decisions in all."""
        return self.days * self.decisions_per_day

    def means(self, better: int) -> list[float]:
        """Means of the arms when `better` challengers are better and the others as much worse."""
        up, down = 1 + self.improvement, 1 - self.improvement
        shares = [1.0, *[up] * better, *[down] * (self.challengers - better)]
        return [share * self.default_mean for share in shares]

    def setting(self, max_loss: float) -> PolicySetup:
        """The policy's setting."""
        return PolicySetup(
            n_arms=self.challengers + 1, horizon=self.horizon, default_mean=self.default_mean,
            learned=self.learned, max_loss=max_loss, delta=self.delta,
            noise_scale=self.noise_scale or 0.5, bounded=self.noise_scale is None,
            boundary=self.boundary,
        )  # fmt: skip

    def traffic_limit(self, max_loss: float) -> float:
        """The largest share of decisions that the better challenger can ever get.

        With enough plays the default's upper end u and the challenger's lower end l are their
        means, lost rewards filled in with 1 and 0. A share s is affordable while
        (max_loss - s) u + s l >= 0.

        >>> question = Question(challengers=1, default_mean=0.03, improvement=1 / 3,
        ...                     decisions_per_day=1000, lost=0.1)
        >>> round(question.traffic_limit(0.1), 3)
        0.14
        """
        kept = 1 - self.lost
        upper = self.default_mean * kept + self.lost
        lower = self.default_mean * (1 + self.improvement) * kept
        if lower >= (1 - max_loss) * upper:
            return 1.0
        return max_loss * upper / (upper - lower)

    def environment(self, means: Sequence[float]) -> Environment:
        """Where it is simulated."""
        if self.noise_scale is None:
            return Bernoulli(means)
        return Gaussian(means, self.noise_scale)
