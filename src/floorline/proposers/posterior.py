"""Draws from the arms' posteriors that depend only on their records and the round.

They come from a small generator that is seeded again in each round. So the chances of a proposer
that draws this way can be stated exactly, and anybody can recompute them from the records.
"""

from __future__ import annotations

import math

from floorline.core.kernel import kernel
from floorline.core.records import Arms

MODULUS = 2_147_483_647
MULTIPLIER = 48_271
"""The generator of Park, Miller and Stockmeyer (1993)."""
SMALLEST_ROOT = 1e-4


@kernel
def seed_of(arms: Arms, round: int) -> int:
    """Return the generator's seed for the round, which depends on all counts."""
    number = 1 + round % (MODULUS - 1)
    for i in range(len(arms.plays)):
        number = (number * MULTIPLIER + int(arms.plays[i])) % MODULUS
        number = (number * MULTIPLIER + int(arms.seen[i])) % MODULUS
    return max(1, number * MULTIPLIER % MODULUS)


@kernel
def pair_after(number: int) -> tuple[int, float, float]:
    """Return the generator's next state, and two standard normal draws (Box and Muller)."""
    first = number * MULTIPLIER % MODULUS
    second = first * MULTIPLIER % MODULUS
    radius = math.sqrt(-2.0 * math.log(first / MODULUS))
    angle = 2.0 * math.pi * second / MODULUS
    return second, radius * math.cos(angle), radius * math.sin(angle)


@kernel
def cube_root_of_gamma(shape: float) -> tuple[float, float]:
    """Return mean and deviation of the cube root of a gamma variable (Wilson and Hilferty).

    It is nearly normal, so that its cube is nearly a gamma draw.
    """
    root = shape ** (1.0 / 3.0)
    return root * (1.0 - 1.0 / (9.0 * shape)), root / (3.0 * math.sqrt(shape))


@kernel
def posterior_of(
    noise_scale: float, low: float, high: float, arms: Arms, arm: int
) -> tuple[float, float, float, float]:
    """Return what `posterior_draw` draws an arm's mean from: Beta if the noise scale is 0.

    Beta(1 + successes, 1 + failures) for rewards from `low` to `high`, each a fraction of a
    success: the means and deviations of two cube roots. Else N(average, noise_scale^2 / T),
    followed by zeros; for an arm without rewards, the default's average with the spread of one
    reward.
    """
    seen = int(arms.seen[arm])  # plain Python numbers are faster than NumPy's
    if noise_scale > 0.0:
        centre = float(arms.average[arm] if seen > 0 else arms.average[0])
        return centre, noise_scale / math.sqrt(max(seen, 1)), 0.0, 0.0
    successes = (float(arms.total[arm]) - seen * low) / (high - low)
    successes = min(max(successes, 0.0), float(seen))  # rounding may exceed these limits
    up, up_spread = cube_root_of_gamma(1.0 + successes)
    down, down_spread = cube_root_of_gamma(1.0 + seen - successes)
    return up, up_spread, down, down_spread


@kernel
def posterior_draw(
    up: float, up_spread: float, down: float, down_spread: float, x: float, y: float
) -> float:
    """Return a mean drawn from a posterior (`posterior_of`) by two standard normal draws."""
    root = up + up_spread * x
    if down_spread == 0.0:
        return root
    other = max(down + down_spread * y, SMALLEST_ROOT)
    root = max(root, SMALLEST_ROOT)
    successes = root * root * root
    return successes / (successes + other * other * other)
