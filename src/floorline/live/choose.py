"""Choosing the arm of a decision, with the reason."""

from __future__ import annotations

import math
from typing import Any

from floorline.core.records import Decision
from floorline.live.messages import Reason
from floorline.live.state import State


def choose(state: State, candidate: str | None, coin: Any, rng: Any) -> dict[str, Any]:
    """Return the body of the event for a decision made in this state.

    `coin` is the random generator of the floor's coin and `rng` that of the proposer; they must be
    independent of each other and of the rewards.
    """
    state.refresh()
    arms = state.settings.arms
    if state.finished:
        winner = state.index[state.serves or arms[0]]
        after = state.budget_after(winner) if winner > 0 else state.budget_after_default()
        return {
            "arm": arms[winner],
            "candidate": None if candidate is None else arms[state.index[candidate]],
            "reason": "finished",
            "guaranteed_budget": after,
            "probability": 1.0,
        }
    if state.paused or state.drift.alarm:
        return {
            "arm": arms[0],
            "candidate": None if candidate is None else arms[state.index[candidate]],
            "reason": "paused" if state.paused else "drift",
            "guaranteed_budget": state.budget_after_default(),
            "probability": 1.0,
        }
    if candidate in state.retired:
        return {
            "arm": arms[0],
            "candidate": arms[state.index[candidate]],
            "reason": "retired",
            "guaranteed_budget": state.budget_after_default(),
            "probability": None,
        }
    # A candidate may be any function of the past, so the floor is kept in place of a retired one.
    wanted = state.remaining(state.propose(rng)) if candidate is None else state.index[candidate]
    decision = state.decide_on(wanted, coin)
    arm = decision.arm
    return {
        "arm": arms[arm],
        "candidate": arms[wanted],
        "reason": reason_of(state, decision),
        "guaranteed_budget": state.budget_after(arm) if arm > 0 else state.budget_after_default(),
        "probability": probability_of(state, decision) if candidate is None else None,
    }


def reason_of(state: State, decision: Decision) -> Reason:
    """Return why this arm is played."""
    if decision.arm > 0:
        surely_better = state.arms.lower[decision.arm] >= state.arms.upper[0]
        return "exploit" if surely_better else "explore"
    known = state.settings.default_mean is not None
    if decision.candidate == 0:
        # A proposer names the default also where it might be best, for all that is known of it.
        seen, plays = state.arms.seen[0], state.arms.plays[0]
        return "default-is-best" if known or 2 * seen > plays else "default-unknown"
    if decision.fallback_probability < 1.0 or state.settings.holdback == 1.0:
        return "holdback"
    return "budget-low" if known or state.arms.seen[0] > 0 else "no-rewards"


def probability_of(state: State, decision: Decision) -> float | None:
    """Return how likely the played arm was before the proposer chose; None if that is not known."""
    if state.retired:  # others take the place of arms that the proposer still names
        return None
    chance = state.chance(decision.candidate, decision.candidate)
    if math.isnan(chance):
        return None
    if chance == 1.0:
        return _share(decision.candidate, decision.arm, decision.fallback_probability)
    total = 0.0
    for candidate in range(len(state.arms.plays)):
        chance = state.chance(decision.candidate, candidate)
        refusal = state.refusal_probability(candidate)
        total += chance * _share(candidate, decision.arm, refusal)
    return total


def _share(candidate: int, arm: int, refusal: float) -> float:
    """Return how likely `arm` is to be played once `candidate` is proposed."""
    if candidate == 0:
        return 1.0 if arm == 0 else 0.0
    if arm == candidate:
        return 1.0 - refusal
    return refusal if arm == 0 else 0.0
