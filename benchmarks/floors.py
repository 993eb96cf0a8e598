"""What each floor costs, and where it holds: the tables of docs/floors.md.

    python benchmarks/floors.py [--runs 200] [--threads 2]

Each cell plays `conservative-ucb` (for order values `conservative-empirical-ucb`) at max_loss 0.1,
delta 0.05, the default's mean learned and the boundary beta-binomial.
"""

from __future__ import annotations

import argparse
import math
from typing import NamedTuple

import numpy as np
from scipy.stats import beta

from floorline import (
    Bernoulli,
    Changing,
    Delayed,
    Environment,
    PolicySetup,
    Seasonal,
    Segments,
    Tabulated,
    make_policy,
    simulate,
)

MAX_LOSS = 0.1
FLOORS = ("confidence", "joint", "joint-steady", "joint-variance", "randomised")


class World(NamedTuple):
    """An environment, with the mean reward per round of the default and of the best arm."""

    environment: Environment
    horizon: int
    default: float
    best: float
    policy: str = "conservative-ucb"


def steady(*means: float) -> World:
    """Return a world of clicks at constant rates, the default's first."""
    return World(Bernoulli(means), 50_000, means[0], max(means))


def late(world: World, delay: int, lost: float = 0.0) -> World:
    """Return the same world with rewards `delay` decisions late, a share `lost` of them never."""
    return world._replace(environment=Delayed(world.environment, delay=delay, lost=lost))


def order_values() -> World:
    """Return a world of Beta-distributed order values with standard deviation 0.05."""
    shares = (np.arange(50) + 0.5) / 50
    sizes = [mean * (1 - mean) / 0.05**2 - 1 for mean in (0.30, 0.33)]
    values = [
        beta.ppf(shares, mean * size, (1 - mean) * size)
        for mean, size in zip((0.30, 0.33), sizes, strict=True)
    ]
    means = [float(each.mean()) for each in values]
    environment = Tabulated([list(each) for each in values], [[0.02] * 50] * 2)
    return World(environment, 2_000, means[0], means[1], "conservative-empirical-ucb")


COSTS = {
    "3% against 4%": steady(0.03, 0.04),
    "30% against 40%": steady(0.3, 0.4),
    "3% against 4, 2, 2, 2%": steady(0.03, 0.04, 0.02, 0.02, 0.02),
    "3% against 2%": steady(0.03, 0.02),
    "3% against 4%, all 1,000 decisions late": late(steady(0.03, 0.04), 1_000),
    "the same, and 0.1% lost": late(steady(0.03, 0.04), 1_000, 0.001),
    "order values, 0.30 against 0.33": order_values(),
}
"""Worlds in which every floor's conditions hold."""

RISKS = {
    "the default doubles after 25,000 decisions": World(
        Changing([0.03, 0.04], [(25_000, [0.06, 0.04])]), 50_000, 0.045, 0.05
    ),
    "the challenger dies after 25,000 decisions": World(
        Changing([0.03, 0.04], [(25_000, [0.03, 0.0])]), 50_000, 0.03, 0.035
    ),
    "seasons in opposite directions": World(
        Seasonal([0.3, 0.3], period=5_000, swing=[0.5, -0.5]), 50_000, 0.3, 0.3 * (1 + 1 / math.pi)
    ),
    "visitors of two kinds, seen by the learner": World(
        Segments([[0.02, 0.04], [0.04, 0.02]]), 50_000, 0.03, 0.04
    ),
}
"""Worlds that change, or whose learner looks at the visitor."""


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    for title, worlds in (("costs", COSTS), ("risks", RISKS)):
        columns = (*FLOORS, "the best arm")
        print(f"\n{title}\n| world | {' | '.join(columns)} |\n|---{'|---:' * len(columns)}|")
        for name, world in worlds.items():
            # With several challengers the floor for a single, steady one is the joint floor.
            several = len(world.environment.means) > 2
            cells = [
                "as joint"
                if several and floor == "joint-steady"
                else cell(world, floor, options.runs, options.threads)
                for floor in FLOORS
            ]
            best = f"{world.best / world.default:.1%}"
            print(f"| {name} | {' | '.join([*cells, best])} |", flush=True)


def cell(world: World, floor: str, runs: int, threads: int | None) -> str:
    """Return the reward as a percentage of the default's and, if any, the runs below the floor."""
    setup = PolicySetup.of(
        world.environment,
        world.horizon,
        max_loss=MAX_LOSS,
        floor=floor,
        boundary="beta-binomial",
        learned=True,
    )
    policy = make_policy(world.policy, setup)
    found = simulate(
        policy,
        world.environment,
        horizon=world.horizon,
        runs=runs,
        max_loss=MAX_LOSS,
        threads=threads,
        progress=False,
    )
    regret = found.pseudo_regret[:, -1].mean() / world.horizon
    below = (found.first_breach > 0).sum()
    return f"{(world.best - regret) / world.default:.1%}" + (f" ({below})" if below else "")


if __name__ == "__main__":
    main()
