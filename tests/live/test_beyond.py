"""Rewards outside the range: refused or clipped, counted, and never silently a zero."""

import pytest
from campaigns import Clock, arm, new_campaign, outcomes, replayed

from floorline.live import snapshot as snapshots
from floorline.live.verify import verify

EUROS = {"low": 0.0, "high": 50.0, "unit": "EUR"}


def large_order(missing="zero", **settings):
    """A campaign in which each of 20 default decisions was an order, the first one too large."""
    clock = Clock()
    window = None if missing == "unknown" else 60
    campaign = new_campaign(missing=missing, window=window, clock=clock, **EUROS, **settings)
    tickets = [campaign.decide(candidate="now") for _ in range(20)]
    for ticket in tickets[1:]:
        campaign.observe(ticket, 10.0)
    return campaign, tickets[0], clock


@pytest.mark.parametrize("reward", [60.0, -1.0])
def test_a_refused_reward_is_recorded_and_its_decision_stays_open(reward):
    campaign, first, _ = large_order()
    for _ in range(2):  # a retry is refused again, and recorded once
        with pytest.raises(ValueError, match="at least 0 and at most 50"):
            campaign.observe(first, reward)
    status = campaign.status()
    assert (status.refused, status.clipped, status.pending) == (1, 0, 1)
    assert status.problems == [], "one of 20 may be a slip"
    assert outcomes(campaign)[0] == "refused"
    assert campaign.observe(first, 49.0) == "accepted", "it was corrected"
    assert outcomes(campaign)[0] == "observed"
    assert campaign.status().refused == 0
    assert replayed(campaign) == campaign.state()


@pytest.mark.parametrize(
    ("refused", "accepted", "is_problem"),
    [(4, 0, False), (5, 0, True), (5, 494, True), (5, 495, False)],
)
def test_refused_rewards_are_a_problem_if_they_are_many(refused, accepted, is_problem):
    campaign = new_campaign(missing="unknown", **EUROS)
    for ticket in [campaign.decide(candidate="now") for _ in range(refused)]:
        with pytest.raises(ValueError, match="at most 50"):
            campaign.observe(ticket, 60.0)
    for _ in range(accepted):
        campaign.observe(campaign.decide(), 10.0)
    told = (
        f"{refused} of {refused + accepted} rewards were refused because they are outside the "
        "range of 0 to 50 that this campaign was opened with; their decisions count as unknown, at "
        "their worst"
    )
    assert campaign.status().problems == ([told] if is_problem else [])


def test_a_refused_reward_of_a_voided_decision_is_not_counted():
    campaign, first, _ = large_order(voids=True)
    with pytest.raises(ValueError, match="at most 50"):
        campaign.observe(first, 60.0)
    assert campaign.void(first) == "accepted"
    assert campaign.status().refused == 0
    assert replayed(campaign) == campaign.state()


@pytest.mark.parametrize("missing", ["zero", "random"])
def test_at_the_end_of_its_window_it_is_unknown_and_no_zero(missing):
    ends = {}
    for known in (None, 0.0, 50.0):
        campaign, first, clock = large_order(missing)
        if known is None:
            with pytest.raises(ValueError, match="at most 50"):
                campaign.observe(first, 60.0)
        else:
            campaign.observe(first, known)
        clock.now += 61
        ends[known] = arm(campaign, "now")
        assert campaign.status().pending == 0
    assert ends[None].lower == pytest.approx(ends[0.0].lower), "the least that it can be"
    assert ends[None].upper == pytest.approx(ends[50.0].upper), "the most that it can be"
    assert ends[None].average == pytest.approx(10.0)
    assert (ends[None].lost, ends[None].plays) == (0, 20)


def test_unknown_plays_are_not_taken_for_known_ones():
    """As many rewards are known as plays are closed, and they are not the same plays."""
    clock = Clock()
    campaign = new_campaign(missing="zero", window=60, clock=clock, max_loss=1.0, **EUROS)
    for _ in range(30):
        with pytest.raises(ValueError, match="at most 50"):
            campaign.observe(campaign.decide(candidate="video"), 60.0)
    clock.now += 61
    campaign.decide(candidate="video")  # open: the plays before it are closed
    for _ in range(30):
        campaign.observe(campaign.decide(candidate="video"), 50.0)
    found = arm(campaign, "video")
    assert (found.plays, found.seen, found.upper) == (61, 30, 50.0)
    assert found.lower < 30 * 50 / 61, "the others may have earned nothing"


def test_a_clipped_reward_counts_as_the_highest_and_is_counted():
    campaign, first, _ = large_order(beyond="clip")
    assert campaign.observe(first, 60.0) == "accepted"
    assert campaign.observe(first, 60.0) == "duplicate"
    status = campaign.status()
    assert (status.refused, status.clipped, status.problems) == (0, 1, [])
    assert next(campaign.history()).reward == 50.0
    with pytest.raises(ValueError, match="at least 0"):
        campaign.observe(campaign.decide(), -1.0)
    assert campaign.status().refused == 1


def test_refusals_are_kept_in_the_ledger_and_verified(tmp_path):
    path = str(tmp_path / "page.ledger")
    clock = Clock()
    with new_campaign(path, missing="zero", window=60, clock=clock, **EUROS) as campaign:
        for _ in range(3):
            with pytest.raises(ValueError, match="at most 50"):
                campaign.observe(campaign.decide(), 60.0)
            clock.now += 31
        assert snapshots.plain(snapshots.from_json(campaign.state())) == campaign.state()
        campaign.save_snapshot()
        before = campaign.status().arms
    assert verify(path).problems == []
    with new_campaign(path, clock=clock) as campaign:
        assert campaign.status().arms == before
        assert campaign.status().refused == 3


@pytest.mark.parametrize("unit", ["", "x" * 17, "E\n", 3])
def test_units_that_are_refused(unit):
    with pytest.raises(ValueError, match="unit: must be"):
        new_campaign(unit=unit)
