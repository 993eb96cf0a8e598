"""What an equal split of the traffic would have given to each arm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from floorline.live.order import Order, reorder

if TYPE_CHECKING:
    from floorline.live.state import State


class DecisionCounts(NamedTuple):
    """Decisions of an epoch so far."""

    all: int
    for_default: int
    """While everybody got the default: the campaign was paused, or had a drift alarm."""
    for_winner: int
    """After it was finished."""


class EqualSplit:
    """Decisions of an equal split by arm, each arm only while it could be served.

    That is from when it is added until it is retired. While everybody gets one arm, because the
    campaign is paused, in drift or finished, so does the split.
    """

    def __init__(self, n_arms: int) -> None:
        self._shares = [0.0] * n_arms
        self._counted = DecisionCounts(0, 0, 0)

    def count(self, state: State) -> None:
        """Count the decisions so far, before the arms that can be served change."""
        self._shares, self._counted = self.shares(state), _counts(state)

    def shares(self, state: State) -> list[float]:
        """Return the decisions of each arm, including voided ones."""
        now, before = _counts(state), self._counted
        for_default = now.for_default - before.for_default
        for_winner = now.for_winner - before.for_winner
        split = now.all - before.all - for_default - for_winner
        shares = list(self._shares)
        for arm in state.active:
            shares[arm] += split / len(state.active)
        shares[0] += for_default
        if state.serves is not None:
            shares[state.index[state.serves]] += for_winner
        return shares

    def rearrange(self, order: Order) -> None:
        """Put the arms into another order."""
        reorder(self._shares, order, 0.0)

    def to_json(self) -> list[Any]:
        """Return everything as plain values."""
        return [list(self._shares), list(self._counted)]

    def restore(self, values: list[Any]) -> None:
        """Restore what `to_json` returned."""
        shares, counted = values
        self._shares, self._counted = list(shares), DecisionCounts(*counted)


def _counts(state: State) -> DecisionCounts:
    reasons = state.reasons
    for_default = reasons.get("paused", 0) + reasons.get("drift", 0)
    return DecisionCounts(state.decisions, for_default, reasons.get("finished", 0))
