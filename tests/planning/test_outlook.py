"""Plans: what is counted, and that theory and simulation agree in order."""

import math
from dataclasses import replace

import numpy as np
import pytest

from floorline.planning import Question, majority_round, outlook, outlooks
from floorline.planning.outlook import _from_then_on
from floorline.theory import plays_bounds

QUESTION = Question(
    challengers=2, default_mean=0.5, improvement=0.4, decisions_per_day=500, days=40
)


def test_a_larger_loss_finds_the_better_arm_sooner_and_no_plan_breaks_its_floor():
    found = [same[0] for same in outlooks([QUESTION], [0.02, 0.1, 0.5])]
    days = [one.takeover_day for one in found]
    assert None not in days and days == sorted(days, reverse=True) and days[0] > days[-1]
    for one in found:
        assert one.takeover_day <= one.takeover_day_bound
        for case in (one.better, one.none):
            assert np.all(case.low >= -one.max_loss)
            assert np.all(case.low <= case.gain + 1e-12)
        assert -one.none.low[-1] <= one.none_cost_bound <= one.max_loss
        assert one.first_exploration == math.ceil(1 / one.max_loss)
        assert one.better.share[-1] > 0.9
        assert one.better.gain[-1] > 0 > one.none.gain[-1]


def test_the_majority_round_is_the_first_at_which_the_bounds_leave_half_to_the_best():
    rounds = majority_round(QUESTION, 0.1)
    others = []
    for horizon in (rounds - 1, rounds):
        setting = Question(
            challengers=2, default_mean=0.5, improvement=0.4, decisions_per_day=horizon, days=1
        ).setting(0.1)
        plays = plays_bounds(setting, QUESTION.means(1))
        others.append(plays[0] + plays[2] <= horizon / 2)
    assert others == [False, True]


def test_a_plan_does_not_depend_on_the_unit_of_reward():
    """Rewards counted in cents are rewards counted in euros."""
    euros = Question(
        challengers=2, default_mean=2.0, noise_scale=3.0, decisions_per_day=300, days=10
    )
    cents = Question(
        challengers=2, default_mean=200.0, noise_scale=300.0, decisions_per_day=300, days=10
    )
    first, second = outlook(euros, 0.2), outlook(cents, 0.2)
    assert math.isclose(first.takeover_day_bound, second.takeover_day_bound, rel_tol=1e-6)
    assert np.allclose(first.better.gain, second.better.gain, atol=1e-3)  # ties round differently


def test_from_then_on():
    days = np.array([1.0, 2.0, 5.0, 9.0])
    assert _from_then_on(days, np.array([True, False, True, True])) == 5
    assert _from_then_on(days, np.array([True] * 4)) == 1
    assert _from_then_on(days, np.array([True, True, True, False])) is None


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"challengers": 0}, "challengers"),
        ({"default_mean": 0.0}, "default_mean"),
        ({"default_mean": 1.2}, "default_mean"),
        ({"default_mean": 0.95}, "improvement"),
        ({"improvement": 0.0}, "improvement"),
        ({"decisions_per_day": 0}, "decisions_per_day"),
        ({"days": 0}, "days"),
        ({"delta": 0.0}, "delta"),
    ],
)
def test_bad_questions_are_refused_by_name(changes, name):
    with pytest.raises(ValueError, match=f"^{name}: must be "):
        Question(**{"challengers": 2, "default_mean": 0.5, "decisions_per_day": 10, **changes})


CLICKS = Question(
    challengers=1, default_mean=0.03, improvement=0.5, decisions_per_day=1000, days=20,
    learned=True,
)  # fmt: skip


def test_rare_clicks_are_learned_from_under_the_boundary_of_live_campaigns_only():
    wide = outlook(CLICKS, 0.1)
    narrow = outlook(replace(CLICKS, boundary="beta-binomial"), 0.1)
    assert wide.takeover_day is None and narrow.takeover_day < 12
    assert wide.takeover_day_bound > 20 and narrow.takeover_day_bound is None
    assert narrow.none_cost_bound == 0.1


def test_the_limit_on_traffic_is_where_the_budget_stays_at_zero():
    question = replace(CLICKS, lost=0.2)
    share = question.traffic_limit(0.1)
    upper, lower = 0.8 * 0.03 + 0.2, 0.8 * 0.045
    assert 0.1 < share < 0.2
    assert math.isclose((1 - share - 0.9) * upper + share * lower, 0, abs_tol=1e-12)
    assert CLICKS.traffic_limit(0.1) == 1.0


def test_only_clicks_may_be_lost_or_have_the_boundary_of_clicks():
    sales = replace(CLICKS, noise_scale=1.0)
    with pytest.raises(ValueError, match="lost"):
        replace(sales, lost=0.1)
    with pytest.raises(ValueError, match="boundary"):
        replace(sales, boundary="beta-binomial")
