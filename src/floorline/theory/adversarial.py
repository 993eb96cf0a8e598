"""Theorem 3 and its corollary: regret under the realised floor, and of its base algorithms.

Rewards lie in [0, 1], the default arm pays exactly default_mean, and regret is
against the best fixed arm in hindsight. The proofs are in docs/errata.md (E10).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from floorline.core.checks import number, whole
from floorline.core.records import FOREVER
from floorline.proposers import prior_target

Envelope = Callable[[int], float]
"""A bound on the regret after t rounds, for all t at once. It must not decrease."""


def exp3_ix_regret(n_arms: int, rounds: int, delta: float) -> float:
    """Return the regret bound of any-time Exp3-IX after `rounds` rounds, at confidence 1 - delta.

    4 sqrt(t N log N) + (sqrt(t N / log N) + 1) log(2 / delta), with eta_t = 2 gamma_t =
    sqrt(log N / (N t)). Derived in docs/errata.md; a little below Neu's statement (2015).

    >>> round(exp3_ix_regret(5, 10_000, 0.05))
    1789

    Args:
        n_arms: N, the number of arms, including the default.
        rounds: t.
        delta: the chance that the regret is larger.
    """
    whole("n_arms", n_arms, 2)
    whole("rounds", rounds, 1)
    number("delta", delta, 0, 1, open_low=True)
    logs = math.log(n_arms)
    first = 4 * math.sqrt(rounds * n_arms * logs)
    return first + (math.sqrt(rounds * n_arms / logs) + 1) * math.log(2 / delta)


def exp3_ix_envelope(n_arms: int, delta: float, *, as_printed: bool = False) -> Envelope:
    """Return a bound on Exp3-IX's regret that holds at all times, except with probability delta.

    `exp3_ix_regret` with delta / (2 t^2) in place of delta (paper, after the definition of
    admissible algorithms).

    Differs: the paper prints 7 sqrt(K t log K) log(4 t^2 / delta), which is 0 for K = 1 and
    counts one arm too few: the base plays all K + 1 arms. `as_printed` returns that.
    """
    whole("n_arms", n_arms, 2)
    number("delta", delta, 0, 1, open_low=True)
    if not as_printed:
        return lambda t: exp3_ix_regret(n_arms, t, delta / (2 * t * t))
    size = (n_arms - 1) * math.log(n_arms - 1)
    return lambda t: 7 * math.sqrt(size * t) * math.log(4 * t * t / delta)


def last_safe_round(
    envelope: Envelope, max_loss: float, default_mean: float, limit: int = FOREVER
) -> int:
    """Return the last round in which safe playing may have to intervene (Theorem 3's t_0), exactly.

    The largest t up to `limit` with max_loss default_mean t <= envelope(t) + default_mean.

    >>> last_safe_round(lambda t: 10 * t**0.5, max_loss=0.5, default_mean=0.5)
    1603

    Args:
        envelope: a bound on the base algorithm's regret at all times.
        max_loss: the share of the default's reward that may be lost.
        default_mean: what the default arm pays.
        limit: the last round that counts.
    """
    slope = number("max_loss", max_loss, 0, 1) * number("default_mean", default_mean, 0, 1)
    t = whole("limit", limit, 1)
    while slope * t > envelope(t) + default_mean:
        # The envelope does not decrease, so no round between this quotient and t qualifies either.
        t = min(t - 1, math.floor((envelope(t) + default_mean) / slope))
    return t


def safe_playing_regret(
    envelope: Envelope, horizon: int, max_loss: float, default_mean: float
) -> float:
    """Return the regret bound of a base within `envelope` under the realised floor (Theorem 3).

    t_0 + envelope(horizon), where only rounds up to the horizon count for t_0.
    """
    whole("horizon", horizon, 1)
    return last_safe_round(envelope, max_loss, default_mean, horizon) + envelope(horizon)


def safe_exp3_ix_regret(
    n_arms: int,
    horizon: int,
    max_loss: float,
    default_mean: float,
    delta: float,
    *,
    as_printed: bool = False,
) -> float:
    """Return the regret bound of safe Exp3-IX at confidence 1 - delta (corollary of Theorem 3).

    Differs: `as_printed` returns the paper's closed form, with K for K + 1 and without the
    default_mean that its t_0 has; see docs/errata.md, E10.

    >>> round(safe_exp3_ix_regret(5, 10**7, max_loss=0.1, default_mean=0.5, delta=0.05))
    2210545
    """
    envelope = exp3_ix_envelope(n_arms, delta, as_printed=as_printed)
    if not as_printed:
        return safe_playing_regret(envelope, horizon, max_loss, default_mean)
    slope = number("max_loss", max_loss, 0, 1, open_low=True)
    slope *= number("default_mean", default_mean, 0, 1, open_low=True)
    bound = envelope(whole("horizon", horizon, 1))
    return bound + (bound / slope) ** 2 / horizon


class PriorRegret(NamedTuple):
    """Bounds on expected regret against the default arm, and against any challenger."""

    default: float
    challenger: float


def prior_exp3_regret(n_arms: int, horizon: int, default_target: float) -> PriorRegret:
    """Return bounds on the expected regret of prior-weighted Exp3, given a target for the default.

    With eta = B / (n N), prior exp(-B^2 / (2 n N)) on the default arm and the rest shared
    equally: B against the default, (n N / B) log((N - 1) / (1 - exp(-B^2 / (2 n N)))) + B / 2
    against a challenger, where B is the target, but no more than sqrt(2 n N log N): there the
    prior is uniform, and a larger target would turn it against the default, so the policy
    uses that instead. It replaces Exp3-gamma of Lattimore (2015); the derivation, in
    docs/errata.md, is ours.

    >>> [round(bound) for bound in prior_exp3_regret(5, 10_000, default_target=100)]
    [100, 1919]
    """
    target = prior_target(n_arms, horizon, default_target)
    size = horizon * n_arms
    challengers_prior = -math.expm1(-(target**2) / (2 * size))
    logs = math.log((n_arms - 1) / challengers_prior)
    return PriorRegret(target, size / target * logs + target / 2)
