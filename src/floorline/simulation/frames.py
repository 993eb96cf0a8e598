"""Results as pandas data frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas

    from floorline.simulation.results import Results
    from floorline.simulation.summary import Summary


def frame(columns: Mapping[str, Any]) -> pandas.DataFrame:
    """Return a data frame of these columns; raise ValueError where pandas is not installed."""
    try:
        import pandas
    except ImportError:
        raise ValueError("data frames need pandas: pip install 'floorline[notebook]'") from None
    return pandas.DataFrame(dict(columns))


def run_columns(results: Results) -> dict[str, Any]:
    """Return a row for each run and checkpoint, by column."""
    runs, points = results.pseudo_regret.shape
    rounds = np.tile(results.checkpoints, runs)
    first = np.repeat(results.first_breach, points)
    columns: dict[str, Any] = {
        "run": np.repeat(np.arange(runs), points),
        "round": rounds,
        "pseudo_regret": results.pseudo_regret.ravel(),
    }
    if results.regret is not None:
        columns["regret"] = results.regret.ravel()
    columns["lowest_budget"] = results.lowest_budget.ravel()
    columns["breached"] = (first > 0) & (first <= rounds)
    if results.rewards is not None:
        columns["reward"] = results.rewards.ravel()
    for arm in range(results.plays.shape[2]):
        columns[f"plays_{arm}"] = results.plays[:, :, arm].ravel()
    return columns


def summary_columns(summary: Summary) -> dict[str, Any]:
    """Return a row for each checkpoint, by column."""
    columns: dict[str, Any] = {
        "round": summary.checkpoints,
        "runs": np.full(len(summary.checkpoints), summary.runs),
    }
    for name in ("pseudo_regret", "regret", "lowest_budget", "rewards"):
        spread = getattr(summary, name)
        if spread is not None:
            for part in ("mean", "standard_error", "min", "max"):
                columns[f"{name}_{part}"] = getattr(spread, part)
    columns["breach_rate"] = summary.breach_rate
    if summary.miss_rate is not None:
        columns["miss_rate"] = summary.miss_rate
    for arm in range(summary.plays.shape[1]):
        columns[f"plays_{arm}"] = summary.plays[:, arm]
    return columns
