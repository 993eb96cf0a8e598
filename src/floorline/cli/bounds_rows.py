"""The rows of `floorline bounds`: each bound of the paper, next to a short simulation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from floorline import Environment, PolicySetup


class BoundRow(NamedTuple):
    """One result of the paper for this setting: a bound on regret."""

    name: str
    label: str
    bound: float | None
    as_printed: float | None = None
    simulated_mean: float | None = None
    simulated_max: float | None = None


def stochastic(
    setup: PolicySetup, environment: Environment, runs: int, seed: int
) -> list[BoundRow]:
    """Return bounds on the pseudo-regret of Conservative UCB and BudgetFirst, and simulations."""
    from floorline import make_policy, theory
    from floorline.simulation import summarize

    means = environment.means

    def simulated(name: str) -> tuple[float, float]:
        regret = summarize(
            make_policy(name, setup), environment, horizon=setup.horizon, runs=runs, seed=seed
        ).pseudo_regret
        return float(regret.mean[-1]), float(regret.max[-1])

    theorem = "Theorem 2" if setup.learned else "Theorem 1"
    problem, penalty = theory.problem_regret, theory.floor_penalty
    mean, worst = simulated("conservative-ucb")
    first_mean, first_worst = simulated("budget-first")
    first = theory.budget_first_regret
    printed = problem(setup, means, as_printed=True)
    printed_penalty = penalty(setup, means, as_printed=True)
    first_bound = first(setup, max(means) - means[0])
    everything = setup.horizon * (max(means) - min(means))
    return [
        BoundRow(
            "conservative_ucb",
            f"Conservative UCB ({theorem})",
            problem(setup, means),
            printed,
            mean,
            worst,
        ),
        BoundRow(
            "conservative_ucb_floor_penalty",
            "  of which the floor's price",
            penalty(setup, means),
            printed_penalty,
        ),
        BoundRow(
            "conservative_ucb_expected",
            "  in expectation",
            theory.expected_regret(setup, means),
            None,
            mean,
        ),
        BoundRow("conservative_ucb_worst", "  any means", theory.worst_regret(setup)),
        BoundRow("budget_first", "BudgetFirst", first_bound, None, first_mean, first_worst),
        BoundRow("budget_first_worst", "  any means", first(setup)),
        BoundRow("everything", "the largest gap in every round", everything),
        BoundRow("lower_bound", "at least, for some means (Theorem 4)", lower(setup)[0]),
    ]


def lower(setup: PolicySetup) -> tuple[float | None, str]:
    """Return the lower bound for a floor that may fail with probability delta, or None, and why.

    For rewards in [0, 1] it is the bound for rewards of 0 or 1, a special case.
    """
    from floorline.theory import lower_bound

    arguments = (setup.n_arms, setup.horizon, setup.max_loss, setup.default_mean)
    scale = None if setup.bounded else setup.noise_scale
    try:
        return lower_bound(*arguments, scale, delta=setup.delta), "its conditions hold"
    except ValueError as error:
        return None, str(error)


def adversarial(
    setup: PolicySetup, environment: Environment, runs: int, seed: int
) -> list[BoundRow]:
    """Return bounds for rewards in [0, 1] set by an adversary, and simulations of `Switching`."""
    from floorline import Switching, make_policy, theory
    from floorline.simulation import summarize

    n_arms, horizon, delta = setup.n_arms, setup.horizon, setup.delta
    arguments = (n_arms, horizon, setup.max_loss, setup.default_mean)
    adversary = Switching(environment.means, span=max(1, horizon // 10))

    def simulated(name: str) -> tuple[float, float]:
        regret = summarize(
            make_policy(name, setup),
            adversary,
            horizon=horizon,
            runs=runs,
            seed=seed,
            max_loss=setup.max_loss,
        ).regret
        return (math.nan, math.nan) if regret is None else (regret.mean[-1], regret.max[-1])

    plain = theory.exp3_ix_regret(n_arms, horizon, delta)
    safe = theory.safe_exp3_ix_regret(*arguments, delta)
    printed = theory.safe_exp3_ix_regret(*arguments, delta, as_printed=True)
    prior = theory.prior_exp3_regret(n_arms, horizon, setup.may_lose())
    return [
        BoundRow("exp3_ix", "Exp3-IX, no floor", plain, None, *simulated("exp3-ix")),
        BoundRow(
            "safe_exp3_ix", "safe Exp3-IX (Theorem 3)", safe, printed, *simulated("safe-exp3-ix")
        ),
        BoundRow("prior_exp3_default", "prior Exp3, against the default", prior.default),
        BoundRow("prior_exp3_challenger", "  against a challenger", prior.challenger),
    ]


def remarks_on(setup: PolicySetup) -> dict[str, Any]:
    """Return the other theoretical results, with the names used in the JSON output."""
    from floorline import theory
    from floorline.proposers import paper_targets

    arguments = (setup.n_arms, setup.horizon, setup.max_loss, setup.default_mean)
    boundary = setup.intervals()
    envelope = theory.exp3_ix_envelope(setup.n_arms, setup.delta)
    return {
        "warm_up": {
            "certified": theory.certified_warm_up(*arguments, boundary),
            "authors": theory.authors_warm_up(*arguments, boundary),
            "certain": theory.certain_warm_up(*arguments[1:]),
        },
        "last_safe_round": theory.last_safe_round(envelope, *arguments[2:]),
        "lower_bound_conditions": lower(setup)[1],
        "moss_targets_on_frontier": theory.on_frontier(paper_targets(*arguments), setup.horizon),
    }
