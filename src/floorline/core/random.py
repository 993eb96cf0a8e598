"""Random draws as kernels, so that each engine can bring its own generator."""

from __future__ import annotations

from typing import Any

from floorline.core.kernel import kernel


@kernel
def normal(rng: Any) -> float:
    """Return a standard normal draw."""
    return rng.standard_normal()  # type: ignore[no-any-return]


@kernel
def uniform(rng: Any) -> float:
    """Return a uniform draw from [0, 1)."""
    return rng.random()  # type: ignore[no-any-return]
