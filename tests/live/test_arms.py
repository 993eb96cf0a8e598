"""Challengers that come and go within an epoch."""

import random

import pytest
from campaigns import Clock, arm, crash_copy, new_campaign, play, replayed, replayed_file

from floorline.boundaries import Boundary
from floorline.core.slots import interval
from floorline.live import Campaign, Conflict, Stopped, snapshot_writer
from floorline.live.explain import explain
from floorline.live.settings import MAX_ARMS
from floorline.live.state import State
from floorline.live.verify import verify

CLICKS = {"now": 0.3, "video": 0.1, "quiz": 0.6, "chat": 0.5}
OPEN = {"arms": ["now", "video"], "arms_may_change": True, "max_loss": 0.3}


def busy(campaign, rng, decisions, waiting=None, delay=0, lost=0.0):
    """Make decisions whose rewards come late, in any order, or never."""
    waiting = [] if waiting is None else waiting
    for _ in range(decisions):
        waiting.append(campaign.decide())
        while len(waiting) > delay:
            late = waiting.pop(rng.randrange(len(waiting)))
            if rng.random() >= lost:
                campaign.observe(late, float(rng.random() < CLICKS[late.arm]))


@pytest.mark.parametrize(
    ("floor", "policy"),
    [
        ("confidence", "conservative-ucb"),
        ("confidence", "conservative-empirical-ucb"),
        ("confidence", "conservative-information-directed"),
        ("joint", "conservative-ucb"),
        ("joint-variance", "conservative-empirical-ucb"),
        ("randomised", "conservative-thompson-votes"),
    ],
)
def test_arms_come_and_go_and_a_replay_gives_the_same_state(tmp_path, monkeypatch, floor, policy):
    """With late and lost rewards, snapshots in between, and a crash at any of these moments."""
    monkeypatch.setattr(snapshot_writer, "SNAPSHOT_EVERY", 60)
    path, clock, rng, waiting = tmp_path / "c", Clock(), random.Random(2), []
    settings = {**OPEN, "floor": floor, "policy": policy, "missing": "zero", "window": 40.0}
    settings |= {"holdback": 0.1, "in_flight_rate": 0.9} if floor == "randomised" else {}
    guardrails = [{"name": "ms", "low": 0, "high": 9}]
    with new_campaign(path, clock=clock, guardrails=guardrails, **settings) as campaign:
        steps = [
            lambda: None,
            lambda: campaign.add_arm("quiz"),
            lambda: campaign.retire_arm("video"),
            lambda: campaign.add_arm("chat"),
            lambda: campaign.retire_arm("quiz"),
            lambda: campaign.start_epoch(),
        ]
        for number, step in enumerate(steps):
            step()
            assert replayed_file(crash_copy(path, tmp_path / str(number))) == campaign.state()
            busy(campaign, rng, 60, waiting, delay=20, lost=0.2)
            campaign.observe(campaign.decide(), 1.0, {"ms": 3.0})
            clock.now += 10.0
            campaign.status()
            assert campaign.state() == replayed(campaign)
        assert campaign.settings.arms == ("now", "video", "quiz", "chat")
        assert campaign.status().retired == campaign.status().withdrawn == ["video", "quiz"]
        assert arm(campaign, "chat").plays > 0
        assert campaign._state.numbers == [0, 2, 3, 1]  # anew in a new epoch, the retired last
    with Campaign.open(path, clock=clock) as again:
        assert again.state() == replayed(again)
    report = verify(str(path))
    assert report.problems == []
    assert report.snapshots > 1 and report.lowest_budget >= 0


def test_each_arm_has_the_share_of_delta_of_its_number():
    campaign, rng = new_campaign(**OPEN, delta=0.05), random.Random(1)
    busy(campaign, rng, 200)
    campaign.add_arm("quiz")
    busy(campaign, rng, 300)
    boundary = Boundary("beta-binomial", delta=0.05)
    ends = boundary.kernels()[interval]
    for number, known in enumerate(campaign.status().arms):
        share = 0.05 / ((number + 1) * (number + 2))
        total = campaign._state.arms.total[number]
        assert known.seen == known.plays > 0
        found = ends(boundary.rules_at(1 / share), [], 0, known.seen, total)
        assert (known.lower, known.upper) == found


def test_a_retired_arm_is_not_proposed_and_stays_charged():
    campaign, rng = new_campaign(**OPEN, policy="conservative-thompson-votes"), random.Random(1)
    busy(campaign, rng, 300)
    pending = campaign.decide(candidate="video")
    before = campaign.status()
    campaign.retire_arm("video")
    after = campaign.status()
    assert (before.guaranteed_budget, before.arms) == (after.guaranteed_budget, after.arms)
    assert after.retired == ["video"] and before.retired == []
    made = [campaign.decide() for _ in range(50)]
    assert {ticket.arm for ticket in made} == {"now"}
    assert {ticket.propensity for ticket in made} == {1.0}  # nothing else could be proposed
    assert after.headline.startswith("Every challenger is retired")
    assert campaign.decide(candidate="video").reason == "retired"
    assert campaign.observe(pending, 1.0) == "accepted"  # late, and it counts
    assert arm(campaign, "video").seen == arm(campaign, "video").plays > 0


def test_the_share_of_the_votes_goes_to_the_arms_that_are_left():
    given = {**OPEN, "arms": ["now", "video", "chat"], "holdback": 0.1}
    campaign, rng = new_campaign(**given, policy="conservative-thompson-votes"), random.Random(1)
    busy(campaign, rng, 300)
    campaign.retire_arm("video")
    state, coin = campaign._state, random.Random(1)
    state.refresh()
    state.propose(coin)
    assert sum(state.proposals.chances(0)) == pytest.approx(1.0)
    assert state.proposals.chances(0)[1] == 0.0
    made = [campaign.decide() for _ in range(100)]
    assert {ticket.arm for ticket in made} == {"now", "chat"}
    assert all(0 < ticket.propensity <= 1 for ticket in made)


def test_the_proposer_keeps_what_it_knows_of_each_arm():
    """Of the empirical UCB that is the sum of squares of each arm's rewards."""
    campaign, rng = new_campaign(**OPEN, policy="conservative-empirical-ucb"), random.Random(1)
    squares = dict.fromkeys(CLICKS, 0.0)

    def some(decisions):
        for _ in range(decisions):
            ticket, reward = campaign.decide(), rng.random()
            campaign.observe(ticket, reward)
            squares[ticket.arm] += reward * reward

    some(100)
    campaign.add_arm("quiz")
    some(100)
    campaign.retire_arm("video")
    campaign.add_arm("chat")
    some(100)
    known = dict(zip(campaign.settings.arms, campaign._state.memory.proposer, strict=True))
    assert known == pytest.approx(squares) and min(squares.values()) > 0


def test_a_decision_is_explained_by_the_arms_of_its_time():
    campaign, rng = new_campaign(**OPEN, floor="confidence"), random.Random(1)
    busy(campaign, rng, 200)
    early = campaign.decide(candidate="video")
    campaign.add_arm("quiz")
    busy(campaign, rng, 200)
    late = campaign.decide(candidate="quiz")
    assert [term.arm for term in explain(campaign._ledger, early.id).terms] == ["now", "video"]
    found = explain(campaign._ledger, late.id)
    assert [term.arm for term in found.terms] == ["now", "video", "quiz"]
    assert sum(term.sum for term in found.terms) == pytest.approx(late.guaranteed_budget)


def test_a_campaign_opens_again_with_its_first_arms_or_its_present_ones(tmp_path):
    with new_campaign(tmp_path / "c", **OPEN) as campaign:
        campaign.add_arm("quiz")
    for arms in (["now", "video"], ("now", "video", "quiz"), None):
        with Campaign.open(tmp_path / "c", arms=arms) as campaign:
            assert campaign.settings.arms == ("now", "video", "quiz")
    with pytest.raises(ValueError, match=r"^arms: must be .*, as when the campaign was opened"):
        Campaign.open(tmp_path / "c", arms=["now", "quiz"])


def test_a_campaign_of_fixed_arms_says_what_to_do():
    campaign = new_campaign(arms=["now", "video"])
    with pytest.raises(Conflict, match="start a new epoch with arms_may_change=True"):
        campaign.add_arm("quiz")
    campaign.retire_arm("video")  # which needs nothing
    campaign.start_epoch(arms_may_change=True)
    campaign.add_arm("quiz")
    assert campaign.status().retired == ["video"]
    assert campaign._state.numbers == [0, 1, 2]


@pytest.mark.parametrize("floor", ["joint", "joint-variance"])
def test_under_the_joint_floor_shown_intervals_need_their_shares(floor):
    campaign = new_campaign(arms=["now", "video"], floor=floor)
    with pytest.raises(Conflict, match="arms_may_change=False"):
        campaign.add_arm("quiz")


@pytest.mark.parametrize("floor", ["joint", "joint-variance", "randomised"])
def test_a_challenger_costs_these_floors_nothing(floor):
    """Their budget is the same to the last bit whether an arm is there, is added, or is gone."""
    given = {
        "floor": floor,
        "max_loss": 0.3,
        "holdback": 0.1,
        "arms_may_change": True,
        "delta": 0.3,
    }
    one = new_campaign(**given, arms=["now", "video", "quiz"])
    other = new_campaign(**given, arms=["now", "video"])
    rng, played = random.Random(4), 0
    for number in range(400):
        if number == 100:
            other.add_arm("quiz")
        if number == 300:
            other.retire_arm("quiz")
        wanted = "quiz" if 100 <= number < 300 else "video"
        tickets = [campaign.decide(candidate=wanted) for campaign in (one, other)]
        assert tickets[0].guaranteed_budget == tickets[1].guaranteed_budget
        assert tickets[0].arm == tickets[1].arm
        played += tickets[0].arm == "quiz"
        reward = float(rng.random() < CLICKS[tickets[0].arm])
        for campaign, ticket in zip((one, other), tickets, strict=True):
            campaign.observe(ticket, reward)
    assert played > 20


def test_the_randomised_floor_needs_no_shares():
    campaign = new_campaign(arms=["now", "video"], floor="randomised", holdback=0.1)
    campaign.add_arm("quiz")
    assert campaign.settings.arms == ("now", "video", "quiz")
    metric = {"name": "ms", "low": 0, "high": 9}  # whose intervals do
    shown = new_campaign(
        arms=["now", "video"], floor="randomised", holdback=0.1, guardrails=[metric]
    )
    with pytest.raises(Conflict, match="arms_may_change=False"):
        shown.add_arm("quiz")


def test_what_cannot_be_added_or_retired():
    campaign = new_campaign(**OPEN)
    for bad, words in [
        ("now", "now is the default"),
        ("", "must be names"),
        ("a\nb", "must be names"),
        (7, "must be a name, not 7"),
    ]:
        with pytest.raises(ValueError, match=f"^arm: {words}"):
            campaign.add_arm(bad)
    with pytest.raises(ValueError, match=r"^arm: must be one of now, video, not 'quiz'"):
        campaign.retire_arm("quiz")
    with pytest.raises(ValueError, match=r"^arm: now is the default"):
        campaign.retire_arm("now")
    campaign.retire_arm("video")
    seq = campaign.seq
    campaign.retire_arm("video")  # again: nothing is recorded
    assert campaign.seq == seq
    with pytest.raises(ValueError, match=r"^arm: video was retired; what replaces it needs a name"):
        campaign.add_arm("video")
    for number in range(MAX_ARMS - 2):
        campaign.add_arm(f"arm {number}")
    seq = campaign.seq
    campaign.add_arm("arm 1")  # again: nothing is recorded
    assert campaign.seq == seq
    with pytest.raises(Conflict, match=f"at most {MAX_ARMS} arms, retired ones included"):
        campaign.add_arm("one more")
    campaign.finish("now")
    with pytest.raises(Conflict, match="is finished"):
        campaign.add_arm("late")
    campaign.stop()
    with pytest.raises(Stopped):
        campaign.retire_arm("arm 1")


def test_the_verifier_finds_arms_that_were_not_to_be_had(tmp_path):
    path = str(tmp_path / "c")
    with new_campaign(path, arms=["now", "video"]) as campaign:
        for body in ({"added": "quiz"}, {"retired": "now"}):
            campaign._recorder.run(campaign._recorder.record, "changed", None, None, body)
    found = verify(path).problems
    assert len(found) == 2
    assert "arms_may_change=False" in found[0] and "now is the default" in found[1]


def test_a_budget_that_forgets_a_retired_arm_is_found(tmp_path, monkeypatch):
    """The control: what its plays have lost would be there to be lost again."""
    path, retire = str(tmp_path / "c"), State.retire

    def forget(state, names):
        retire(state, names)
        for place in set(range(len(state.settings.arms))) - set(state.active):
            state.rounds -= state.arms.plays[place]
            state.arms.plays[place] = 0

    with monkeypatch.context() as broken:
        broken.setattr(State, "retire", forget)
        with new_campaign(path, **OPEN) as campaign:
            play(campaign, {"now": [1, 0], "video": [0]}, 100)
            campaign.retire_arm("video")
            campaign.add_arm("quiz")
            play(campaign, {"now": [1, 0], "quiz": [0]}, 100)
    assert any("decided at a guaranteed budget of" in words for words in verify(path).problems)
