"""The sentence for whoever has to decide, and the price of the floor."""

import random

import pytest
from campaigns import new_campaign, play

from floorline.live.headline import headline_of
from floorline.live.status import ArmStatus


def found(name, average, lower, upper):
    return ArmStatus(name, 100, 100, 0, 0, 0, 0, 0, 100, 50.0, 100, average, lower, upper)


DEFAULT = found("now", 0.050, 0.040, 0.060)


@pytest.mark.parametrize(
    ("challengers", "words"),
    [
        (
            [found("video", 0.061, 0.045, 0.080)],
            "video leads: about 22% more than now (between 25% less and 100% more). That is not "
            "proved yet, and the test goes on.",
        ),
        (
            [found("video", 0.10, 0.09, 0.12), found("quiz", 0.03, 0.02, 0.05)],
            "video is surely better than now: about 100% more (between 50% more and 200% more). "
            "You can finish with it; until then it gets nearly all traffic.",
        ),
        (
            [found("video", 0.10, 0.09, 0.12), found("quiz", 0.03, 0.02, 0.2)],
            "video is surely better than now: about 100% more (between 50% more and 200% more). "
            "Whether quiz is better still is not known yet, so the test goes on.",
        ),
        (
            [found("video", 0.01, 0.005, 0.02)],
            "now is surely better than every challenger. You can finish with it.",
        ),
        (
            [found("video", 0.045, 0.02, 0.08)],
            "now leads; the best challenger is video: about 10% less than now (between 67% "
            "less and 100% more). That is not proved yet, and the test goes on.",
        ),
        (
            [found("video", 0.05, 0.03, 0.09)],
            "video earns about the same as now (between 50% less and 125% more). That is not "
            "proved yet, and the test goes on.",
        ),
        (
            [found("video", 0.02, 0.01, 0.03), found("quiz", None, 0.0, 1.0)],
            "video is surely worse than now: about 60% less (between 83% less and 25% less). "
            "Whether quiz is better is not known yet, so the test goes on.",
        ),
        (
            [found("video", None, 0.0, 1.0)],
            "Too early to say who leads: the windows of the challengers' decisions are still open.",
        ),
    ],
)
def test_who_leads_by_how_much_and_what_happens_next(challengers, words):
    assert headline_of("running", None, [DEFAULT, *challengers]) == words


def test_what_is_awaited_before_anybody_leads():
    campaign = new_campaign(holdback=1.0)
    awaited = "Too early to say who leads: "
    assert campaign.status().headline == f"{awaited}rewards of the first decisions are awaited."
    tickets = [campaign.decide() for _ in range(5)]
    campaign.observe(tickets[0], 1.0)
    assert campaign.status().headline == f"{awaited}rewards of most decisions are awaited."
    for ticket in tickets[1:]:
        campaign.observe(ticket, 1.0)
    assert campaign.status().headline == f"{awaited}no challenger has been tried yet."


def test_a_pause_before_anybody_leads_ends_a_sentence():
    campaign = new_campaign()
    running = campaign.status().headline
    campaign.pause()
    assert campaign.status().headline == f"Paused: everybody gets now. {running}"
    retired = headline_of("paused", None, [DEFAULT])
    assert retired == (
        "Paused: everybody gets now. Every challenger is retired: everybody gets now."
    )


def test_an_end_before_anything_was_won_ends_a_sentence():
    campaign = new_campaign(floor="randomised", holdback=0.05)
    running = campaign.status().headline
    assert running.startswith("Too early to say what was won: ")
    campaign.stop()
    assert campaign.status().headline == f"Stopped: everybody gets now. {running}"


def test_rewards_that_are_in_are_not_awaited():
    """An estimate needs decisions whose window is over."""
    now = [1_800_000_000.0]
    settings = {"missing": "zero", "window": 100.0, "max_loss": 1.0}
    campaign = new_campaign(**settings, clock=lambda: now[0])
    early = "Too early to say who leads: the windows of"

    def reported(candidate):
        campaign.observe(campaign.decide(candidate=candidate), 1.0)
        return campaign.status()

    status = reported("now")
    assert (status.pending, status.arms[0].average) == (0, None)
    assert status.headline == f"{early} the first decisions are still open."
    now[0] += 101.0
    status = reported("video")
    assert (status.pending, status.arms[1].plays, status.arms[1].average) == (0, 1, None)
    assert status.headline == f"{early} the challengers' decisions are still open."
    campaign.decide(candidate="video")
    campaign.decide(candidate="video")
    awaited = "Too early to say who leads: rewards of the challengers are awaited."
    assert campaign.status().headline == awaited


def test_what_an_ended_campaign_says():
    arms = [DEFAULT, found("video", 0.10, 0.09, 0.12)]
    assert headline_of("finished", "video", arms) == (
        "Finished: everybody gets video. Against now: about 100% more (between 50% more and 200% "
        "more)."
    )
    assert headline_of("stopped", "now", arms) == "Stopped: everybody gets now. It is the default."
    assert headline_of("drift", None, arms).startswith("now seems to have changed")


def test_a_status_has_it_with_what_was_earned():
    campaign = new_campaign()
    assert campaign.status().headline.startswith("Too early")
    play(campaign, {"now": [0, 1], "video": [1], "quiz": [0]}, 2000)
    status = campaign.status()
    assert status.winner == "video"
    assert status.headline.startswith("video is surely better than now: about 102% more (between ")
    assert status.estimated_share > 1.3


def test_the_price_is_not_that_of_the_luckiest_of_many_arms():
    """All 50 challengers are as good as the default, so the floor has cost nothing."""
    rng = random.Random(7)
    arms = ["now", *(f"arm {i}" for i in range(50))]
    campaign = new_campaign(arms=arms, max_loss=0.1, floor="confidence")
    for _ in range(3000):
        campaign.observe(campaign.decide(), float(rng.random() < 0.5))
    status = campaign.status()
    turned = sum(found.turned_away for found in status.arms)
    luckiest = max(found.average or 0.0 for found in status.arms[1:])
    assert turned == status.reasons["budget-low"] + status.reasons.get("no-rewards", 0) > 1000
    assert turned * (luckiest - status.arms[0].average) > 500, "what was shown before"
    # 346 plays of challengers and 2654 of the default: four standard deviations of the estimate.
    assert abs(status.price) < 300


def test_the_price_of_a_floor_under_a_better_arm_and_a_worse_one():
    for mean, sign in ((1.0, 1), (0.0, -1)):
        campaign = new_campaign(arms=["now", "video"], max_loss=0.1)
        for _ in range(150):
            ticket = campaign.decide(candidate="video")
            campaign.observe(ticket, 0.5 if ticket.arm == "now" else mean)
        status = campaign.status()
        assert status.price == pytest.approx(sign * 0.5 * status.arms[1].turned_away, rel=0.2)
