"""The interface of floors: a probability for the fallback arm, and accounts of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

from floorline.boundaries import Boundary
from floorline.core import slots
from floorline.core.kernel import Function, kernel
from floorline.core.part import Part
from floorline.core.records import Arms, Floats, NoRules
from floorline.floors.arithmetic import Arithmetic, InFlightCheck, Moment, Received


@kernel
def play_default(rules: Any, arms: Arms, memory: Floats) -> int:
    """Return the default arm."""
    return 0


@kernel
def charge_nothing(rules: Any, arms: Arms, memory: Floats, arm: int, probability: float) -> None:
    """For floors that keep no account of plays."""


@kernel
def credit_nothing(
    rules: Any,
    arms: Arms,
    memory: Floats,
    arm: int,
    probability: float,
    reward: float,
    lower_before: float,
) -> None:
    """For floors that keep no account of rewards."""


@kernel
def recount_nothing(rules: Any, arms: Arms, memory: Floats, pending: Any, low: float) -> None:
    """For floors that need only the arms' records."""


@kernel
def await_nothing(
    rules: Any, arms: Arms, memory: Floats, arm: int, decision: int, probability: float
) -> None:
    """For floors that do not need to know in which decision a play was made."""


@kernel
def take_nothing_late(
    rules: Any,
    arms: Arms,
    memory: Floats,
    arm: int,
    decision: int,
    probability: float,
    reward: float,
) -> None:
    """For floors that do not need to know in which decision a reward was earned."""


@kernel
def unknown_budget(rules: Any, arms: Arms, memory: Floats, round: int, arm: int) -> float:
    """Return NaN: for floors that know no lower bound on the budget."""
    return math.nan


@kernel
def unknown_now(rules: Any, arms: Arms, memory: Floats, rounds: int) -> float:
    """Return NaN likewise."""
    return math.nan


@kernel
def unknown_share(rules: Any, arms: Arms, memory: Floats, default_plays: int, rounds: int) -> float:
    """Return NaN likewise."""
    return math.nan


@kernel
def one_round(rules: Any, arms: Arms, memory: Floats, round: int, candidate: int) -> int:
    """Return 1: for floors that do not know how long a candidate will be refused."""
    return 1


class Floor(Part):
    """Keeps the budget: says with what probability a candidate must be refused.

    A floor of your own overrides `rules` and `kernels`; `fallback_probability` is the one kernel
    it must provide. See docs/how-to/own-floor.md.
    """

    max_loss: float | None = None
    """The share of the default's reward that may be lost; None without a floor."""
    default_mean: float | None = None
    """The default arm's mean where the floor knows it."""
    can_fast_forward: bool = False
    """Whether consecutive plays of a default arm whose mean is known may be recorded in one step:
    they are not charged, and `default_rounds` says how many there are."""
    live: bool = False
    """Whether live campaigns may run it: `status` and `explain` know its arithmetic."""
    tosses_coins: bool = False
    """Whether it returns probabilities between 0 and 1; without this they count as a refusal."""
    counts_received: bool = False
    """Whether the floor compares the rewards received with the default's own in the very same
    rounds: simulations then also draw what the default would have earned."""
    reads_intervals: bool = True
    """Whether its answers depend on the arms' intervals. If so, live campaigns update all intervals
    before each decision; if not, only those that are read."""
    takes_late_rewards: bool = False
    """Whether the floor holds where rewards come late: it then needs only `recount`, besides
    `await_reward` and `take_late_reward`."""
    late_memory: int = 0
    """How many more numbers it keeps where rewards come late; they come last."""
    assumes_steady_means: bool = True
    """Whether it holds only while the default's mean stays the same: live campaigns then watch the
    default, and intervals of the arms' means are meaningful."""
    skips_lost_rewards: bool = True
    """Whether rewards that were lost at random may be skipped: `missing="random"`."""
    live_holdback: float = 0.02
    """The holdback of a new live campaign, by default."""
    private_clock: bool = False
    """Whether the proposer sees only the rounds that the floor leaves to it."""
    unit_rewards: bool = False
    """Whether the floor holds only for rewards in [0, 1]."""

    def account(self, n_arms: int) -> Sequence[int]:
        """Return the indices of its memory that cannot be derived, where rewards come late.

        Live snapshots keep these. The floor derives the others from them or from `arms`.
        """
        return ()

    def may_promote(self, memory: Floats) -> bool:
        """Return whether another arm may become the default now, within a live campaign's epoch."""
        return False

    @property
    def needs_boundary(self) -> bool:
        """Whether the floor uses confidence intervals."""
        return False

    @property
    def needs_optimistic(self) -> bool:
        """Whether the floor holds only under the optimistic proposer."""
        return False

    def settle(self, boundary: Boundary | None, horizon: int) -> tuple[Self, Boundary | None]:
        """Return this floor and the boundary, with all that depends on the horizon filled in."""
        return self, boundary

    def rules(self, n_arms: int, horizon: int, boundary: Boundary | None) -> Any:
        """Return the record for this floor's kernels."""
        return NoRules()

    def in_flight_check(self) -> InFlightCheck | None:
        """Return a check of the assumption about pending rewards; None if there is none."""
        return None

    def received(self, rules: Any, memory: Floats) -> Received | None:
        """Return the rewards received in an epoch; None unless it `counts_received`."""
        return None

    def explain(self, moment: Moment) -> Arithmetic:
        """Return the arithmetic of the guaranteed budget of a decision; live floors provide it."""
        raise NotImplementedError

    def live_kernels(self) -> dict[Function, Function]:
        """Return the kernels that live campaigns use in place of those in `kernels`.

        They return the same results faster where the guaranteed budget is computed for every
        decision anyway.
        """
        return {}

    def kernels(self) -> dict[Function, Function]:
        """Return the kernels of a floor without accounts; subclasses add their own."""
        return {
            slots.fallback_arm: play_default,
            slots.guaranteed_budget: unknown_budget,
            slots.current_budget: unknown_now,
            slots.guaranteed_share: unknown_share,
            slots.default_rounds: one_round,
            slots.charge: charge_nothing,
            slots.credit: credit_nothing,
            slots.recount: recount_nothing,
            slots.await_reward: await_nothing,
            slots.take_late_reward: take_nothing_late,
        }
