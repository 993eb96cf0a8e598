"""The realised floor holds in every run, every round, against everything; not just mostly."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floorline import (
    Adaptive,
    Late,
    Lure,
    Policy,
    Proposer,
    RealisedFloor,
    Scripted,
    Switching,
    classical_ucb,
    exp3_ix,
    kernel,
    simulate,
)
from floorline.core.slots import fallback_probability
from floorline.floors.realised import RECEIVED, RealisedRules
from floorline.testing import check_policy

LEVELS = [0.5, 0.9, 0.2, 0.7]
HORIZON = 2000
ADVERSARIES = {
    "switching": Switching(LEVELS, span=100),
    "late": Late(LEVELS, span=1500),
    "lure": Lure(LEVELS, span=50),
    "adaptive": Adaptive(LEVELS),
    "all or nothing": Lure([0.5, 1.0, 1.0, 1.0], span=1),
}


@kernel
def always_one(rules, arms, memory, round, rng):
    return 1


PROPOSERS = {"exp3-ix": exp3_ix(4), "ucb": classical_ucb(0.5), "always 1": Proposer(always_one)}


def pairs():
    """Each proposer and each adversary once; the others in `make soak`."""
    for number, proposer in enumerate(PROPOSERS):
        for other, adversary in enumerate(ADVERSARIES):
            short = other % len(PROPOSERS) == number
            yield pytest.param(proposer, adversary, marks=[] if short else [pytest.mark.soak])


@pytest.mark.parametrize(("proposer", "adversary"), [*pairs()])
@pytest.mark.parametrize("max_loss", [0.0, 0.03, 0.1, 1 / 3, 1.0])
def test_it_holds_against_every_adversary_under_every_proposer(proposer, adversary, max_loss):
    policy = Policy(PROPOSERS[proposer], RealisedFloor(max_loss, 0.5))
    found = simulate(policy, ADVERSARIES[adversary], horizon=HORIZON, runs=64, rewards=True)
    assert (found.first_breach == 0).all()
    assert (found.lowest_budget >= -1e-9).all()
    assert (found.rewards >= (1 - max_loss) * 0.5 * HORIZON - 1e-6).all()


@settings(max_examples=60, deadline=None)
@given(data=st.data(), max_loss=st.floats(0, 1), default_mean=st.floats(0, 1))
def test_it_holds_against_any_table_of_rewards(data, max_loss, default_mean):
    rounds = data.draw(st.integers(1, 40))
    # Rewards of 0 and 1 hurt most; the others are there for rounding.
    cells = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))
    challengers = data.draw(
        st.lists(st.lists(cells, min_size=2, max_size=2), min_size=rounds, max_size=rounds)
    )
    script = Scripted([[default_mean, *row] for row in challengers])
    policy = Policy(exp3_ix(3), RealisedFloor(max_loss, default_mean))
    found = simulate(
        policy, script, horizon=rounds, runs=8, checkpoints=range(1, rounds + 1), rewards=True
    )
    floor = (1 - max_loss) * default_mean * np.arange(1, rounds + 1)
    assert (found.rewards >= floor - 1e-9 * np.arange(1, rounds + 1)).all()
    assert (found.first_breach == 0).all()


@kernel
def trust(rules: RealisedRules, arms, memory, round, candidate):
    """Broken: forgets that the present round must be paid for, too."""
    return 0.0 if memory[RECEIVED] >= rules.owed * (round - 1) else 1.0


@dataclass(frozen=True)
class TrustingFloor(RealisedFloor):
    def kernels(self):
        return {**super().kernels(), fallback_probability: trust}


def test_a_broken_wrapper_is_caught():
    """Negative control."""
    found = simulate(
        Policy(exp3_ix(4), TrustingFloor(0.1, 0.5)), ADVERSARIES["adaptive"], horizon=100, runs=64
    )
    assert (found.first_breach > 0).all()


def test_the_base_learns_only_on_the_rounds_on_which_it_acted():
    """UCB under the floor decides as UCB alone would on those rounds: its clock is its own."""
    check_policy(Policy(classical_ucb(0.5), RealisedFloor(0.1, 0.5)), Adaptive([0.5, 0.9, 0.1]))

    # Challenger 1 always pays 0.6 and challenger 2 always 0.1, whenever they are played.
    script = Scripted([[0.5, 0.6, 0.1]] * 3000)
    free = simulate(
        Policy(classical_ucb(0.3)),
        script,
        horizon=3000,
        runs=1,
        max_loss=0.1,
        checkpoints=range(1, 3001),
    )
    safe = simulate(
        Policy(classical_ucb(0.3), RealisedFloor(0.05, 0.5)),
        script,
        horizon=3000,
        runs=1,
        checkpoints=range(1, 3001),
    )
    # The challengers' plays come in the same order; the floor only puts default rounds between.
    paths = [
        [tuple(int(n) for n in row) for row in np.unique(found.plays[0, :, 1:], axis=0)]
        for found in (free, safe)
    ]
    common = min(len(path) for path in paths)
    assert common > 50
    assert paths[0][:common] == paths[1][:common]


def test_with_everything_to_lose_it_is_the_base():
    script = Switching(LEVELS, span=100)
    alone = simulate(Policy(exp3_ix(4)), script, horizon=500, runs=32, max_loss=0.1)
    floored = simulate(Policy(exp3_ix(4), RealisedFloor(1.0, 0.5)), script, horizon=500, runs=32)
    assert np.array_equal(alone.plays, floored.plays)
