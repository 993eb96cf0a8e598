"""What a plan is asked: the settings of live campaigns, in the user's own units."""

import inspect
import math
from dataclasses import replace

import numpy as np
import pytest

from floorline.live.settings import CampaignSettings
from floorline.planning import Question
from floorline.policy_setup import FLOORS

QUESTION = Question(challengers=2, default_mean=0.5, decisions_per_day=10)
ORDERS = replace(QUESTION, default_mean=1.8, high=200.0, spread=12.0)


def test_what_is_not_told_is_as_live_campaigns_have_it():
    for name, parameter in inspect.signature(CampaignSettings).parameters.items():
        if name in ("delta", "low", "high", "boundary", "missing", "unit"):
            assert getattr(QUESTION, name) == parameter.default, name
    assert CampaignSettings(arms=("a", "b"), max_loss=0.1).default_mean is None and QUESTION.learned
    for challengers in (1, 2):
        arms = ["a", "b", "c"][: challengers + 1]
        for given in ({}, {"low": -1.0}, {"boundary": "stitched"}):
            live = CampaignSettings.for_new({"arms": arms, "max_loss": 0.1, **given})
            assert replace(QUESTION, challengers=challengers, **given).floor_name == live.floor


def test_a_plan_has_the_parts_of_a_live_campaign():
    told = replace(QUESTION, boundary="stitched", learned=False, holdback=0.2)
    for question in (QUESTION, ORDERS, told, *(replace(ORDERS, floor=name) for name in FLOORS)):
        settings = {
            "arms": ["a", "b", "c"],
            "max_loss": 0.1,
            "default_mean": None if question.learned else question.default_mean,
            "low": question.low,
            "high": question.high,
            "boundary": question.boundary,
            "floor": question.floor,
            "holdback": question.holdback,
        }
        live = CampaignSettings.for_new(settings)
        planned, played = question.policy(0.1), live.to_policy()
        assert (planned.floor, planned.boundary) == (played.floor, played.boundary)
        assert planned.holdback == played.holdback
        assert question.share_held_back == live.holdback


@pytest.mark.parametrize("low", [0.0, -3.0, 1.0])
@pytest.mark.parametrize("spread", [None, 0.0, 2.0, 10.0])
def test_rewards_have_the_mean_the_spread_and_the_range_that_were_told(low, spread):
    question = replace(ORDERS, low=low, spread=spread)
    arms = question.environment(question.means(1))
    assert arms.means == pytest.approx([1.8, 1.98, 1.62])
    assert low <= arms.low <= arms.high <= 200
    for mean, values, chances in zip(arms.means, arms.values, arms.probabilities, strict=True):
        squares = np.dot(np.square(np.array(values) - mean), chances)
        widest = math.sqrt((mean - low) * (200 - mean))
        assert math.sqrt(squares) == pytest.approx(widest if spread is None else spread)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"challengers": 0}, "challengers"),
        ({"default_mean": 0.0}, "default_mean"),
        ({"default_mean": 1.2}, "default_mean"),
        ({"default_mean": 0.95}, "improvement"),
        ({"low": 0.48}, "improvement"),
        ({"improvement": 0.0}, "improvement"),
        ({"decisions_per_day": 0}, "decisions_per_day"),
        ({"days": 0}, "days"),
        ({"delta": 0.0}, "delta"),
        ({"high": -1.0}, "high"),
        ({"spread": 0.6}, "spread"),
        ({"boundary": "authors"}, "boundary"),
        ({"floor": "ceiling"}, "floor"),
        ({"holdback": 1.5}, "holdback"),
        ({"lost": 1.5}, "lost"),
        ({"delay": -1}, "delay"),
        ({"missing": "maybe", "delay": 1}, "missing"),
        ({"missing": "random", "delay": 1, "floor": "randomised"}, "missing"),
        ({"learned": False, "floor": "randomised"}, "learned"),
        ({"unit": "two\nlines"}, "unit"),
    ],
)
def test_bad_questions_are_refused_by_name(changes, name):
    with pytest.raises(ValueError, match=f"^{name}: must be "):
        replace(QUESTION, **changes)


def test_what_is_stated_about_pending_rewards_is_for_the_randomised_floor():
    stated = replace(QUESTION, delay=100, in_flight_rate=0.1, in_flight_burst=10.0)
    floor = replace(stated, floor="randomised").policy(0.1).floor
    assert (floor.in_flight_rate, floor.in_flight_burst) == (0.1, 10.0)
    assert stated.policy(0.1).floor == QUESTION.policy(0.1).floor  # side by side with others


def test_the_limit_on_traffic_under_the_randomised_floor_fills_in_its_own_accounts():
    """Received at the least, and missed at the most: max_loss d + g - (1 - max_loss) u is 0.

    In 16 simulated campaigns of 100,000 decisions it had 15% of them, and 18% of the last tenth.
    """
    clicks = replace(
        QUESTION, default_mean=0.1, improvement=0.5, challengers=1, lost=0.1, floor="randomised"
    )
    share = clicks.traffic_limit(0.1)
    received, missed, earned = 0.9 * 0.1, 0.9 * 0.1 + 0.1, 0.9 * 0.15
    budget = 0.1 * (1 - share) * received + share * earned - 0.9 * share * missed
    assert share == pytest.approx(0.2) and budget == pytest.approx(0, abs=1e-12)
    assert replace(clicks, lost=0.0).traffic_limit(0.1) == 0.95  # all but what is held back


def test_the_limit_on_traffic_is_where_the_budget_stays_at_zero():
    clicks = replace(QUESTION, default_mean=0.03, improvement=0.5, challengers=1)
    share = replace(clicks, lost=0.2).traffic_limit(0.1)
    upper, lower = 0.8 * 0.03 + 0.2, 0.8 * 0.045
    assert 0.1 < share < 0.2
    assert math.isclose((1 - share - 0.9) * upper + share * lower, 0, abs_tol=1e-12)
    assert clicks.traffic_limit(0.1) == 0.98  # all but what is held back
    assert replace(clicks, lost=0.2, missing="zero").traffic_limit(0.1) == 0.98
    zero = {"lost": 0.2, "missing": "zero", "floor": "randomised"}
    assert replace(clicks, **zero).traffic_limit(0.1) == 0.95
