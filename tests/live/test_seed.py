"""A simulation with the same seed as its campaign must not share the campaign's luck."""

import random

from floorline.live import Campaign


def test_the_holdback_knows_nothing_of_rewards_drawn_with_the_same_seed():
    """If both drew the same numbers, every play held back would be a click.

    False alarm: below 1e-9 (80 plays or so, at 10% each).
    """
    campaign = Campaign.open(":memory:", arms=["now", "video"], max_loss=0.1, holdback=0.2, seed=7)
    visitors = random.Random(7)
    held = clicks = 0
    with campaign.transaction():
        for _ in range(2000):
            ticket = campaign.decide()
            click = visitors.random() < 0.1
            campaign.observe(ticket, float(click))
            if ticket.reason == "holdback":
                held, clicks = held + 1, clicks + click
    assert held > 50
    assert clicks < 0.5 * held


def test_coins_go_on_where_a_campaign_is_opened_again(tmp_path):
    """One process for each request: 40 fair coins that are all alike have odds of 2e-12."""
    path, settings = tmp_path / "c", {"arms": ["now", "video"], "max_loss": 0.1, "holdback": 0.5}
    reasons = []
    for _ in range(40):
        with Campaign.open(path, seed=1, **settings) as campaign:
            reasons.append(campaign.decide().reason)
    assert 0 < reasons.count("holdback") < 40
