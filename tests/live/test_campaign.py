"""A campaign as a whole: holdback, pauses, changes, and its status."""

import sys
from bisect import bisect_right

import numpy as np
import pytest
from campaigns import Clock, new_campaign, play, replayed

from floorline.live import Campaign, Conflict, Stopped

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


@pytest.mark.parametrize(
    ("settings", "policy"),
    [
        ({"arms": ["now", "video"]}, "conservative-ucb"),
        ({}, "conservative-thompson-votes"),
        ({"policy": None}, "conservative-thompson-votes"),
        ({"policy": "conservative-ucb"}, "conservative-ucb"),
        ({"high": 200.0}, "conservative-thompson-votes"),
        ({"boundary": "stitched"}, "conservative-thompson-votes"),
        ({"boundary": "stitched", "high": 200.0}, "conservative-ucb"),
        ({"floor": "joint"}, "conservative-thompson-votes"),
    ],
)
def test_a_new_campaign_has_a_policy_that_fits(tmp_path, settings, policy):
    """And keeps it: opened again, whatever a new one would have now."""
    given = {"arms": ["now", "video", "quiz"], "max_loss": 0.1, **settings}
    with Campaign.open(tmp_path / "page", **given) as campaign:
        assert campaign.settings.policy == policy
    with Campaign.open(tmp_path / "page", arms=given["arms"]) as again:
        assert again.settings.policy == policy


@pytest.mark.parametrize(
    ("settings", "floor"),
    [
        ({"arms": ["now", "video"]}, "joint-steady"),
        ({}, "joint"),
        ({"floor": None}, "joint"),
        ({"low": 1.0, "high": 200.0}, "joint"),
        # Another challenger may be added, whose mean need not be that of the first.
        ({"arms": ["now", "video"], "arms_may_change": True}, "joint"),
        ({"policy": "conservative-ucb"}, "joint"),
        ({"arms": ["now", "video"], "voids": True}, "confidence"),
        ({"voids": True}, "confidence"),
        ({"low": -1.0}, "confidence"),
        ({"boundary": "stitched"}, "confidence"),
        ({"arms": ["now", "video"], "floor": "confidence"}, "confidence"),
        ({"floor": "randomised"}, "randomised"),
    ],
)
@pytest.mark.filterwarnings("ignore:low is below 0")
def test_a_new_campaign_has_a_floor_that_fits(tmp_path, settings, floor):
    """And keeps it, as with the policy."""
    given = {"arms": ["now", "video", "quiz"], "max_loss": 0.1, **settings}
    with Campaign.open(tmp_path / "page", **given) as campaign:
        assert campaign.settings.floor == floor
    with Campaign.open(tmp_path / "page", arms=given["arms"]) as again:
        assert again.settings.floor == floor


def test_propensity_is_unknown_where_chance_proposes():
    campaign = new_campaign(max_loss=1.0, policy="conservative-thompson")
    tickets = [campaign.decide() for _ in range(20)]
    assert {ticket.propensity for ticket in tickets} == {None}
    assert {ticket.probability for ticket in tickets} == {1.0}, "given what was proposed"
    campaign.pause()
    assert campaign.decide().propensity == 1.0


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
    for ask in (
        campaign.decide,
        campaign.pause,
        campaign.start_epoch,
        lambda: campaign.change(holdback=0.5),
    ):
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
    [
        {"max_loss": 0.2},
        {"delta": 0.1},
        {"arms": ["a", "b"]},
        {"boundary": "stitched"},
        {"prior": [1, 1]},
        {"low": -1.0},
        {"high": 2.0},
        {"missing": "zero"},
        {"window": 3.0},
        {"voids": True},
        {"default_mean": 0.1},
        {"drift_level": 0.5},
    ],
)
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
        with pytest.raises(ValueError, match=r"^policy: ucb cannot run live|^holdback: must be"):
            campaign.change(**wrong)
    campaign.change(holdback=np.float64(0.5))
    assert campaign.settings.holdback == 0.5
    assert replayed(campaign) == campaign.state()


# The status.


def test_the_status_in_words_and_numbers():
    campaign = new_campaign(floor="confidence")
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


def ages_looked_up(n_old):
    """How many age groups a status looks up for so many decisions over a day old, and two newer."""
    clock, looked_up = Clock(), []
    campaign = new_campaign(clock=clock)
    for wait in [20] * (n_old - 1) + [90_000, 10]:
        campaign.decide()
        clock.now += wait
    campaign.decide()

    def note(frame, event, argument):
        if event == "c_call" and argument is bisect_right:
            looked_up.append(event)

    sys.setprofile(note)
    status = campaign.status()
    sys.setprofile(None)
    assert status.pending_by_age == [2, 0, 0, 0, n_old]
    return len(looked_up)


def test_a_status_takes_as_long_however_many_days_decisions_have_been_open():
    assert ages_looked_up(100) == ages_looked_up(10) == 3


def test_the_budget_is_shown_floored_at_zero_and_the_raw_one_is_on_tickets():
    """Rewards of a challenger that fall after a good start take back what seemed sure."""
    campaign = new_campaign(max_loss=0.3, floor="confidence")
    tickets = play(campaign, {"now": [0.5], "video": [1], "quiz": [0]}, 400)
    waiting = [campaign.decide(candidate="video") for _ in range(400)]
    assert sum(not ticket.is_default for ticket in waiting) > 100
    for ticket in waiting:
        campaign.observe(ticket, 0.5 if ticket.is_default else 0.0)
    status = campaign.status()
    assert campaign._state.budget() < -1
    assert status.guaranteed_budget == 0
    assert status.guaranteed_share < 0.7
    assert status.verdict.startswith(
        "The floor held at every decision. Rewards since then make only "
    )
    assert campaign.decide(candidate="video").guaranteed_budget < 0  # a default, raw
    assert all(t.guaranteed_budget >= 0 for t in tickets + waiting if not t.is_default)


# Former names.


def test_together_is_a_transaction_by_its_former_name():
    campaign = new_campaign()
    with pytest.warns(DeprecationWarning, match=r"now called Campaign\.transaction") as warned:
        with campaign.together():
            campaign.decide()
        assert [warning.filename for warning in warned] == [__file__]
    assert campaign.status().decisions == 1


def test_settings_are_campaign_settings_by_their_former_name():
    from floorline import live

    with pytest.warns(DeprecationWarning, match=r"now called floorline\.live\.CampaignSettings"):
        assert live.Settings is live.CampaignSettings
    with pytest.raises(AttributeError, match="no attribute 'Setting'"):
        live.Setting  # noqa: B018


@pytest.mark.parametrize("bad", [{"after": "x"}, {"after": -1}, {"limit": 1.5}])
def test_what_is_no_place_in_the_history_is_named(bad):
    (name,) = bad
    with pytest.raises(ValueError, match=f"^{name}: must be a whole number of at least 0"):
        new_campaign().history(**bad)
    with pytest.raises(ValueError, match=r"^after: must be a whole number of at least 0"):
        new_campaign().events(after="x")
