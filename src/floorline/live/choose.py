"""Choosing the arm of a decision, with the reason."""

from __future__ import annotations

from typing import Any

from floorline.live.messages import Reason
from floorline.live.state import State


def choose(state: State, candidate: str | None, coin: float, rng: Any) -> dict[str, Any]:
    """Return the body of the event for a decision made in this state.

    `coin` is uniform in [0, 1) and independent of everything else.
    """
    state.refresh()
    settings = state.settings
    probability: float | None = 1.0
    reason: Reason
    if state.paused or state.drift.alarm:
        arm = settings.arms[0]
        proposed = None if candidate is None else settings.arms[state.index[candidate]]
        reason = "paused" if state.paused else "drift"
        budget = state.budget_after_default()
    else:
        wanted = state.propose(rng) if candidate is None else state.index[candidate]
        arm = proposed = settings.arms[wanted]
        budget = state.budget_after(wanted)
        affordable = wanted > 0 and budget >= 0.0  # Alg. 1, line 10; as `permit` has it
        held = coin < settings.holdback
        if candidate is not None or settings.policy != "conservative-ucb":
            probability = None  # known only where the proposal itself is not random
        elif affordable:
            probability = settings.holdback if held else 1.0 - settings.holdback
        if affordable and not held:
            reason = "exploit" if state.arms.lower[wanted] >= state.arms.upper[0] else "explore"
        else:
            arm = settings.arms[0]
            reason = "holdback" if held else why_default(state, wanted)
            if wanted > 0 or settings.voids:
                budget = state.budget_after_default()
    return {
        "arm": arm,
        "candidate": proposed,
        "reason": reason,
        "guaranteed_budget": budget,
        "probability": probability,
    }


def why_default(state: State, candidate: int) -> Reason:
    """Return why the default is played, where no pause, alarm or holdback demands it."""
    if candidate == 0:
        return "default-is-best"
    known = state.settings.default_mean is not None
    return "budget-low" if known or state.arms.seen[0] > 0 else "no-rewards"
