"""What late and lost rewards cost: a better challenger's share of the decisions.

    python benchmarks/late.py [--floor joint-steady]

The default at 3%, a challenger at 4%, max_loss 0.1, delta 0.05, the default mean learned,
boundary beta-binomial: 200 campaigns of 50,000 decisions each, seed 1.
"""

from __future__ import annotations

import argparse

from floorline import (
    Bernoulli,
    Boundary,
    ConfidenceFloor,
    Delayed,
    JointFloor,
    Policy,
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


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--floor", choices=list(FLOORS), default="confidence")
    floor = FLOORS[options.parse_args().floor]
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
