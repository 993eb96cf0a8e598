"""What a sweep simulates: every combination of a grid on every instance."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

from floorline.core.checks import choice, require, whole
from floorline.environments import Bernoulli, Environment, Gaussian, Tabulated
from floorline.policies import find_entry
from floorline.policy_setup import Entry, PolicySetup
from floorline.simulation import Case
from floorline.sweeping.figures import figure_name

NOISES = ("gaussian", "bernoulli", "table")
PER_HORIZON = "1/horizon"
"""The delta of the paper's experiments."""
SETTINGS = tuple(
    field.name for field in fields(PolicySetup) if field.name not in ("n_arms", "default_mean")
)
"""What a grid may vary, besides the policy."""


@dataclass(frozen=True)
class Instance:
    """Arms: their means, or a table of values and probabilities in a file."""

    name: str
    means: tuple[float, ...] = ()
    """Each arm's mean, the default arm's first; left out where noise is `table`."""
    noise: str = "gaussian"
    """`gaussian`, `bernoulli` or `table`."""
    noise_scale: float | None = None
    """The standard deviation of Gaussian rewards, by default 1."""
    table: str | None = None
    """The path of a file for `Tabulated.read`."""

    def environment(self) -> Environment:
        """Return the environment of these arms."""
        choice("noise", self.noise, NOISES)
        if self.noise == "table":
            if self.table is None:
                raise ValueError("table: must be given where noise is 'table'")
            return Tabulated.read(self.table)
        require(self.table is None, "table", "left out unless noise is 'table'", self.table)
        if self.noise == "bernoulli":
            return Bernoulli(self.means)
        return Gaussian(self.means, 1.0 if self.noise_scale is None else self.noise_scale)


@dataclass(frozen=True)
class Cell:
    """One simulation: a policy on an instance, with the settings that the grid gives it."""

    instance: Instance
    policy: str
    settings: dict[str, Any]

    def setup(self) -> PolicySetup:
        """Return all settings, including those that the grid does not name."""
        values = {"horizon": 10_000, **self.settings}
        horizon = whole("horizon", values.pop("horizon"), 1)
        if values.get("delta") == PER_HORIZON:
            values["delta"] = 1 / horizon
        return PolicySetup.of(self.instance.environment(), horizon, **values)

    def case(self, find: Callable[[str], Entry] = find_entry) -> Case:
        """Return the simulation; errors name the cell."""
        try:
            setup = self.setup()
            policy = find(self.policy).build(setup)
            environment = self.instance.environment()
        except (ValueError, TypeError) as error:
            raise ValueError(f"{self}: {error}") from None
        return Case(policy, environment, setup.horizon, setup.max_loss, quantiles=False)

    def __str__(self) -> str:
        words = [f"{name} {value}" for name, value in self.settings.items()]
        return ", ".join([f"instance {self.instance.name}", f"policy {self.policy}", *words])


@dataclass(frozen=True)
class SweepPlan:
    """A grid: each of its settings has one value or several."""

    instances: tuple[Instance, ...]
    grid: dict[str, list[Any]]
    """The values of `policy` and of any fields of `PolicySetup`."""
    runs: int = 1000
    seed: int = 1

    def __post_init__(self) -> None:
        require("policy" in self.grid, "grid.policy", "one policy or several", None)
        for name, values in self.grid.items():
            choice("grid", name, ("policy", *SETTINGS))
            require(len(values) > 0, f"grid.{name}", "one value or several", values)
            once = all(value not in values[:i] for i, value in enumerate(values))
            require(once, f"grid.{name}", "values that differ", values)
        for policy in self.grid["policy"]:
            require(isinstance(policy, str), "grid.policy", "the names of policies", policy)
        require(len(self.instances) > 0, "instance", "given once or more", None)
        names = [instance.name for instance in self.instances]
        files = {figure_name(name).lower() for name in names}  # some file systems ignore case
        allowed = "different for each, as file names too"
        require(len(files) == len(names), "instance.name", allowed, names)
        object.__setattr__(self, "runs", whole("runs", self.runs, 2))
        object.__setattr__(self, "seed", whole("seed", self.seed, 0))

    def cells(self) -> list[Cell]:
        """Return every combination, in the order of the file."""
        names = [name for name in self.grid if name != "policy"]
        return [
            Cell(instance, policy, dict(zip(names, values, strict=True)))
            for instance in self.instances
            for policy in self.grid["policy"]
            for values in product(*(self.grid[name] for name in names))
        ]


def read_plan(path: Path) -> SweepPlan:
    """Return the plan in a TOML file; raise ValueError if anything is wrong with it.

    The path of a noise table is relative to the file's folder.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: is not TOML: {error}") from None
    try:
        return plan_of(content, path.parent)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None


def plan_of(content: Mapping[str, Any], folder: Path = Path()) -> SweepPlan:
    """Return the plan described by plain values.

    >>> plan = plan_of({"grid": {"policy": "ucb", "max_loss": [0.1, 0.2]},
    ...                 "instance": [{"name": "paper", "means": [0.5, 0.6]}]})
    >>> [str(cell) for cell in plan.cells()]
    ['instance paper, policy ucb, max_loss 0.1', 'instance paper, policy ucb, max_loss 0.2']
    """
    for name in content:
        choice("setting", name, ("runs", "seed", "grid", "instance"))
    given, rows = content.get("grid", {}), content.get("instance", [])
    require(isinstance(given, Mapping), "grid", "a table: [grid]", given)
    tables = isinstance(rows, list) and all(isinstance(row, Mapping) for row in rows)
    require(tables, "instance", "one table or more: [[instance]]", rows)
    grid = {
        name: values if isinstance(values, list) else [values] for name, values in given.items()
    }
    instances = tuple(_instance(row, folder) for row in rows)
    rest = {name: content[name] for name in ("runs", "seed") if name in content}
    return SweepPlan(instances, grid, **rest)


def _instance(values: Mapping[str, Any], folder: Path) -> Instance:
    known = [field.name for field in fields(Instance)]
    for name in values:
        choice("instance", name, known)
    title, means, table = values.get("name"), values.get("means", []), values.get("table")
    require(isinstance(title, str) and title != "", "instance.name", "a text", title)
    require(isinstance(means, list), "instance.means", "a list of numbers", means)
    require(table is None or isinstance(table, str), "instance.table", "the name of a file", table)
    beside = None if table is None else str(folder / table)
    return Instance(**{**values, "means": tuple(means), "table": beside})
