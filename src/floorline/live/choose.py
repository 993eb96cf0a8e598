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
    # Only a proposer that leaves nothing to chance lets us say how likely an arm was.
    computable = candidate is None and settings.policy == "conservative-ucb"
    wanted = state.propose(rng) if candidate is None else candidate
    decision = state.permit(wanted)
    held = coin < settings.holdback
    probability = None
    if computable:
        probability = 1.0
        if decision.arm > 0:
            probability = settings.holdback if held else 1.0 - settings.holdback
    if held or decision.arm == 0:
        reason = "holdback" if held else why_default(state, wanted)
        known = decision.arm == 0 and not settings.voids
        budget = decision.guaranteed_budget if known else state.budget_after_default()
        return Choice(0, wanted, reason, float(budget), probability)
    reason = "exploit" if arms.lower[wanted] >= arms.upper[0] else "explore"
    return Choice(wanted, wanted, reason, float(decision.guaranteed_budget), probability)


def why_default(state: State, candidate: int) -> str:
    """Why the default arm is played although nothing keeps the candidate from being one."""
    if candidate == 0:
        return "default-is-best"
    known = state.settings.default_mean is not None
    return "budget-low" if known or state.arms.seen[0] > 0 else "no-rewards"
