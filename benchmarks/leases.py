"""What it costs to lend the budget of one campaign to several servers, simulated.

    python benchmarks/leases.py
    python benchmarks/leases.py --rounds 100000 --campaigns 50

Units are challenger plays. From reported plays alone, the lender may grant
    (sure challenger reward / default's upper end + default plays) / (1 - max_loss) - rounds - lent,
and a unit stays lent until its play is reported. So an unreported challenger counts as a loss of
its whole round, and an unreported default adds nothing yet. Requests go to the servers in turn; a
server reports when its lease is used up, and asks for the next one. The control gives the whole
allowance to every server. Speed is measured with a challenger that is better than the default, the
floor with one that pays nothing and is proposed in every round.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from dataclasses import dataclass, field

MAX_LOSS = 0.1
DEFAULT_MEAN = 0.5
GOOD_MEAN, WORST_MEAN = 0.6, 0.0
ERROR = 0.05
ROUNDING = 1e-6
REPORT_EVERY = 50
"""Default plays after which a server without a lease reports them and asks again."""


def radius(seen: int) -> float:
    """Return the half-width of an interval for rewards in [0, 1] that holds at every count.

    Howard et al. 2021, equation 2, at the scale 1/2 and half of the error for each arm.
    """
    level = math.log(math.log(2 * seen)) + 0.72 * math.log(10.4 * 2 / ERROR)
    return 0.85 * math.sqrt(level / seen)


@dataclass
class Arm:
    """Reported plays of an arm."""

    plays: int = 0
    reward: float = 0.0

    def lower(self) -> float:
        return max(0.0, self.reward / self.plays - radius(self.plays)) if self.plays else 0.0

    def upper(self) -> float:
        return min(1.0, self.reward / self.plays + radius(self.plays)) if self.plays else 1.0


@dataclass
class Lender:
    """Grants challenger plays out of what has been reported."""

    default: Arm = field(default_factory=Arm)
    challenger: Arm = field(default_factory=Arm)
    lent: int = 0

    def allowance(self) -> int:
        """Return how many challenger plays are affordable now, beyond those that are lent."""
        sure = self.challenger.plays * self.challenger.lower() / self.default.upper()
        rounds = self.default.plays + self.challenger.plays
        return math.floor((sure + self.default.plays) / (1 - MAX_LOSS) - rounds - self.lent)


@dataclass
class Borrower:
    """A server: its units, and what it has not reported."""

    units: int = 0
    default: Arm = field(default_factory=Arm)
    challenger: Arm = field(default_factory=Arm)

    def report(self, lender: Lender, charged: bool) -> None:
        for own, known in ((self.default, lender.default), (self.challenger, lender.challenger)):
            known.plays += own.plays
            known.reward += own.reward
        if charged:
            lender.lent -= self.challenger.plays
        self.default, self.challenger = Arm(), Arm()


def campaign(
    servers: int, lease: int, charged: bool, rounds: int, challenger_mean: float, seed: int
) -> tuple[float, float]:
    """Return the share of challenger plays, and the lowest expected budget in default plays."""
    rng = random.Random(seed)
    lender, borrowers = Lender(), [Borrower() for _ in range(servers)]
    budget = lowest = 0.0
    challengers = 0
    for number in range(rounds):
        server = borrowers[number % servers]
        if server.units == 0 and server.default.plays % REPORT_EVERY == 0:
            server.report(lender, charged)
            granted = max(0, min(lease, lender.allowance()))
            server.units = granted
            lender.lent += granted if charged else 0
        arm, mean = server.default, DEFAULT_MEAN
        if server.units > 0:
            server.units -= 1
            challengers += 1
            arm, mean = server.challenger, challenger_mean
        arm.plays += 1
        arm.reward += rng.random() < mean
        budget += mean / DEFAULT_MEAN - (1 - MAX_LOSS)
        lowest = min(lowest, budget)
    return challengers / rounds, lowest


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rounds", type=int, default=50_000)
    options.add_argument("--campaigns", type=int, default=20)
    chosen = options.parse_args()
    print("| servers | lease | on the challenger | campaigns below the floor |\n|---|---|---|---|")
    for servers, lease, charged in (
        (1, 1, True),
        (4, 50, True),
        (4, 500, True),
        (4, 10**9, False),
    ):
        seeds = range(chosen.campaigns)
        way = (servers, lease, charged, chosen.rounds)
        share = statistics.mean(campaign(*way, GOOD_MEAN, seed)[0] for seed in seeds)
        below = sum(campaign(*way, WORST_MEAN, seed)[1] < -ROUNDING for seed in seeds)
        name = f"{lease}" if charged else "all, to every server"
        print(f"| {servers} | {name} | {share:.1%} | {below} of {chosen.campaigns} |", flush=True)


if __name__ == "__main__":
    main()
