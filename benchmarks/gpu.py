"""On a machine with a GPU: does the card agree with the CPU, and how fast is it?

    python benchmarks/gpu.py [--runs 1000000]

Agreement: every policy of the catalogue, mean regret and breach rate within 4 combined standard
errors, the CPU playing a 64th of the runs. Speed: rounds a second of `summarize`, compilation
excluded, the better of two.
"""

from __future__ import annotations

import argparse
import math

from floorline import CATALOGUE, Adaptive, Gaussian, Setting, Summary, named, summarize

MEANS = (0.5, 0.6, 0.4, 0.4, 0.4)


def found(
    name: str, device: str, runs: int, horizon: int = 10_000, max_loss: float = 0.1,
    learned: bool = False,
) -> Summary:  # fmt: skip
    gaussian = Gaussian(MEANS)
    setting = Setting(
        n_arms=5, horizon=horizon, default_mean=0.5, max_loss=max_loss, delta=1 / horizon,
        boundary="authors", learned=learned,
    )  # fmt: skip
    policy = named(name, setting)
    environment = Adaptive(MEANS) if policy.unit_rewards else gaussian
    return summarize(
        policy, environment, horizon=horizon, runs=runs, max_loss=max_loss, device=device
    )


def errors_apart(card: Summary, cpu: Summary) -> float:
    """The largest difference of the two, in combined standard errors."""
    regrets = card.pseudo_regret, cpu.pseudo_regret
    gap = abs(regrets[0].mean[0] - regrets[1].mean[0])
    error = math.hypot(*(regret.standard_error[0] for regret in regrets))
    rates = card.breach_rate[0], cpu.breach_rate[0]
    spread = math.sqrt(sum(r * (1 - r) / s.runs for r, s in zip(rates, (card, cpu), strict=True)))
    return max(gap / max(error, 1e-9), abs(rates[0] - rates[1]) / max(spread, 1e-9))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2**20, help="runs on the card")
    options = parser.parse_args()
    print(
        "| policy | regret, GPU | regret, CPU | standard errors apart | billion rounds a second |"
    )
    print("|---|---:|---:|---:|---:|")
    cases = [(name, 0.1, False) for name in CATALOGUE]
    cases += [("conservative-ucb", 0.1, True), ("budget-first", 0.3, False)]
    failed = []
    for name, loss, learned in cases:
        card = min(
            (found(name, "cuda", options.runs, max_loss=loss, learned=learned) for _ in range(2)),
            key=lambda summary: summary.seconds,
        )
        cpu = found(name, "cpu", options.runs // 64, max_loss=loss, learned=learned)
        apart = errors_apart(card, cpu)
        label = name + (", learned" if learned else "") + (f", max_loss {loss}" * (loss != 0.1))
        print(
            f"| {label} | {card.pseudo_regret.mean[0]:.2f} | {cpu.pseudo_regret.mean[0]:.2f} "
            f"| {apart:.1f} | {card.rounds_per_second / 1e9:.1f} |",
            flush=True,
        )
        if apart > 4:
            failed.append(label)
    print("\nall agree" if not failed else f"\ndo not agree: {', '.join(failed)}")
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
