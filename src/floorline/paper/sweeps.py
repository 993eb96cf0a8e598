"""The paper's experiments as data: which policies, at which losses and horizons."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

MEANS = (0.5, 0.6, 0.4, 0.4, 0.4)
"""Each arm's mean reward, the default arm's first. Rewards are Gaussian of scale 1."""

HORIZON = 10_000
MAX_LOSS = 0.1
RUNS = 4000


class CataloguePolicy(NamedTuple):
    """A policy of the figures, by its name in the catalogue and its options."""

    name: str
    learned: bool = False
    fallback: str = "default"


UCB = "ucb"
CONSERVATIVE = "conservative-ucb"
LEARNED = "conservative-ucb, default mean learned"
BUDGET_FIRST = "budget-first"
MOSS = "unbalanced-moss"
BEST_LOWER = "conservative-ucb, best lower bound as fallback"

POLICIES = {
    UCB: CataloguePolicy("ucb"),
    CONSERVATIVE: CataloguePolicy("conservative-ucb"),
    LEARNED: CataloguePolicy("conservative-ucb", learned=True),
    BUDGET_FIRST: CataloguePolicy("budget-first"),
    MOSS: CataloguePolicy("unbalanced-moss"),
    BEST_LOWER: CataloguePolicy("conservative-ucb", fallback="best-lower"),
}

FIVE = (UCB, CONSERVATIVE, LEARNED, BUDGET_FIRST, MOSS)
"""The policies of the paper's figures, in the order of its legend."""

BOUNDARIES = ("as-printed", "stitched", "authors", "union-proved", "union")


@dataclass(frozen=True)
class Sweep:
    """Policies, each at every loss and every horizon; delta is always 1 / horizon."""

    name: str
    policies: tuple[str, ...]
    max_losses: tuple[float, ...]
    horizons: tuple[int, ...]
    boundaries: tuple[str, ...] = ()
    """By default, the boundary of the settings."""


ALPHA = Sweep("alpha", FIVE, tuple(i / 100 for i in range(101)), (HORIZON,))
LONG = Sweep("horizon", FIVE, (MAX_LOSS,), tuple(range(2_000, 98_001, 2_000)))
PRICE = Sweep(
    "boundary", (CONSERVATIVE,), tuple(i / 20 for i in range(1, 21)), (HORIZON,), BOUNDARIES
)
FALLBACK = Sweep("fallback", (CONSERVATIVE, BEST_LOWER), (0.05, 0.1), (10_000, 30_000, 98_000))

PARTS: dict[str, tuple[Sweep, ...]] = {
    "alpha": (ALPHA, PRICE),
    "horizon": (LONG, FALLBACK),
    "budget": (),  # a picture of one run
}

QUICK_RUNS = 192
QUICK: dict[str, tuple[Sweep, ...]] = {
    "alpha": (
        replace(ALPHA, max_losses=tuple(i / 20 for i in range(21))),
        replace(PRICE, max_losses=(0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)),
    ),
    "horizon": (
        replace(LONG, horizons=(2_000, 6_000, 10_000, 18_000, 30_000, 50_000, 98_000)),
        replace(FALLBACK, horizons=(10_000, 30_000)),
    ),
    "budget": (),
}


@dataclass(frozen=True)
class PaperRun:
    """The settings that determine every result; a folder has the results of one of these."""

    runs: int = RUNS
    seed: int = 1
    boundary: str = "authors"
    quick: bool = False
    device: str = "cpu"


@dataclass(frozen=True)
class Point:
    """One simulation: a policy at a horizon, measured against one loss or several.

    Several only where the policy does not depend on the loss.
    """

    sweep: str
    policy: str
    boundary: str
    max_losses: tuple[float, ...]
    horizon: int

    @property
    def delta(self) -> float:
        """The chance with which the intervals may fail."""
        return 1 / self.horizon


def points(settings: PaperRun, part: str) -> list[Point]:
    """Return all points of a part of the experiments.

    >>> len(points(PaperRun(), "alpha")), len(points(PaperRun(), "horizon"))
    (505, 257)
    """
    parts = QUICK if settings.quick else PARTS
    return [
        Point(sweep.name, policy, boundary, losses, horizon)
        for sweep in parts[part]
        for boundary in sweep.boundaries or (settings.boundary,)
        for policy in sweep.policies
        for horizon in sweep.horizons
        for losses in _losses(policy, sweep.max_losses)
    ]


def _losses(policy: str, max_losses: tuple[float, ...]) -> list[tuple[float, ...]]:
    return [max_losses] if policy == UCB else [(loss,) for loss in max_losses]
