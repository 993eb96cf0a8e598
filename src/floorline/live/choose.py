"""Choosing the arm of a decision, with the reason."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from floorline.live.coins import Coin
from floorline.live.messages import Reason
from floorline.live.state import State


def choose(
    state: State,
    candidate: str | None,
    coin: Coin,
    rng: Any,
    chances: Sequence[float] | None = None,
) -> dict[str, Any]:
    """Return the body of the event for a decision made in this state.

    `coin` is that of the floor and `rng` the random generator of the proposer; they must be
    independent of each other and of the rewards. `chances` says how likely each arm was to be the
    candidate, if it comes from outside and this is known.
    """
    arms = state.settings.arms
    if state.finished:
        return _settled(state, state.index[state.serves or arms[0]], candidate, "finished")
    if state.paused or state.drift_alarm:
        return _settled(state, 0, candidate, "paused" if state.paused else "drift")
    if candidate in state.retired:
        body = _settled(state, 0, candidate, "retired")
        known = None if chances is None else state.default_propensity(chances)
        return {**body, "propensity": known}
    given = None if candidate is None else state.index[candidate]
    wanted, arm, acted, p, budget = state.answer(given, rng, coin)
    probability = _share(wanted, arm, p)
    body = {
        "arm": arms[arm],
        "candidate": arms[wanted],
        "reason": reason_of(state, wanted, arm, p),
        "guaranteed_budget": budget,
        "probability": probability,
        "propensity": propensity_of(state, wanted, arm, probability, chances)
        if candidate is None or chances is not None
        else None,
    }
    if wanted > 0 and 0.0 < p < 1.0:
        body["p"] = p
        body["coin"] = "candidate" if acted else "default"
    return body


def _settled(state: State, arm: int, candidate: str | None, reason: Reason) -> dict[str, Any]:
    """Return the body of a decision in which there was no choice."""
    state.prepare_decision()
    arms = state.settings.arms
    return {
        "arm": arms[arm],
        "candidate": None if candidate is None else arms[state.index[candidate]],
        "reason": reason,
        "guaranteed_budget": state.budget_after(arm) if arm > 0 else state.budget_after_default(),
        "probability": 1.0,
        "propensity": 1.0,
    }


def reason_of(state: State, candidate: int, arm: int, p: float) -> Reason:
    """Return why this arm is played, given the candidate's probability of refusal."""
    if arm > 0:
        return "exploit" if state.is_surely_better(arm) else "explore"
    known = state.settings.default_mean is not None
    if candidate == 0:
        # A proposer also names the default if little is known about it and it might be best.
        seen, plays = state.arms.seen[0], state.arms.plays[0]
        return "default-is-best" if known or 2 * seen > plays else "default-unknown"
    holdback = state.settings.holdback
    if p < 1.0 or holdback == 1.0:
        return "coin" if p > holdback else "holdback"
    return "budget-low" if known or state.arms.seen[0] > 0 else "no-rewards"


def propensity_of(
    state: State, candidate: int, arm: int, probability: float, chances: Sequence[float] | None
) -> float | None:
    """Return how likely the played arm was before the proposer chose; None if that is not known.

    `probability` is that of the arm given the candidate. `chances` are those of the candidates, if
    the candidate did not come from the campaign's own proposer.
    """
    if chances is None:
        if state.proposals.is_sure:
            return probability
        chances = state.proposals.chances(candidate)
    chance = chances[candidate]
    if math.isnan(chance):
        return None
    if arm > 0:
        return chance * probability
    return state.default_propensity(chances)


def _share(candidate: int, arm: int, refusal: float) -> float:
    """Return how likely `arm` is to be played once `candidate` is proposed."""
    if candidate == 0:
        return 1.0 if arm == 0 else 0.0
    if arm == candidate:
        return 1.0 - refusal
    return refusal if arm == 0 else 0.0
