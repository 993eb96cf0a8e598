"""What every floor offers."""

from __future__ import annotations

from typing import Any

from floorline.core.boundaries import Boundary
from floorline.core.kernel import Function, kernel
from floorline.core.records import Arms


@kernel
def play_default(rules: Any, arms: Arms) -> int:
    """The default arm."""
    return 0


@kernel
def charge_nothing(rules: Any, arms: Arms, arm: int) -> None:
    """For floors that keep no account of plays."""


@kernel
def credit_nothing(rules: Any, arms: Arms, arm: int, reward: float, lower_before: float) -> None:
    """For floors that keep no account of rewards."""


@kernel
def one_round(rules: Any, arms: Arms, round: int, candidate: int) -> int:
    """1: for floors that look again every round."""
    return 1


class Floor:
    """Holds the budget: says what stays guaranteed if an arm is played now."""

    max_loss: float | None = None
    """The share of the default's reward that may be lost; None without a floor."""
    default_mean: float | None = None
    """The default arm's mean where the floor knows it."""

    @property
    def needs_boundary(self) -> bool:
        """Whether the floor is made of confidence intervals."""
        return False

    @property
    def any_proposer(self) -> bool:
        """Whether the floor holds under every proposer, or under the optimistic one alone."""
        return True

    @property
    def own_rounds(self) -> bool:
        """Whether the proposer knows only of the rounds that the floor leaves to it."""
        return False

    @property
    def unit_rewards(self) -> bool:
        """Whether the floor holds only for rewards within 0 and 1."""
        return False

    def settle(self, boundary: Boundary | None, horizon: int) -> tuple[Floor, Boundary | None]:
        """This floor and the boundary, with what depends on the horizon filled in."""
        return self, boundary

    def rules(self, n_arms: int, horizon: int, boundary: Boundary | None) -> Any:
        """The record for this floor's kernels."""
        raise NotImplementedError

    def kernels(self) -> dict[Function, Function]:
        """How this floor fills the slots."""
        raise NotImplementedError
