"""Proposers under each floor: the tables of docs/proposers.md.

Run: python benchmarks/proposers.py --runs 100 [--only clicks-5] [--floors confidence,joint]
"""

from __future__ import annotations

import argparse
import math

from floorline import Bernoulli, Environment, Gaussian, compare
from floorline.planning import Question

POLICIES = [
    "conservative-ucb",
    "conservative-kl-ucb",
    "conservative-bayes-ucb",
    "conservative-anytime-moss",
    "conservative-thompson",
    "conservative-thompson-votes",
    "conservative-information-directed",
]
ORDERS = Question(
    challengers=4,
    default_mean=1.8,
    improvement=1 / 3,
    decisions_per_day=1000,
    high=200.0,
    spread=12.0,
)
INSTANCES: dict[str, tuple[Environment, int]] = {
    "paper": (Gaussian([0.5, 0.6, 0.4, 0.4, 0.4]), 10_000),
    "clicks-5": (Bernoulli([0.03, 0.04, 0.02, 0.02, 0.02]), 50_000),
    "clicks-2": (Bernoulli([0.03, 0.04]), 50_000),
    "none-better": (Bernoulli([0.3, 0.27, 0.24, 0.24, 0.24]), 10_000),
    "orders-5": (ORDERS.environment(ORDERS.means(1)), 50_000),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", default=",".join(INSTANCES))
    parser.add_argument("--floors", default="confidence,joint,randomised")
    options = parser.parse_args()
    for place in options.only.split(","):
        arms, horizon = INSTANCES[place]
        for floor in options.floors.split(","):
            ranged = arms.high < math.inf
            if floor == "randomised" and not ranged:
                continue
            names = [name for name in POLICIES if arms.bounded or name != "conservative-kl-ucb"]
            print(f"\n{place}, floor {floor}, {options.runs} runs of {horizon:,} rounds")
            print("| policy | regret | best arm | below the floor |\n|---|---|---|---|", flush=True)
            for name in names:
                found = compare(
                    [name],
                    arms,
                    horizon=horizon,
                    runs=options.runs,
                    max_loss=0.1,
                    floor=floor,
                    boundary="beta-binomial" if ranged else "stitched",
                    high=ORDERS.high if place == "orders-5" else 1.0,
                    learned=True,
                    holdback=None if floor == "randomised" else 0.02,
                    threads=options.threads,
                    device=options.device,
                ).summaries[name]
                regret = found.pseudo_regret
                best = found.plays[-1][max(range(len(arms.means)), key=arms.means.__getitem__)]
                print(
                    f"| `{name}` | {regret.mean[-1]:.1f} ± {regret.standard_error[-1]:.1f} "
                    f"| {best / horizon:.1%} | {found.breach_rate[-1]:.1%} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
