"""The minimax lower bound: what every algorithm that keeps the floor must lose somewhere."""

from __future__ import annotations

import math

from floorline.core.checks import number, require, whole

CONSTANT = 16 * math.e + 8


def lower_bound(
    n_arms: int, horizon: int, max_loss: float, default_mean: float, noise_scale: float = 1.0
) -> float:
    """Expected regret that an algorithm which keeps the floor has in some environment.

    max{K / ((16 e + 8) max_loss default_mean), sqrt(K n) / sqrt(16 e + 8)}, for Gaussian
    rewards of scale 1; the floor need hold only in expectation and in the last round
    (Theorem 4). Other scales follow by measuring rewards in units of the scale.

    Raises:
        ValueError: default_mean is too close to 0 or 1 for the proof's environments.

    >>> round(lower_bound(5, 10_000, max_loss=0.1, default_mean=0.5), 1)
    27.9
    """
    _gap(n_arms, horizon, max_loss, default_mean, noise_scale)
    challengers = n_arms - 1
    exploring = noise_scale * math.sqrt(challengers * horizon / CONSTANT)
    return max(exploring, noise_scale**2 * challengers / (CONSTANT * max_loss * default_mean))


def lower_bound_means(
    n_arms: int, horizon: int, max_loss: float, default_mean: float, noise_scale: float = 1.0
) -> list[list[float]]:
    """The K + 1 environments of the proof, the means of each: no algorithm does well in all.

    First all challengers are a gap worse than the default; then each in turn is as much better.

    >>> [[round(mean, 2) for mean in means] for means in lower_bound_means(3, 1000, 0.1, 0.5)]
    [[0.5, 0.42, 0.42], [0.5, 0.58, 0.42], [0.5, 0.42, 0.58]]
    """
    gap = _gap(n_arms, horizon, max_loss, default_mean, noise_scale)
    worse, better = default_mean - gap, default_mean + gap
    challengers = range(1, n_arms)
    return [
        [default_mean, *(better if i == best else worse for i in challengers)]
        for best in range(n_arms)
    ]


def _gap(
    n_arms: int, horizon: int, max_loss: float, default_mean: float, noise_scale: float
) -> float:
    """The gap between the proof's arms; raises unless the theorem's conditions hold."""
    challengers = whole("n_arms", n_arms, 2) - 1
    whole("horizon", horizon, 1)
    number("max_loss", max_loss, 0, 1, open_low=True)
    number("default_mean", default_mean, 0, 1)
    number("noise_scale", noise_scale, 0, math.inf, open_low=True)
    unit = noise_scale * math.sqrt(challengers / horizon)
    margin = max(1 / (2 * math.sqrt(max_loss)), math.sqrt(math.e + 0.5)) * unit
    require(margin <= default_mean <= 1 - margin, "default_mean",
            f"from {margin:.3g} to {1 - margin:.3g} for the lower bound to hold",
            default_mean)  # fmt: skip
    if max_loss * default_mean >= noise_scale * math.sqrt(challengers / (CONSTANT * horizon)):
        return math.sqrt(math.e + 0.5) * unit  # case 1 of the proof
    return unit**2 / (4 * max_loss * default_mean)  # case 2
