"""Rounds per second under the joint floor, as a share of those under the confidence floor.

    python benchmarks/floor_speed.py [--repeats 10]

In processor time on one thread, the two floors in turn, the best of all repeats: so a machine that
is busy with other work changes little.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, NamedTuple

from floorline import Bernoulli, Environment, Gaussian, Policy, PolicySetup, make_policy, simulate

PAPER, CLICKS = Gaussian([0.5, 0.6, 0.4, 0.4, 0.4]), Bernoulli([0.03, 0.04])
FLOORS = ("confidence", "joint")


class Race(NamedTuple):
    """An instance, long enough for the clock, and how the policy is set up."""

    environment: Environment
    horizon: int
    runs: int
    setup: dict[str, Any]

    def policy(self, floor: str) -> Policy:
        """Return UCB under this floor."""
        setup = PolicySetup.of(self.environment, self.horizon, floor=floor, **self.setup)
        return make_policy("conservative-ucb", setup)

    def seconds(self, policy: Policy, runs: int) -> float:
        """Return the processor time of these runs."""
        start = time.process_time()
        simulate(
            policy,
            self.environment,
            horizon=self.horizon,
            runs=runs,
            max_loss=self.setup.get("max_loss", 0.1),
            threads=1,
            progress=False,
        )
        return time.process_time() - start


BOUNDARY = {"boundary": "beta-binomial"}
RACES = {
    "paper, delta 1e-4, known": Race(PAPER, 10_000, 4096, {"delta": 1e-4}),
    "paper, delta 1e-4, learned": Race(PAPER, 10_000, 2048, {"delta": 1e-4, "learned": True}),
    "paper, delta 0.05, known": Race(PAPER, 10_000, 4096, {}),
    "paper, delta 0.05, learned": Race(PAPER, 10_000, 2048, {"learned": True}),
    "clicks, known": Race(CLICKS, 50_000, 16, BOUNDARY),
    "clicks, learned": Race(CLICKS, 50_000, 16, {**BOUNDARY, "learned": True}),
    "paper, max_loss 0.02, delta 1e-4, known": Race(
        PAPER, 10_000, 16_384, {"max_loss": 0.02, "delta": 1e-4}
    ),
    "paper, max_loss 0.02, delta 0.05, known": Race(PAPER, 10_000, 16_384, {"max_loss": 0.02}),
    "paper, max_loss 0.02, delta 0.05, learned": Race(
        PAPER, 10_000, 2048, {"max_loss": 0.02, "learned": True}
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10)
    repeats = parser.parse_args().repeats
    print("| million rounds a second | confidence | joint | ratio |\n|---|---:|---:|---:|")
    for name, race in RACES.items():
        policies = {floor: race.policy(floor) for floor in FLOORS}
        for policy in policies.values():
            race.seconds(policy, 1)  # compiles
        best = dict.fromkeys(FLOORS, float("inf"))
        for _ in range(repeats):
            for floor, policy in policies.items():
                best[floor] = min(best[floor], race.seconds(policy, race.runs))
        rates = [race.horizon * race.runs / seconds / 1e6 for seconds in best.values()]
        cells = [f"{rate:,.0f}" if rate > 10 else f"{rate:.1f}" for rate in rates]
        print(f"| {name} | {' | '.join(cells)} | {rates[1] / rates[0]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
