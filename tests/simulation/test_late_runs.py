"""Late, lost and repeated rewards: the ordinary runs without them, and the floor with them.

False alarms: a case fails if its breaches exceed what a breach rate of exactly delta
exceeds with probability 1e-9. With 140 cases a correct build fails `make test` with
probability below 1e-6, and with some 2900 `make soak` with probability below 3e-6.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from floorline import (
    Bernoulli,
    Boundary,
    ByReward,
    ConfidenceFloor,
    Delayed,
    Gaussian,
    Policy,
    PolicySetup,
    Switching,
    classical_ucb,
    exp3_ix,
    kernel,
    make_policy,
    optimistic,
    simulate,
)
from floorline.core.late import late_ends
from floorline.core.pending import PendingPlays
from floorline.core.records import Arms, Memory, Rules
from floorline.core.slots import interval
from floorline.testing.odds import breaks_floor

RUNS = 1000
HORIZON = 1000
DELTA = 0.1
LONG = 150

WORSE = [0.5, 0.05, 0.1, 0.2]
SETTINGS = {
    "conversions first": (WORSE, {"delay": ByReward(zero=250, above=0)}),
    "challengers' zeros lost": (WORSE, {"lost": [0, *[ByReward(zero=0.9, above=0)] * 3]}),
    "default's conversions lost": (
        WORSE,
        {"delay": range(1, LONG + 1), "lost": [ByReward(zero=0, above=0.9), 0, 0, 0]},
    ),
    "default lost at random": (WORSE, {"delay": range(1, LONG + 1), "lost": [0.6, 0, 0, 0]}),
    "all lost at random, skipped": (
        [0.5, 0.44, 0.44],
        {"delay": range(LONG), "lost": 0.5, "missing": "random", "batch": 20},
    ),
    "zero after the window": (
        [0.6, 0.5, 0.4],
        {"delay": range(LONG), "lost": [0.1, 0.3, 0.6], "missing": "zero", "window": 100},
    ),
    "challengers' conversions twice": (
        [0.5, 0.3, 0.4],
        {"delay": range(10), "repeated": [0, *[ByReward(zero=0, above=1)] * 2]},
    ),
}
MORE_SETTINGS = {
    **SETTINGS,
    "zeros first": (WORSE, {"delay": ByReward(zero=0, above=250)}),
    "fixed delay": (WORSE, {"delay": LONG}),
    "mostly at once": ([0.5, 0.44, 0.44], {"delay": [0] * 9 + [500]}),
    "batches": ([0.5, 0.44, 0.44], {"batch": 50}),
    "default lost nearly always": (WORSE, {"delay": range(1, LONG + 1), "lost": [0.9, 0, 0, 0]}),
    "default's zeros lost": (WORSE, {"lost": [ByReward(zero=0.9, above=0), 0, 0, 0]}),
    "challengers' conversions lost": (WORSE, {"lost": [0, *[ByReward(zero=0, above=0.9)] * 3]}),
    "challengers lost at random": ([0.5, 0.44, 0.44], {"lost": [0, 0.9, 0.3]}),
    "default's zeros twice, in batches": (
        [0.5, 0.3, 0.4],
        {"delay": range(LONG), "repeated": [ByReward(zero=1, above=0), 0, 0], "batch": 50},
    ),
    "some lost, some twice": (
        [0.5, 0.44, 0.44],
        {"delay": range(LONG), "lost": 0.2, "missing": "random", "window": 100, "repeated": 0.5},
    ),
    "all lost": (WORSE, {"lost": 1.0}),
    "rare clicks": ([0.03, 0.01, 0.02], {"delay": range(LONG), "lost": [0.1, 0, 0.5]}),
    "rare clicks, zeros lost": (
        [0.03, 0.01, 0.02],
        {"delay": ByReward(zero=500, above=0), "lost": [0, *[ByReward(zero=0.9, above=0)] * 2]},
    ),
    "conversions lost, zero": (
        [0.6, 0.5, 0.4],
        {"lost": [ByReward(zero=0, above=0.5), 0, 0.2], "missing": "zero"},
    ),
    "conversions too late, zero": (
        [0.6, 0.5, 0.4],
        {"delay": ByReward(zero=0, above=range(LONG)), "missing": "zero", "window": 75},
    ),
}
# Whatever is known of the size of a Gaussian reward, it has no worst.
GAUSSIAN = (
    "conversions first",
    "default lost at random",
    "all lost at random, skipped",
    "zero after the window",
)

POLICIES = {
    "known": ("conservative-ucb", {}),
    "learned": ("conservative-ucb", {"learned": True}),
    "known, best lower": ("conservative-ucb", {"fallback": "best-lower"}),
    "learned, best lower": ("conservative-ucb", {"learned": True, "fallback": "best-lower"}),
    "thompson": ("conservative-thompson", {}),
    "thompson, learned": ("conservative-thompson", {"learned": True}),
    "expectation": ("conservative-ucb", {"learned": True, "guarantee": "expectation"}),
    "joint": ("conservative-ucb", {"floor": "joint"}),
    "joint, learned": ("conservative-ucb", {"floor": "joint", "learned": True}),
    "joint, thompson": ("conservative-thompson", {"floor": "joint", "learned": True}),
    "votes": ("conservative-thompson-votes", {"learned": True}),
    "joint, votes": ("conservative-thompson-votes", {"floor": "joint", "learned": True}),
    "steady": ("conservative-ucb", {"floor": "joint-steady"}),
    "steady, learned": ("conservative-ucb", {"floor": "joint-steady", "learned": True}),
}
LATER = ("expectation", "votes", "joint, votes", "steady", "steady, learned")
"""What `make test` does not run in the first grid; the whole one is in `make soak`."""


def policy_for(case, environment, boundary, max_loss=0.1, horizon=HORIZON):
    name, options = POLICIES[case]
    return make_policy(
        name,
        PolicySetup(
            n_arms=len(environment.means),
            horizon=horizon,
            default_mean=environment.means[0],
            max_loss=max_loss,
            delta=DELTA,
            noise_scale=environment.noise_scale,
            boundary=boundary,
            bounded=environment.bounded,
            **options,
        ),
    )


def with_one_challenger(means, options):
    """The same setting without the other challengers."""
    by_arm = {name: options[name][:2] for name in ("lost", "repeated") if is_by_arm(options, name)}
    return means[:2], {**options, **by_arm}


def is_by_arm(options, name):
    return isinstance(options.get(name), list)


def check_floor(case, noise, boundary, settings, max_losses=(0.1,), horizon=HORIZON):
    for setting in settings:
        means, options = MORE_SETTINGS[setting]
        if "steady" in case:  # it differs from the joint floor with a single challenger only
            means, options = with_one_challenger(means, options)
        rewards = Bernoulli(means) if noise == "bernoulli" else Gaussian(means, 0.25)
        environment = Delayed(rewards, **options)
        for max_loss in max_losses:
            policy = policy_for(case, environment, boundary, max_loss, horizon)
            results = simulate(policy, environment, horizon=horizon, runs=RUNS, max_loss=max_loss)
            assert not breaks_floor(results, DELTA), (setting, max_loss)


@pytest.mark.parametrize("case", [case for case in POLICIES if case not in LATER])
def test_the_floor_holds_whatever_comes_late_or_never(case):
    check_floor(case, "bernoulli", "stitched", SETTINGS)


LIVE = ["known", "learned", "joint", "joint, learned", "joint, votes", "steady", "steady, learned"]


@pytest.mark.parametrize("case", LIVE)
def test_the_floor_holds_with_the_boundary_of_live_campaigns(case):
    check_floor(case, "bernoulli", "beta-binomial", SETTINGS)


@pytest.mark.parametrize("case", ["known", "learned", "joint", "joint, learned"])
def test_the_floor_holds_without_a_worst_reward(case):
    check_floor(case, "gaussian", "stitched", GAUSSIAN)


@pytest.mark.soak
@pytest.mark.parametrize("boundary", ["stitched", "union-proved", "authors", "beta-binomial"])
@pytest.mark.parametrize("noise", ["bernoulli", "gaussian"])
@pytest.mark.parametrize("case", POLICIES)
def test_the_floor_holds_over_the_whole_grid(case, noise, boundary):
    if noise == "gaussian":
        if boundary == "beta-binomial":
            pytest.skip("for rewards in a known range only")
        check_floor(case, noise, boundary, GAUSSIAN, (0.02, 0.1), 2000)
    else:
        check_floor(case, noise, boundary, MORE_SETTINGS, (0.02, 0.1), 2000)


# Two forms that look reasonable, and are not safe.


@kernel
def zero_filled(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, low, high, arm: int
) -> tuple[float, float]:
    """Broken: a missing reward is a 0 at both ends."""
    plays = pending.length[arm]
    return interval(rules.boundary, memory.boundary, arm, plays, arms.total[arm])


@kernel
def as_arrived(
    rules: Rules, arms: Arms, memory: Memory, pending: PendingPlays, low, high, arm: int
) -> tuple[float, float]:
    """Broken: whatever has arrived is taken for the arm's first plays."""
    if arms.seen[arm] == 0:
        return low, high
    return interval(rules.boundary, memory.boundary, arm, arms.seen[arm], arms.total[arm])


@dataclass(frozen=True)
class ZeroFilled(ConfidenceFloor):
    def kernels(self):
        return {**super().kernels(), late_ends: zero_filled}


@dataclass(frozen=True)
class AsArrived(ConfidenceFloor):
    def kernels(self):
        return {**super().kernels(), late_ends: as_arrived}


def broken_run(floor, setting, boundary="beta-binomial"):
    means, options = SETTINGS[setting]
    policy = Policy(optimistic(), floor, Boundary(boundary, DELTA, noise_scale=0.5))
    return simulate(policy, Delayed(Bernoulli(means), **options), horizon=HORIZON, runs=RUNS)


def test_zero_filling_is_caught():
    assert breaks_floor(broken_run(ZeroFilled(0.1), "default's conversions lost"), DELTA)


@pytest.mark.parametrize(
    "setting",
    ["conversions first", "challengers' zeros lost", "default's conversions lost"],
)
def test_averaging_what_has_arrived_is_caught(setting):
    assert breaks_floor(broken_run(AsArrived(0.1), setting), DELTA)


@pytest.mark.soak
def test_zero_filling_is_caught_where_losses_are_blind():
    """60% of the default's rewards lost, whatever they are: long campaigns show it."""
    environment = Delayed(Bernoulli(WORSE), delay=range(1, 2001), lost=[0.6, 0, 0, 0])
    for floor, breaks in ((ZeroFilled(0.1), True), (ConfidenceFloor(0.1), False)):
        policy = Policy(optimistic(), floor, Boundary("stitched", 0.05, noise_scale=0.5))
        results = simulate(policy, environment, horizon=20_000, runs=RUNS)
        assert breaks_floor(results, 0.05) == breaks


# Without delay and loss.


@pytest.mark.parametrize(
    ("case", "rewards", "boundary"),
    [
        ("known", Bernoulli([0.5, 0.6, 0.2]), "beta-binomial"),
        ("learned", Bernoulli([0.5, 0.6, 0.2]), "beta-binomial"),
        ("learned, best lower", Bernoulli([0.2, 0.9, 0.1]), "stitched"),
        ("thompson", Bernoulli([0.5, 0.6, 0.2]), "stitched"),
        ("thompson, learned", Bernoulli([0.5, 0.6, 0.2]), "stitched"),
        ("known", Gaussian([0.5, 0.8, 0.2], 0.25), "stitched"),
        ("learned", Gaussian([0.5, 0.8, 0.2], 0.25), "stitched"),
    ],
)
def test_without_delay_and_loss_runs_are_the_ordinary_ones(case, rewards, boundary):
    # Not 0.2: where a budget is exactly 0, rounding decides, and differs between the two.
    policy = policy_for(case, rewards, boundary, max_loss=0.2137)
    options = {"horizon": HORIZON, "runs": 200, "checkpoints": range(1, HORIZON + 1)}
    plain = simulate(policy, rewards, **options)
    late = simulate(policy, Delayed(rewards), **options)
    assert np.array_equal(plain.plays, late.plays)
    assert np.array_equal(plain.first_breach, late.first_breach)
    assert plain.lowest_budget == pytest.approx(late.lowest_budget, abs=1e-9)
    assert plain.pseudo_regret == pytest.approx(late.pseudo_regret, abs=1e-9)
    assert (plain.plays[:, -1, 1:] > 0).all()


def test_delay_and_loss_hold_back_what_is_learned():
    """Negative control of the test above, and a word on what delay costs."""
    rewards = Bernoulli([0.5, 0.6, 0.2])
    policy = policy_for("learned", rewards, "beta-binomial", max_loss=0.2)
    plays = []
    for options in ({}, {"delay": 100}, {"delay": 100, "lost": 0.3}):
        found = simulate(policy, Delayed(rewards, **options), horizon=HORIZON, runs=200)
        plays.append(found.plays[:, -1, 1].mean())
    assert plays[0] > plays[1] > plays[2]


def test_interpreted_runs_are_the_compiled_ones():
    means, options = MORE_SETTINGS["some lost, some twice"]
    environment = Delayed(Bernoulli(means), **options, batch=20)
    policy = policy_for("thompson, learned", environment, "stitched")
    one, other = (
        simulate(policy, environment, horizon=300, runs=2, rewards=True, device=device)
        for device in ("cpu", "python")
    )
    assert np.array_equal(one.plays, other.plays)
    assert np.array_equal(one.rewards, other.rewards)


def test_what_is_not_made_for_late_rewards_is_refused():
    late = Delayed(Bernoulli([0.5, 0.6]), delay=5)
    options = {"horizon": 10, "runs": 1, "max_loss": 0.1}
    with pytest.raises(ValueError, match=r"^policy: must be one whose floor accepts late rewards"):
        simulate(Policy(classical_ucb()), late, **options)
    with pytest.raises(ValueError, match=r"^proposer: must be one that can learn"):
        simulate(Policy(exp3_ix(2), ConfidenceFloor(0.1), Boundary()), late, **options)
    # A proposer with a memory learns of each reward as it arrives.
    simulate(Policy(classical_ucb(), ConfidenceFloor(0.1), Boundary()), late, **options)
    with pytest.raises(ValueError, match=r"^device: must be cpu or python"):
        policy = Policy(optimistic(), ConfidenceFloor(0.1), Boundary())
        simulate(policy, late, device="cuda", **options)
    with pytest.raises(ValueError, match=r"^environment: must be one that draws"):
        Delayed(Switching([0.5, 0.6], span=3))
    with pytest.raises(ValueError, match=r"^environment: must be one that draws"):
        Delayed(late)
