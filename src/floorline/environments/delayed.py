"""Rewards that become known late, in batches, never, or more than once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from floorline.core.checks import choice, number, require, whole
from floorline.core.kernel import Function
from floorline.core.records import FOREVER, Counts
from floorline.environments.arrivals import MISSING_POLICIES, DelayedRules
from floorline.environments.base import Environment, Ranged, as_array


class ByReward(NamedTuple):
    """One value for rewards of 0 or less, another for rewards above 0, as arguments of `Delayed`.

    >>> from floorline import Bernoulli
    >>> late_zeros = Delayed(Bernoulli([0.5, 0.4]), delay=ByReward(zero=range(100), above=0))
    """

    zero: Any
    """For rewards of 0 or less."""
    above: Any
    """For rewards above 0."""


Delays = int | Sequence[int]
Shares = float | ByReward | Sequence[float | ByReward]


@dataclass(frozen=True)
class Delayed(Ranged):
    """An environment whose rewards become known late, in batches, never, or more than once.

    With delay 0 a reward is known before the next decision. Different delays change the order
    in which rewards arrive.

    >>> from floorline import Bernoulli
    >>> clicks = Delayed(Bernoulli([0.5, 0.4]), delay=range(100), lost=[0.2, 0], missing="zero")
    >>> clicks.means  # a fifth of the default's clicks count as none
    (0.4, 0.4)

    Args:
        environment: draws the rewards.
        delay: rounds until a reward is known: a number, or several that are drawn uniformly, or
            either of them `ByReward`.
        lost: the share of rewards that never arrive: a number for all arms or one for each,
            each of which may be `ByReward`.
        missing: what a missing reward means. `unknown`: the worst is assumed until it arrives.
            `zero`: a reward that has not arrived within the window is a 0, and the means
            include it. `random`: it is skipped; loss must then not depend on the reward.
        window: rounds after which a missing reward is final, for `zero` and `random`; by
            default the longest delay.
        batch: rewards arrive only after every `batch` rounds.
        repeated: the share of the rewards known in time that arrive a second time, after one
            more round and another such delay; in the form of `lost`. They count once, so runs
            are the same as without repeats.
    """

    environment: Environment
    delay: Delays | ByReward = 0
    lost: Shares = 0.0
    missing: str = "unknown"
    window: int | None = None
    batch: int = 1
    repeated: Shares = 0.0

    adversarial = False
    late = True
    rounds = None

    def __post_init__(self) -> None:
        inner = self.environment
        drawn = not inner.adversarial and not inner.late
        require(drawn, "environment", "one that draws its rewards", type(inner).__name__)
        choice("missing", self.missing, MISSING_POLICIES)
        object.__setattr__(self, "batch", whole("batch", self.batch, 1))
        self._shares("repeated", self.repeated)
        if self.window is not None:
            require(
                self.missing != "unknown", "window", 'left out where missing="unknown"', self.window
            )
            object.__setattr__(self, "window", whole("window", self.window, 0))
        differs = any(abs(zero - above) > 1e-12 for zero, above in self._known())
        if self.missing == "random" and differs:
            raise ValueError(
                'missing: must not be "random" where the loss of a reward, or a delay beyond the '
                "window, depends on the reward"
            )
        if self.missing == "zero" and differs and inner.low < 0:
            raise ValueError(
                'missing: must not be "zero" where loss depends on the reward and rewards may be '
                "below 0"
            )

    def _delays(self) -> tuple[Counts, Counts]:
        """Return the delays of each kind of reward."""
        pair = self.delay if isinstance(self.delay, ByReward) else ByReward(self.delay, self.delay)
        zero, above = (np.atleast_1d(np.asarray(delays)) for delays in pair)
        require(min(zero.size, above.size) > 0, "delay", "a whole number, or several", self.delay)
        for delay in (*zero.tolist(), *above.tolist()):
            whole("delay", delay, 0)
        return zero.astype(np.int64), above.astype(np.int64)

    def _shares(self, name: str, given: Shares) -> list[tuple[float, float]]:
        """Return the share for each arm's rewards of each kind."""
        n_arms = len(self.environment.means)
        single = isinstance(given, (int, float, ByReward))
        shares: Any = [given] * n_arms if single else given
        require(len(shares) == n_arms, name, f"one number, or {n_arms}, one per arm", given)
        pairs = [s if isinstance(s, ByReward) else ByReward(s, s) for s in shares]
        return [(number(name, p.zero, 0, 1), number(name, p.above, 0, 1)) for p in pairs]

    def _window(self) -> int:
        if self.missing == "unknown":
            return FOREVER
        longest = max(int(delays.max()) for delays in self._delays())
        return longest if self.window is None else self.window

    def _known(self) -> list[tuple[float, float]]:
        """Return the share of each arm's rewards of each kind that is known in time."""
        zero, above = (float(np.mean(delays <= self._window())) for delays in self._delays())
        lost = self._shares("lost", self.lost)
        return [(zero * (1 - of_zero), above * (1 - of_above)) for of_zero, of_above in lost]

    @property
    def means(self) -> tuple[float, ...]:
        """Each arm's mean reward, with missing rewards as 0 where `missing` is "zero"."""
        means = tuple(self.environment.means)
        if self.missing != "zero":
            return means
        # Rewards of 0 stay 0, and none are negative where the kinds differ.
        return tuple(m * above for m, (_, above) in zip(means, self._known(), strict=True))

    @property
    def skips_lost(self) -> bool:  # type: ignore[override]
        """Whether a reward that never comes is left out."""
        return self.missing == "random"

    @property
    def low(self) -> float:
        """The smallest possible reward, lost rewards that count as 0 included."""
        low = self.environment.low
        return float(min(low, 0.0) if self.missing == "zero" else low)

    @property
    def high(self) -> float:
        """The largest possible reward, lost rewards that count as 0 included."""
        high = self.environment.high
        return float(max(high, 0.0) if self.missing == "zero" else high)

    @property
    def noise_scale(self) -> float:
        """A subgaussian scale that holds for every arm, lost rewards that count as 0 included."""
        scale = self.environment.noise_scale
        if self.missing != "zero":
            return scale
        if math.isfinite(self.high - self.low):
            return (self.high - self.low) / 2
        # Loss switches between the mean and 0: a scale of half the mean, in addition to the noise.
        return math.hypot(scale, max(abs(mean) for mean in self.environment.means) / 2)

    def rules(self) -> DelayedRules:
        """Return the record for the kernels."""
        zero, above = self._delays()
        lost = self._shares("lost", self.lost)
        repeated = self._shares("repeated", self.repeated)
        return DelayedRules(
            rewards=self.environment.rules(),
            low=self.low,
            high=self.high,
            delays=np.concatenate([zero, above]),
            first=np.array([0, zero.size, zero.size + above.size]),
            lost=as_array([share for pair in lost for share in pair]),
            repeated=as_array([share for pair in repeated for share in pair]),
            window=self._window(),
            missing=MISSING_POLICIES.index(self.missing),
            batch=self.batch,
        )

    def kernels(self) -> dict[Function, Function]:
        """Return the kernels of the environment that draws the rewards."""
        return self.environment.kernels()
