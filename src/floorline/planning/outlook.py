"""What to expect under one max_loss: from the theorems, and from simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from floorline.boundaries import BOUNDARIES
from floorline.core.checks import number
from floorline.core.records import Floats
from floorline.planning.question import Question
from floorline.policies import make_policy
from floorline.policy_setup import PolicySetup
from floorline.simulation import all_cores, simulate
from floorline.theory import plays_bounds, problem_regret

MANY = 40_000_000
"""Rounds simulated for one outlook in each of its two cases, a second or so; beta-binomial, whose
intervals take longer, gets a twentieth."""
LONGEST = 2**50
"""Rounds after which a bound is no use to anybody."""


@dataclass(frozen=True)
class Case:
    """Runs of one case, day by day. Gains are shares of what the default would have earned."""

    days: Floats
    share: Floats
    """Part of the decisions since the day before that went to the first challenger."""
    gain: Floats
    """Expected reward so far against the default's: mean over the runs."""
    low: Floats
    """The same, in the worst run."""


@dataclass(frozen=True)
class Outlook:
    """What to expect under one max_loss. Days count from 1; None: not within the days looked at."""

    max_loss: float
    first_exploration: int
    """The first decision that a challenger may get."""
    takeover_day: int | None
    """Simulated: from this day on, the better challenger gets most of the decisions."""
    takeover_day_bound: float | None
    """Theory: by then it has had most of all decisions so far. None: there is no such theorem."""
    back_day: int | None
    """Simulated: from this day on, the reward so far is on average no less than the default's."""
    better: Case
    """One challenger is better, the others are worse."""
    none: Case
    """All challengers are worse."""
    none_cost_bound: float
    """Theory: the most that is lost if all are worse, as a share of the default's reward."""
    traffic_limit: float
    """The largest share of decisions that the better challenger can ever get."""
    runs: int


def outlooks(
    questions: Sequence[Question], max_losses: Sequence[float], *, seed: int = 1
) -> list[list[Outlook]]:
    """For each max_loss, the outlook of each question; worked out on all cores."""
    for loss in max_losses:
        number("max_loss", loss, 0, 1, open_low=True)
    with ThreadPoolExecutor(all_cores()) as pool:
        waiting = [
            [pool.submit(outlook, question, loss, seed=seed) for question in questions]
            for loss in max_losses
        ]
        try:
            return [[one.result() for one in same] for same in waiting]
        except BaseException:
            pool.shutdown(cancel_futures=True)  # Ctrl-C: nothing new is begun
            raise


def outlook(question: Question, max_loss: float, *, seed: int = 1) -> Outlook:
    """What to expect under `max_loss` if one challenger is better, and if none is.

    >>> question = Question(challengers=2, default_mean=0.5, improvement=0.4,
    ...                     decisions_per_day=2000, days=30)
    >>> found = outlook(question, max_loss=0.2)
    >>> found.first_exploration, found.takeover_day < found.takeover_day_bound
    (5, True)
    """
    number("max_loss", max_loss, 0, 1, open_low=True)
    by_theory = BOUNDARIES[question.boundary].has_radius  # the theorems are about radii
    rounds = MANY if by_theory else MANY // 20
    runs = max(4, min(400, rounds // question.horizon))
    better = _simulated(question, max_loss, 1, runs, seed)
    none = _simulated(question, max_loss, 0, runs, seed)
    return Outlook(
        max_loss=max_loss,
        first_exploration=math.ceil(1 / max_loss - 1e-9),
        takeover_day=_from_then_on(better.days, better.share > 0.5),
        takeover_day_bound=(
            majority_round(question, max_loss) / question.decisions_per_day if by_theory else None
        ),
        back_day=_from_then_on(better.days, better.gain >= 0),
        better=better,
        none=none,
        none_cost_bound=cost_bound(question, max_loss) if by_theory else max_loss,
        traffic_limit=question.traffic_limit(max_loss),
        runs=runs,
    )


def cost_bound(question: Question, max_loss: float) -> float:
    """The most that is lost if all are worse, by Theorems 1 and 2 or by the floor."""
    setting, means = _in_units(question, max_loss, question.means(0))
    lost = problem_regret(setting, means) / (setting.default_mean * question.horizon)
    return min(max_loss, lost)


def majority_round(question: Question, max_loss: float) -> float:
    """Rounds after which the better challenger has had most of all plays, by Theorems 1 and 2.

    The first t at which the bounds on all other arms' plays add up to at most t / 2.
    """
    setting, means = _in_units(question, max_loss, question.means(1))

    def enough(rounds: int) -> bool:
        plays = plays_bounds(replace(setting, horizon=rounds), means)
        return sum(plays[:1] + plays[2:]) <= rounds / 2

    high = 1
    while not enough(high):
        high *= 2
        if high > LONGEST:
            return math.inf
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _in_units(
    question: Question, max_loss: float, means: Sequence[float]
) -> tuple[PolicySetup, list[float]]:
    """Setting and means in units of reward in which no mean exceeds 1, as the theorems need."""
    unit = max(1.0, *means)
    setting = question.setting(max_loss)
    scaled = replace(setting, default_mean=means[0] / unit, noise_scale=setting.noise_scale / unit)
    return scaled, [mean / unit for mean in means]


def _simulated(question: Question, max_loss: float, better: int, runs: int, seed: int) -> Case:
    """Runs of Conservative UCB in one case."""
    means = question.means(better)
    days = np.unique(np.linspace(1, question.days, min(question.days, 120)).astype(int))
    found = simulate(
        make_policy("conservative-ucb", question.setting(max_loss)), question.environment(means),
        horizon=question.horizon, runs=runs, seed=seed, threads=1, progress=False,
        checkpoints=[int(day) * question.decisions_per_day for day in days],
    )  # fmt: skip
    plays = found.plays.astype(float)
    first = np.diff(plays[:, :, 1].mean(axis=0), prepend=0.0)
    gains = plays @ (np.array(means) / means[0] - 1) / found.checkpoints
    return Case(
        days=days.astype(float),
        share=first / np.diff(found.checkpoints, prepend=0),
        gain=gains.mean(axis=0),
        low=gains.min(axis=0),
    )


def _from_then_on(
    days: Floats, holds: np.ndarray[tuple[int, ...], np.dtype[np.bool]]
) -> int | None:
    """The first of the days from which on it always holds."""
    since = len(holds)
    while since > 0 and holds[since - 1]:
        since -= 1
    return int(days[since]) if since < len(days) else None
