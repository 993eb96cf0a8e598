"""What counts while rewards are missing: ranges, silence, voids and pending plays."""

import math

import numpy as np
import pytest
from campaigns import Clock, arm, challenger, new_campaign, outcomes, play, replayed

from floorline.live import Conflict

# Before any reward.


@pytest.mark.parametrize("max_loss", [0.01, 0.1, 0.3, 0.5, 0.9])
def test_counting_alone_allows_safe_exploration(max_loss):
    campaign = new_campaign(max_loss=max_loss)
    decisions = [campaign.decide(candidate="video") for _ in range(250)]
    first = next(number for number, ticket in enumerate(decisions, 1) if not ticket.is_default)
    assert first == math.ceil(1 / max_loss)
    defaults = np.cumsum([ticket.is_default for ticket in decisions])
    rounds = np.arange(1, 251)
    assert (defaults >= (1 - max_loss) * rounds - 1e-6).all()
    assert (defaults - 1 < (1 - max_loss) * rounds + 1e-6).all(), "less was explored than allowed"


def test_max_loss_0_never_explores_and_says_so():
    with pytest.warns(UserWarning, match="max_loss is 0: .* never explores"):
        campaign = new_campaign(max_loss=0.0)
    tickets = play(campaign, {"now": [0, 1], "video": [1], "quiz": [1]}, 50)
    assert all(ticket.is_default for ticket in tickets)


def test_max_loss_1_plays_what_is_proposed():
    campaign = new_campaign(max_loss=1.0)
    for candidate in ("video", "quiz", "now", "video"):
        assert campaign.decide(candidate=candidate).arm == candidate


def test_a_given_default_mean_is_believed():
    campaign = new_campaign(default_mean=0.3)
    tickets = play(campaign, {"now": [0], "video": [0], "quiz": [0]}, 60)
    now = arm(campaign, "now")
    assert (now.lower, now.upper) == (0.3, 0.3)
    explored = [ticket for ticket in tickets if not ticket.is_default]
    assert explored
    for ticket in explored:
        defaults = sum(t.is_default for t in tickets[: tickets.index(ticket)])
        rounds = tickets.index(ticket) + 1
        assert ticket.guaranteed_budget == pytest.approx((defaults - 0.9 * rounds) * 0.3)


# The range.


def test_other_ranges_are_the_same_campaign_in_other_units():
    unit, euros = new_campaign(), new_campaign(low=0.0, high=50.0)
    for number in range(300):
        one, other = unit.decide(), euros.decide()
        assert (one.arm, one.reason) == (other.arm, other.reason)
        assert other.guaranteed_budget == pytest.approx(50 * one.guaranteed_budget, abs=1e-9)
        reward = (number * 7 % 11) / 10
        unit.observe(one, reward)
        euros.observe(other, 50 * reward)
    one, other = unit.status(), euros.status()
    assert other.guaranteed_share == pytest.approx(one.guaranteed_share)
    assert [a.lower for a in other.arms] == pytest.approx([50 * a.lower for a in one.arms])
    assert [a.upper for a in other.arms] == pytest.approx([50 * a.upper for a in one.arms])


def test_lower_ends_are_never_below_the_lowest_reward():
    campaign = new_campaign(low=2.0, high=3.0, boundary="stitched")
    campaign.observe(campaign.decide(), 2.0)
    assert all(found.lower == 2.0 for found in campaign.status().arms)
    for reward in (1.9, 3.1):
        with pytest.raises(ValueError, match="at least 2 and at most 3"):
            campaign.observe(campaign.decide(), reward)


def test_with_rewards_below_0_counting_does_not_apply_and_the_campaign_says_so():
    with pytest.warns(UserWarning, match="low is below 0: counting alone allows no exploration"):
        campaign = new_campaign(max_loss=0.5, low=-1.0, high=1.0)
    for _ in range(200):
        assert campaign.decide(candidate="video").is_default
    for record in list(campaign.history()):
        campaign.observe(record.ticket, 1.0)
    assert arm(campaign, "now").lower > 0
    assert not campaign.decide(candidate="video").is_default


# Silence.


def test_silence_is_unknown_for_ever_unless_told():
    clock = Clock()
    campaign = new_campaign(clock=clock)
    tickets = [campaign.decide() for _ in range(12)]
    clock.now += 1e9
    assert campaign.status().pending == 12
    now, late = arm(campaign, "now"), tickets[3]
    assert now.upper > 0.9  # all 11 may have earned the highest reward
    assert campaign.observe(late, 0.0) == "accepted"
    assert campaign.status().late == 0


@pytest.mark.parametrize("missing", ["zero", "random"])
def test_a_window_ends_in_silence(missing):
    clock = Clock()
    campaign = new_campaign(missing=missing, window=60, clock=clock, voids=True)
    tickets = [campaign.decide() for _ in range(3)]
    campaign.observe(tickets[0], 1.0)
    clock.now += 59.9
    assert campaign.status().pending == 2
    last = campaign.decide()
    clock.now += 0.1  # the window of the first three is over, to the second
    now = arm(campaign, "now")
    assert (now.pending, now.lost) == (1, 2)
    assert now.seen == (3 if missing == "zero" else 1)
    assert outcomes(campaign) == ["observed", "expired", "expired", "pending"]
    before = campaign.state()
    assert campaign.observe(tickets[1], 0.5) == "late"
    assert campaign.observe(tickets[1], 0.5) == "duplicate"
    with pytest.raises(Conflict, match=r"has the reward 0\.5 already"):
        campaign.observe(tickets[1], 1.0)
    with pytest.raises(Conflict, match="can no longer be voided"):
        campaign.void(tickets[2])
    assert outcomes(campaign) == ["observed", "late", "expired", "pending"]
    after = campaign.state()
    assert (after.pop("late"), before.pop("late")) == (1, 0)
    same = {"seq": 0, "time": 0}
    assert {**after, **same} == {**before, **same}, "a late reward was used"
    assert campaign.observe(last, 1.0) == "accepted"
    clock.now += 0.6  # windows count towards estimates in hundredths of a window
    average = arm(campaign, "now").average
    assert average == pytest.approx(1 / 3 if missing == "zero" else now.upper)
    assert replayed(campaign) == campaign.state()


def test_zero_is_a_zero_and_random_is_skipped_in_the_intervals():
    found = {}
    for missing in ("zero", "random", "unknown"):
        clock = Clock()
        window = None if missing == "unknown" else 10
        campaign = new_campaign(missing=missing, window=window, clock=clock)
        for number in range(40):
            ticket = campaign.decide(candidate="now")
            if number % 2:
                campaign.observe(ticket, 1.0)
        clock.now += 11
        found[missing] = arm(campaign, "now")
    alone = new_campaign()
    for _ in range(20):
        alone.observe(alone.decide(candidate="now"), 1.0)
    expected = arm(alone, "now")
    assert (found["random"].lower, found["random"].upper) == (expected.lower, expected.upper)
    assert found["zero"].upper < 0.8 < found["random"].upper
    assert found["unknown"].upper == pytest.approx(found["random"].upper, abs=1e-9)
    assert found["unknown"].lower == pytest.approx(found["zero"].lower)


def test_a_clock_that_goes_back_is_not_followed():
    clock = Clock()
    campaign = new_campaign(missing="zero", window=60, clock=clock)
    first = campaign.decide()
    clock.now -= 1000
    second = campaign.decide()
    times = [event.time for event in campaign.events()]
    assert times == sorted(times)
    clock.now += 1059
    assert campaign.observe(first, 1.0) == "accepted"
    clock.now += 1
    assert campaign.observe(second, 1.0) == "late"


# Voids.


def test_a_voided_challenger_stays_charged_at_the_lowest_reward():
    campaign = new_campaign(low=0.25, high=1.25, floor="confidence")
    ticket = challenger(campaign)
    for _ in range(30):
        extra = challenger(campaign)
        if extra.arm == ticket.arm:
            campaign.observe(extra, 1.25)
    before = arm(campaign, ticket.arm)
    clock = campaign.state()["clock"]
    assert campaign.void(ticket) == "accepted"
    assert campaign.void(ticket) == "duplicate"
    after = arm(campaign, ticket.arm)
    assert campaign.state()["clock"] == clock
    assert (after.voided, after.plays, after.pending) == (1, before.plays - 1, before.pending - 1)
    assert after.seen == before.seen
    # It is filled at the worst, and not skipped: the ends stay where silence had put them.
    assert (after.lower, after.upper) == pytest.approx((before.lower, before.upper))
    arms = campaign.status().arms
    earned = sum(a.plays * a.lower + a.voided * 0.25 for a in arms[1:])
    ahead = arms[0].plays - 0.9 * clock
    end = arms[0].lower if ahead > 0 else arms[0].upper
    assert campaign._state.budget() == pytest.approx(earned + ahead * end)
    with pytest.raises(Conflict, match="was voided"):
        campaign.observe(ticket, 1.0)


def test_a_default_cannot_be_voided_where_it_counts_at_once():
    campaign = new_campaign()
    ticket = campaign.decide()
    with pytest.raises(Conflict, match="a default decision cannot be voided in this campaign"):
        campaign.void(ticket)
    assert arm(campaign, "now").plays == 1
    assert campaign.observe(ticket, 1.0) == "accepted"
    with pytest.raises(Conflict, match="can no longer be voided"):
        campaign.void(ticket)


def test_with_voids_a_default_counts_once_observed_and_leaves_when_voided():
    campaign = new_campaign(voids=True)
    tickets = [campaign.decide(candidate="video") for _ in range(30)]
    assert all(ticket.is_default for ticket in tickets)
    assert [ticket.guaranteed_budget for ticket in tickets] == [0.0] * 30
    assert campaign.state()["clock"] == 0
    assert campaign.void(tickets[0]) == "accepted"
    for ticket in tickets[1:10]:
        campaign.observe(ticket, 0.0)
    assert campaign.state()["clock"] == 9
    assert arm(campaign, "now").plays == 29
    assert campaign.decide(candidate="video").arm == "video"  # 9 of 10 are defaults
    assert campaign.decide(candidate="video").is_default
    assert outcomes(campaign)[0] == "voided"


def test_with_voids_an_expired_default_counts():
    clock = Clock()
    campaign = new_campaign(voids=True, missing="random", window=5, clock=clock)
    for _ in range(9):
        campaign.decide(candidate="video")
    clock.now += 5
    assert campaign.decide(candidate="video").arm == "video"


# Pending plays.


def test_proposers_do_not_send_everything_to_one_arm_while_rewards_are_out():
    campaign = new_campaign(max_loss=1.0)
    chosen = [campaign.decide().arm for _ in range(90)]
    counts = [chosen.count(name) for name in ("now", "video", "quiz")]
    assert max(counts) - min(counts) <= 1


def test_pending_plays_are_credited_at_their_lower_end():
    campaign = new_campaign(max_loss=0.5, floor="confidence")
    play(campaign, {"now": [1, 0], "video": [1], "quiz": [0]}, 200)
    before = campaign._state.budget()
    lower, now = arm(campaign, "video").lower, arm(campaign, "now")
    ticket = campaign.decide(candidate="video")
    ahead = now.plays - 0.5 * 201
    assert not ticket.is_default
    earned = sum(a.plays * a.lower for a in campaign.status().arms[1:])
    assert ahead < 0 < lower
    end = now.upper
    assert ticket.guaranteed_budget == pytest.approx(before + lower - 0.5 * end)
    assert earned > 0
