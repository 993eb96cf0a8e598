"""MOSS without a horizon, against its formula."""

import numpy as np

from floorline.core.records import new_arms
from floorline.proposers.anytime_moss import AnytimeMossRules, anytime_moss_arm


def test_the_arm_with_the_largest_index_is_proposed_and_each_once_first():
    rng = np.random.default_rng(1)
    arms = new_arms(4)
    rules = AnytimeMossRules(0.5)
    assert anytime_moss_arm(rules, arms, np.zeros(0), 1, None) == 0
    proposed = set()
    for _ in range(200):
        arms.plays[:] = rng.integers(1, 200, 4)
        arms.average[:] = rng.normal(0, 0.1, 4)
        round = int(arms.plays.sum()) + 1
        # Degenne and Perchet: sqrt((1 + alpha) / 2 * log+(t / (K T)) / T) at alpha = 1.35
        bonus = np.maximum(np.log(round / (4 * arms.plays)), 0) / arms.plays
        index = arms.average + np.sqrt((1 + 1.35) / 2 * bonus)
        found = anytime_moss_arm(rules, arms, np.zeros(0), round, None)
        assert found == np.argmax(index)
        proposed.add(found)
    assert proposed == {0, 1, 2, 3}
    arms.plays[2] = 0
    assert anytime_moss_arm(rules, arms, np.zeros(0), 50, None) == 2
