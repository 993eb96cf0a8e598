"""The randomised floor against all adversaries: an exact search over short horizons.

The adversary knows everything but the coin. In every round it chooses the probability among those
that safety allows (not only the one that our rule would take), what the default would earn and
what the candidate would, to make a breach at any time as likely as it can. Dynamic programming
gives the largest probability of a breach.
"""

from functools import cache

import numpy as np
import pytest

from floorline.floors.randomised.account import lower_bound
from floorline.floors.randomised.bound import penalty
from floorline.floors.randomised.design import LAMBDAS, RUNGS, randomised_rules
from floorline.floors.randomised.memory import RETIRED, SETTLED, account_size


def largest_breach(rules, horizon, pays=(0.0, 1.0), asked=0.0):
    """The largest chance that any adversary has of a budget below 0 within `horizon` rounds.

    Rewards are low + span times one of `pays`. `asked`: the bound that safety asks for.
    """
    keep = 1.0 - rules.max_loss
    rungs = range(len(rules.ladder))
    # Nothing for both is no better for the adversary than a round without a coin.
    outcomes = [(y, w) for y in pays for w in pays if y > 0 or w > 0]

    @cache
    def missed_part(wins, retired, rung):
        """The part of the lower bound that comes from what is not known."""
        memory = np.zeros(account_size(rules))
        memory[RETIRED] = retired
        for (at, y), count in wins:
            for j in range(len(rules.lambdas)):
                if j < rules.usable[at]:
                    memory[SETTLED + j] += count * penalty(rules.lambdas[j], rules.ladder[at], y)
        return lower_bound(rules, memory, rules.ladder[rung])

    @cache
    def known_part(rounds, default_sum, candidate_sum):
        return rules.span * (
            rules.max_loss * (rules.low / rules.span * rounds + default_sum) + candidate_sum
        )

    @cache
    def chance(rounds, default_sum, candidate_sum, unseen, wins, retired):
        """The largest chance of a breach from here on."""
        known = known_part(rounds, default_sum, candidate_sum)
        budget = known - keep * rules.span * unseen
        if budget < -1e-9:
            return 1.0
        left = horizon - rounds
        if budget + rules.max_loss * rules.low * left >= keep * rules.span * left:
            return 0.0
        best = max(
            chance(rounds + 1, default_sum + y, candidate_sum, unseen, wins, retired) for y in pays
        )
        for rung in rungs:
            if known + missed_part(wins, retired, rung) < asked:
                continue
            gone = max(retired, len(rules.lambdas) - int(rules.usable[rung]))
            p = rules.ladder[rung]
            for y, w in outcomes:
                counts = dict(wins)
                if y > 0:
                    counts[rung, y] = counts.get((rung, y), 0) + 1
                won = tuple(sorted(counts.items()))
                best = max(
                    best,
                    p * chance(rounds + 1, default_sum + y, candidate_sum, unseen, won, gone)
                    + (1 - p)
                    * chance(rounds + 1, default_sum, candidate_sum + w, unseen + y, wins, gone),
                )
        return best

    return chance(0, 0.0, 0.0, 0.0, (), 0)


CASES = [
    # max_loss, delta, rungs, holdback, lambdas, horizon, rewards from, what they may be
    (0.5, 0.3, (), 0.6, [0.5], 24, 0.0, (0.0, 1.0)),
    (0.5, 0.5, (), 0.6, [0.6], 24, 0.0, (0.0, 1.0)),
    (0.5, 0.1, (), 0.6, [0.5], 24, 0.0, (0.0, 1.0)),
    (0.5, 0.3, (0.8,), 0.6, [0.6, 1.2], 16, 0.0, (0.0, 1.0)),
    (0.5, 0.3, (), 0.6, [0.5], 12, 0.0, (0.0, 0.5, 1.0)),
    (0.5, 0.3, (), 0.6, [0.5], 20, 0.25, (0.0, 1.0)),
    (0.5, 0.3, RUNGS, 0.8, LAMBDAS, 16, 0.0, (0.0, 1.0)),
]


@pytest.mark.parametrize(
    "case",
    CASES,
    ids=lambda case: f"delta {case[1]}, {case[5]} rounds, {len(case[4])} lambdas, low {case[6]}",
)
def test_no_adversary_has_more_than_delta(case):
    max_loss, delta, rungs, holdback, lambdas, horizon, low, pays = case
    rules = randomised_rules(
        max_loss,
        delta,
        low=low,
        high=low + 1,
        holdback=holdback,
        rungs=rungs,
        lambdas=np.array(lambdas),
    )
    chance = largest_breach(rules, horizon, pays)
    print(f"largest chance of a breach: {chance:.4f}, delta {delta}, horizon {horizon}")
    assert 0 < chance < delta


def test_a_floor_that_asks_for_less_is_caught():
    """A bound of -1 is taken for 0: the best adversary then breaks it more often than delta."""
    rules = randomised_rules(0.5, 0.3, holdback=0.6, rungs=(), lambdas=np.array([0.5]))
    assert largest_breach(rules, 16, asked=-1.0) > 0.3
