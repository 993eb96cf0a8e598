"""The minimax lower bound: the regret of every algorithm that keeps the floor, somewhere."""

from __future__ import annotations

import math
from typing import NamedTuple

from floorline.core.checks import number, require, whole

CONSTANT = 16 * math.e + 8

HALVINGS = 60
"""Bisections of an interval below 1: a few more than a float has bits."""


def lower_bound(
    n_arms: int,
    horizon: int,
    max_loss: float,
    default_mean: float,
    noise_scale: float | None = 1.0,
    *,
    delta: float = 0.0,
) -> float:
    """Return an expected regret that every algorithm that keeps the floor has somewhere.

    max{K / ((16 e + 8) max_loss default_mean), sqrt(K n) / sqrt(16 e + 8)}, for Gaussian
    rewards of scale 1; the floor need hold only in expectation and in the last round
    (Theorem 4). Other scales follow by measuring rewards in units of the scale. The derivation
    for rewards of 0 or 1, and for a floor that may fail, is in docs/errata.md, E12.

    Args:
        n_arms: all arms, the default included.
        horizon: rounds.
        max_loss: the share of the default's reward that may be lost.
        default_mean: the default arm's mean, in [0, 1].
        noise_scale: standard deviation of Gaussian rewards; None for rewards of 0 or 1.
        delta: the chance with which the floor may fail. Since no mean is below 0, such a floor
            holds in expectation with 1 - (1 - max_loss) (1 - delta) in place of max_loss.

    Raises:
        ValueError: default_mean is too close to 0 or 1 for the proof's environments.

    >>> round(lower_bound(5, 10_000, max_loss=0.1, default_mean=0.5), 1)
    27.9
    """
    proof = _proof(n_arms, horizon, max_loss, default_mean, noise_scale, delta)
    challengers = n_arms - 1
    exploring = proof.noise_scale * math.sqrt(challengers * horizon / CONSTANT)
    saving = proof.noise_scale**2 * challengers / (CONSTANT * proof.max_loss * default_mean)
    return max(exploring, saving)


def lower_bound_means(
    n_arms: int,
    horizon: int,
    max_loss: float,
    default_mean: float,
    noise_scale: float | None = 1.0,
    *,
    delta: float = 0.0,
) -> list[list[float]]:
    """Return the means of the proof's K + 1 environments: no algorithm does well in all.

    In the first all challengers are a gap worse than the default; in the others one is better.

    The arguments are those of `lower_bound`.

    >>> [[round(mean, 2) for mean in means] for means in lower_bound_means(3, 1000, 0.1, 0.5)]
    [[0.5, 0.42, 0.42], [0.5, 0.58, 0.42], [0.5, 0.42, 0.58]]
    """
    gap = _proof(n_arms, horizon, max_loss, default_mean, noise_scale, delta).gap
    worse, better = default_mean - gap, default_mean + gap
    challengers = range(1, n_arms)
    return [
        [default_mean, *(better if i == best else worse for i in challengers)]
        for best in range(n_arms)
    ]


class _Proof(NamedTuple):
    """The quantities of the proof."""

    noise_scale: float
    max_loss: float
    """The loss that is allowed in expectation."""
    gap: float
    """How far a challenger's mean is from the default's."""


def _proof(
    n_arms: int,
    horizon: int,
    max_loss: float,
    default_mean: float,
    noise_scale: float | None,
    delta: float,
) -> _Proof:
    """Return the quantities of the proof; raise unless the theorem's conditions hold."""
    challengers = whole("n_arms", n_arms, 2) - 1
    whole("horizon", horizon, 1)
    number("max_loss", max_loss, 0, 1, open_low=True)
    number("default_mean", default_mean, 0, 1)
    loss = 1 - (1 - max_loss) * (1 - number("delta", delta, 0, 1))
    slope, root = loss * default_mean, math.sqrt(challengers / horizon)
    if noise_scale is None:
        allowed = "above 0 and below 1 for rewards of 0 or 1"
        require(0 < default_mean < 1, "default_mean", allowed, default_mean)
        scale = _coin_scale(default_mean, slope, root)
    else:
        scale = number("noise_scale", noise_scale, 0, math.inf, open_low=True)
    margin = max(1 / (2 * math.sqrt(loss)), math.sqrt(math.e + 0.5)) * scale * root
    require(margin <= 0.5, "horizon", "longer for the lower bound to hold", horizon)
    require(
        margin <= default_mean <= 1 - margin,
        "default_mean",
        f"from {margin:.3g} to {1 - margin:.3g} for the lower bound to hold",
        default_mean,
    )
    return _Proof(scale, loss, _gap(slope, scale * root))


def _gap(slope: float, unit: float) -> float:
    """Return the gap between the proof's arms; `unit` is the noise scale times sqrt(K / n)."""
    if slope >= unit / math.sqrt(CONSTANT):
        return math.sqrt(math.e + 0.5) * unit  # case 1 of the proof
    return unit**2 / (4 * slope)  # case 2, and the same where the cases meet


def _coin_scale(default_mean: float, slope: float, root: float) -> float:
    """Return the largest noise scale whose Gaussian proof covers rewards of 0 or 1, by bisection.

    The proof uses the noise only through the divergence from an arm of mean m - gap to one of
    mean q = m + gap. For rewards of 0 or 1 it is at most (2 gap)^2 / (q (1 - q)), for Gaussian
    ones (2 gap)^2 / (2 scale^2). So every scale with scale^2 <= q (1 - q) / 2 is valid, where q
    depends on the scale: none above sqrt(1/8) is, and small ones are.
    """
    low, high = 0.0, math.sqrt(1 / 8)
    for _ in range(HALVINGS):
        scale = (low + high) / 2
        better = default_mean + _gap(slope, scale * root)
        low, high = (scale, high) if scale**2 <= better * (1 - better) / 2 else (low, scale)
    return low
