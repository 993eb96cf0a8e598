"""The paper's experiments with the user's own means or policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from floorline.paper.sweeps import (
    ALPHA,
    HORIZON,
    LONG,
    MAX_LOSS,
    PARTS,
    POLICIES,
    QUICK,
    PaperRun,
)
from floorline.sweeping.plan import PER_HORIZON, Instance, SweepPlan

NO_LOSS = 0.0
"""Left out, since unbalanced MOSS and BudgetFirst are not defined where nothing may be lost."""


def own_plans(
    settings: PaperRun, means: Sequence[float], noise: str, policies: Sequence[str] | None = None
) -> dict[str, SweepPlan]:
    """Return the sweeps over alpha and over the horizon, each with delta = 1 / horizon.

    Args:
        settings: those of the paper's run.
        means: each arm's mean, the default arm's first.
        noise: `gaussian`, of scale 1, or `bernoulli`.
        policies: names of policies; by default those of the paper's figures.
    """
    (alpha, *_), (long, *_) = (
        (QUICK if settings.quick else PARTS)[part] for part in (ALPHA.name, LONG.name)
    )
    names = list(policies or dict.fromkeys(policy.name for policy in POLICIES.values()))
    grid: dict[str, list[Any]] = {
        "policy": names,
        "delta": [PER_HORIZON],
        "boundary": [settings.boundary],
    }
    losses = [loss for loss in alpha.max_losses if loss > NO_LOSS]
    plan = SweepPlan(
        (Instance("own", tuple(means), noise),),
        {**grid, "max_loss": losses, "horizon": [HORIZON]},
        runs=settings.runs,
        seed=settings.seed,
    )
    over_horizon = {**grid, "max_loss": [MAX_LOSS], "horizon": list(long.horizons)}
    return {ALPHA.name: plan, LONG.name: replace(plan, grid=over_horizon)}
