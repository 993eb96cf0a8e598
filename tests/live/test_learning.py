"""A campaign that cannot learn as it is configured says so, and its reasons are true."""

import warnings

import pytest
from campaigns import Clock, new_campaign, play


def clicks_only(campaign, decisions):
    """One of twenty clicks, from the first on, and nobody reports a zero."""
    for number in range(decisions):
        ticket = campaign.decide()
        if number % 20 == 0:
            campaign.observe(ticket, 1.0)
    return campaign.status()


def test_where_silence_is_unknown_and_most_are_silent_it_says_so():
    status = clicks_only(new_campaign(), 300)
    assert "of 300 decisions have no reward" in status.problems[0]
    assert 'missing="zero"' in status.problems[0]
    assert "default-is-best" not in status.reasons, "most of its rewards are not known"
    assert status.arms[0].average is None, "an average of clicks alone is 1"


def test_where_silence_is_a_zero_it_learns():
    clock = Clock()
    campaign = new_campaign(missing="zero", window=10, clock=clock)
    for number in range(300):
        clock.now += 1
        ticket = campaign.decide()
        if number % 3 == 0:
            campaign.observe(ticket, 1.0)
    assert campaign.status().problems == []


def test_where_every_reward_is_reported_it_learns_and_the_default_may_be_best():
    campaign = new_campaign()
    play(campaign, {"now": [1, 1, 0], "video": [0], "quiz": [0]}, 300)
    status = campaign.status()
    assert status.problems == []
    assert status.reasons["default-is-best"] > 0
    assert status.reasons["default-unknown"] == 1, "the first decision"


@pytest.mark.parametrize("missing", ["zero", "random"])
def test_where_no_reward_comes_in_time_it_says_so(missing):
    clock = Clock()
    campaign = new_campaign(missing=missing, window=10, clock=clock)
    for _ in range(150):
        clock.now += 1
        campaign.decide()
    assert "not one reward has come in time for 14" in campaign.status().problems[0]


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"max_loss": 0.0}, "max_loss is 0"),
        ({"holdback": 1.0}, "holdback is 1"),
    ],
)
def test_where_no_challenger_can_be_played_it_says_so(settings, why):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        campaign = new_campaign(**settings)
    assert why in campaign.status().problems[0], "before the first decision"
    play(campaign, {"now": [0, 1], "video": [1], "quiz": [1]}, 150)
    assert why in campaign.status().problems[0]
    assert len(campaign.status().problems) == 1


def test_where_only_the_default_is_proposed_it_says_so():
    campaign = new_campaign()
    for _ in range(150):
        campaign.observe(campaign.decide(candidate="now"), 1.0)
    assert "though the budget allows it" in campaign.status().problems[0]
