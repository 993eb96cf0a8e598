"""Logged decisions: which arm was played, with which propensity, and what it earned."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from floorline.core.checks import number, require
from floorline.core.records import Counts, Floats


@dataclass(frozen=True, eq=False)
class LoggedData:
    """Decisions in order, each with its reward.

    Args:
        arms: the names of the arms; the first is the default.
        arm: the index of the arm played in each decision.
        reward: what each earned.
        propensity: the probability of that arm, given the past; NaN where it is unknown.
        low: no reward is below this.
        high: no reward is above this.
        contexts: what was known about each request; empty if nothing was kept.
        left_out: the number of decisions left out, by reason.

    >>> arm, reward = np.array([0, 1, 1]), np.array([0.0, 1.0, 0.0])
    >>> log = LoggedData(("now", "video"), arm, reward, propensity=np.full(3, 0.5))
    """

    arms: tuple[str, ...]
    arm: Counts
    reward: Floats
    propensity: Floats
    low: float = 0.0
    high: float = 1.0
    contexts: Sequence[dict[str, Any] | None] = ()
    left_out: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = {len(self.arm), len(self.reward), len(self.propensity)}
        require(len(sizes) == 1, "arm, reward, propensity", "equally long", sorted(sizes))
        require(len(self.arm) > 0, "log", "of one decision or more with a reward", 0)
        different = len(set(self.arms)) == len(self.arms) >= 2
        require(different, "arms", "two or more different names", self.arms)
        for name in ("reward", "propensity"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), float))
        arm, reward, propensity = np.asarray(self.arm), self.reward, self.propensity
        require(arm.dtype.kind in "iu", "arm", "indices, which are whole numbers", arm.dtype.name)
        object.__setattr__(self, "arm", arm)
        last = len(self.arms) - 1
        _refuse_first("arm", arm, (arm >= 0) & (arm <= last), f"from 0 to {last}")
        inside = (reward >= self.low) & (reward <= self.high)
        _refuse_first("reward", reward, inside, f"from {self.low:g} to {self.high:g}")
        possible = np.isnan(propensity) | ((propensity > 0) & (propensity <= 1))
        _refuse_first("propensity", propensity, possible, "above 0 and at most 1")

    def __len__(self) -> int:
        return len(self.arm)

    def require_propensities(self) -> None:
        """Raise ValueError if the propensity of any decision is unknown."""
        missing = int(np.isnan(self.propensity).sum())
        if missing:
            raise ValueError(
                f"propensities: {missing:,} of {len(self):,} decisions have none, so what other "
                "policies would have earned cannot be estimated without bias; log the decisions of "
                "a policy whose probabilities are known, such as conservative-thompson-votes"
            )


def _refuse_first(name: str, values: Any, fits: Any, allowed: str) -> None:
    """Raise ValueError for the first value that does not fit, with the number of its decision."""
    if not fits.all():
        first = int(np.flatnonzero(~fits)[0])
        raise ValueError(f"{name}: must be {allowed}, not {values[first]:g} (decision {first + 1})")


def read_log(
    path: Path,
    *,
    default: str | None = None,
    low: float = 0.0,
    high: float = 1.0,
    uniform: bool = False,
) -> LoggedData:
    """Return the log in a CSV file with the columns `arm`, `reward` and `propensity`.

    Without the last, the column `probability` is used, as in exports of version 0.1.

    Args:
        path: the file, such as one written by `floorline ledger export`.
        default: the name of the default arm; by default that of the first row.
        low: no reward is below this.
        high: no reward is above this.
        uniform: whether every arm was equally likely in every decision; if so, no propensities
            are read.
    """
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            columns = reader.fieldnames or []
            rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path}: cannot be read: {error}") from None
    old = "propensity" not in columns and "probability" in columns
    chance = "probability" if old else "propensity"
    for name in ("arm", "reward", *(() if uniform else (chance,))):
        require(name in columns, str(path), f"a table with a column {name!r}", list(columns))
    names = list(dict.fromkeys(row["arm"] for row in rows))
    kept = [(line, row) for line, row in enumerate(rows, start=1) if row["reward"]]
    if default is not None:
        require(default in names, "default", f"one of {', '.join(names)}", default)
        names = [default, *(name for name in names if name != default)]
    index = {name: i for i, name in enumerate(names)}
    chances = [1 / len(names) if uniform else _value(path, row, line, chance) for line, row in kept]
    missing = len(rows) - len(kept)
    return LoggedData(
        tuple(names),
        np.array([index[row["arm"]] for _, row in kept], np.int64),
        np.array([_value(path, row, line, "reward") for line, row in kept]),
        np.array(chances, float),
        number("low", low, -math.inf, math.inf),
        number("high", high, low, math.inf, open_low=True),
        left_out={"without a reward": missing} if missing else {},
    )


def _value(path: Path, row: dict[str, str], line: int, name: str) -> float:
    """Return a number from a row; NaN if the cell is empty."""
    text = row[name]
    try:
        return float(text) if text else math.nan
    except ValueError:
        raise ValueError(
            f"{path}: {name} of decision {line} must be a number, not {text!r}"
        ) from None
