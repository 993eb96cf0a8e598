"""The catalogue: every policy that has a name."""

from __future__ import annotations

from collections.abc import Callable

from floorline.core.checks import choice
from floorline.floors import RealisedFloor
from floorline.plugins import Plugin, plugin_entries
from floorline.policy import Policy
from floorline.policy_setup import FLOORS, Entry, PolicySetup
from floorline.proposers import (
    Proposer,
    ab_test,
    anytime_moss,
    classical_ucb,
    empirical_ucb,
    exp3_ix,
    kl_ucb,
    lil_ucb,
    optimistic,
    prior_exp3,
    unbalanced_moss,
    unbalanced_ucb,
)

ANY_FLOOR = tuple(FLOORS)
_NONE = "none"
_FLOOR = "the floor at all times, except with probability delta"
_RECEIVED = (
    "rewards received, against the default's own in the same rounds, except with probability delta"
)


def _conservative(summary: str, proposer: Callable[[PolicySetup], Proposer]) -> Entry:
    """Return the entry for a proposer under whichever floor is asked for."""
    return Entry(summary, _FLOOR, lambda s: s.floored(proposer(s)), live=True, floors=ANY_FLOOR)


CATALOGUE: dict[str, Entry] = {
    "ucb": Entry(
        "UCB with index average + sqrt(2 log t / T)",
        _NONE,
        lambda s: Policy(classical_ucb(s.noise_scale)),
    ),
    "conservative-ucb": _conservative(
        "optimistic arm if the guaranteed budget allows it (Algorithm 1)",
        lambda s: optimistic(),
    ),
    "budget-first": Entry(
        "default arm until the budget is large enough, then UCB",
        f"{_FLOOR} (warm-up certified); for certain (certain); not proved (authors)",
        lambda s: Policy(optimistic(), s.warming(), s.intervals()),
    ),
    "unbalanced-moss": Entry(
        "MOSS with a small regret target for the default arm",
        "regret of the order of its targets at the horizon; no floor",
        lambda s: Policy(unbalanced_moss(s.targets(), s.horizon, s.noise_scale)),
    ),
    "unbalanced-ucb": Entry(
        "UCB that trusts the default arm more, with any-time regret targets (our derivation)",
        "logarithmic regret; no floor",
        lambda s: Policy(unbalanced_ucb(s.target_rates(), s.noise_scale)),
    ),
    "thompson": Entry(
        "Thompson sampling, Gaussian or, for rewards in [0, 1], Beta",
        _NONE,
        lambda s: Policy(s.thompson()),
    ),
    "conservative-thompson": _conservative(
        "Thompson sampling where the guaranteed budget allows it",
        PolicySetup.thompson,
    ),
    "thompson-votes": Entry(
        "Thompson sampling by votes: its chances are known exactly",
        _NONE,
        lambda s: Policy(s.votes()),
    ),
    "conservative-thompson-votes": _conservative(
        "Thompson sampling by votes where the guaranteed budget allows it",
        PolicySetup.votes,
    ),
    "bayes-ucb": Entry(
        "Bayes-UCB: the posterior quantile 1 - 1/t, Gaussian or, for rewards in [0, 1], Beta",
        _NONE,
        lambda s: Policy(s.bayes_ucb()),
    ),
    "conservative-bayes-ucb": _conservative(
        "Bayes-UCB where the guaranteed budget allows it",
        PolicySetup.bayes_ucb,
    ),
    "anytime-moss": Entry(
        "MOSS without a horizon: no bonus for arms played more than their share",
        "regret of order sqrt(N t) for N arms, whatever the means; no floor",
        lambda s: Policy(anytime_moss(s.noise_scale)),
    ),
    "conservative-anytime-moss": _conservative(
        "MOSS without a horizon where the guaranteed budget allows it",
        lambda s: anytime_moss(s.noise_scale),
    ),
    "empirical-ucb": Entry(
        "UCB with each arm's empirical variance, for rewards well inside their range",
        _NONE,
        lambda s: Policy(empirical_ucb()),
    ),
    "conservative-empirical-ucb": _conservative(
        "UCB with empirical variances where the guaranteed budget allows it",
        lambda s: empirical_ucb(),
    ),
    "information-directed": Entry(
        "information-directed sampling: the least regret for what is learned of the best arm",
        _NONE,
        lambda s: Policy(s.information_directed()),
    ),
    "conservative-information-directed": _conservative(
        "information-directed sampling where the guaranteed budget allows it",
        PolicySetup.information_directed,
    ),
    "kl-ucb": Entry(
        "KL-UCB: the largest mean that rewards in [0, 1] do not rule out",
        _NONE,
        lambda s: Policy(kl_ucb()),
    ),
    "conservative-kl-ucb": _conservative(
        "KL-UCB where the guaranteed budget allows it, for rewards in [0, 1]",
        lambda s: kl_ucb(),
    ),
    "exp3-ix": Entry(
        "Exp3-IX, exponential weights against an adversary, any-time",
        "regret of order sqrt(t) against any adversary, except with small probability; no floor",
        lambda s: Policy(exp3_ix(s.n_arms)),
    ),
    "safe-exp3-ix": Entry(
        "Exp3-IX while even a reward of 0 could not break the floor, else the default arm",
        "the floor under rewards received, in every run, if the default pays exactly its mean",
        lambda s: Policy(exp3_ix(s.n_arms), RealisedFloor(s.max_loss, s.default_mean)),
    ),
    "randomised-ucb": Entry(
        "optimistic arm where a coin of the floor allows it",
        _RECEIVED,
        lambda s: s.randomised(optimistic()),
    ),
    "randomised-thompson": Entry(
        "Thompson sampling where a coin of the floor allows it",
        _RECEIVED,
        lambda s: s.randomised(s.thompson()),
    ),
    "randomised-exp3-ix": Entry(
        "Exp3-IX where a coin of the floor allows it",
        _RECEIVED,
        lambda s: s.randomised(exp3_ix(s.n_arms)),
    ),
    "prior-exp3": Entry(
        "Exp3 with a prior on the default arm, a stand-in for Exp3-gamma",
        "expected loss against the default within max_loss at the horizon; no floor before",
        lambda s: Policy(prior_exp3(s.n_arms, s.horizon, s.may_lose())),
    ),
    "lil-ucb": Entry(
        "lil'UCB finds the best arm, then plays it for ever",
        "none proved for these constants; the arm found is rarely not the best",
        lambda s: Policy(lil_ucb(s.n_arms, s.delta, s.noise_scale, s.lil_ucb)),
    ),
    "ab-test": Entry(
        "A/B test with a share max_loss of the traffic for a tenth of the horizon, then the winner",
        "none (on average, the test itself costs at most max_loss)",
        lambda s: Policy(ab_test(s.n_arms, s.horizon // 10, s.max_loss, s.delta, s.noise_scale)),
    ),
}
"""The policies that come with Floorline, by name; `make_policy` builds one."""


def usual_policy(setup: PolicySetup) -> str:
    """Return the default policy of a new live campaign; docs/proposers.md says why."""
    votes = setup.n_arms > 2 and setup.has_range
    return "conservative-thompson-votes" if votes else "conservative-ucb"


def usual_floor(setup: PolicySetup) -> str:
    """Return the default floor of a new live campaign; docs/floors.md says why."""
    if setup.voids or setup.low < 0 or not setup.intervals().kind.needs_range:
        return "confidence"
    single = setup.n_arms == 2 and setup.numbers is None
    return "joint-steady" if single else "joint"


def make_policy(name: str, setup: PolicySetup) -> Policy:
    """Return the policy called `name`, from the catalogue or a plug-in, built for `setup`.

    >>> setup = PolicySetup(n_arms=5, horizon=10_000, default_mean=0.5, max_loss=0.1)
    >>> make_policy("conservative-ucb", setup).floor.max_loss
    0.1

    Args:
        name: one of `CATALOGUE`, or of a plug-in.
        setup: what the policy may need to know; `PolicySetup.of` makes one from an environment.

    Raises:
        ValueError: there is no such policy, or it does not work with this set-up.
    """
    return find_entry(name).build(setup)


def find_entry(name: str) -> Entry:
    """Return the entry called `name`, from the catalogue or a plug-in."""
    if name in CATALOGUE:
        return CATALOGUE[name]
    added = added_policies()
    return added[choice("policy", name, (*CATALOGUE, *added))].entry


def added_policies() -> dict[str, Plugin]:
    """Return the policies that plug-ins add to the catalogue, by name."""
    return plugin_entries(tuple(CATALOGUE))
