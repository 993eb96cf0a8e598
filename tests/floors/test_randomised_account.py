"""The account of the randomised floor against the plain formulas, with rewards in any order."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from floorline.core.records import new_arms
from floorline.floors.randomised.account import charge, credit, fallback_probability, lower_bound
from floorline.floors.randomised.bound import largest_missed, penalty
from floorline.floors.randomised.design import LAMBDAS, randomised_rules, smallest_holdback
from floorline.floors.randomised.memory import RETIRED, account_size

ARMS = new_arms(2)
RULES = randomised_rules(0.3, 0.2, rungs=(0.8, 0.5), holdback=0.2, lambdas=LAMBDAS[8:])


def root(rules, sums, alive):
    """Where the mixture reaches 1/delta, by bisection."""

    def excess(u):
        exponents = rules.lambdas[:alive] * u - sums[:alive] - rules.limits[:alive]
        return np.logaddexp.reduce(exponents)

    high = 1.0
    while excess(high) < 0:
        high *= 2
    return brentq(excess, 0.0, high, xtol=1e-12)


@given(
    exponent=st.floats(1e-3, 3), p=st.floats(0.01, 0.99), y=st.floats(0, 1), other=st.floats(0, 1)
)
def test_the_mean_factor_of_a_round_is_1(exponent, p, y, other):
    exponent = min(exponent, 0.97 * -math.log1p(-p))
    factor = (1 - p) * math.exp(exponent * y) + p * math.exp(-penalty(exponent, p, y))
    assert factor == pytest.approx(1, abs=1e-9)
    small, large = sorted((y, other))
    assert penalty(exponent, p, small) <= penalty(exponent, p, large) + 1e-12
    # A part of the most costs no more than that part of what the most costs.
    assert penalty(exponent, p, y) <= y * penalty(exponent, p, 1.0) + 1e-9
    assert penalty(exponent, p + 0.3 * (1 - p), y) <= penalty(exponent, p, y) + 1e-12


@given(
    wins=st.lists(st.integers(0, 10_000), min_size=len(RULES.ladder), max_size=len(RULES.ladder)),
    delta=st.floats(1e-6, 1.0),
)
def test_the_bound_is_the_root_from_above(wins, delta):
    """For every cut of the lambdas; at most 2 in 1,000 too large."""
    rules = randomised_rules(0.1, delta, rungs=(0.8, 0.5), holdback=0.2)
    for rung in range(3):
        alive = int(rules.usable[rung])
        table = rules.table.reshape(len(rules.lambdas), -1)[:alive, : rung + 1]
        sums = table @ np.array(wins[: rung + 1], float)
        exact = root(rules, sums, alive)
        memory = np.concatenate([sums, np.zeros(alive)])
        bound = largest_missed(rules, memory, 0, alive, alive)
        assert exact <= bound <= exact * 1.002 + 1e-6


def test_without_a_lambda_there_is_no_bound():
    assert largest_missed(RULES, np.zeros(8), 0, 8, 0) == math.inf


class Plain:
    """Decisions and rewards as they came, and the lower bound worked out from all of them."""

    def __init__(self, rules):
        self.rules = rules
        self.decisions = []  # [arm, p, reward or None]

    def lower_bound(self, p, filling):
        """With `filling` for the scaled rewards of the pending wins, in order."""
        rules = self.rules
        filling = iter(filling)
        known = 0.0
        sums = np.zeros(len(rules.lambdas))
        coins = [q for _, q, _ in self.decisions if q < 1] + [p]
        alive = int(np.sum((1 - min(coins)) * np.exp(rules.lambdas) < 1))
        for arm, q, reward in self.decisions:
            y = 0.0 if reward is None else (reward - rules.low) / rules.span
            known += rules.max_loss * rules.low + rules.span * y * (
                rules.max_loss if arm == 0 else 1
            )
            if arm == 0 and q < 1:
                y = next(filling) if reward is None else y
                sums[:alive] += [penalty(rate, q, y) for rate in rules.lambdas[:alive]]
        return known - (1 - rules.max_loss) * rules.span * root(rules, sums, alive)

    def pending(self):
        return sum(arm == 0 and q < 1 and reward is None for arm, q, reward in self.decisions)


@settings(max_examples=60, deadline=None)
@given(
    data=st.data(),
    low=st.sampled_from([0.0, 2.0]),
    rate=st.sampled_from([1.0, 0.25]),
    burst=st.sampled_from([0.0, 1.0, 1.5]),
)
def test_the_account_is_the_worst_of_all_fillings(data, low, rate, burst):
    """Whatever is pending, in whatever order rewards come, caches or not."""
    rules = randomised_rules(
        0.3,
        0.2,
        low=low,
        high=low + 3,
        rungs=(0.8, 0.5),
        holdback=0.2,
        lambdas=LAMBDAS[8:],
        in_flight_rate=rate,
        in_flight_burst=burst,
    )
    memory, plain = np.zeros(account_size(rules)), Plain(rules)
    for _ in range(data.draw(st.integers(1, 25))):
        waiting = [decision for decision in plain.decisions if decision[2] is None]
        if waiting and (plain.pending() >= 6 or data.draw(st.booleans())):
            decision = data.draw(st.sampled_from(waiting))
            decision[2] = low + 3 * data.draw(st.sampled_from([0.0, 0.5, 1.0]))
            credit(rules, ARMS, memory, decision[0], decision[1], decision[2], 0.0)
        else:
            p = data.draw(st.sampled_from([1.0, *rules.ladder]))
            arm = 0 if p == 1.0 else data.draw(st.integers(0, 1))
            charge(rules, ARMS, memory, arm, p)
            plain.decisions.append([arm, p, None])
        if data.draw(st.booleans()):
            continue  # not every change is looked at
        p = data.draw(st.sampled_from([*rules.ladder]))
        count = plain.pending()
        most = min(count, rate * count + burst)
        fillings = [
            filling
            for filling in itertools.product([0.0, 0.5, 1.0], repeat=count)
            if sum(filling) <= most
        ]
        worst = min(plain.lower_bound(p, filling) for filling in fillings)
        found = lower_bound(rules, memory, p)
        assert found <= worst + 1e-9
        if most == int(most):
            assert found == pytest.approx(worst, rel=2e-3, abs=1e-2)


def test_the_chance_is_on_the_ladder_and_no_coin_is_tossed_for_the_default():
    memory = np.zeros(account_size(RULES))
    assert fallback_probability(RULES, ARMS, memory, 1, 0) == 0.0
    assert fallback_probability(RULES, ARMS, memory, 1, 1) == 1.0
    chances = []
    for _ in range(300):  # the default earns the most, without a coin
        charge(RULES, ARMS, memory, 0, 1.0)
        credit(RULES, ARMS, memory, 0, 1.0, 1.0, 0.0)
        chances.append(fallback_probability(RULES, ARMS, memory, 1, 1))
    assert chances == sorted(chances, reverse=True)
    assert set(chances) == {1.0, *RULES.ladder}


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_chance_below_1_is_afforded(data):
    memory = np.zeros(account_size(RULES))
    for _ in range(60):
        p = fallback_probability(RULES, ARMS, memory, 1, 1)
        assert p == 1.0 or lower_bound(RULES, memory, p) >= 0.0
        arm = 0 if p == 1.0 else data.draw(st.integers(0, 1))
        charge(RULES, ARMS, memory, arm, p)
        if data.draw(st.integers(0, 3)) > 0:
            reward = data.draw(st.sampled_from([0.0, 0.4, 1.0]))
            credit(RULES, ARMS, memory, arm, p, reward, 0.0)


def test_retirement_is_for_ever():
    memory = np.zeros(account_size(RULES))
    charge(RULES, ARMS, memory, 1, 0.2)
    retired = memory[RETIRED]
    assert retired == len(RULES.lambdas) - RULES.usable[-1] > 0
    charge(RULES, ARMS, memory, 1, 0.8)
    assert memory[RETIRED] == retired


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_loss", 1.1),
        ("delta", 0.0),
        ("low", -0.1),
        ("high", 0.0),
        ("holdback", 0.003),
        ("holdback", 1.0),
        ("in_flight_rate", 1.5),
        ("in_flight_burst", -1.0),
    ],
)
def test_wrong_settings_are_named(name, value):
    with pytest.raises(ValueError, match=f"^{name}: must be"):
        randomised_rules(**{"max_loss": 0.1, name: value})


def test_the_smallest_holdback_leaves_a_lambda():
    assert smallest_holdback() == pytest.approx(0.004, rel=0.01)
    rules = randomised_rules(0.1, holdback=smallest_holdback() * 1.001)
    assert rules.usable[-1] >= 1


def replayed(rules, decisions):
    """The least lower bound that a coin had, were every reward known at once: the check."""
    memory = np.zeros(account_size(rules))
    least = math.inf
    for arm, p, reward in decisions:
        if p < 1.0:
            least = min(least, lower_bound(rules, memory, p))
        charge(rules, ARMS, memory, arm, p)
        credit(rules, ARMS, memory, arm, p, reward, 0.0)
    return least


def late_campaign(rules, default_pays, seed):
    """Decisions whose rewards are known 50 rounds late; the challenger pays 0.2."""
    rng = np.random.default_rng(seed)
    memory = np.zeros(account_size(rules))
    decisions = []
    for round in range(1500):
        p = fallback_probability(rules, ARMS, memory, round + 1, 1)
        arm = 0 if rng.random() < p else 1
        charge(rules, ARMS, memory, arm, p)
        decisions.append((arm, p, default_pays(round) if arm == 0 else 0.2))
        if round >= 50:
            arm, p, reward = decisions[round - 50]
            credit(rules, ARMS, memory, arm, p, reward, 0.0)
    assert min(p for _, p, _ in decisions) < 1.0
    return decisions


@pytest.mark.parametrize("seed", range(5))
def test_a_statement_about_what_is_in_flight_is_checked(seed):
    """One that is true passes; without one there is nothing that could fail; a false one fails."""

    def steady(round):
        return 0.2

    def rising(round):
        return 0.1 if round < 800 else 1.0

    stated = randomised_rules(0.3, 0.2, in_flight_rate=0.2, in_flight_burst=0.0)
    assert replayed(stated, late_campaign(stated, steady, seed)) >= 0.0
    unstated = randomised_rules(0.3, 0.2)
    assert replayed(unstated, late_campaign(unstated, rising, seed)) >= 0.0
    assert replayed(stated, late_campaign(stated, rising, seed)) < 0.0
