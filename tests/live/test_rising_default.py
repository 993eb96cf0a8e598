"""A default that rises after a winner was found: invisible without a holdback, seen with one."""

import random

import pytest

from floorline.live import Campaign


@pytest.mark.parametrize("holdback", [0.0, 0.1])
def test_only_a_holdback_shows_that_the_default_has_risen(holdback):
    means = {"now": 0.2, "video": 0.4}
    visitors = random.Random(1)
    campaign = Campaign.open(
        ":memory:", arms=["now", "video"], max_loss=0.1, holdback=holdback, seed=1
    )

    def visit(number):
        made = []
        with campaign.transaction():
            for _ in range(number):
                made.append(campaign.decide())
                campaign.observe(made[-1], float(visitors.random() < means[made[-1].arm]))
        return made

    assert visit(3000)[-1].reason in ("exploit", "holdback"), "a winner was found"
    means["now"] = 0.9
    later = visit(4000)
    if holdback == 0.0:
        assert all(ticket.reason == "exploit" for ticket in later)
        assert campaign.status().state == "running"
    else:
        assert {ticket.reason for ticket in later[-100:]} == {"drift"}
        campaign.start_epoch()
        assert visit(1)[0].reason != "drift"
        assert campaign.status().state == "running"
