"""What a challenger's open plays add must not be spent before they have reached somebody."""

import random

import pytest
from campaigns import new_campaign

from floorline.live.explain import explain

MEANS = {"now": 0.1, "good": 0.9, "bad": 0.0}


@pytest.mark.parametrize(("voids", "kept"), [(True, True), (False, False)])
def test_the_floor_holds_though_a_winners_plays_are_voided(voids, kept):
    """3,000 open plays of a proven winner, a bad arm as long as it is let, then all voided.

    Nothing is left to chance but the intervals, whose miss has odds of 1e-7. Without `voids`
    the campaign takes open plays for sure, and voiding them breaks the floor: the control.
    """
    luck = random.Random(3)
    campaign = new_campaign(arms=list(MEANS), delta=1e-7, voids=voids, floor="confidence")
    reached = []
    with campaign.transaction():
        for candidate, number in (("now", 3000), ("good", 1500)):
            for _ in range(number):
                ticket = campaign.decide(candidate=candidate)
                reached.append(ticket.arm)
                campaign.observe(ticket, float(luck.random() < MEANS[ticket.arm]))
        waiting = [campaign.decide(candidate="good") for _ in range(3000)]
        assert {ticket.arm for ticket in waiting} == {"good"}
        while (ticket := campaign.decide(candidate="bad")).arm == "bad":
            reached.append("bad")
            campaign.observe(ticket, 0.0)
        for one in waiting:
            campaign.void(one)
    share = sum(MEANS[arm] for arm in reached) / (MEANS["now"] * len(reached))
    assert (share >= 0.9) == kept
    assert explain(campaign._ledger, ticket.id).guaranteed_budget == pytest.approx(
        ticket.guaranteed_budget
    )


def campaign_after(candidates, rewards):
    """A campaign whose decisions for these candidates are made and observed."""
    campaign = new_campaign(voids=True, max_loss=0.5, default_mean=0.5)
    for candidate in candidates:
        ticket = campaign.decide(candidate=candidate)
        assert ticket.arm == candidate
        campaign.observe(ticket, rewards[candidate])
    return campaign


def test_what_is_sure_does_not_count_defaults_that_may_be_voided():
    """Each of 90 open defaults would raise the share, and may never have been shown."""
    campaign = campaign_after(["now"] * 9 + ["video"], {"now": 1.0, "video": 0.0})
    assert campaign.status().guaranteed_share == pytest.approx(0.9)
    waiting = [campaign.decide(candidate="now") for _ in range(90)]
    assert campaign.status().guaranteed_share == pytest.approx(0.9)
    assert "at least 90.0% of the default" in campaign.status().verdict
    for ticket in waiting:
        campaign.void(ticket)
    assert campaign.status().guaranteed_share == pytest.approx(0.9)


def test_what_is_sure_counts_open_defaults_where_they_lower_it():
    """Above 1, each default that is shown brings the share nearer to 1."""
    campaign = campaign_after(["now", "video"] * 50, {"now": 1.0, "video": 1.0})
    before = campaign.status().guaranteed_share
    assert before > 1.1
    for _ in range(100):
        campaign.decide(candidate="now")
    assert campaign.status().guaranteed_share == pytest.approx((before + 1) / 2)


def test_before_anybody_was_reached_nothing_is_lost():
    campaign = new_campaign(voids=True)
    campaign.decide()
    assert campaign.status().guaranteed_share == 1.0
