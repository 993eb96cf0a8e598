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
    campaign = new_campaign(arms=list(MEANS), delta=1e-7, voids=voids)
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


def test_what_is_sure_counts_open_defaults_too():
    campaign = new_campaign(voids=True, default_mean=0.5)
    for _ in range(40):
        campaign.observe(campaign.decide(candidate="now"), 1.0)
    for _ in range(60):
        campaign.decide(candidate="now")
    assert campaign.status().guaranteed_share == 1.0
