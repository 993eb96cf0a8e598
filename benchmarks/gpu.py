"""On a machine with a GPU: does the card agree with the CPU, and how fast is it?

    python benchmarks/gpu.py [--runs 1000000]

Agreement: every policy of the catalogue, as many runs of 1,000 rounds on both sides. Mean regret
and lowest budget, breach rate and mean plays of every arm must be within 4 combined standard
errors. About 120 differences are taken: if nothing is wrong, one exceeds 4 with a chance of less
than 1 in 100. Sweeps: two cases of each policy in one launch, against each of them alone: the same
runs, so that only rounding may differ. Speed: rounds a second of `summarize` with 10,000 rounds,
compilation excluded, the better of two.
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import numpy as np

from floorline import (
    CATALOGUE,
    Adaptive,
    Case,
    Gaussian,
    Results,
    PolicySetup,
    Summary,
    make_policy,
    simulate,
    summarize,
    sweep,
)

MEANS = (0.5, 0.6, 0.4, 0.4, 0.4)

LIMIT = 4
"""Standard errors that the two may be apart."""


class Kind(NamedTuple):
    """A policy of the catalogue, and how it is made."""

    name: str
    max_loss: float = 0.1
    learned: bool = False

    def __str__(self) -> str:
        told = ", learned" * self.learned + f", max_loss {self.max_loss}" * (self.max_loss != 0.1)
        return self.name + told

    def case(self, horizon: int) -> dict[str, Any]:
        """The policy in its environment, as `simulate` and `summarize` take it."""
        setting = PolicySetup(
            n_arms=5, horizon=horizon, default_mean=0.5, max_loss=self.max_loss,
            delta=1 / horizon, boundary="authors", learned=self.learned,
        )  # fmt: skip
        policy = make_policy(self.name, setting)
        environment = Adaptive(MEANS) if policy.unit_rewards else Gaussian(MEANS)
        return {"policy": policy, "environment": environment, "horizon": horizon,
                "max_loss": self.max_loss}  # fmt: skip


def errors_apart(card: Summary, cpu: Results) -> dict[str, float]:
    """Each difference of the two in combined standard errors, those of means by the CPU's runs."""
    both = ["pseudo_regret", "lowest_budget"] + ["regret"] * (cpu.regret is not None)
    pairs = {name: (getattr(card, name).mean[0], getattr(cpu, name)[:, 0]) for name in both}
    for arm, plays in enumerate(cpu.plays[:, 0].T):
        pairs[f"plays of arm {arm}"] = card.plays[0, arm], plays
    scale = np.sqrt(2 / card.runs)
    apart = {
        name: abs(mean - values.mean()) / max(scale * values.std(), 1e-9)
        for name, (mean, values) in pairs.items()
    }
    rates = card.breach_rate[0], np.mean(cpu.first_breach > 0)
    rate = np.mean(rates)  # of both, since one alone may have seen no breach
    apart["breach rate"] = abs(rates[0] - rates[1]) / max(scale * np.sqrt(rate * (1 - rate)), 1e-9)
    return apart


def errors_in_a_sweep(kind: Kind) -> float:
    """The largest difference of mean regret in a sweep from that of the case alone."""
    cases = [kind.case(horizon) for horizon in (1000, 600)]
    swept = sweep([Case(**case, quantiles=False) for case in cases], runs=4096, device="cuda")
    alone = [summarize(**case, runs=4096, device="cuda") for case in cases]
    return max(
        abs(one.pseudo_regret.mean[0] - other.pseudo_regret.mean[0])
        / max(other.pseudo_regret.standard_error[0], 1e-9)
        for one, other in zip(swept, alone, strict=True)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2**20, help="runs on each side")
    runs = parser.parse_args().runs
    print(
        "| policy | regret, GPU | regret, CPU | breach rate, GPU | CPU "
        "| standard errors apart, at most | of | in a sweep | billion rounds a second |"
    )
    print("|---|---:|---:|---:|---:|---:|---|---:|---:|")
    kinds = [Kind(name) for name in CATALOGUE]
    kinds += [Kind("conservative-ucb", learned=True), Kind("budget-first", max_loss=0.3)]
    failed = []
    compared = 0
    for kind in kinds:
        card = summarize(**kind.case(1000), runs=runs, device="cuda")
        cpu = simulate(**kind.case(1000), runs=runs)
        apart = errors_apart(card, cpu)
        compared += len(apart)
        worst = max(apart, key=lambda name: apart[name])
        swept = errors_in_a_sweep(kind)
        long = kind.case(10_000)
        speed = max(summarize(**long, runs=runs, device="cuda").rounds_per_second for _ in range(2))
        print(
            f"| {kind} | {card.pseudo_regret.mean[0]:.3f} | {cpu.pseudo_regret.mean():.3f} "
            f"| {card.breach_rate[0]:.6f} | {np.mean(cpu.first_breach > 0):.6f} "
            f"| {apart[worst]:.1f} | {worst} | {swept:.3f} | {speed / 1e9:.1f} |",
            flush=True,
        )
        if max(apart[worst], swept) > LIMIT:
            failed.append(str(kind))
    said = f"do not agree: {', '.join(failed)}" if failed else "all agree"
    print(f"\n{said}; {compared} differences")
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
