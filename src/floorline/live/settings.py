"""What a campaign is opened with. Most of it can never change."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from floorline.boundaries import Boundary
from floorline.core.checks import choice, number, require
from floorline.environments.delayed import MISSING_POLICIES
from floorline.floors import ConfidenceFloor
from floorline.policy import Policy
from floorline.proposers import Proposer, beta_thompson, gaussian_thompson, optimistic

BOUNDARIES = ("beta-binomial", "stitched", "union-proved")
SILENCES = MISSING_POLICIES
POLICIES = ("conservative-ucb", "conservative-thompson")
MAX_ARMS = 64
LARGEST_REWARD = 1e12
NAME = re.compile(r"[\w][\w .:/-]{0,63}", re.ASCII)
CHANGEABLE = ("policy", "holdback")


@dataclass(frozen=True)
class Settings:
    """What a campaign is opened with.

    >>> Settings(arms=("now", "video"), max_loss=0.1).missing
    'unknown'

    Args:
        arms: the names of the arms; the first is the default.
        max_loss: the share of the default's reward that may be lost.
        delta: the chance that the floor ever fails.
        default_mean: the default arm's mean reward; learned unless given.
        policy: who proposes when no candidate is given: `conservative-ucb` or
            `conservative-thompson`.
        boundary: the confidence boundary, one of those that are proved for such rewards.
        prior: the two numbers of its Beta prior, if it has one; the promise does not depend on it.
        low: no reward is below this.
        high: no reward is above this.
        missing: what silence means: `unknown` (filled at the worst until it comes), `zero`
            (after the window it is a 0), or `random` (after the window it is skipped; you
            state that the loss of a reward does not depend on the reward).
        window: seconds after which silence is final; for `zero` and `random`.
        voids: whether decisions get voided, defaults too. Then a default counts, and a
            challenger adds to the budget, only once its reward is known or its window is over.
        holdback: the share of decisions that go to the default for ever, to watch it.
        drift_level: the chance of a false alarm, ever, of the test for a drifting default.
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
        for name, words in (("policy", POLICIES), ("boundary", BOUNDARIES), ("missing", SILENCES)):
            object.__setattr__(self, name, choice(name, getattr(self, name), words))
        require(isinstance(self.voids, bool), "voids", "true or false", self.voids)
        self._keep("holdback", 0, 1)
        self._keep("drift_level", 0, 1, open_low=True)
        if self.missing == "unknown":
            require(self.window is None, "window", 'left out where missing="unknown"', self.window)
        else:
            if self.window is None:
                raise ValueError(f'window: must be given in seconds where missing="{self.missing}"')
            self._keep("window", 0, math.inf, open_low=True)
        if self.missing == "zero":
            require(self.low <= 0 <= self.high, "missing", "another word for a range without 0",
                    self.missing)  # fmt: skip
        self.to_policy()  # a boundary that does not fit is an error now

    def _keep(self, name: str, low: float, high: float, *, open_low: bool = False) -> None:
        """Check a number and keep it as a plain float, which the ledger can hold."""
        value = number(name, getattr(self, name), low, high, open_low=open_low)
        object.__setattr__(self, name, value)

    @property
    def warnings(self) -> list[str]:
        """What the one who opens the campaign should know, in words."""
        found = []
        if self.max_loss == 0:
            found.append(
                "max_loss is 0: nothing may ever be lost, so no challenger can be tried, and this "
                "campaign never explores"
            )
        if self.low < 0:
            found.append(
                "low is below 0: counting alone allows no exploration, which can only start once "
                "the default's mean is surely positive; the promise needs it to be positive"
            )
        return found

    def to_policy(self) -> Policy:
        """The proposer under the floor, with the boundary that they share."""
        floor = ConfidenceFloor(self.max_loss, self.default_mean)
        return Policy(self._proposer(), floor, self.to_boundary())

    def to_boundary(self) -> Boundary:
        """The confidence boundary for rewards in the declared range."""
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
        """These settings as plain values."""
        return {**asdict(self), "arms": list(self.arms), "prior": list(self.prior)}

    def refuse_others(self, given: Mapping[str, Any]) -> None:
        """Raise ValueError if a setting that is given, and not None, differs from these."""
        told = {name: value for name, value in given.items() if value is not None}
        others = Settings.from_json({**self.to_json(), **told})
        for name in told:
            here, there = getattr(self, name), getattr(others, name)
            require(here == there, name, f"as the campaign was opened ({here!r})", there)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Settings:
        """Settings from plain values; unknown names are refused."""
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
        require(NAME.fullmatch(name) is not None, "arms",
                "names of at most 64 letters, digits, spaces and _.:/-", name)  # fmt: skip
    return tuple(plain_text(name) for name in names)


def plain_text(text: str) -> str:
    """The same text as a plain string, whose form does not depend on who gave it."""
    return str.__str__(text)


def _checked_prior(prior: Sequence[float]) -> tuple[float, ...]:
    require(isinstance(prior, (list, tuple)), "prior", "two numbers", prior)
    return tuple(number("prior", count, 0, math.inf, open_low=True) for count in prior)
