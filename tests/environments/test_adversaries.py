"""What each adversary pays, written out by hand; and the regret that follows."""

import math

import numpy as np
import pytest

from floorline import (
    Adaptive,
    Late,
    Lure,
    Policy,
    Proposer,
    Scripted,
    Switching,
    exp3_ix,
    kernel,
    simulate,
)
from floorline.core.records import new_arms
from floorline.environments.adversary import set_rewards


def paid(adversary, round, plays=(0, 0, 0), chances=(0.2, 0.5, 0.3)):
    arms, rewards = new_arms(3), np.full(3, np.nan)
    arms.plays[:] = plays
    kernel = adversary.kernels()[set_rewards]
    kernel(adversary.rules(), arms, np.array(chances), round, None, rewards)
    return rewards.tolist()


LEVELS = [0.5, 0.9, 0.2]


def test_switching_hands_the_levels_on_after_every_span():
    adversary = Switching(LEVELS, span=10)
    assert [paid(adversary, t) for t in (1, 10, 11, 20, 21)] == [
        [0.5, 0.9, 0.2],
        [0.5, 0.9, 0.2],
        [0.5, 0.2, 0.9],
        [0.5, 0.2, 0.9],
        [0.5, 0.9, 0.2],
    ]


def test_late_pays_half_at_first():
    adversary = Late(LEVELS, span=10)
    assert paid(adversary, 10) == [0.5, 0.25, 0.1]
    assert paid(adversary, 11) == LEVELS


def test_lure_pays_until_it_is_trusted():
    adversary = Lure(LEVELS, span=4)
    assert paid(adversary, 99, plays=(50, 3, 4)) == [0.5, 0.9, 0.0]


def test_adaptive_punishes_the_likeliest_challenger():
    adversary = Adaptive(LEVELS)
    assert paid(adversary, 1) == [0.5, 0.0, 0.2]
    assert paid(adversary, 1, chances=(0.8, 0.05, 0.15)) == [0.5, 0.9, 0.0]
    unknown = (math.nan,) * 3
    assert paid(adversary, 1, plays=(9, 2, 5), chances=unknown) == [0.5, 0.9, 0.0]


@kernel
def always_two(rules, arms, memory, round, rng):
    return 2


def test_regret_is_against_the_best_fixed_arm_in_hindsight():
    table = [[0.5, 1.0, 0.25], [0.5, 0.25, 0.75], [0.5, 0.5, 0.0]]
    found = simulate(
        Policy(Proposer(always_two)),
        Scripted(table),
        horizon=3,
        runs=1,
        max_loss=0.5,
        checkpoints=[1, 2, 3],
        rewards=True,
    )
    assert found.rewards.tolist() == [[0.25, 1.0, 1.0]]
    assert found.regret.tolist() == [[0.75, 0.25, 0.75]]
    assert found.pseudo_regret.tolist() == found.regret.tolist()  # nothing is left to chance
    assert found.lowest_budget.tolist() == [[0.0, 0.0, 0.0]]


def test_pseudo_regret_counts_what_a_choice_pays_on_average():
    """In the first round Exp3-IX is uniform; regret itself depends on the arm drawn."""
    found = simulate(
        Policy(exp3_ix(3)), Scripted([[0.5, 1.0, 0.0]]), horizon=1, runs=200, max_loss=0.1
    )
    assert found.pseudo_regret == pytest.approx(0.5)
    assert set(found.regret.ravel()) == {0.0, 0.5, 1.0}


@pytest.mark.parametrize("kind", [Switching, Late, Lure])
def test_bad_input_is_named(kind):
    with pytest.raises(ValueError, match=r"^span: must be"):
        kind(LEVELS, span=0)
    with pytest.raises(ValueError, match=r"^means: must be"):
        kind([0.5, 1.2], span=5)


@pytest.mark.parametrize("table", [[], [[0.5]], [[0.5, 2.0]], [[0.5, 0.1], [0.4, 0.1]], "ab"])
def test_bad_tables_are_refused(table):
    with pytest.raises(ValueError, match=r"^table: "):
        Scripted(table)


def test_a_table_ends():
    with pytest.raises(ValueError, match="horizon: must be at most the 1 rounds"):
        simulate(Policy(exp3_ix(2)), Scripted([[0.5, 0.1]]), horizon=2, runs=1, max_loss=0.1)
