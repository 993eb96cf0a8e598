"""The settings of a campaign, most of which can never change."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from floorline.core.boundaries import Boundary
from floorline.core.checks import choice, number, require
from floorline.environments import fate
from floorline.floors import ConfidenceFloor
from floorline.policy import Policy
from floorline.proposers import Proposer, beta_thompson, gaussian_thompson, optimistic

BOUNDARIES = ("beta-binomial", "stitched", "union-proved")
MISSING_POLICIES = fate.SILENCES
POLICIES = ("conservative-ucb", "conservative-thompson")
WORDS = {"policy": POLICIES, "boundary": BOUNDARIES, "missing": MISSING_POLICIES}
MAX_ARMS = 64
LARGEST_REWARD = 1e12
NAME = re.compile(r"[\w][\w .:/-]{0,63}", re.ASCII)
CHANGEABLE = ("policy", "holdback")


@dataclass(frozen=True)
class CampaignSettings:
    """The settings that a campaign is opened with.

    >>> CampaignSettings(arms=("now", "video"), max_loss=0.1).missing
    'unknown'

    Args:
        arms: the names of the arms; the first is the default.
        max_loss: the share of the default's reward that may be lost.
        delta: the probability that the floor ever fails.
        default_mean: the default arm's mean reward; learned unless given.
        policy: proposes an arm when no candidate is given: `conservative-ucb` or
            `conservative-thompson`.
        boundary: the confidence boundary, one that is proved for rewards in a range.
        prior: the two numbers of its Beta prior, if it has one; the promise does not depend on it.
        low: the lowest possible reward.
        high: the highest possible reward.
        missing: what a missing reward means: `unknown` (the worst is assumed until it arrives),
            `zero` (after the window it is a 0), or `random` (after the window it is skipped; you
            state that the loss of a reward does not depend on the reward).
        window: seconds to wait for a reward; for `zero` and `random`.
        voids: whether decisions may be voided, defaults too. Then a default counts, and a
            challenger adds to the budget, only once its reward is known or its window is over.
        holdback: the share of decisions that always go to the default, to watch it.
        drift_level: the probability that the test for a drifting default ever gives a false alarm.
    """

    arms: tuple[str, ...]
    max_loss: float
    delta: float = 0.05
    default_mean: float | None = None
    policy: str = "conservative-ucb"
    boundary: str = "beta-binomial"
    prior: tuple[float, float] = (0.5, 0.5)
    low: float = 0.0
    high: float = 1.0
    missing: str = "unknown"
    window: float | None = None
    voids: bool = False
    holdback: float = 0.02
    drift_level: float = 0.01

    def __post_init__(self) -> None:
        object.__setattr__(self, "arms", _checked_arms(self.arms))
        object.__setattr__(self, "prior", _checked_prior(self.prior))
        self._keep("max_loss", 0, 1)
        self._keep("delta", 0, 1, open_low=True)
        self._keep("low", -LARGEST_REWARD, LARGEST_REWARD)
        self._keep("high", max(0.0, self.low), LARGEST_REWARD, open_low=True)
        if self.default_mean is not None:
            self._keep("default_mean", max(0.0, self.low), self.high)
        for name, words in WORDS.items():
            object.__setattr__(self, name, choice(name, getattr(self, name), words))
        require(isinstance(self.voids, bool), "voids", "True or False", self.voids)
        self._keep("holdback", 0, 1)
        self._keep("drift_level", 0, 1, open_low=True)
        if self.missing == "unknown":
            require(self.window is None, "window", 'left out where missing="unknown"', self.window)
        else:
            if self.window is None:
                raise ValueError(f'window: must be given in seconds where missing="{self.missing}"')
            self._keep("window", 0, math.inf, open_low=True)
        if self.missing == "zero":
            self._require_zero_in_range()
        self.to_policy()  # raises now if the boundary does not fit

    def _require_zero_in_range(self) -> None:
        if not self.low <= 0 <= self.high:
            raise ValueError(
                'missing: "zero" needs a reward range that contains 0; '
                f"yours is [{self.low:g}, {self.high:g}]"
            )

    def _keep(self, name: str, low: float, high: float, *, open_low: bool = False) -> None:
        """Check a number and store it as a plain float, which JSON can hold."""
        value = number(name, getattr(self, name), low, high, open_low=open_low)
        object.__setattr__(self, name, value)

    @property
    def warnings(self) -> list[str]:
        """What whoever opens the campaign should know."""
        warnings = []
        if self.max_loss == 0:
            warnings.append(
                "max_loss is 0: nothing may ever be lost, so no challenger can be tried, and this "
                "campaign never explores"
            )
        if self.low < 0:
            warnings.append(
                "low is below 0: counting alone allows no exploration, which can only start once "
                "the default's mean is surely positive; the promise needs it to be positive"
            )
        return warnings

    def to_policy(self) -> Policy:
        """Return the policy: the proposer under the floor, with the boundary that they share."""
        floor = ConfidenceFloor(self.max_loss, self.default_mean)
        return Policy(self._proposer(), floor, self.to_boundary())

    def to_boundary(self) -> Boundary:
        """Return the confidence boundary for rewards in the declared range."""
        return Boundary(
            self.boundary, self.delta, self._half_range, self.low, self.high, self.prior
        )

    def _proposer(self) -> Proposer:
        if self.policy == "conservative-ucb":
            return optimistic()
        unit = (self.low, self.high) == (0, 1)
        return beta_thompson() if unit else gaussian_thompson(self._half_range)

    @property
    def _half_range(self) -> float:
        return (self.high - self.low) / 2

    def to_json(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        return {**asdict(self), "arms": list(self.arms), "prior": list(self.prior)}

    def refuse_others(self, given: Mapping[str, Any]) -> None:
        """Raise ValueError if a given setting is neither None nor the same as here."""
        wanted = {name: value for name, value in given.items() if value is not None}
        others = CampaignSettings.from_json({**self.to_json(), **wanted})
        for name in wanted:
            own, other = getattr(self, name), getattr(others, name)
            require(own == other, name, f"as the campaign was opened ({own!r})", other)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> CampaignSettings:
        """Return settings from plain values; unknown names are refused."""
        known = {field.name for field in fields(cls)}
        for name in values:
            require(name in known, "settings", f"among {', '.join(sorted(known))}", name)
        for name in ("arms", "max_loss"):
            if name not in values:
                raise ValueError(f"{name}: must be given to open a new campaign")
        return cls(**values)


def _checked_arms(names: Sequence[str]) -> tuple[str, ...]:
    listed = isinstance(names, (list, tuple))
    if not listed or not all(isinstance(name, str) for name in names):
        raise ValueError(f"arms: must be a list of names, not {names!r}")
    fits = 2 <= len(names) <= MAX_ARMS and len(set(names)) == len(names)
    require(fits, "arms", f"2 to {MAX_ARMS} different names, the default's first", list(names))
    for name in names:
        require(
            NAME.fullmatch(name) is not None,
            "arms",
            "names of at most 64 letters, digits, spaces and _.:/-",
            name,
        )
    return tuple(plain_text(name) for name in names)


def plain_text(text: str) -> str:
    """Return the text as a plain `str`, whatever subclass of it was given."""
    return str.__str__(text)


def _checked_prior(prior: Sequence[float]) -> tuple[float, ...]:
    require(isinstance(prior, (list, tuple)), "prior", "two numbers", prior)
    return tuple(number("prior", count, 0, math.inf, open_low=True) for count in prior)
