"""What was won against an equal split: each arm only while it could be served."""

import pytest
from campaigns import new_campaign, play, replayed

from floorline.live import snapshot as snapshots

REWARDS = {"now": [0.5], "video": [0.9], "quiz": [0.1], "chat": [0.7]}
OPEN = {"arms": ["now", "video", "quiz"], "arms_may_change": True, "max_loss": 0.3}


def split_of(campaign):
    """The decisions of an equal split by arm, from the events alone."""
    arms, retired, shares = list(OPEN["arms"]), set(), dict.fromkeys(REWARDS, 0.0)
    paused, winner = False, None
    for event in campaign.events():
        body = event.body
        if event.kind in ("paused", "resumed"):
            paused = event.kind == "paused"
        if "added" in body:
            arms.append(body["added"])
        if "retired" in body:
            retired.add(body["retired"])
        if "promoted" in body:
            place = arms.index(body["promoted"])
            arms[0], arms[place] = arms[place], arms[0]
        if "finished" in body:
            winner = body["serves"]
        if event.kind == "decided":
            served = [arm for arm in arms if arm not in retired]
            served = [winner] if winner else [arms[0]] if paused else served
            for arm in served:
                shares[arm] += 1 / len(served)
    return shares


def check(campaign):
    """Compare the split with that of the events, and what was won against it with a plain sum."""
    status, expected = campaign.status(), split_of(campaign)
    assert {arm.name: arm.in_equal_split for arm in status.arms} == pytest.approx(
        {arm.name: expected[arm.name] for arm in status.arms}
    )
    earned = sum(arm.plays * arm.average for arm in status.arms)
    split = sum(expected[arm.name] * arm.average for arm in status.arms)
    assert status.over_equal_split == pytest.approx(earned - split)
    assert replayed(campaign) == campaign.state()
    assert snapshots.plain(snapshots.from_json(campaign.state())) == snapshots.plain(
        campaign._state
    )


def test_while_arms_come_and_go():
    campaign = new_campaign(**OPEN)
    play(campaign, REWARDS, 600)
    check(campaign)
    steps = [
        lambda: campaign.retire_arm("quiz"),
        lambda: campaign.add_arm("chat"),
        lambda: campaign.promote_arm("video"),
        campaign.pause,
        campaign.resume,
        lambda: campaign.finish("video"),
    ]
    for step in steps:
        step()
        play(campaign, REWARDS, 300)
        check(campaign)


def test_a_retired_arm_does_not_go_on_in_the_split():
    """The arm that was retired is the worst, so counting it on would flatter the campaign."""
    campaign = new_campaign(**OPEN)
    play(campaign, REWARDS, 600)
    campaign.retire_arm("quiz")
    before = campaign.status()
    play(campaign, REWARDS, 1000)
    after = campaign.status()
    quiz = next(arm for arm in after.arms if arm.name == "quiz")
    assert quiz.in_equal_split == 200
    # Of the two that are left, each decision gains at most half their difference, 0.2.
    assert after.over_equal_split - before.over_equal_split <= 1000 * 0.2 + 1e-6


def test_after_the_end_nothing_more_is_won_against_it():
    campaign = new_campaign(**OPEN)
    play(campaign, REWARDS, 600)
    campaign.finish("video")
    before = campaign.status()
    play(campaign, REWARDS, 500)
    campaign.stop("quiz")
    after = campaign.status()
    assert after.over_equal_split == pytest.approx(before.over_equal_split)
    assert after.gain.estimate > before.gain.estimate, "against the default it goes on"


def test_while_the_default_has_changed_everybody_gets_it_in_the_split_too():
    campaign = new_campaign(**OPEN)
    play(campaign, REWARDS, 300)
    campaign._state.drift.alarm = "the default has changed"
    play(campaign, REWARDS, 100)
    split = {arm.name: arm.in_equal_split for arm in campaign.status().arms}
    assert split == {"now": 200, "video": 100, "quiz": 100}
