"""The slots that a policy's parts fill: the kernels of a proposer, a floor and a boundary.

Each kernel gets the rules and the memory of its own part. Rounds count from 1.
"""

from __future__ import annotations

from typing import Any

from floorline.core.kernel import slot
from floorline.core.records import Arms, Floats

# A proposer.


@slot
def look(rules: Any, memory: Floats, visitors: Any, kind: int) -> None:
    """Write what is known about this round's visitor into the memory; called before `propose`."""
    raise NotImplementedError


@slot
def feature(visitors: Any, kind: int, index: int) -> float:
    """Return a feature of a visitor of this kind, for `look`; environments fill this slot."""
    raise NotImplementedError


@slot
def propose(rules: Any, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return the arm that the proposer would like to play in this round."""
    raise NotImplementedError


@slot
def learn(rules: Any, arms: Arms, memory: Floats, arm: int, reward: float) -> None:
    """Update the proposer's memory with a reward that `arms` already includes."""
    raise NotImplementedError


@slot
def index(rules: Any, arms: Arms, memory: Floats, log_round: float, arm: int) -> float:
    """Return the index of an arm that was played; the arm with the largest is proposed.

    It never falls from round to round, unless the arm is observed.
    """
    raise NotImplementedError


@slot
def chance(rules: Any, arms: Arms, memory: Floats, candidate: int, arm: int) -> float:
    """Return how likely `arm` was to be proposed when `candidate` was, given the past."""
    raise NotImplementedError


# A floor.


@slot
def fallback_probability(
    rules: Any, arms: Arms, memory: Floats, round: int, candidate: int
) -> float:
    """Return the probability with which the fallback arm must be played instead of `candidate`.

    0 allows the candidate and 1 refuses it; a randomised floor returns anything between.
    It is asked in every round before a candidate is played, and it alone decides whether the
    floor holds.
    """
    raise NotImplementedError


@slot
def toss(probability: float, coin: Any) -> bool:
    """Return whether the candidate may be played at a fallback `probability`.

    A slot, so that the loops of floors without coins contain no random draw: even one that is
    never executed makes them a tenth slower.
    """
    raise NotImplementedError


@slot
def held_back(holdback: float, probability: float) -> float:
    """Return the fallback probability of a challenger, at least the policy's `holdback`.

    A slot for the same reason.
    """
    raise NotImplementedError


@slot
def fallback_arm(rules: Any, arms: Arms, memory: Floats) -> int:
    """Return the arm to play when the candidate is refused."""
    raise NotImplementedError


@slot
def guaranteed_budget(rules: Any, arms: Arms, memory: Floats, round: int, arm: int) -> float:
    """Return the budget still guaranteed if `arm` is played now, for display only.

    NaN where the floor keeps no such number.
    """
    raise NotImplementedError


@slot
def current_budget(rules: Any, arms: Arms, memory: Floats, rounds: int) -> float:
    """Return the budget guaranteed after `rounds` decisions, for display only; or NaN."""
    raise NotImplementedError


@slot
def guaranteed_share(
    rules: Any, arms: Arms, memory: Floats, default_plays: int, rounds: int
) -> float:
    """Return a lower bound on the reward of `rounds` > 0 decisions over the default's; or NaN.

    `default_plays` of them are plays of the default arm.
    """
    raise NotImplementedError


@slot
def default_rounds(rules: Any, arms: Arms, memory: Floats, round: int, candidate: int) -> int:
    """Return after how many default rounds `candidate` may be affordable, if nothing else changes.

    Simulations with a known default mean skip that many rounds, then ask again: too few costs
    time, too many plays the default longer than needed, and neither can break the floor.
    """
    raise NotImplementedError


@slot
def charge(rules: Any, arms: Arms, memory: Floats, arm: int, probability: float) -> None:
    """Account for a play that `arms` already includes.

    `probability` is the fallback probability under which the play was decided.
    """
    raise NotImplementedError


@slot
def credit(
    rules: Any,
    arms: Arms,
    memory: Floats,
    arm: int,
    probability: float,
    reward: float,
    lower_before: float,
) -> None:
    """Account for a reward that `arms` already includes, of a play decided at `probability`."""
    raise NotImplementedError


@slot
def recount(rules: Any, arms: Arms, memory: Floats, pending: Any, low: float) -> None:
    """Recompute the floor's accounts from the updated bounds, where rewards come late.

    Called instead of `charge` and `credit`. No reward is below `low`.
    """
    raise NotImplementedError


@slot
def await_reward(
    rules: Any, arms: Arms, memory: Floats, arm: int, decision: int, probability: float
) -> None:
    """Account for a play whose reward may come late, of the newest decision, counted from 0.

    `arms` already includes the play, which was decided at a fallback `probability`.
    """
    raise NotImplementedError


@slot
def take_late_reward(
    rules: Any,
    arms: Arms,
    memory: Floats,
    arm: int,
    decision: int,
    probability: float,
    reward: float,
) -> None:
    """Account for the reward of that decision's play; NaN if it was skipped and will never come."""
    raise NotImplementedError


# A boundary.


@slot
def interval(rules: Any, memory: Floats, arm: int, seen: int, total: float) -> tuple[float, float]:
    """Return both ends of an arm's confidence interval after `seen` >= 1 rewards."""
    raise NotImplementedError


@slot
def lower_end(rules: Any, memory: Floats, arm: int, seen: int, total: float) -> float:
    """Return the lower end of that interval alone."""
    raise NotImplementedError


@slot
def upper_end(rules: Any, memory: Floats, arm: int, seen: int, total: float) -> float:
    """Return the upper end of that interval alone."""
    raise NotImplementedError


@slot
def note(rules: Any, memory: Floats, arm: int, reward: float) -> None:
    """Update the boundary's memory with a reward, before the interval that includes it."""
    raise NotImplementedError
