"""BudgetFirst's floor: play the default arm long enough, then whatever is proposed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from floorline.boundaries import Boundary
from floorline.core.checks import choice, number
from floorline.core.kernel import Function, kernel
from floorline.core.records import FOREVER, TOLERANCE, Arms, Floats
from floorline.core.slots import default_rounds, fallback_probability, guaranteed_budget
from floorline.floors.base import Floor

FORMS = ("authors", "certified", "certain")


class WarmUpRules(NamedTuple):
    """How many default rounds come first."""

    warm_up: int


@kernel
def saved_rounds(rules: WarmUpRules, arms: Arms, memory: Floats, round: int, arm: int) -> float:
    """Return how many default plays were made beyond the warm-up; negative while it lasts.

    Counted in default rounds: the budget that they are worth is known in advance.
    """
    return float(arms.plays[0] - rules.warm_up)


@kernel
def refuse_while_warming(
    rules: WarmUpRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> float:
    """Return 1 during the warm-up, 0 after it."""
    return 0.0 if arms.plays[0] >= rules.warm_up else 1.0


@kernel
def rounds_to_warm(
    rules: WarmUpRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> int:
    """Return how many default plays are left until the warm-up is over, at least 1."""
    if candidate == 0:
        return FOREVER
    return max(1, rules.warm_up - arms.plays[0])  # type: ignore[no-any-return]


@dataclass(frozen=True)
class WarmUp(Floor):
    """Plays the default arm for a number of rounds computed in advance, then never refuses.

    Args:
        max_loss: the share of the default's reward that may be lost.
        default_mean: the default arm's mean; it must be known.
        form: `certified`, from a regret bound that is proved for the optimistic proposer
            (see `certified_warm_up`); `authors`, as their program has it (half that regret,
            not proved); or `certain`, after which the floor holds up to the horizon whatever
            is played.
    """

    max_loss: float
    default_mean: float
    form: str = "certified"

    def __post_init__(self) -> None:
        number("max_loss", self.max_loss, 0, 1)
        number("default_mean", self.default_mean, 0, math.inf)
        choice("warm_up", self.form, FORMS)

    @property
    def needs_boundary(self) -> bool:
        """The certain form needs no statistics."""
        return self.form != "certain"

    @property
    def needs_optimistic(self) -> bool:
        """Whether proposals must be optimistic: only the certain form is safe with any."""
        return self.form != "certain"

    can_fast_forward = True

    def rules(self, n_arms: int, horizon: int, boundary: Boundary | None) -> WarmUpRules:
        """Return the record for the kernels."""
        return WarmUpRules(self.rounds(n_arms, horizon, boundary))

    def rounds(self, n_arms: int, horizon: int, boundary: Boundary | None) -> int:
        """Return how many default rounds come first; at most the horizon."""
        if self.form == "certain" or boundary is None:
            low = 0.0 if boundary is None else boundary.low
            return certain_warm_up(horizon, self.max_loss, self.default_mean, low)
        formula = authors_warm_up if self.form == "authors" else certified_warm_up
        return formula(n_arms, horizon, self.max_loss, self.default_mean, boundary)

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {
            **super().kernels(),
            fallback_probability: refuse_while_warming,
            guaranteed_budget: saved_rounds,
            default_rounds: rounds_to_warm,
        }


def certain_warm_up(horizon: int, max_loss: float, default_mean: float, low: float = 0.0) -> int:
    """Return the default rounds after which the floor holds to the horizon whatever is played.

    Paper: introduction, the manager's simple approach.

    >>> certain_warm_up(10_000, max_loss=0.1, default_mean=0.5)
    9000
    """
    owed = (1 - max_loss) * default_mean - low
    if owed <= 0:
        return 0
    worst_gap = default_mean - low
    return max(0, math.ceil((owed - TOLERANCE * default_mean) / worst_gap * horizon))


def authors_warm_up(
    n_arms: int, horizon: int, max_loss: float, default_mean: float, boundary: Boundary
) -> int:
    """Return the default rounds that BudgetFirst plays in the authors' program.

    The first count c >= 1 with c default_mean - R >= (1 - max_loss) c default_mean, where
    R = sqrt(K horizon) times the radius times sqrt(horizon).
    """
    if max_loss == 1 or default_mean == 0:
        return min(1, horizon)  # the program's max(0, .) makes the test void
    if max_loss == 0:
        return horizon
    zeta = boundary.inverse_error(n_arms, default_known=True)
    growth = boundary.radius(horizon, zeta) * math.sqrt(horizon)
    regret = growth * math.sqrt((n_arms - 1) * horizon)
    return min(horizon, max(1, math.ceil(regret / (max_loss * default_mean))))


@lru_cache(maxsize=256)
def certified_warm_up(
    n_arms: int, horizon: int, max_loss: float, default_mean: float, boundary: Boundary
) -> int:
    """Return the fewest default rounds after which an optimistic proposer keeps the floor.

    While the intervals hold, an optimistic challenger played m times is at most
    2 radius(m - 1) worse than the default, since its upper end reached the default's
    mean at its last play. So s further rounds fall short of the default by at most
    K first plays at (default_mean - low) each, plus 2 radius(s) sqrt(s) sqrt(K s).

    >>> certified_warm_up(5, 10_000, max_loss=0.5, default_mean=0.5, boundary=Boundary(delta=1e-4))
    2106
    """
    slope = max_loss * default_mean
    worst_gap = default_mean - boundary.low
    if worst_gap <= slope:
        return 0
    if slope == 0:
        return horizon
    challengers = n_arms - 1
    zeta = boundary.inverse_error(n_arms, default_known=True)

    @cache
    def shortfall(rounds: int) -> float:
        if rounds == 0:
            return 0.0
        growth = boundary.radius(rounds, zeta) * math.sqrt(rounds)
        bound = challengers * worst_gap + 2 * growth * math.sqrt(challengers * rounds)
        return min(worst_gap * rounds, bound)

    low, high = 0, horizon
    while low < high:
        middle = (low + high) // 2
        needed = largest_excess(shortfall, slope, horizon - middle)
        if needed <= slope * (middle + TOLERANCE * horizon):
            high = middle
        else:
            low = middle + 1
    return low


def largest_excess(growing: Callable[[int], float], slope: float, limit: int) -> float:
    """Return the largest growing(s) - slope * s over whole s from 0 to `limit`.

    `growing` must not fall. Then on [a, b] nothing exceeds growing(b) - slope * a,
    so most stretches are ruled out without being searched.

    >>> largest_excess(lambda s: 10 * s**0.5, slope=1, limit=100)
    25.0
    """
    best = growing(0)
    stretches = [(0, limit)]
    while stretches:
        a, b = stretches.pop()
        if growing(b) - slope * a <= best:
            continue
        best = max(best, growing(b) - slope * b)
        if b - a > 1:
            middle = (a + b) // 2
            stretches += [(a, middle), (middle, b)]
    return best
