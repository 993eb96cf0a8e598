"""Several policies in one environment, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from floorline.core.checks import require, whole
from floorline.core.display import Displayed, Table
from floorline.environments import Environment
from floorline.policies import make_policy
from floorline.policy import Policy
from floorline.policy_setup import PolicySetup
from floorline.simulation.frames import frame, summary_columns
from floorline.simulation.job import Case, check_environment
from floorline.simulation.plots import draw_breaches, draw_regret, pyplot
from floorline.simulation.summary import Summary
from floorline.simulation.sweep import sweep

if TYPE_CHECKING:
    import pandas
    from distributed import Client

CHECKPOINTS = 50
"""Points of the curves that `Comparison.plot` draws."""


@dataclass(frozen=True, repr=False)
class Comparison(Displayed):
    """Several policies in one environment: a table, a figure, and each one's summary."""

    summaries: dict[str, Summary]
    """By the name of the policy."""

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each policy and checkpoint."""
        tables = [summary_columns(summary) for summary in self.summaries.values()]
        points = [len(summary.checkpoints) for summary in self.summaries.values()]
        names = np.repeat(list(self.summaries), points)
        columns = {key: np.concatenate([table[key] for table in tables]) for key in tables[0]}
        return frame({"policy": names, **columns})

    def plot(self) -> Any:
        """Draw regret and breaches over the rounds, with errors; return the figure."""
        figure, (left, right) = pyplot().subplots(1, 2, figsize=(11, 4.4), layout="constrained")
        draw_regret(self.summaries, left)
        draw_breaches(self.summaries, right)
        return figure

    def _table(self) -> Table:
        first = next(iter(self.summaries.values()))
        heads = ("policy", "regret", "below the floor", "lowest budget", "plays, default first")
        rows = [(name, *one.row(-1)[1:]) for name, one in self.summaries.items()]
        title = f"{first.runs:,} runs of {first.checkpoints[-1]:,} rounds, ± standard errors"
        return Table(title, heads, rows)


def compare(
    policies: Iterable[str] | Mapping[str, Policy],
    environment: Environment,
    *,
    horizon: float,
    runs: float = 1000,
    seed: int = 1,
    max_loss: float = 0.1,
    threads: int | None = None,
    device: str = "cpu",
    cluster: Client | None = None,
    **setup: Any,
) -> Comparison:
    """Return several policies side by side, each played with the same seed.

    >>> from floorline import Bernoulli
    >>> found = compare(["ucb", "conservative-ucb"], Bernoulli([0.3, 0.4]), horizon=1e3, runs=50)
    >>> list(found.summaries), found.to_pandas().shape[0]
    (['ucb', 'conservative-ucb'], 100)

    Args:
        policies: names in the catalogue; or your own policies, by name.
        environment: what the arms pay.
        horizon: rounds per run.
        runs: how many runs of each.
        seed: any whole number from 0.
        max_loss: the share of the default's reward that may be lost; breaches of every policy
            are counted against it.
        threads: how many threads; by default all cores.
        device: `cpu`, `cuda` or `python`, as for `simulate`.
        cluster: a client of a Dask cluster, as for `simulate`.
        setup: other fields of `PolicySetup`, for policies given by name.
    """
    check_environment(environment)
    rounds = whole("horizon", horizon, 1)
    if isinstance(policies, Mapping):
        require(not setup, "setup", "left out for policies of your own", setup)
        made = dict(policies)
    else:
        require(not isinstance(policies, str), "policies", "a list of names", policies)
        names = list(policies)
        if any(isinstance(one, Policy) for one in names):
            raise ValueError('policies: one of your own needs a name: {"mine": policy}')
        setting = PolicySetup.of(environment, rounds, max_loss=max_loss, **setup)
        made = {name: make_policy(name, setting) for name in names}
    require(len(made) > 0, "policies", "one name or more", policies)
    points = np.unique(np.linspace(0, rounds, CHECKPOINTS + 1).astype(np.int64)[1:])
    points = points[points > 0]
    cases = [
        Case(policy, environment, rounds, max_loss, points.tolist()) for policy in made.values()
    ]
    summaries = sweep(
        cases,
        runs=whole("runs", runs, 2),
        seed=seed,
        threads=threads,
        device=device,
        cluster=cluster,
    )
    return Comparison(dict(zip(made, summaries, strict=True)))
