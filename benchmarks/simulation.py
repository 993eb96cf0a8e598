"""Rounds per second of every policy on one core, beside other libraries and a yardstick.

    python benchmarks/simulation.py            prints the table and writes docs/performance.md
    python benchmarks/simulation.py --dry-run  prints it only

Everything is measured in one run, each entry several times in turn with the others; the
median counts. Ratios are to NumPy's bulk standard normal draws, so that a slower machine
or a busy one changes all numbers alike.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import platform
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from floorline import Bernoulli, Gaussian, PolicySetup, make_policy, summarize

MEANS = (0.5, 0.6, 0.4, 0.4, 0.4)
REPEATS = 5
DOCUMENT = Path(__file__).parents[1] / "docs" / "performance.md"
MARK = "<!-- table: make bench -->"

Measurement = Callable[[], float]


def numpy_normals() -> float:
    """Return the draws per second of NumPy's default generator into a large array."""
    rng, room = np.random.default_rng(1), np.empty(1_000_000)
    start = time.perf_counter()
    for _ in range(20):
        rng.standard_normal(out=room)
    return 20 * room.size / (time.perf_counter() - start)


def floorline_policy(name: str, horizon: int, runs: int, **options: object) -> Measurement:
    """Return a measurement of a policy's rounds per second on one thread, without compilation."""
    noise = options.pop("noise", "gaussian")
    environment = Gaussian(MEANS) if noise == "gaussian" else Bernoulli(MEANS)
    settings = {"max_loss": 0.1, "boundary": "authors"} | options
    setting = PolicySetup(
        n_arms=5,
        horizon=horizon,
        default_mean=0.5,
        delta=1 / horizon,
        bounded=environment.bounded,
        **settings,  # type: ignore[arg-type]
    )
    policy = make_policy(name, setting)

    def measure() -> float:
        found = summarize(policy, environment, horizon=horizon, runs=runs, max_loss=0.1, threads=1)
        return found.rounds_per_second

    return measure


def peer(
    make: Callable[[], tuple[Callable[[], int], Callable[[int, float], None]]], rounds: int
) -> Measurement:
    """Return a measurement of another library's UCB, with rewards drawn beforehand."""

    def measure() -> float:
        choose, learn = make()
        rewards = np.array(MEANS) + np.random.default_rng(1).standard_normal((rounds, 5))
        table = rewards.tolist()
        start = time.perf_counter()
        for row in table:
            arm = choose()
            learn(arm, row[arm])
        return rounds / (time.perf_counter() - start)

    return measure


def river_ucb() -> tuple[Callable[[], int], Callable[[int, float], None]]:
    from river.bandit import UCB

    policy, arms = UCB(delta=1), list(range(5))
    return lambda: policy.pull(arms), policy.update


def mabwiser_ucb() -> tuple[Callable[[], int], Callable[[int, float], None]]:
    from mabwiser.mab import MAB, LearningPolicy

    policy = MAB(list(range(5)), LearningPolicy.UCB1(alpha=1.0))
    policy.fit(list(range(5)), [0.5] * 5)
    return policy.predict, lambda arm, reward: policy.partial_fit([arm], [reward])


def smpybandits_ucb() -> tuple[Callable[[], int], Callable[[int, float], None]]:
    import scipy.special

    # Its last release imports a function that SciPy has since renamed.
    scipy.special.btdtri = scipy.special.betaincinv
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        from SMPyBandits.Policies.UCB import UCB

    policy = UCB(5, lower=-10.0, amplitude=20.0)
    policy.startGame()
    return policy.choice, policy.getReward


def entries() -> dict[str, Measurement]:
    """Return what is measured, by its name in the table."""
    long = "horizon 98,000"
    return {
        "NumPy bulk standard normal draws": numpy_normals,
        "conservative-ucb": floorline_policy("conservative-ucb", 10_000, 8192),
        f"conservative-ucb, {long}": floorline_policy("conservative-ucb", 98_000, 512),
        "conservative-ucb, max_loss 1": floorline_policy(
            "conservative-ucb", 10_000, 4096, max_loss=1.0
        ),
        "conservative-ucb, default mean learned": floorline_policy(
            "conservative-ucb", 10_000, 4096, learned=True
        ),
        "conservative-ucb, stitched": floorline_policy(
            "conservative-ucb", 10_000, 4096, boundary="stitched"
        ),
        "conservative-ucb, joint floor": floorline_policy(
            "conservative-ucb", 10_000, 2048, floor="joint"
        ),
        "conservative-ucb, joint floor, default mean learned": floorline_policy(
            "conservative-ucb", 10_000, 2048, floor="joint", learned=True
        ),
        "conservative-empirical-ucb, joint-variance floor, clicks": floorline_policy(
            "conservative-empirical-ucb",
            10_000,
            32,
            noise="bernoulli",
            floor="joint-variance",
            boundary="beta-binomial",
            learned=True,
        ),
        "budget-first, max_loss 0.3": floorline_policy("budget-first", 10_000, 8192, max_loss=0.3),
        "unbalanced-moss": floorline_policy("unbalanced-moss", 10_000, 2048),
        "ucb": floorline_policy("ucb", 10_000, 2048),
        "unbalanced-ucb": floorline_policy("unbalanced-ucb", 10_000, 2048),
        "lil-ucb": floorline_policy("lil-ucb", 10_000, 2048),
        "thompson (Gaussian)": floorline_policy("thompson", 10_000, 1024),
        "thompson (Beta)": floorline_policy("thompson", 10_000, 512, noise="bernoulli"),
        "conservative-thompson": floorline_policy("conservative-thompson", 10_000, 1024),
        "River UCB": peer(river_ucb, 20_000),
        "SMPyBandits UCB": peer(smpybandits_ucb, 20_000),
        "MABWiser UCB1": peer(mabwiser_ucb, 5_000),
    }


def table() -> str:
    """Return the measurements as a Markdown table."""
    found: dict[str, list[float]] = {name: [] for name in entries()}
    missing: dict[str, str] = {}
    for _ in range(REPEATS):
        for name, measure in entries().items():
            try:
                found[name].append(measure())
            except ImportError as error:
                missing[name] = str(error)
    yardstick = statistics.median(found["NumPy bulk standard normal draws"])
    lines = ["| | million a second | per NumPy draw |", "|---|---:|---:|"]
    for name, rates in found.items():
        if name in missing:
            lines.append(f"| {name} | does not run here: {missing[name]} | |")
            continue
        rate = statistics.median(rates)
        lines.append(f"| {name} | {rate / 1e6:.3g} | {rate / yardstick:.3g} |")
    return "\n".join(lines)


def machine() -> str:
    """Return the machine and versions, in one line."""
    import numba

    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = names[0].split(":", 1)[1].strip() if names else model
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    return f"Machine: {model}, one core of it; {versions}, numba {numba.__version__}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry-run", action="store_true", help="do not write docs/performance.md")
    options = parser.parse_args()
    text = f"{MARK}\n{machine()}\n\n{table()}\n{MARK}"
    print(text)
    if not options.dry_run:
        before, _, rest = DOCUMENT.read_text().partition(MARK)
        after = rest.partition(MARK)[2]
        DOCUMENT.write_text(before + text + after)


if __name__ == "__main__":
    main()
