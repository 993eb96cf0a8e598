"""What to expect under one floor and one max_loss, from simulated campaigns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from floorline.core.checks import number, whole
from floorline.core.records import Floats
from floorline.planning.question import Question
from floorline.simulation import all_cores, simulate
from floorline.simulation.progress import progress_bar

RUNS = 128
"""Simulated campaigns of each case. With 128, a share of 5% has a standard error of 2%: each end of
a 90% range is somewhere between the best or worst 1% and 9% of the runs."""

MIN_RUNS = 100
"""With fewer, the ends of a 90% range would depend on too few runs."""

MAX_DAYS = 120
"""Maximum number of days reported; in longer plans they are evenly spaced."""


class Range(NamedTuple):
    """The median run, and the range of nine in ten runs. Infinite: did not happen."""

    low: float
    median: float
    high: float


class Band(NamedTuple):
    """The same for every day."""

    low: Floats
    median: Floats
    high: Floats


@dataclass(frozen=True)
class Forecast:
    """Runs of one case, day by day. Gains are shares of what the default would have earned."""

    days: Floats
    share: Band
    """Share of the decisions since the previous day that went to the first challenger."""
    gain: Band
    """Expected reward so far against the default's."""
    lowest_gain: Range
    """The smallest gain at the end of a day."""
    below_floor: int
    """Runs that were below the floor at any moment."""


@dataclass(frozen=True)
class Outlook:
    """What to expect under one floor and max_loss. Days count from 1."""

    floor: str
    max_loss: float
    runs: int
    first_exploration: int | None
    """The first decision that a challenger may get. None where it depends on rewards: under a floor
    that tosses coins, and where rewards may be negative."""
    takeover_day: Range
    """From this day on, the better challenger gets most of the decisions."""
    back_day: Range
    """From this day on, the reward so far is no less than the default's."""
    better: Forecast
    """One challenger is better, the others are worse."""
    none: Forecast
    """All challengers are worse."""
    holdback: float
    """The share of decisions that always go to the default."""
    traffic_limit: float
    """The largest share of decisions that the better challenger can ever get."""


def outlooks(
    questions: Sequence[Question],
    max_losses: Sequence[float],
    floors: Sequence[str | None] = (None,),
    *,
    runs: int = RUNS,
    seed: int = 1,
    device: str = "cpu",
) -> list[list[Outlook]]:
    """Return the outlook of each question for each floor and max_loss, computed on all cores.

    Args:
        questions: what is known or hoped for.
        max_losses: shares of the default's reward that may be lost.
        floors: names of floors; None stands for the one that live campaigns have by default.
        runs: simulated campaigns of each case, 100 or more.
        seed: any whole number from 0.
        device: `cpu` or `cuda`, as for `simulate`.
    """
    cases = [
        [(replace(question, floor=floor), loss) for question in questions]
        for floor in floors
        for loss in max_losses
    ]
    for loss in max_losses:
        number("max_loss", loss, 0, 1, open_low=True)
    with (
        ThreadPoolExecutor(all_cores() if device == "cpu" else 1) as pool,
        progress_bar("simulating", len(cases) * len(questions)) as tick,
    ):
        try:
            futures = [
                [pool.submit(outlook, *case, runs=runs, seed=seed, device=device) for case in row]
                for row in cases
            ]
            finished = as_completed([future for row in futures for future in row])
            for done, future in enumerate(finished, start=1):
                future.result()  # raises the first error now, not after all other cases
                tick(done)
            return [[future.result() for future in row] for row in futures]
        except BaseException:
            pool.shutdown(cancel_futures=True)  # an error or Ctrl-C: start nothing new
            raise


def outlook(
    question: Question,
    max_loss: float,
    *,
    runs: int = RUNS,
    seed: int = 1,
    device: str = "cpu",
) -> Outlook:
    """Return what to expect under `max_loss` if one challenger is better, and if none is.

    >>> question = Question(challengers=1, default_mean=0.5, improvement=0.4,
    ...                     decisions_per_day=300, days=10)
    >>> expected = outlook(question, max_loss=0.2)
    >>> expected.first_exploration, expected.takeover_day.median <= 6
    (5, True)

    Args:
        question: what is known or hoped for.
        max_loss: the share of the default's reward that may be lost.
        runs: simulated campaigns of each case, 100 or more.
        seed: any whole number from 0.
        device: `cpu` or `cuda`, as for `simulate`.
    """
    number("max_loss", max_loss, 0, 1, open_low=True)
    runs = whole("runs", runs, MIN_RUNS)
    better, none = (_simulated(question, max_loss, n, runs, seed, device) for n in (1, 0))
    return Outlook(
        floor=question.floor_name,
        max_loss=max_loss,
        runs=runs,
        first_exploration=(
            math.ceil(1 / max_loss - 1e-9) if question.explores_by_counting else None
        ),
        takeover_day=over_runs(from_then_on(better.days, better.share > 0.5)),
        back_day=over_runs(from_then_on(better.days, better.gain >= 0)),
        better=_forecast(better),
        none=_forecast(none),
        holdback=question.share_held_back,
        traffic_limit=question.traffic_limit(max_loss),
    )


class _Runs(NamedTuple):
    """Simulated campaigns: a row for each, a column for each day."""

    days: Floats
    share: Floats
    gain: Floats
    below_floor: int


def _simulated(
    question: Question, max_loss: float, better: int, runs: int, seed: int, device: str
) -> _Runs:
    """Return campaigns in which `better` of the challengers are better."""
    environment = question.environment(question.means(better))
    days = np.unique(np.linspace(1, question.days, min(question.days, MAX_DAYS)).astype(int))
    results = simulate(
        question.policy(max_loss),
        environment,
        horizon=question.horizon,
        runs=runs,
        seed=seed,
        checkpoints=[int(day) * question.decisions_per_day for day in days],
        threads=1,
        device=device,
        progress=False,
    )
    plays, means = results.plays.astype(float), np.array(environment.means)
    decisions = np.diff(results.checkpoints, prepend=0)
    return _Runs(
        days=days.astype(float),
        share=np.diff(plays[:, :, 1], axis=1, prepend=0.0) / decisions,
        gain=plays @ (means / means[0] - 1) / results.checkpoints,
        below_floor=int(np.count_nonzero(results.first_breach)),
    )


def _forecast(runs: _Runs) -> Forecast:
    return Forecast(
        days=runs.days,
        share=_band(runs.share),
        gain=_band(runs.gain),
        lowest_gain=over_runs(np.minimum(runs.gain.min(axis=1), 0.0)),
        below_floor=runs.below_floor,
    )


def _band(values: Floats) -> Band:
    return Band(*(_quantile(values, level) for level in (0.05, 0.5, 0.95)))


def over_runs(values: Floats) -> Range:
    """Return the median and the 90% range of one number per run."""
    return Range(*(float(_quantile(values, level)) for level in (0.05, 0.5, 0.95)))


def _quantile(values: Floats, level: float) -> Floats:
    """Return a quantile over runs that is one of the values, so that infinite ones are allowed."""
    quantile: Floats = np.quantile(values, level, axis=0, method="inverted_cdf")
    return quantile


def from_then_on(days: Floats, holds: NDArray[np.bool_]) -> Floats:
    """Return, for each run (a row), the first day from which on it always holds, or infinity.

    >>> days = np.array([1.0, 2.0, 5.0])
    >>> from_then_on(days, np.array([[True, False, True], [True, True, False]])).tolist()
    [5.0, inf]
    """
    lasting = np.logical_and.accumulate(holds[:, ::-1], axis=1).sum(axis=1)
    first: Floats = np.append(days, math.inf)[len(days) - lasting]
    return first
