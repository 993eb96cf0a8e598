"""The time of the paper's two figures at full size: ours against the authors' program.

    python benchmarks/paper.py

Ours is measured in this run at a fraction of the runs, compilation excluded, and scaled up.
The authors' rates were measured elsewhere, on one core of a similar machine, so theirs is a
projection. Both are in seconds of one core, which other work on the machine hardly changes.
"""

from __future__ import annotations

import time

from floorline.paper.run import produce
from floorline.paper.sweeps import (
    ALPHA,
    BUDGET_FIRST,
    CONSERVATIVE,
    FIVE,
    LEARNED,
    LONG,
    MOSS,
    RUNS,
    UCB,
    PaperRun,
    points,
)

# Million rounds per second on a core, the better of two passes, at max_loss 0.1 and horizon
# 10,000 (where BudgetFirst only plays the default arm). Measured elsewhere, within about 30%.
AUTHORS = {UCB: 10.6, CONSERVATIVE: 6.57, LEARNED: 5.06, BUDGET_FIRST: 24.5, MOSS: 13.2}

SAMPLE = 192
"""Measured runs per point: whole blocks, equally many for each of two or three cores."""

# The program runs UCB again for every max_loss.
ROUNDS = RUNS * (len(ALPHA.max_losses) * sum(ALPHA.horizons) + sum(LONG.horizons))


def ours(policy: str) -> float:
    """Return the core-seconds of both figures for one policy, scaled up from a sample."""
    settings = PaperRun(runs=SAMPLE)
    wanted = [
        point
        for part in ("alpha", "horizon")
        for point in points(settings, part)
        if point.policy == policy and point.sweep in (ALPHA.name, LONG.name)
    ]
    list(produce(wanted[:1], settings))  # compiled, or loaded
    start = time.process_time()
    list(produce(wanted, settings))
    return (time.process_time() - start) * RUNS / SAMPLE


def main() -> None:
    """Measure and print."""
    print(f"Core-seconds for both figures, {RUNS:,} runs a point (ours measured at {SAMPLE}).\n")
    print("| policy | billion rounds | authors' program, projected | Floorline | ratio |")
    print("|---|---:|---:|---:|---:|")
    found: dict[str, tuple[float, float]] = {}
    for policy in FIVE:
        found[policy] = ROUNDS / (AUTHORS[policy] * 1e6), ours(policy)
        show(policy, ROUNDS, *found[policy])
    theirs, mine = (sum(pair[side] for pair in found.values()) for side in (0, 1))
    show("all", len(FIVE) * ROUNDS, theirs, mine)
    print(f"\nOn two cores: {theirs / 120:.0f} minutes and {mine / 120:.0f} minutes.")


def show(name: str, rounds: float, theirs: float, mine: float) -> None:
    line = f"| {name} | {rounds / 1e9:.1f} | {theirs:,.0f} | {mine:,.0f} | {theirs / mine:.1f} |"
    print(line, flush=True)


if __name__ == "__main__":
    main()
