"""Live campaigns with late and lost rewards: cuts are the same running, replayed and restored."""

import json
import random

import pytest
from campaigns import Clock, new_campaign, replayed, replayed_file

from floorline.core.pending import CLOSED
from floorline.live import Campaign, CampaignSettings, acceleration, snapshot, snapshot_writer
from floorline.live.verify import verify

LATE = {"arms": ["now", "video"], "max_loss": 0.3, "floor": "confidence"}


def story(path=":memory:", decisions=600, **settings):
    """A campaign whose rewards come 60 decisions late, one in 60 never; and what it answered."""
    campaign = new_campaign(path, clock=Clock(), **LATE | settings)
    rng, waiting, answers = random.Random(5), [], []
    for _ in range(decisions):
        ticket = campaign.decide(candidate="video" if rng.random() < 0.5 else None)
        answers.append((ticket.arm, ticket.reason, ticket.guaranteed_budget))
        if rng.random() > 1 / 60:
            waiting.append(ticket)
        if len(waiting) > 60:
            campaign.observe(waiting.pop(0), float(rng.random() < 0.5))
    return campaign, answers


@pytest.fixture
def interpreted(monkeypatch):
    monkeypatch.setenv(acceleration.SWITCH, "off")


def ends(campaign):
    return [(arm.lower, arm.upper) for arm in campaign.status().arms]


def test_cuts_are_the_same_running_replayed_and_restored(interpreted):
    campaign, _ = story()
    state = campaign.state()
    assert None not in state["cuts"]["cut_lower"] + state["cuts"]["cut_upper"]
    assert state == replayed(campaign)
    restored = snapshot.from_json(json.loads(json.dumps(state)))
    assert snapshot.to_json(restored) == state
    restored.refresh()
    assert [restored.ends(arm) for arm in (0, 1)] == ends(campaign)


def test_a_restored_campaign_goes_on_as_the_one_that_never_stopped(
    interpreted, monkeypatch, tmp_path
):
    expected, answers = story(decisions=400)
    monkeypatch.setattr(snapshot_writer, "SNAPSHOT_EVERY", 50)
    campaign, found = story(tmp_path / "c", decisions=400)
    assert found == answers
    campaign.close()
    with Campaign.open(tmp_path / "c", clock=Clock()) as again:
        assert again.state()["cuts"] == expected.state()["cuts"]
        assert ends(again) == ends(expected)
    assert replayed_file(tmp_path / "c")["cuts"] == expected.state()["cuts"]
    assert verify(str(tmp_path / "c")).problems == []


def test_machine_code_places_the_same_cuts(monkeypatch, machine_code):
    campaign, answers = story()
    assert campaign._state.compiled is not None
    monkeypatch.setenv(acceleration.SWITCH, "off")
    other, expected = story()
    assert other._state.compiled is None
    assert answers == expected
    assert campaign.state() == other.state() == replayed(campaign)
    assert None not in campaign.state()["cuts"]["cut_lower"]


def test_cuts_help(interpreted):
    """The same plays and rewards leave narrower intervals than without."""
    widths = []
    for chosen in ("cut", "uncut"):
        campaign = new_campaign(clock=Clock(), **LATE, late_intervals=chosen)
        tickets = [campaign.decide(candidate="video") for _ in range(300)]
        for arm in ("now", "video"):
            of_arm = [ticket for ticket in tickets if ticket.arm == arm]
            for number, ticket in enumerate(of_arm[: 2 * len(of_arm) // 3]):
                if number != 5:
                    campaign.observe(ticket, float(number % 2))
        widths.append([upper - lower for lower, upper in ends(campaign)])
    (default, challenger), (default_before, challenger_before) = widths
    assert default < 0.8 * default_before and challenger < 0.8 * challenger_before


def test_ledgers_that_do_not_name_the_form_keep_the_two_they_had():
    new = CampaignSettings.for_new({"arms": ["a", "b"], "max_loss": 0.1}).to_json()
    assert new.pop("late_intervals") == "cut"
    assert CampaignSettings.from_ledger(new).late_intervals == "uncut"


def test_a_campaign_without_cuts_has_none(interpreted):
    campaign, _ = story(late_intervals="uncut")
    none = {"next_walk": [0, 0], "cut_lower": [None, None], "cut_upper": [None, None]}
    assert campaign.state()["cuts"] == none
    older = {name: value for name, value in campaign.state().items() if name != "cuts"}
    assert snapshot.plain(snapshot.from_json(older)) == snapshot.plain(campaign._state)


def test_new_shares_of_delta_begin_with_no_cuts(interpreted):
    campaign, _ = story(arms_may_change=True)
    assert None not in campaign.state()["cuts"]["cut_lower"]
    campaign.add_arm("quiz")
    assert campaign.state()["cuts"]["cut_lower"] == [None] * 3
    assert campaign.state() == replayed(campaign)
    for _ in range(40):
        campaign.decide(candidate="video")
    assert campaign.state()["cuts"]["cut_lower"][1] is not None
    assert campaign.state() == replayed(campaign)


def test_a_cut_alone_can_prove_that_an_arm_is_better(interpreted):
    """Under a floor that needs no intervals they are computed only where they may matter."""
    campaign, _ = story(floor="joint")
    state = campaign._state
    state.prepare_decision()
    assert not state.is_surely_better(1)
    state.book.cut_lower[1], state.book.stale[1] = state.settings.high, CLOSED
    state.prepare_decision()
    assert state.is_surely_better(1)
