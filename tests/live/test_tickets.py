"""Tickets and their rewards: what a campaign answers."""

import math
import re
import threading

import numpy as np
import pytest
from campaigns import arm, challenger, new_campaign, play, replayed

from floorline.live import Campaign, Conflict, UnknownTicket

# Tickets.


def test_a_ticket_says_what_was_decided_and_why():
    campaign = new_campaign()
    first = campaign.decide()
    assert re.fullmatch(r"[A-Za-z0-9-]+", first.id)
    assert (first.arm, first.is_default, first.candidate) == ("now", True, "now")
    assert (first.reason, first.guaranteed_budget, first.probability) == ("default-unknown", 0, 1)
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
    learned = new_campaign(max_loss=1.0, floor="confidence")  # every challenger is affordable
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
    assert (refused.arm, refused.candidate, refused.propensity) == ("now", "quiz", None)
    assert refused.probability == 1.0
    for _ in range(8):
        assert campaign.decide(candidate="quiz").is_default
    taken = campaign.decide(candidate="quiz")
    assert (taken.arm, taken.propensity, taken.guaranteed_budget) == ("quiz", None, 0)
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


@pytest.mark.parametrize("reward", [1.01, -0.01, math.nan, math.inf, "1", b"1", None, [1], 10**400])
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
    for rest in (
        "",
        "2",
        f"2-{time}0",
        f"2-{time}-",
        f"02-{time}",
        f"1-{time}",
        f"3-{time}",
        f"99-{time}",
        f"{'9' * 30}-{time}",
    ):
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
