"""Simulate the points, and save each as soon as it is finished."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from floorline.core.records import TOLERANCE, Floats
from floorline.environments import Gaussian
from floorline.paper.sweeps import MEANS, POLICIES, PaperRun, Point
from floorline.policies import make_policy
from floorline.policy import Policy
from floorline.policy_setup import PolicySetup
from floorline.simulation import Case, Summary, batches, sweep
from floorline.simulation.progress import progress_bar
from floorline.sweeping.journal import PointJournal

if TYPE_CHECKING:
    from distributed import Client

EARLY = 10
"""Early means within the first tenth of the rounds."""

ROUND_BY_ROUND_RUNS = 128
"""Runs whose every round is in memory at a time: a multiple of the engine's block."""


class ResultRow(NamedTuple):
    """A line of results.csv."""

    sweep: str
    policy: str
    boundary: str
    max_loss: float
    horizon: int
    delta: float
    runs: int
    seed: int
    mean: float
    """Mean pseudo-regret at the horizon."""
    standard_error: float
    breach_rate: float
    """Share of runs below the floor at any time."""
    early_breach_rate: float
    """Share of runs below the floor within the first tenth of the rounds."""


def collect(
    points: Sequence[Point],
    settings: PaperRun,
    journal: PointJournal,
    cluster: Client | None = None,
) -> None:
    """Simulate the points that the journal does not have, and save each in it.

    The longest come first, so that a GPU or a cluster, which plays many at once, ends with short
    ones.
    """
    missing = [point for point in points if point not in journal]
    missing.sort(key=lambda point: -point.horizon)
    total = sum(point.horizon for point in missing)
    done = 0
    with progress_bar("simulating", total) as tick:
        start = time.perf_counter()
        for point, rows in zip(missing, produce(missing, settings, cluster), strict=True):
            now = time.perf_counter()
            journal.add(point, rows, now - start)
            start = now
            done += point.horizon
            tick(done)


def produce(
    points: Sequence[Point], settings: PaperRun, cluster: Client | None = None
) -> Iterator[list[ResultRow]]:
    """Yield the results of each point, a row for each of its losses.

    Every point has the seed of the settings: `floorline simulate` with that seed prints
    the same numbers.
    """
    combined = [point for point in points if _is_combined(point, settings)]
    cases = (
        Case(
            policy,
            Gaussian(MEANS),
            point.horizon,
            loss,
            _checkpoints(point.horizon),
            quantiles=False,
        )
        for point in points
        if point not in combined
        for policy in [_policy(point)]
        for loss in point.max_losses
    )
    summaries = sweep(
        cases, runs=settings.runs, seed=settings.seed, device=settings.device, cluster=cluster
    )
    elsewhere = {}
    if cluster is not None:  # each as one task: its results, round by round, are too long to send
        for point in combined:
            task = (_for_every_loss, point, _policy(point), settings)
            elsewhere[point] = cluster.submit(*task, pure=False)
    for point in points:
        if point in elsewhere:
            yield elsewhere[point].result()
        elif point in combined:
            yield _for_every_loss(point, _policy(point), settings)
        else:
            yield [
                _summary_row(point, settings, loss, next(summaries)) for loss in point.max_losses
            ]


def _is_combined(point: Point, settings: PaperRun) -> bool:
    """Return whether one simulation serves all losses; a GPU is faster with one for each."""
    return len(point.max_losses) > 1 and settings.device != "cuda"


def _summary_row(point: Point, settings: PaperRun, max_loss: float, summary: Summary) -> ResultRow:
    regret = summary.pseudo_regret
    return _row(
        point,
        settings,
        max_loss,
        regret.mean[-1],
        regret.standard_error[-1],
        summary.breach_rate[-1],
        summary.breach_rate[0],
    )


def _policy(point: Point) -> Policy:
    chosen = POLICIES[point.policy]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # issued once, where the settings are checked
        setup = PolicySetup(
            n_arms=len(MEANS),
            horizon=point.horizon,
            default_mean=MEANS[0],
            learned=chosen.learned,
            max_loss=point.max_losses[0],
            delta=point.delta,
            boundary=point.boundary,
            fallback=chosen.fallback,
        )
        return make_policy(chosen.name, setup)


def _checkpoints(horizon: int) -> list[int]:
    return sorted({max(1, horizon // EARLY), horizon})


def _row(
    point: Point,
    settings: PaperRun,
    max_loss: float,
    mean: float,
    error: float,
    breaches: float,
    early: float,
) -> ResultRow:
    return ResultRow(
        point.sweep,
        point.policy,
        point.boundary,
        max_loss,
        point.horizon,
        point.delta,
        settings.runs,
        settings.seed,
        float(mean),
        float(error),
        float(breaches),
        float(early),
    )


def _for_every_loss(point: Point, policy: Policy, settings: PaperRun) -> list[ResultRow]:
    """Return the rows of a policy that does not depend on the loss, from one simulation.

    A run is below the floor for a loss if its expected reward is ever less than that
    share of the default's; so its lowest share decides for all losses at once.
    """
    regrets, shares = _round_by_round(point.horizon, policy, settings)
    error = regrets.std(ddof=1) / np.sqrt(settings.runs)
    return [
        _row(
            point,
            settings,
            loss,
            regrets.mean(),
            error,
            *np.mean(shares < 1 - loss - TOLERANCE, axis=0),
        )
        for loss in point.max_losses
    ]


def _round_by_round(horizon: int, policy: Policy, settings: PaperRun) -> tuple[Floats, Floats]:
    """Return each run's regret, and its lowest share of the default's reward: ever, and early."""
    means = np.array(MEANS)
    rounds = np.arange(1, horizon + 1)
    case = Case(policy, Gaussian(MEANS), horizon, max_loss=0.0, checkpoints=range(1, horizon + 1))
    size = min(ROUND_BY_ROUND_RUNS, settings.runs)
    regrets: list[Floats] = []
    shares: list[Floats] = []
    for results in batches(case, runs=settings.runs, size=size, seed=settings.seed):
        share = (means.max() - results.pseudo_regret / rounds) / means[0]
        early = share[:, : _checkpoints(horizon)[0]]
        regrets.append(results.pseudo_regret[:, -1])
        shares.append(np.stack([share.min(axis=1), early.min(axis=1)], axis=1))
    return np.concatenate(regrets), np.concatenate(shares)
