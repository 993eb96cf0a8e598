"""The suite that every policy must pass, whoever wrote it."""

from __future__ import annotations

import numpy as np

from floorline.environments import Environment
from floorline.environments.moments import changes
from floorline.policy import Policy
from floorline.simulation import simulate
from floorline.simulation.stepping import step_through


def check_policy(
    policy: Policy, environment: Environment, *, horizon: int = 300, runs: int = 40, seed: int = 1
) -> None:
    """Raise AssertionError unless the policy behaves the same however it is run.

    Compiled equals interpreted, one thread equals many, neither keeping rewards nor adding runs
    changes a run, and the plays add up. In a stochastic environment whose means do not change,
    regret follows from the plays, and unless rewards come late, bulk simulation equals one
    decision at a time.

    Args:
        policy: the policy.
        environment: one that the policy fits.
        horizon: rounds per run.
        runs: how many runs.
        seed: any whole number from 0.
    """
    loss = 0.1 if policy.floor.max_loss is None else policy.floor.max_loss
    points = sorted({1, 2, 3, *range(5, horizon, 7), horizon})

    def run(**options: object) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]:
        results = simulate(
            policy,
            environment,
            horizon=horizon,
            max_loss=loss,
            checkpoints=points,
            **{"runs": runs, "seed": seed, **options},  # type: ignore[arg-type]
        )
        return {
            name: getattr(results, name)
            for name in ("pseudo_regret", "lowest_budget", "plays", "first_breach")
        }

    compiled = run()
    for name, other in {
        "interpreted": run(device="python"),
        "several threads": run(threads=3),
        "rewards kept": run(rewards=True),
        "more runs": {key: value[:runs] for key, value in run(runs=runs + 50).items()},
    }.items():
        for key, value in other.items():
            assert np.array_equal(compiled[key], value), f"{name}: {key} differs"

    plays = compiled["plays"]
    assert np.all(plays.sum(axis=2) == points), "plays do not add up to the rounds"
    if environment.adversarial or changes(environment):
        return
    means = np.array(environment.means)
    regret = (plays * (means.max() - means)).sum(axis=2)
    assert np.allclose(compiled["pseudo_regret"], regret), "regret does not follow from the plays"

    if environment.late:
        return
    arms = step_through(policy, environment, horizon=horizon, seed=seed).arm
    counts = np.cumsum(np.eye(len(means), dtype=np.int64)[arms], axis=0)
    stepped = counts[np.array(points) - 1]
    assert np.array_equal(plays[0], stepped), "bulk differs from one decision at a time"
