"""What a search remembers never changes which arm has the largest index."""

import math

import numpy as np
import pytest

from floorline.core.kernel import bind
from floorline.core.records import new_arms
from floorline.proposers import classical_ucb, unbalanced_ucb
from floorline.proposers.growing_index import LEADER, NOBODY, sure_leader

N_ARMS = 4
RATES = (0.5, 2.0, 2.0, 3.0)
ROUNDS = 4000


def ucb(arms, spreads, round):
    return [
        arms.average[i] + 0.5 * math.sqrt(2.0 * math.log(round)) * spreads[i] for i in range(N_ARMS)
    ]


def unbalanced(arms, spreads, round):
    levels = [max(0.0, math.log(round) - 2 * math.log(rate)) for rate in RATES]
    return [arms.average[i] + 0.5 * math.sqrt(4.0 * levels[i]) * spreads[i] for i in range(N_ARMS)]


@pytest.mark.parametrize(
    ("proposer", "indices"),
    [(classical_ucb(0.5), ucb), (unbalanced_ucb(RATES, 0.5), unbalanced)],
    ids=["ucb", "unbalanced-ucb"],
)
@pytest.mark.parametrize("elsewhere", [0.0, 0.2], ids=["alone", "under a floor"])
def test_the_candidate_is_the_first_with_the_largest_index_in_every_round(
    proposer, indices, elsewhere
):
    rng = np.random.default_rng(3)
    kernels = proposer.kernels()
    propose, learn = (bind(f, kernels) for f in (proposer.propose, proposer.learn))
    looks = bind(sure_leader, kernels)
    arms, memory = new_arms(N_ARMS), np.zeros(proposer.memory_size(N_ARMS))
    spreads = [math.inf] * N_ARMS
    remembered = 0
    for round in range(1, ROUNDS + 1):
        remembered += looks(proposer.rules, arms, memory, round) != NOBODY
        candidate = propose(proposer.rules, arms, memory, round, None)
        if 0 in arms.plays:
            assert candidate == list(arms.plays).index(0)
        else:
            values = indices(arms, spreads, round)
            assert candidate == values.index(max(values)), round
        arm = int(rng.integers(N_ARMS)) if rng.random() < elsewhere else candidate
        arms.plays[arm] += 1
        arms.seen[arm] += 1
        # Rewards on a grid: indices of different arms are sometimes equal.
        arms.total[arm] += rng.integers(0, 2)
        arms.average[arm] = arms.total[arm] / arms.seen[arm]
        spreads[arm] = 1.0 / math.sqrt(arms.plays[arm])
        learn(proposer.rules, arms, memory, arm, 0.0)
    assert remembered > ROUNDS / 2  # or nothing is gained


def test_a_reward_of_another_arm_makes_the_next_round_search_again():
    proposer = classical_ucb()
    kernels = proposer.kernels()
    learn = bind(proposer.learn, kernels)
    arms, memory = new_arms(2), np.zeros(proposer.memory_size(2))
    arms.plays[:] = 1
    memory[LEADER] = 1 + 1
    learn(proposer.rules, arms, memory, 1, 0.0)
    assert memory[LEADER] == 2
    learn(proposer.rules, arms, memory, 0, 0.0)
    assert memory[LEADER] == 0
