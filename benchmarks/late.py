"""What late and lost rewards cost: a better challenger's share of the decisions.

    python benchmarks/late.py [--floor joint-steady]
    python benchmarks/late.py --by-lateness [--runs 256]

The default at 3%, a challenger at 4%, max_loss 0.1, delta 0.05, the default mean learned,
boundary beta-binomial: 200 campaigns of 50,000 decisions each, seed 1. With `--by-lateness`, the
table of docs/joint-floor.md instead: more worlds, all floors, a holdback of 2%.
"""

from __future__ import annotations

import argparse
import math
from typing import NamedTuple

from floorline import (
    Bernoulli,
    Boundary,
    ByReward,
    ConfidenceFloor,
    Delayed,
    JointFloor,
    Policy,
    PolicySetup,
    make_policy,
    optimistic,
    simulate,
)

HORIZON = 50_000
RUNS = 200
CLICKS = Bernoulli([0.03, 0.04])
FLOORS = {
    "confidence": ConfidenceFloor(max_loss=0.1),
    "joint": JointFloor(max_loss=0.1),
    "joint-steady": JointFloor(max_loss=0.1, steady=True),
}
SOON = range(1001)

CASES = {
    "nothing late, nothing lost": Delayed(CLICKS),
    "all 1,000 decisions late": Delayed(CLICKS, delay=1000),
    "0 to 2,000 decisions late": Delayed(CLICKS, delay=range(2001)),
    "all 1,000 decisions late, unknown, 0.1% lost": Delayed(CLICKS, 1000, 0.001),
    "unknown, 1% of the default's lost": Delayed(CLICKS, lost=[0.01, 0]),
    "unknown, 2% of the default's lost": Delayed(CLICKS, lost=[0.02, 0]),
    "unknown, 5% of the default's lost": Delayed(CLICKS, lost=[0.05, 0]),
    "unknown, 10% of the default's lost": Delayed(CLICKS, lost=[0.1, 0]),
    "unknown, 10% of the challenger's lost": Delayed(CLICKS, lost=[0, 0.1]),
    "random, 10% of both lost, window 1,000": Delayed(CLICKS, SOON, 0.1, "random"),
    "zero, 10% of both lost, window 1,000": Delayed(CLICKS, SOON, 0.1, "zero"),
}


TWO, CLEARER, FIVE = (0.03, 0.04), (0.05, 0.08), (0.03, 0.04, 0.02, 0.02, 0.02)
UCB, VOTES = "conservative-ucb", "conservative-thompson-votes"


class World(NamedTuple):
    """Arms, the default's first, and when their rewards come."""

    means: tuple[float, ...]
    delay: int | ByReward
    horizon: int = 12_000
    policy: str = UCB
    learned: bool = True


BY_LATENESS = [
    *(World(TWO, delay) for delay in (0, 300, 900, 3000)),
    *(World(CLEARER, delay) for delay in (0, 300, 900, 3000)),
    World(CLEARER, ByReward(zero=900, above=0)),
    *(World(FIVE, delay) for delay in (0, 900, 3000)),
    *(World(FIVE, delay, policy=VOTES) for delay in (0, 900, 3000)),
    *(World(TWO, delay, 50_000) for delay in (900, 3000)),
    World(TWO, 1000, 50_000, learned=False),
    *(World(FIVE, delay, 50_000) for delay in (900, 3000)),
]


def share_of_the_best(world: World, floor: str, runs: int) -> str:
    """Return the second arm's share of the decisions, with its standard error."""
    environment = Delayed(Bernoulli(world.means), delay=world.delay)
    setup = PolicySetup.of(
        environment,
        world.horizon,
        floor=floor,
        boundary="beta-binomial",
        learned=world.learned,
        holdback=0.02,
    )
    policy = make_policy(world.policy, setup)
    found = simulate(policy, environment, horizon=world.horizon, runs=runs, progress=False)
    share = found.plays[:, -1, 1] / world.horizon
    return f"{share.mean():.1%} ± {share.std(ddof=1) / math.sqrt(runs):.1%}"


def print_by_lateness(runs: int) -> None:
    """Print the share of the better arm under each floor, world by world."""
    print("| decisions | arms | proposer | late by | confidence | joint | joint-steady |")
    print("|---:|---|---|---:|---:|---:|---:|")
    for world in BY_LATENESS:
        first, *others = (f"{100 * mean:g}" for mean in world.means)
        arms = f"{first}% against {', '.join(others)}%" + ("" if world.learned else ", mean known")
        late = "900, clicks at once" if isinstance(world.delay, ByReward) else f"{world.delay:,}"
        # With several challengers the two joint floors are the same.
        floors = list(FLOORS) if len(world.means) == 2 else list(FLOORS)[:2]
        cells = [share_of_the_best(world, floor, runs) for floor in floors]
        cells += ["as joint"] * (len(FLOORS) - len(cells))
        told = (f"{world.horizon:,}", arms, world.policy.removeprefix("conservative-"), late)
        print(f"| {' | '.join((*told, *cells))} |", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--floor", choices=list(FLOORS), default="confidence")
    options.add_argument("--by-lateness", action="store_true")
    options.add_argument("--runs", type=int, default=256, help="campaigns a cell, by lateness")
    chosen = options.parse_args()
    if chosen.by_lateness:
        print_by_lateness(chosen.runs)
        return
    floor = FLOORS[chosen.floor]
    policy = Policy(optimistic(), floor, Boundary("beta-binomial", delta=0.05))
    print("| rewards | challenger's share | of the last tenth | campaigns below the floor |")
    print("|---|---|---|---|")
    for name, environment in CASES.items():
        found = simulate(
            policy,
            environment,
            horizon=HORIZON,
            runs=RUNS,
            checkpoints=[HORIZON - HORIZON // 10, HORIZON],
            progress=False,
        )
        before, after = found.plays[:, :, 1].mean(axis=0)
        share, last = after / HORIZON, (after - before) / (HORIZON // 10)
        breaches = (found.first_breach > 0).sum()
        print(f"| {name} | {share:.1%} | {last:.1%} | {breaches} of {RUNS} |", flush=True)


if __name__ == "__main__":
    main()
