"""The settings of a campaign, most of which can never change."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from floorline.boundaries import BOUNDARIES, Boundary
from floorline.core.checks import choice, number, plain_text, require, unit_of_reward
from floorline.core.records import FOREVER
from floorline.environments.arrivals import MISSING_POLICIES
from floorline.live.durations import seconds_of
from floorline.live.guardrails import Guardrail, checked_guardrails
from floorline.live.names import check_arm_name
from floorline.policies import CATALOGUE, added_policies, find_entry, usual_floor, usual_policy
from floorline.policy import Policy
from floorline.policy_setup import FLOORS, PolicySetup

LIVE_BOUNDARIES = tuple(name for name, kind in BOUNDARIES.items() if kind.live)
LIVE_POLICIES = tuple(name for name, entry in CATALOGUE.items() if entry.live)
"""The policies of the catalogue that may run live; plug-ins may add others."""
_ANY = PolicySetup(n_arms=2, horizon=FOREVER, default_mean=0.5)
LIVE_FLOORS = tuple(name for name, floor in FLOORS.items() if floor(_ANY).live)
"""The floors that may run live."""
MAX_ARMS = 64
LARGEST_REWARD = 1e12
BEYOND = ("refuse", "clip")
DRIFT_WATCHES = ("filled-evidence", "evidence", "intervals")
LATE_INTERVALS = ("cut", "uncut")
VERSION_1 = {"drift_watch": "intervals", "late_intervals": "uncut"}
"""The values of settings that older ledgers do not name."""
SMALLEST = 1e-200
"""Smaller probabilities and means would lead to numbers that are not finite, and so would shorter
windows, in seconds, or ones longer than 1 / SMALLEST."""
CHANGEABLE = ("policy", "holdback")
"""Settings that may change at any time: the promise does not depend on them."""
CHANGEABLE_IN_NEW_EPOCH = (*CHANGEABLE, "floor", "arms_may_change")


@dataclass(frozen=True)
class CampaignSettings:
    """The settings that a campaign is opened with.

    >>> CampaignSettings(arms=("current", "video"), max_loss=0.1).missing
    'unknown'

    Args:
        arms: the names of the arms; the first is the default.
        max_loss: the share of the default's reward that may be lost.
        delta: the probability that the floor ever fails.
        default_mean: the default arm's mean reward; learned unless given.
        policy: proposes an arm when no candidate is given: a policy that `floorline policies`
            lists as live. In a new campaign, unless given, it is `conservative-ucb` with two arms,
            and with more `conservative-thompson-votes` (if the boundary is `beta-binomial`, or
            rewards are from 0 to 1).
        floor: the name of the floor, one that the policy works with: `confidence`, `joint`,
            `joint-steady`, `joint-variance`, or `randomised`, under which candidates may look at
            the request. In a new campaign, unless given, it is `joint`, with two arms
            `joint-steady`; `confidence` where rewards may be below 0 or decisions voided, or the
            boundary is not `beta-binomial`.
        boundary: the confidence boundary, one that is proved for rewards in a range.
        prior: the two numbers of its Beta prior, if it has one; the promise does not depend on it.
        low: the lowest possible reward.
        high: the highest possible reward.
        beyond: what becomes of a reward above `high`: `refuse` it (its decision counts as unknown
            unless another reward comes), or `clip` it to `high` (the promise is then about clipped
            rewards). One below `low` is refused.
        unit: what rewards are counted in, such as "EUR"; only shown.
        missing: what a missing reward means: `unknown` (the worst is assumed until it arrives),
            `zero` (after the window it is a 0), or `random` (after the window it is skipped; you
            state that the loss of a reward does not depend on the reward).
        window: seconds to wait for a reward, or a text like "30m"; for `zero` and `random`.
        voids: whether decisions may be voided, including defaults. Then a default counts, and a
            challenger adds to the budget, only once its reward is known or its window is over.
        holdback: the share of decisions that always go to the default, to watch it; 0.02 in a new
            campaign unless given, 0.05 under the randomised floor.
        drift_level: the probability that the test for a drifting default ever gives a false alarm.
        guardrails: further metrics that are reported with rewards, and their limits.
        drift_watch: that test: `filled-evidence`. Ledgers opened earlier have others, which take
            longer: `evidence`, where a reward that never comes leaves it with intervals, and
            `intervals`, as in version 0.1.
        late_intervals: an arm's interval while rewards are missing: the best of three forms, `cut`,
            or of the first two, `uncut`, as in version 0.1; see docs/guarantee.md.
        in_flight_rate: with `in_flight_burst`, what you assume about pending rewards under the
            randomised floor: k coins that the default won, whose rewards are pending, earn at
            most rate k + burst together, in units of high - low. At 1 nothing is assumed.
        in_flight_burst: see `in_flight_rate`.
        arms_may_change: whether challengers may be added later, and one promoted. The intervals of
            the first arms are then a little wider; see docs/guarantee.md.
    """

    arms: tuple[str, ...]
    max_loss: float
    delta: float = 0.05
    default_mean: float | None = None
    policy: str = "conservative-ucb"
    floor: str = "confidence"
    boundary: str = "beta-binomial"
    prior: tuple[float, float] = (0.5, 0.5)
    low: float = 0.0
    high: float = 1.0
    beyond: str = "refuse"
    unit: str | None = None
    missing: str = "unknown"
    window: float | None = None
    voids: bool = False
    holdback: float = 0.02
    drift_level: float = 0.01
    drift_watch: str = "filled-evidence"
    late_intervals: str = "cut"
    in_flight_rate: float = 1.0
    in_flight_burst: float = 0.0
    guardrails: tuple[Guardrail, ...] = ()
    arms_may_change: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "arms", _checked_arms(self.arms))
        object.__setattr__(self, "prior", _checked_prior(self.prior))
        self._keep("max_loss", 0, 1)
        self._keep("delta", SMALLEST, 1)
        self._keep("low", -LARGEST_REWARD, LARGEST_REWARD)
        self._keep("high", max(0.0, self.low), LARGEST_REWARD, open_low=True)
        if self.default_mean is not None:
            self._keep("default_mean", max(0.0, self.low), self.high)
            fits = self.default_mean == 0 or self.default_mean >= SMALLEST
            require(fits, "default_mean", f"0 or at least {SMALLEST:g}", self.default_mean)
        words = {
            "boundary": LIVE_BOUNDARIES,
            "missing": MISSING_POLICIES,
            "beyond": BEYOND,
            "drift_watch": DRIFT_WATCHES,
            "late_intervals": LATE_INTERVALS,
        }
        for name, allowed in words.items():
            object.__setattr__(self, name, choice(name, getattr(self, name), allowed))
        self._keep_policy()
        if self.unit is not None:
            object.__setattr__(self, "unit", unit_of_reward(self.unit))
        object.__setattr__(self, "guardrails", checked_guardrails(self.guardrails))
        for name in ("voids", "arms_may_change"):
            given = getattr(self, name)
            require(isinstance(given, bool), name, "True or False", given)
        self._keep("holdback", 0, 1)
        self._keep("drift_level", SMALLEST, 1)
        self._keep("in_flight_rate", 0, 1)
        self._keep("in_flight_burst", 0, LARGEST_REWARD)
        if self.missing == "unknown":
            require(self.window is None, "window", 'left out where missing="unknown"', self.window)
        else:
            if self.window is None:
                raise ValueError(f'window: must be given in seconds where missing="{self.missing}"')
            object.__setattr__(self, "window", seconds_of(self.window))
            self._keep("window", SMALLEST, 1 / SMALLEST)
        if self.missing == "zero" and not self.low <= 0 <= self.high:
            raise ValueError(
                'missing: "zero" needs a reward range that contains 0; '
                f"yours is [{self.low:g}, {self.high:g}]"
            )
        self._check_floor()

    def _check_floor(self) -> None:
        policy = self.to_policy()
        floor = policy.floor
        if not floor.live:
            raise ValueError(f"floor: {self.floor} runs in simulations only")
        if self.default_mean is not None and floor.default_mean is None:
            raise ValueError(f"default_mean: the {self.floor} floor takes none; leave it out")
        if self.missing == "random" and not floor.skips_lost_rewards:
            raise ValueError(
                f'missing: "random" is refused under the {self.floor} floor, which assumes nothing '
                'about which rewards get lost; use "zero" with a window, or "unknown"'
            )
        if policy.unit_rewards and not (self.low >= 0 and self.high <= 1):
            raise ValueError(
                f"policy: {self.policy} needs rewards from 0 to 1, not from {self.low:g} to "
                f"{self.high:g}"
            )
        policy.prepare(len(self.arms), FOREVER, late=True)  # raises now if its parts do not fit

    def _keep(self, name: str, low: float, high: float, *, open_low: bool = False) -> None:
        """Check a number and store it as a plain float, which JSON can hold."""
        value = number(name, getattr(self, name), low, high, open_low=open_low)
        object.__setattr__(self, name, value)

    def _keep_policy(self) -> None:
        """Check that the policy may run live, and works with the floor."""
        for name in ("policy", "floor"):
            word = getattr(self, name)
            require(isinstance(word, str), name, "a name", word)
            object.__setattr__(self, name, plain_text(word))
        if self.policy not in CATALOGUE:
            choice("policy", self.policy, (*LIVE_POLICIES, *added_policies()))
        entry = find_entry(self.policy)
        if not entry.live:
            raise ValueError(
                f"policy: {self.policy} cannot run live, since it has no floor or needs a "
                f"horizon; these can: {', '.join(LIVE_POLICIES)}"
            )
        if self.floor not in entry.floors:
            raise ValueError(
                f"floor: {self.policy} does not work with {self.floor!r}, but with "
                f"{' or '.join(entry.floors) or 'its own floor only'}"
            )

    @property
    def warnings(self) -> list[str]:
        """What the person who opens the campaign should know."""
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

    def to_policy(self, numbers: Sequence[int] | None = None) -> Policy:
        """Return the policy: the proposer under the floor, with the boundary that they share.

        `numbers` are those of the arms, where arms may change: from 0 up unless given.
        """
        return find_entry(self.policy).build(self._to_setup(numbers))

    def _to_setup(self, numbers: Sequence[int] | None = None) -> PolicySetup:
        return PolicySetup(
            n_arms=len(self.arms),
            horizon=FOREVER,
            default_mean=self.low if self.default_mean is None else self.default_mean,
            learned=self.default_mean is None,
            max_loss=self.max_loss,
            delta=self.delta,
            noise_scale=self._half_range,
            low=self.low,
            high=self.high,
            boundary=self.boundary,
            floor=self.floor,
            bounded=(self.low, self.high) == (0, 1),
            holdback=self.holdback,
            prior=self.prior,
            voids=self.voids,
            in_flight_rate=self.in_flight_rate,
            in_flight_burst=self.in_flight_burst,
            numbers=tuple(numbers or range(len(self.arms))) if self.arms_may_change else None,
        )

    def to_boundary(self) -> Boundary:
        """Return the confidence boundary for rewards in the declared range."""
        return Boundary(
            self.boundary, self.delta, self._half_range, self.low, self.high, self.prior
        )

    @property
    def _half_range(self) -> float:
        return (self.high - self.low) / 2

    def to_json(self) -> dict[str, Any]:
        """Return the settings as plain values."""
        values = asdict(self)
        return {**values, **{name: list(values[name]) for name in ("arms", "prior", "guardrails")}}

    def refuse_others(self, given: Mapping[str, Any]) -> None:
        """Raise ValueError if a given setting is neither None nor the same as here."""
        wanted = {name: value for name, value in given.items() if value is not None}
        values = self.to_json()
        for name, value in wanted.items():
            own = getattr(self, name)
            try:
                other = getattr(CampaignSettings.from_json({**values, name: value}), name)
            except ValueError:  # it does not even work with the others
                other = value
            require(own == other, name, f"{own!r}, as when the campaign was opened", other)

    @classmethod
    def for_new(cls, values: Mapping[str, Any]) -> CampaignSettings:
        """Return the settings of a new campaign, with defaults for policy, floor and holdback."""
        chosen = ("policy", "floor", "holdback")
        given = {
            name: value for name, value in values.items() if name not in chosen or value is not None
        }
        settings = cls.from_json(given)
        floor = usual_floor(settings._to_setup())
        if floor in find_entry(settings.policy).floors:  # a plug-in may work with some floors only
            given = {"floor": floor, **given}
            settings = cls.from_json(given)
        fitting = {
            "policy": usual_policy(settings._to_setup()),
            "holdback": settings.to_policy().floor.live_holdback,
        }
        return cls.from_json({**fitting, **given})

    @classmethod
    def from_ledger(cls, values: Mapping[str, Any]) -> CampaignSettings:
        """Return settings from a ledger, which may be older than some of them."""
        return cls.from_json({**VERSION_1, **values})

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
        check_arm_name(name)
    return tuple(plain_text(name) for name in names)


def _checked_prior(prior: Sequence[float]) -> tuple[float, ...]:
    require(isinstance(prior, (list, tuple)), "prior", "two numbers", prior)
    return tuple(number("prior", count, 0, math.inf, open_low=True) for count in prior)
