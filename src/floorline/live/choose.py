"""What to decide now, and why, in a given state."""

from __future__ import annotations

from typing import Any

import msgspec

from floorline.live.state import State


class Choice(msgspec.Struct, frozen=True, gc=False):
    """What would be decided now, and why."""

    arm: int
    candidate: int | None
    reason: str
    guaranteed_budget: float
    probability: float | None


def choose(state: State, candidate: int | None, coin: float, rng: Any) -> Choice:
    """What to decide now. `coin` is uniform in [0, 1) and independent of all else."""
    state.refresh()
    if state.paused or state.drift.alarm:
        reason = "paused" if state.paused else "drift"
        return Choice(0, candidate, reason, state.budget_after_default(), 1.0)
    settings, arms = state.settings, state.arms
    wanted = state.propose(rng) if candidate is None else candidate
    budget = state.budget_after(wanted)
    affordable = wanted > 0 and budget >= 0.0  # Alg. 1, line 10
    held = coin < settings.holdback
    probability = None
    # Only a proposer that leaves nothing to chance lets us say how likely an arm was.
    if candidate is None and settings.policy == "conservative-ucb":
        probability = 1.0
        if affordable:
            probability = settings.holdback if held else 1.0 - settings.holdback
    if affordable and not held:
        reason = "exploit" if arms.lower[wanted] >= arms.upper[0] else "explore"
        return Choice(wanted, wanted, reason, budget, probability)
    reason = "holdback" if held else why_default(state, wanted)
    if wanted > 0 or settings.voids:
        budget = state.budget_after_default()
    return Choice(0, wanted, reason, budget, probability)


def why_default(state: State, candidate: int) -> str:
    """Why the default arm is played although nothing keeps the candidate from being one."""
    if candidate == 0:
        return "default-is-best"
    known = state.settings.default_mean is not None
    return "budget-low" if known or state.arms.seen[0] > 0 else "no-rewards"
