"""The interface of confidence boundaries: kernels for the intervals, and what is proved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floorline.core.kernel import Function, kernel
from floorline.core.part import Part
from floorline.core.records import Floats
from floorline.core.slots import note

if TYPE_CHECKING:
    from floorline.boundaries.boundary import Boundary


@kernel
def note_nothing(rules: Any, memory: Floats, arm: int, reward: float) -> None:
    """Do nothing: this boundary needs only the number of rewards and their sum."""


class BoundaryKind(Part):
    """One way to compute confidence intervals; `Boundary` adds delta and the range of rewards.

    A boundary of your own overrides `rules` and `kernels`, and is registered in
    `boundaries/registry.py`. See docs/how-to/own-boundary.md.
    """

    name: str
    summary: str
    """One line about the intervals, for help texts."""
    proved_for: str
    """What must be true of the rewards for the intervals to hold."""
    live: bool = False
    """Whether live campaigns may use it: proved for every reward range they allow."""
    has_radius: bool = False
    """Whether intervals are the average plus and minus a radius that depends on the count."""
    needs_range: bool = False
    """Whether every reward must lie in [low, high]."""

    def check(self, boundary: Boundary) -> None:
        """Raise ValueError, or warn, if the intervals cannot hold with these settings."""

    def inverse_error(self, n_arms: int, default_known: bool, delta: float) -> float:
        """Return the paper's zeta: how many means are estimated, over delta."""
        return (n_arms - 1 if default_known else n_arms) / delta

    def radius(self, scale: float, inverse_error: float, seen: int) -> float:
        """Return the half-width of an interval after `seen` >= 1 rewards of a noise scale."""
        raise ValueError(
            f"boundary: {self.name} has no radius, which a warm-up or a bound on regret needs"
        )

    def rules(self, boundary: Boundary, inverse_error: float, horizon: int) -> Any:
        """Return the record for the kernels; no arm has more than `horizon` rewards."""
        raise NotImplementedError

    def kernels(self) -> dict[Function, Function]:
        """Return the kernels of a boundary without memory; subclasses add their own."""
        return {note: note_nothing}

    def kernels_up_to(self, horizon: int) -> dict[Function, Function]:
        """Return the kernels for use where no arm has more than `horizon` rewards."""
        return self.kernels()
