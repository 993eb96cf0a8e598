"""Tickets, rewards, silence and voids: what a campaign answers, and what it counts."""

import math
import re
import threading

import numpy as np
import pytest
from campaigns import Clock, new_campaign, play, replayed

from floorline.live import Campaign, Conflict, Stopped, UnknownTicket


def outcomes(campaign):
    return [record.outcome for record in campaign.history()]


def arm(campaign, name):
    return next(found for found in campaign.status().arms if found.name == name)


def challenger(campaign):
    """The first decision for a challenger."""
    for _ in range(1000):
        ticket = campaign.decide()
        if not ticket.is_default:
            return ticket
    raise AssertionError("no challenger was ever played")


# Tickets.


def test_a_ticket_says_what_was_decided_and_why():
    campaign = new_campaign()
    first = campaign.decide()
    assert re.fullmatch(r"[A-Za-z0-9-]+", first.id)
    assert (first.arm, first.is_default, first.candidate) == ("now", True, "now")
    assert (first.reason, first.guaranteed_budget, first.probability) == ("default-is-best", 0, 1)
    second = campaign.decide()
    assert (second.arm, second.candidate, second.reason) == ("now", "video", "no-rewards")
    campaign.observe(first, 1.0)
    assert campaign.decide().reason == "budget-low"
    explored = challenger(campaign)
    assert (explored.arm, explored.reason) == (explored.candidate, "explore")
    assert not explored.is_default
    assert explored.guaranteed_budget >= 0


def test_a_winner_is_exploited():
    campaign = new_campaign(max_loss=0.5)
    tickets = play(campaign, {"now": [0, 0, 0, 1], "video": [1], "quiz": [0]}, 400)
    assert tickets[-1].reason == "exploit"
    assert tickets[-1].arm == "video"
    assert campaign.status().reasons["exploit"] > 100
    assert sum(campaign.status().reasons.values()) == 400


def test_the_budget_of_a_default_is_by_the_sign_of_its_count():
    campaign = new_campaign(default_mean=0.3)
    for count in range(1, 10):
        ticket = campaign.decide(candidate="now")
        assert ticket.guaranteed_budget == pytest.approx((count - 0.9 * count) * 0.3)
    learned = new_campaign(max_loss=1.0)  # every challenger is affordable
    for _ in range(5):
        learned.observe(learned.decide(candidate="video"), 0.0)
    learned.observe(learned.decide(candidate="now"), 1.0)
    lower = arm(learned, "now").lower
    assert learned.decide(candidate="now").guaranteed_budget == pytest.approx(2 * lower)


def test_a_retry_with_its_key_gives_the_same_ticket(tmp_path):
    campaign = new_campaign(tmp_path / "c")
    first = campaign.decide("order 7")
    campaign.decide()
    assert campaign.decide("order 7") == first
    assert campaign.decide("order 8") != first
    assert campaign.status().decisions == 3
    campaign.stop()
    assert campaign.decide("order 7") == first
    campaign.close()
    with new_campaign(tmp_path / "c") as again:
        assert again.decide("order 7") == first


@pytest.mark.parametrize("key", ["", "x" * 201, 7, "a\0b", "\ud800", b"k"])
def test_a_key_that_cannot_be_kept_is_refused(key):
    campaign = new_campaign()
    with pytest.raises(ValueError, match="request_key: must be a printable text of 1 to 200"):
        campaign.decide(key)
    assert campaign.status().decisions == 0


def test_the_floor_decides_on_candidates_from_outside():
    campaign = new_campaign()
    refused = campaign.decide(candidate="quiz")
    assert (refused.arm, refused.candidate, refused.probability) == ("now", "quiz", None)
    for _ in range(8):
        assert campaign.decide(candidate="quiz").is_default
    taken = campaign.decide(candidate="quiz")
    assert (taken.arm, taken.probability, taken.guaranteed_budget) == ("quiz", None, 0)
    for unknown in ("radio", "", 1):
        with pytest.raises(ValueError, match="candidate: must be one of now, video, quiz, not"):
            campaign.decide(candidate=unknown)
    assert campaign.status().decisions == 10


# Rewards.


def test_a_repeated_reward_is_harmless_and_another_is_refused():
    campaign = new_campaign()
    ticket = campaign.decide()
    assert campaign.observe(ticket, 0.25) == "accepted"
    before = campaign.state()
    assert campaign.observe(ticket.id, 0.25) == "duplicate"
    with pytest.raises(Conflict, match=r"has the reward 0\.25 already, not 0\.5"):
        campaign.observe(ticket, 0.5)
    assert campaign.state() == before
    assert campaign.status().duplicates == 1


@pytest.mark.parametrize(
    "reward", [1.01, -0.01, math.nan, math.inf, "1", b"1", True, None, [1], 10**400]
)
def test_a_reward_outside_the_range_is_refused_and_nothing_is_lost(reward):
    campaign = new_campaign()
    ticket = campaign.decide()
    with pytest.raises(ValueError, match="reward: must be a number at least 0 and at most 1"):
        campaign.observe(ticket, reward)
    assert campaign.status().pending == 1
    assert campaign.observe(ticket, np.float32(1.0)) == "accepted"


def test_tickets_that_are_none():
    campaign = new_campaign()
    other = new_campaign().decide()
    ticket = campaign.decide()
    campaign.observe(ticket, 1.0)
    name, place, time = ticket.id.split("-")
    assert (name, place) == (campaign.id, "2")
    for rest in ("", "2", f"2-{time}0", f"2-{time}-", f"02-{time}", f"1-{time}", f"3-{time}",
                 f"99-{time}", f"{'9' * 30}-{time}"):  # fmt: skip
        refused(campaign, f"{campaign.id}-{rest}")
    for unknown in (other, "", "7", 2, None):
        refused(campaign, unknown)


def refused(campaign, ticket):
    with pytest.raises(UnknownTicket):
        campaign.observe(ticket, 1.0)
    with pytest.raises(UnknownTicket):
        campaign.void(ticket)


@pytest.mark.parametrize("closed", [False, True])
def test_after_a_restored_backup_no_reward_is_taken_for_that_of_another_decision(tmp_path, closed):
    path, copy = tmp_path / "shop.ledger", tmp_path / "copy.ledger"
    times = iter(range(1000))
    with Campaign.open(
        path, arms=["now", "a"], max_loss=0.1, clock=lambda: next(times) / 100
    ) as campaign:
        campaign.decide()
        campaign._ledger.back_up(str(copy))
        lost = campaign.decide()
    with Campaign.open(copy, clock=lambda: next(times) / 100) as campaign:
        other = campaign.decide()
        assert other.id.split("-")[:2] == lost.id.split("-")[:2]
        if closed:
            campaign.observe(other, 1.0)
        before = campaign.state()
        refused(campaign, lost)
        assert campaign.state() == before
        assert campaign.observe(other, 1.0) == ("duplicate" if closed else "accepted")


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
    assert now.average == pytest.approx(1 / 3 if missing == "zero" else 1.0)
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
    assert {**after, "seq": 0} == {**before, "seq": 0}, "a late reward was used"
    assert campaign.observe(last, 1.0) == "accepted"
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
    campaign = new_campaign(low=0.25, high=1.25)
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
    campaign = new_campaign(max_loss=0.5)
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


# Holdback.


def test_the_holdback_is_a_coin_that_nothing_else_moves():
    campaign = new_campaign(max_loss=1.0, holdback=0.2, seed=3)
    tickets = [campaign.decide() for _ in range(3000)]
    held = [ticket for ticket in tickets if ticket.reason == "holdback"]
    # 3000 coins at 0.2: six and a half standard deviations, odds below 1e-9
    assert abs(len(held) - 600) < 143
    for ticket in tickets:
        if ticket.reason == "holdback":
            assert ticket.is_default
            assert ticket.probability == (1.0 if ticket.candidate == "now" else 0.2)
        else:
            assert ticket.probability == (1.0 if ticket.candidate == "now" else 0.8)


def test_probability_is_unknown_where_chance_proposes():
    campaign = new_campaign(max_loss=1.0, policy="conservative-thompson")
    assert {campaign.decide().probability for _ in range(20)} == {None}
    campaign.pause()
    assert campaign.decide().probability == 1.0


# Running it.


def test_a_paused_campaign_plays_the_default_and_takes_rewards():
    campaign = new_campaign(max_loss=1.0)
    tickets = [campaign.decide() for _ in range(3)]
    campaign.pause()
    campaign.pause()
    paused = campaign.decide(candidate="video")
    assert (paused.arm, paused.reason, paused.probability) == ("now", "paused", 1.0)
    assert campaign.observe(tickets[0], 1.0) == "accepted"
    assert campaign.status().state == "paused"
    campaign.resume()
    campaign.resume()
    assert campaign.decide(candidate="video").arm == "video"
    kinds = [event.kind for event in campaign.events()]
    assert kinds.count("paused") == kinds.count("resumed") == 1


def test_a_stopped_campaign_decides_nothing_more():
    campaign = new_campaign()
    ticket = campaign.decide()
    campaign.stop()
    campaign.stop()
    for ask in (campaign.decide, campaign.pause, campaign.start_epoch,
                lambda: campaign.change(holdback=0.5)):  # fmt: skip
        with pytest.raises(Stopped):
            ask()
    assert campaign.observe(ticket, 1.0) == "accepted"
    assert campaign.status().state == "stopped"


def test_a_new_epoch_begins_from_zero():
    campaign = new_campaign(max_loss=0.5)
    play(campaign, {"now": [1], "video": [0], "quiz": [0]}, 30)
    pending = campaign.decide("kept")
    campaign.start_epoch()
    status = campaign.status()
    assert (status.epoch, status.decisions, status.pending) == (2, 0, 0)
    assert all((a.plays, a.seen, a.lower, a.upper) == (0, 0, 0, 1) for a in status.arms)
    assert status.guaranteed_budget == 0
    assert campaign.observe(pending, 1.0) == "late"
    assert campaign.status().late == 1
    assert all(a.seen == 0 for a in campaign.status().arms)
    with pytest.raises(Conflict):
        campaign.void(campaign.decide("kept"))
    assert replayed(campaign) == campaign.state()


@pytest.mark.parametrize(
    "setting",
    [{"max_loss": 0.2}, {"delta": 0.1}, {"arms": ["a", "b"]}, {"boundary": "stitched"},
     {"prior": [1, 1]}, {"low": -1.0}, {"high": 2.0}, {"missing": "zero"}, {"window": 3.0},
     {"voids": True}, {"default_mean": 0.1}, {"drift_level": 0.5}],
)  # fmt: skip
def test_what_the_promise_depends_on_never_changes(setting):
    campaign = new_campaign()
    before = campaign.state()
    with pytest.raises(ValueError, match="setting: must be one of policy, holdback"):
        campaign.change(**setting)
    assert campaign.state() == before


def test_policy_and_holdback_can_change():
    campaign = new_campaign(max_loss=1.0)
    play(campaign, {"now": [1], "video": [0], "quiz": [0]}, 5)
    campaign.change(policy="conservative-thompson", holdback=1.0)
    assert campaign.decide(candidate="video").reason == "holdback"
    assert campaign.status().arms[0].seen == 3
    for wrong in ({"policy": "ucb"}, {"holdback": 2}, {"holdback": "1"}):
        with pytest.raises(ValueError, match=r"policy: must be|holdback: must be"):
            campaign.change(**wrong)
    campaign.change(holdback=np.float64(0.5))
    assert campaign.settings.holdback == 0.5
    assert replayed(campaign) == campaign.state()


# The status.


def test_the_status_in_words_and_numbers():
    campaign = new_campaign()
    status = campaign.status()
    assert (status.state, status.decisions, status.guaranteed_share) == ("running", 0, 1.0)
    assert status.promised_share == pytest.approx(0.9)
    assert status.confidence == pytest.approx(0.95)
    assert status.oldest_pending is None
    play(campaign, {"now": [0, 1], "video": [1], "quiz": [0]}, 500)
    status = campaign.status()
    assert status.verdict.startswith("The floor holds: at least ")
    assert "promised 90%, confidence 95%" in status.verdict
    now, *others = status.arms
    earned = sum(a.plays * a.lower for a in others)
    assert status.guaranteed_share == pytest.approx((now.plays + earned / now.upper) / 500)
    # It is the least that any mean of the default's interval allows.
    for mean in np.linspace(now.lower, now.upper, 20):
        assert status.guaranteed_share <= (now.plays * mean + earned) / (500 * mean) + 1e-12
    assert sum(a.plays for a in status.arms) == 500


def test_the_verdict_never_says_more_than_is_sure():
    campaign = new_campaign(max_loss=0.1, delta=0.001)
    campaign._state.arms.plays[0] = 9999
    campaign._state.rounds = 10_000  # a share of 99.99%, nearer to 100.0%
    assert campaign.status().verdict == (
        "The floor holds: at least 99.9% of the default, promised 90%, confidence 99.9%"
    )


def test_open_decisions_by_age():
    clock = Clock()
    campaign = new_campaign(clock=clock)
    for wait in (90_000, 4000, 700, 61, 0):
        campaign.decide()
        clock.now += wait
    seen = campaign.decide()
    campaign.observe(seen, 1.0)
    # The ages are 94761, 4761, 761, 61 and 0 seconds.
    assert campaign.status().pending_by_age == [1, 1, 1, 1, 1]
    clock.now += 60
    assert campaign.status().pending_by_age == [0, 2, 1, 1, 1]


def test_the_budget_is_shown_floored_at_zero_and_the_raw_one_is_on_tickets():
    """Rewards of a challenger that fall after a good start take back what seemed sure."""
    campaign = new_campaign(max_loss=0.3)
    tickets = play(campaign, {"now": [0.5], "video": [1], "quiz": [0]}, 400)
    waiting = [campaign.decide(candidate="video") for _ in range(400)]
    assert sum(not ticket.is_default for ticket in waiting) > 100
    for ticket in waiting:
        campaign.observe(ticket, 0.5 if ticket.is_default else 0.0)
    status = campaign.status()
    assert campaign._state.budget() < -1
    assert status.guaranteed_budget == 0
    assert status.guaranteed_share < 0.7
    assert status.verdict.startswith("The default is played: by what is known now, ")
    assert campaign.decide(candidate="video").guaranteed_budget < 0  # a default, raw
    assert all(t.guaranteed_budget >= 0 for t in tickets + waiting if not t.is_default)


# Threads.


def test_many_threads_share_a_campaign():
    campaign = new_campaign(max_loss=0.5)

    def work(number):
        for step in range(60):
            ticket = campaign.decide(f"{number}-{step}")
            assert campaign.decide(f"{number}-{step}") == ticket
            campaign.observe(ticket, 1.0)
            if step % 20 == 0:
                assert len(list(campaign.events())) > 0
                assert campaign.status().decisions > 0

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert campaign.status().decisions == 240
    assert campaign.status().pending == 0
    assert [event.seq for event in campaign.events()] == list(range(1, 482))
    assert replayed(campaign) == campaign.state()


def test_history_pages_and_limits():
    campaign = new_campaign()
    tickets = [campaign.decide(f"k{number}") for number in range(7)]
    campaign.observe(tickets[2], 0.5)
    found = list(campaign.history(limit=4))
    assert [record.ticket for record in found] == [ticket.id for ticket in tickets[:4]]
    assert (found[2].outcome, found[2].reward, found[2].request_key) == ("observed", 0.5, "k2")
    assert found[2].observed_at >= found[2].time
    after = int(tickets[3].id.split("-")[1])
    assert [r.ticket for r in campaign.history(after=after)] == [t.id for t in tickets[4:]]
    assert list(campaign.history(limit=0)) == []


def test_a_state_is_a_copy():
    campaign = new_campaign()
    before = campaign.state()
    campaign.observe(campaign.decide(), 1.0)
    assert before["drift"]["blocks"] == []
    assert isinstance(campaign, Campaign)
