"""Every policy of the catalogue, and compositions by hand."""

from dataclasses import fields

import pytest

from floorline import (
    CATALOGUE,
    Adaptive,
    Bernoulli,
    Boundary,
    ConfidenceFloor,
    Gaussian,
    NoFloor,
    Policy,
    PolicySetup,
    Proposer,
    Tabulated,
    WarmUp,
    beta_thompson,
    classical_ucb,
    gaussian_thompson,
    kernel,
    make_policy,
    optimistic,
    simulate,
)
from floorline.testing import check_policy

ENVIRONMENTS = {
    "gaussian": Gaussian([0.5, 0.6, 0.4, 0.4, 0.4], 0.3),
    "bernoulli": Bernoulli([0.5, 0.7, 0.2]),
    "table": Tabulated([[0, 1], [0, 0.5, 1]], [[0.5, 0.5], [0.1, 0.4, 0.5]]),
}


@kernel
def in_turn(rules, arms, memory, round, rng):
    """Each arm in its turn: what is proposed changes while the default arm is played."""
    return round % arms.plays.size


def setting(environment, **changes):
    scale = 0.5 if environment.bounded else 0.3
    options = {"max_loss": 0.2, "noise_scale": scale, "horizon": 300} | changes
    return PolicySetup(
        n_arms=len(environment.means),
        default_mean=environment.means[0],
        bounded=environment.bounded,
        **options,
    )


def test_a_setting_takes_from_its_environment_what_it_tells():
    """Thompson sampling on clicks was Gaussian of scale 1 unless a field said otherwise."""
    for environment in ENVIRONMENTS.values():
        found = PolicySetup.of(environment, horizon=300, max_loss=0.2)
        assert found == setting(environment)
    clicks = PolicySetup.of(ENVIRONMENTS["bernoulli"], horizon=300)
    assert make_policy("thompson", clicks).proposer.propose is beta_thompson().propose
    # An adversary's rewards have no noise, and may be anything in the range.
    assert PolicySetup.of(Adaptive([0.5, 0.8]), horizon=300).noise_scale == 0.5
    assert (
        PolicySetup.of(ENVIRONMENTS["bernoulli"], horizon=300, noise_scale=2.0).noise_scale == 2.0
    )


def test_every_field_of_a_setting_is_documented():
    for field in fields(PolicySetup):
        assert f"        {field.name}: " in PolicySetup.__doc__


ONE_PROPOSER_UNDER_ANY_FLOOR = (
    "thompson-votes",
    "bayes-ucb",
    "anytime-moss",
    "information-directed",
)
"""Proposers that tests/testing tries by themselves, too: each runs here in one environment."""

NAMES = [name for name in CATALOGUE if not name.endswith(ONE_PROPOSER_UNDER_ANY_FLOOR)]


def is_refused(name, environment):
    """Return whether the policy refuses this environment's rewards."""
    policy = make_policy(name, setting(environment))
    needs_unit = policy.unit_rewards or policy.floor.counts_received
    return policy.floor.private_clock or (needs_unit and not environment.bounded)


def in_short_form(name, place):
    """Whether `make test` has this combination: each policy once, and each environment."""
    gaussian_posterior = place == "gaussian" and "thompson" in name
    return (
        place == "bernoulli"
        or name == "conservative-ucb"
        or gaussian_posterior
        or is_refused(name, ENVIRONMENTS[place])
    )


COMBINATIONS = [
    pytest.param(
        name, place, (False, True), marks=[] if in_short_form(name, place) else [pytest.mark.soak]
    )
    for name in NAMES
    for place in ENVIRONMENTS
] + [(f"conservative-{name}", "bernoulli", (True,)) for name in ONE_PROPOSER_UNDER_ANY_FLOOR]


@pytest.mark.parametrize(("name", "place", "known_or_learned"), COMBINATIONS)
def test_every_policy_passes_the_suite(name, place, known_or_learned):
    environment = ENVIRONMENTS[place]
    for learned in known_or_learned:
        policy = make_policy(name, setting(environment, learned=learned))
        if is_refused(name, environment):
            with pytest.raises(ValueError, match=r"^environment: .* needs "):
                check_policy(policy, environment)
            return
        check_policy(policy, environment)


FOR_ADVERSARIES = ("ucb", "conservative-ucb", "exp3-ix", "prior-exp3", "safe-exp3-ix")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in FOR_ADVERSARIES else [pytest.mark.soak])
        for name in NAMES
    ],
)
def test_every_policy_passes_the_suite_against_an_adversary(name):
    adversary = Adaptive([0.5, 0.8, 0.3])
    check_policy(make_policy(name, setting(adversary)), adversary)


@pytest.mark.parametrize("fallback", ["default", "best-lower"])
@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("max_loss", [0.0, 0.013, 1.0])
def test_both_fallbacks_pass_the_suite(fallback, learned, max_loss):
    environment = Gaussian([0.3, 0.9, 0.0], 0.1)
    options = {"learned": learned, "fallback": fallback, "max_loss": max_loss, "noise_scale": 0.1}
    check_policy(make_policy("conservative-ucb", setting(environment, **options)), environment)


def test_a_refused_default_falls_back_too_in_bulk():
    """With another proposer than the optimistic one, the default arm can be the candidate."""
    environment = Gaussian([0.5, 0.6, 0.58], 0.1)
    floor = ConfidenceFloor(0.01, default_mean=0.5, fallback="best-lower")
    policy = Policy(Proposer(in_turn), floor, Boundary(delta=0.05, noise_scale=0.1))
    for seed in range(1, 9):
        check_policy(policy, environment, horizon=600, runs=1, seed=seed)


@pytest.mark.parametrize("boundary", ["stitched", "authors", "union", "union-proved"])
def test_every_boundary_passes_the_suite(boundary):
    environment = ENVIRONMENTS["gaussian"]
    check_policy(
        make_policy("conservative-ucb", setting(environment, boundary=boundary)), environment
    )


@pytest.mark.parametrize("default_mean", [0.03, None])
def test_beta_binomial_passes_the_suite_and_explores_where_clicks_are_rare(default_mean):
    policy = Policy(
        optimistic(), ConfidenceFloor(0.2, default_mean), Boundary("beta-binomial", noise_scale=9)
    )
    environment = Bernoulli([0.03, 0.06])
    check_policy(policy, environment)
    found = simulate(policy, environment, horizon=10_000, runs=20)
    assert found.plays[:, -1, 1].mean() > 7000


def test_beta_binomial_takes_rewards_within_its_range_alone():
    def policy(low, high):
        boundary = Boundary("beta-binomial", low=low, high=high)
        return Policy(optimistic(), ConfidenceFloor(0.2), boundary)

    def run(policy, environment):
        return simulate(policy, environment, horizon=100, runs=2)

    table = Tabulated([[-5, 20], [0, 20]], [[0.5, 0.5], [0.3, 0.7]])
    run(policy(-5, 20), table)
    with pytest.raises(ValueError, match=r"^environment: .* needs rewards in .-5, 19."):
        run(policy(-5, 19), table)
    with pytest.raises(ValueError, match=r"^environment: .*.-4, 20. .* these are in .-5, 20."):
        run(policy(-4, 20), table)
    with pytest.raises(ValueError, match=r"^environment: .* needs rewards in .0, 1."):
        run(policy(0, 1), Gaussian([0.5, 0.6], 0.01))


@pytest.mark.parametrize("form", ["certified", "authors"])
def test_a_warm_up_needs_a_boundary_with_a_radius(form):
    policy = Policy(optimistic(), WarmUp(0.1, 0.5, form), Boundary("beta-binomial"))
    with pytest.raises(ValueError, match=r"^boundary: beta-binomial has no radius"):
        simulate(policy, Bernoulli([0.5, 0.6]), horizon=100, runs=2)


def test_the_suite_catches_a_policy_that_differs_in_bulk():
    """Negative control: a proposer that says it is steady and is not."""
    environment = Gaussian([0.5, 0.55, 0.4, 0.3], 0.3)
    parts = ConfidenceFloor(0.1, default_mean=0.5), Boundary(noise_scale=0.3)
    check_policy(Policy(Proposer(in_turn), *parts), environment)
    with pytest.raises(AssertionError, match="one decision at a time"):
        check_policy(Policy(Proposer(in_turn, steady=True), *parts), environment)


def test_learned_default_at_max_loss_1_equals_the_optimistic_proposer_without_floor():
    environment = ENVIRONMENTS["gaussian"]
    boundary = Boundary("stitched", delta=0.01, noise_scale=0.3)
    options = {"horizon": 2000, "runs": 64, "checkpoints": [10, 100, 1000, 2000], "max_loss": 0.1}
    floor = Policy(optimistic(), ConfidenceFloor(1.0), boundary)
    free = Policy(optimistic(), NoFloor(), boundary)
    a, b = (simulate(policy, environment, **options) for policy in (floor, free))
    assert (a.plays == b.plays).all()


@pytest.mark.parametrize("form", ["authors", "certified"])
def test_a_statistical_warm_up_is_refused_under_other_proposers(form):
    with pytest.raises(ValueError, match="only with the optimistic proposer"):
        Policy(gaussian_thompson(), WarmUp(0.1, 0.5, form), Boundary())


def test_a_certain_warm_up_takes_any_proposer():
    environment = ENVIRONMENTS["gaussian"]
    check_policy(Policy(gaussian_thompson(), WarmUp(0.1, 0.5, "certain")), environment)


def test_intervals_need_a_boundary():
    for proposer, floor in ((optimistic(), NoFloor()), (classical_ucb(), ConfidenceFloor(0.1))):
        with pytest.raises(ValueError, match=r"^boundary: "):
            Policy(proposer, floor)


def test_the_warm_up_follows_the_boundary_unless_told():
    environment = ENVIRONMENTS["gaussian"]
    for boundary, told, form in (
        ("authors", None, "authors"),
        ("stitched", None, "certified"),
        ("authors", "certain", "certain"),
    ):
        policy = make_policy("budget-first", setting(environment, boundary=boundary, warm_up=told))
        assert policy.floor.form == form


def test_an_unknown_name_says_what_there_is():
    with pytest.raises(ValueError, match=r"policy: must be one of ucb, .*, not 'greedy'"):
        make_policy("greedy", setting(ENVIRONMENTS["gaussian"]))
