"""The budget picture of the paper's stochastic section, drawn from one real run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from floorline.boundaries import Boundary
from floorline.environments import Gaussian
from floorline.floors import ConfidenceFloor
from floorline.paper.style import legend, save
from floorline.policy import Policy
from floorline.proposers import optimistic
from floorline.simulation.plots import new_figure, tidy
from floorline.simulation.stepping import step_through

# Wide gaps, little noise and a large loss: 50 rounds then show saving, exploring and a lead.
MEANS = (0.5, 0.8, 0.1, 0.1)
NOISE_SCALE = 0.3
MAX_LOSS = 0.25
DELTA = 0.05
ROUNDS = 50
SEED = 2

BLUE, GREEN, RED = "#0072b2", "#009e73", "#d55e00"


def draw_budget(folder: Path) -> None:
    """Draw one run of Conservative UCB: its reward, the default's, the floor, and refusals."""
    policy = Policy(
        optimistic(),
        ConfidenceFloor(MAX_LOSS, MEANS[0]),
        Boundary("stitched", DELTA, NOISE_SCALE),
    )
    run = step_through(policy, Gaussian(MEANS, NOISE_SCALE), horizon=ROUNDS, seed=SEED)
    rounds = np.arange(ROUNDS + 1)
    earned = np.concatenate([[0], np.cumsum(np.array(MEANS)[run.arm])])
    default, floor = MEANS[0] * rounds, (1 - MAX_LOSS) * MEANS[0] * rounds
    safe = np.flatnonzero(run.arm != 0) + 1
    figure, (top, bottom) = new_figure((8, 7.5), rows=2, sharex=True, height_ratios=(3, 2))
    top.plot(rounds, earned, color=BLUE, lw=2.5, label="this run")
    top.plot(rounds, default, color=GREEN, ls=":", lw=2.5, label="default arm: μ₀t")
    top.plot(rounds, floor, color=RED, ls="--", lw=2, label="floor: (1 − α)μ₀t")
    bottom.plot(rounds, earned - floor, color=BLUE, lw=2.5)
    bottom.axhline(0, color=RED, ls="--", lw=2)
    steps = {
        "guaranteed if the candidate is played: enough": (safe, BLUE, "o", BLUE),
        "guaranteed if the candidate is played: too little, refused": (
            run.refused,
            RED,
            "v",
            "white",
        ),
    }
    for axes, base in ((top, floor), (bottom, np.zeros(ROUNDS + 1))):
        for label, (at, colour, marker, fill) in steps.items():
            level = base[at] + run.guaranteed[at - 1]
            axes.vlines(at, level, (base + earned - floor)[at], color=colour, lw=0.8, alpha=0.5)
            axes.plot(at, level, marker, ms=5, color=colour, mfc=fill, label=label)
    top.set(ylabel="cumulative expected reward")
    bottom.set(xlabel="round", ylabel="budget: reward above the floor", xlim=(0, ROUNDS + 0.5))
    legend(top, loc="upper left")
    tidy(top)
    tidy(bottom)
    save(figure, folder, "budget")
