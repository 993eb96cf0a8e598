"""The numbers of docs/sticky-arms.md: what goes wrong visit by visit, and holds user by user."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from floorline import Boundary
from floorline.boundaries.beta_binomial import beta_binomial_interval
from floorline.live import Campaign
from floorline.testing.odds import too_often

VISITS = {"now": 10, "video": 2}
"""Of a user who keeps this arm. Each visit earns the same under both."""


def spenders(seed: int, count: int) -> Iterator[float]:
    """What each user earns at every visit; 0.9 on average."""
    rng = random.Random(seed)
    return (rng.choice((0.8, 1.0)) for _ in range(count))


def count_visits(seed: int) -> tuple[float, float]:
    """The share of the default's income that 100 sticky users bring, and the share reported."""
    earned = possible = 0.0
    with Campaign.open(":memory:", arms=list(VISITS), max_loss=0.1, seed=seed) as campaign:
        for spends in spenders(seed, 100):
            first = campaign.decide()
            campaign.observe(first, spends)
            for _ in range(VISITS[first.arm] - 1):
                campaign.observe(campaign.decide(candidate=first.arm), spends)
            earned += VISITS[first.arm] * spends
            possible += VISITS["now"] * spends
        return earned / possible, campaign.status().guaranteed_share


def count_users(seed: int) -> float:
    """The least share of the default's expected income that 200 users ever brought."""
    expected, least = 0.0, 1.0
    with Campaign.open(":memory:", arms=list(VISITS), max_loss=0.1, seed=seed) as campaign:
        for number, spends in enumerate(spenders(seed, 200), start=1):
            ticket = campaign.decide(f"user-{number}")
            campaign.observe(ticket, VISITS[ticket.arm] * spends / 10)  # a total, in [0, 1]
            expected += VISITS[ticket.arm]
            least = min(least, expected / (VISITS["now"] * number))
    return least


def test_visits_counted_one_by_one_promise_what_is_not_earned() -> None:
    """The control: campaigns that are below the floor, and noticed to be so too often."""
    campaigns = [count_visits(seed) for seed in range(10)]
    assert all(earned < 0.5 and reported > 0.9 for earned, reported in campaigns)
    assert too_often(len(campaigns), len(campaigns), 0.05)


def test_users_keep_the_floor() -> None:
    """Each campaign may fail with probability 0.05; the odds of a false alarm are below 1e-9."""
    failed = sum(count_users(seed) < 0.9 for seed in range(40))
    assert not too_often(failed, 40, 0.05)


def test_two_users_with_many_visits_mislead_the_intervals() -> None:
    rules = Boundary("beta-binomial", 0.05).rules(2, False, 10**6)
    no_memory = np.zeros(0)
    _, default_upper = beta_binomial_interval(rules, no_memory, 0, 200, 200 * 0.02)
    challenger_lower, _ = beta_binomial_interval(rules, no_memory, 1, 200, 200 * 0.5)
    assert default_upper < 0.1 and challenger_lower > 0.35


def test_a_user_who_stays_crosses_the_floor() -> None:
    """9 visits with the default at 0.5, then k of one user with a challenger that earns nothing."""
    sums = [(9 * 0.5, 0.9 * 0.5 * (9 + k)) for k in range(1, 5)]
    assert [earned < floor for earned, floor in sums] == [False, True, True, True]
