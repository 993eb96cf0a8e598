"""On a machine with a GPU: does the card agree with the CPU, and how fast is it?

    python benchmarks/gpu.py [--runs 1000000]

Agreement: every policy of the catalogue, equally many runs of 1,000 rounds on both sides. Regret,
lowest budget, breaches and plays of every arm are compared run by run: run number r of the card
with run number r of the CPU. If both have the same distribution, each difference is as likely as
its opposite, whatever that distribution is. The sum of n such differences over the root of the sum
of their squares then exceeds u with a chance of at most 2 exp(-u^2 / 2) (Hoeffding's inequality for
their signs, given their sizes). This holds for any number of runs, even where an arm is played
rarely and then many times. The limit on u is such that, if nothing is wrong, a run of this program
fails with a chance of at most 1 in 1,000.

Sums: the means that the card adds up itself (`summarize`), against those of the same runs one by
one (`simulate`). Sweeps: two cases of each policy in one launch, against each of them alone. Both
are the same runs, so only rounding may differ. Speed: rounds per second of `summarize` with 10,000
rounds, compilation excluded, the better of two.
"""

from __future__ import annotations

import argparse
import math
from typing import Any, NamedTuple

import numpy as np

from floorline import (
    CATALOGUE,
    Adaptive,
    Case,
    Gaussian,
    PolicySetup,
    Results,
    make_policy,
    simulate,
    summarize,
    sweep,
)
from floorline.core.records import Floats

MEANS = (0.5, 0.6, 0.4, 0.4, 0.4)

FALSE_ALARMS = 1e-3
"""The chance that a difference is reported although there is none."""

SAME_RUNS = 1e-3
"""Relative difference of means of the same runs: rounding may change a few decisions."""


class Kind(NamedTuple):
    """A policy of the catalogue, and how it is made."""

    name: str
    max_loss: float = 0.1
    learned: bool = False

    def __str__(self) -> str:
        told = ", learned" * self.learned + f", max_loss {self.max_loss}" * (self.max_loss != 0.1)
        return self.name + told

    def case(self, horizon: int) -> dict[str, Any]:
        """Return the policy in its environment, as arguments for `simulate` and `summarize`."""
        setting = PolicySetup(
            n_arms=5,
            horizon=horizon,
            default_mean=0.5,
            max_loss=self.max_loss,
            delta=1 / horizon,
            boundary="authors",
            learned=self.learned,
        )
        policy = make_policy(self.name, setting)
        unit = policy.unit_rewards or policy.floor.counts_received
        environment = Adaptive(MEANS) if unit else Gaussian(MEANS)
        return {
            "policy": policy,
            "environment": environment,
            "horizon": horizon,
            "max_loss": self.max_loss,
        }


def signed_sum(ours: Floats, theirs: Floats) -> float:
    """Return the sum of the differences over the root of the sum of squares; 0 if all are 0."""
    differences = np.asarray(ours, float) - np.asarray(theirs, float)
    size = math.sqrt(float(differences @ differences))
    return abs(float(differences.sum())) / size if size > 0 else 0.0


def largest_allowed(comparisons: int) -> float:
    """Return what the largest of this many signed sums exceeds with chance FALSE_ALARMS at most."""
    return math.sqrt(2 * math.log(2 * comparisons / FALSE_ALARMS))


def by_run(found: Results) -> dict[str, Floats]:
    """Return what is compared, one entry per run."""
    columns = {
        "pseudo-regret": found.pseudo_regret[:, 0],
        "lowest budget": found.lowest_budget[:, 0],
        "breaches": (found.first_breach > 0).astype(float),
    }
    if found.regret is not None:
        columns["regret"] = found.regret[:, 0]
    for arm, plays in enumerate(found.plays[:, 0].T):
        columns[f"plays of arm {arm}"] = plays.astype(float)
    return columns


def off_in_sums(kind: Kind, card: Results) -> float:
    """Return the largest relative difference of the card's own sums from those of single runs."""
    summed = summarize(**kind.case(1000), runs=len(card.first_breach), device="cuda")
    pairs = [
        (summed.pseudo_regret.mean[0], card.pseudo_regret.mean()),
        (summed.lowest_budget.mean[0], card.lowest_budget.mean()),
        (summed.breach_rate[0], np.mean(card.first_breach > 0)),
        *zip(summed.plays[0], card.plays[:, 0].mean(axis=0), strict=True),
    ]
    return max(abs(a - b) / max(abs(b), 1e-3) for a, b in pairs)


def off_in_a_sweep(kind: Kind) -> float:
    """Return the largest relative difference of mean regret in a sweep from that of one case."""
    cases = [kind.case(horizon) for horizon in (1000, 600)]
    swept = sweep([Case(**case, quantiles=False) for case in cases], runs=4096, device="cuda")
    alone = [summarize(**case, runs=4096, device="cuda") for case in cases]
    return max(
        abs(one.pseudo_regret.mean[0] - other.pseudo_regret.mean[0])
        / max(abs(other.pseudo_regret.mean[0]), 1e-9)
        for one, other in zip(swept, alone, strict=True)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2**20, help="runs on each side")
    runs = parser.parse_args().runs
    print(
        "| policy | regret, GPU | regret, CPU | breaches, GPU | CPU "
        "| largest signed sum | of | sums | sweep | billion rounds a second |"
    )
    print("|---|---:|---:|---:|---:|---:|---|---:|---:|---:|")
    kinds = [Kind(name) for name in CATALOGUE]
    kinds += [Kind("conservative-ucb", learned=True), Kind("budget-first", max_loss=0.3)]
    apart: dict[tuple[str, str], float] = {}
    failed = []
    for kind in kinds:
        card = simulate(**kind.case(1000), runs=runs, device="cuda")
        cpu = simulate(**kind.case(1000), runs=runs)
        ours, theirs = by_run(card), by_run(cpu)
        here = {name: signed_sum(ours[name], theirs[name]) for name in ours}
        apart |= {(str(kind), name): value for name, value in here.items()}
        worst = max(here, key=lambda name: here[name])
        same = off_in_sums(kind, card), off_in_a_sweep(kind)
        if max(same) > SAME_RUNS:
            failed.append(f"{kind} (the same runs)")
        long = kind.case(10_000)
        speed = max(summarize(**long, runs=runs, device="cuda").rounds_per_second for _ in range(2))
        print(
            f"| {kind} | {card.pseudo_regret.mean():.3f} | {cpu.pseudo_regret.mean():.3f} "
            f"| {ours['breaches'].sum():.0f} | {theirs['breaches'].sum():.0f} "
            f"| {here[worst]:.1f} | {worst} | {same[0]:.0e} | {same[1]:.0e} | {speed / 1e9:.1f} |",
            flush=True,
        )
    limit = largest_allowed(len(apart))
    failed += [f"{kind} ({name})" for (kind, name), value in apart.items() if value > limit]
    said = f"do not agree: {', '.join(failed)}" if failed else "all agree"
    print(f"\n{said}; {len(apart)} differences, each at most {limit:.2f}")
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
