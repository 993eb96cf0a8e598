"""Rewards received, beside what the default would have received in the very same rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floorline.live.estimates import Gain

if TYPE_CHECKING:
    from floorline.live.state import State


@dataclass(frozen=True)
class SameRounds:
    """Rewards received in this epoch, until it was finished; a pending one counts as the lowest.

    A challenger's rounds are those in which it was played. What the default would have received in
    them is known only from the coins that it won: an upper bound, at the campaign's confidence and
    at all times simultaneously, and an unbiased estimate, which is kept below the bound.
    """

    received: float
    challengers: float
    """Received in challengers' rounds."""
    missed: float
    """Estimate of what the default would have received in the challengers' rounds."""
    missed_upper: float
    """Upper bound on that."""
    default: float
    """Estimate of what the default would have received in all rounds."""
    default_lower: float
    """Lower bound on that: what it has received, and the lowest reward in all other rounds."""
    default_upper: float
    default_probability: float | None
    """Probability of the default if a challenger is proposed now; None once finished or stopped."""

    @property
    def gain(self) -> Gain:
        """What was received beyond what the default would have received."""
        received = self.received
        return Gain(
            received - self.default, received - self.default_upper, received - self.default_lower
        )


def same_rounds_of(state: State) -> SameRounds | None:
    """Return the comparison; None under a floor that does not make it. Call `refresh` first."""
    sums = state.received()
    if sums is None:
        return None
    low = state.settings.low
    missed_lower = low * (state.rounds - state.default_rounds)
    by_default = low * state.default_rounds + sums.default
    by_challengers = missed_lower + sums.challengers
    missed_upper = missed_lower + sums.missed_upper
    missed = min(missed_lower + state.missed, missed_upper)
    return SameRounds(
        received=by_default + by_challengers,
        challengers=by_challengers,
        missed=missed,
        missed_upper=missed_upper,
        default=by_default + missed,
        default_lower=by_default + missed_lower,
        default_upper=by_default + missed_upper,
        default_probability=_default_probability(state),
    )


def _default_probability(state: State) -> float | None:
    if state.serves is not None:
        return None
    return 1.0 if state.paused else state.refusal_probability(1)
