"""Where only clicks are reported, all rewards seen are clicks until the first window ends."""

import random

from floorline.live import Campaign


def test_challengers_are_proposed_before_the_first_window_ends():
    """Taken to be like those seen, the default's open plays would all be clicks."""
    campaign = Campaign.open(
        ":memory:",
        arms=["now", "video"],
        max_loss=0.1,
        missing="zero",
        window=1e6,
        seed=1,
        clock=lambda: 0.0,
    )
    visitors = random.Random(1)
    with campaign.transaction():
        for _ in range(1000):
            ticket = campaign.decide()
            if visitors.random() < 0.05:
                campaign.observe(ticket, 1.0)
    default, challenger = campaign.status().arms
    assert default.seen > 10, "clicks of the default are known"
    assert challenger.plays > 50, "the counting rule allows a tenth"
