"""A campaign that is finished or stopped: what everybody gets from then on."""

import pytest
from campaigns import new_campaign, play, replayed

from floorline.live import Conflict, Stopped
from floorline.live import snapshot as snapshots
from floorline.live.verify import verify

FORGED = {
    "arm": "now",
    "candidate": None,
    "reason": "finished",
    "guaranteed_budget": 0.0,
    "probability": 1.0,
}


def test_a_finished_campaign_serves_the_winner_and_nothing_else():
    campaign = new_campaign(holdback=0.5)
    play(campaign, {"now": [1, 0], "video": [1], "quiz": [0]}, 200)
    campaign.pause()
    campaign.finish("quiz")
    campaign.finish("quiz")
    tickets = [campaign.decide(candidate="video") for _ in range(100)]
    assert {(t.arm, t.reason, t.probability) for t in tickets} == {("quiz", "finished", 1.0)}
    assert tickets[-1].guaranteed_budget < 0, "nothing is promised any more"
    assert campaign.observe(tickets[0], 1.0) == "accepted"
    status = campaign.status()
    assert (status.state, status.serves, status.decisions) == ("finished", "quiz", 300)
    assert not status.holds
    assert status.verdict.startswith(
        "The floor held until it was finished. Since then nothing is promised, and only "
    )
    assert "played until" not in status.verdict, "the winner is, whatever it earns"
    assert status.on_challengers == sum(one.plays for one in status.arms[1:])
    for refused in (campaign.pause, campaign.resume, campaign.start_epoch):
        with pytest.raises(Conflict, match="finished: everybody gets quiz"):
            refused()
    with pytest.raises(Conflict, match="finished"):
        campaign.finish("video")
    with pytest.raises(ValueError, match="arm: must be"):
        campaign.finish("nobody")
    assert replayed(campaign) == campaign.state()
    assert snapshots.plain(snapshots.from_json(campaign.state())) == snapshots.plain(
        campaign._state
    )


def test_a_drift_alarm_does_not_end_what_was_finished():
    campaign = new_campaign(holdback=0.0)
    play(campaign, {"now": [0], "video": [0], "quiz": [0]}, 1000)
    campaign.finish("video")
    for ticket in [campaign.decide() for _ in range(10)]:
        campaign.observe(ticket, 1.0)
    campaign._state.drift.alarm = "the default has changed"
    assert campaign.decide().arm == "video"


@pytest.mark.parametrize(("asked", "served"), [(None, "now"), ("video", "video")])
def test_a_stopped_campaign_says_what_to_play_instead(asked, served):
    campaign = new_campaign()
    campaign.stop(asked)
    campaign.stop()
    assert campaign.status().serves == campaign.serves == served
    with pytest.raises(Stopped, match=f"play {served}"):
        campaign.decide()
    with pytest.raises(Conflict, match=f"was stopped with {served}, not quiz"):
        campaign.stop("quiz")


def test_stopping_a_finished_campaign_keeps_its_winner():
    campaign = new_campaign()
    campaign.finish("video")
    campaign.stop()
    assert (campaign.status().state, campaign.serves) == ("stopped", "video")


def test_a_finished_ledger_is_verified(tmp_path):
    path = str(tmp_path / "page.ledger")
    with new_campaign(path) as campaign, campaign.transaction():
        play(campaign, {"now": [1], "video": [1], "quiz": [0]}, 30)
        campaign.finish("quiz")
        play(campaign, {"quiz": [0]}, 30)
        campaign.save_snapshot()
    assert verify(path).problems == []
    with new_campaign(path) as campaign:
        campaign._recorder.run(campaign._recorder.record, "decided", None, None, FORGED)
    assert "after the campaign was finished with quiz" in verify(path).problems[0]
