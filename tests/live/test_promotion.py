"""A challenger that becomes the default, within an epoch or with a new one."""

import math
import random

import pytest
from campaigns import Clock, crash_copy, new_campaign, replayed, replayed_file

from floorline.floors.joint.groups import least_sum
from floorline.floors.joint.late import ALL, END, START, best_tally, tally_at
from floorline.floors.joint.memory import VOIDED
from floorline.floors.joint.succession_account import MAX_PROMOTIONS
from floorline.live import Campaign, Conflict, snapshot_writer
from floorline.live.explain import explain
from floorline.live.verify import verify

CLICKS = {"now": 0.3, "video": 0.1, "quiz": 0.5}
OPEN = {"arms": ["now", "video", "quiz"], "arms_may_change": True, "max_loss": 0.3}


def busy(campaign, rng, decisions, waiting=None, delay=0, lost=0.0, candidate=None):
    """Make decisions whose rewards come late, in any order, or never."""
    waiting = [] if waiting is None else waiting
    for _ in range(decisions):
        waiting.append(campaign.decide(candidate=candidate))
        while len(waiting) > delay:
            late = waiting.pop(rng.randrange(len(waiting)))
            if rng.random() >= lost:
                campaign.observe(late, float(rng.random() < CLICKS[late.arm]))


def counts(campaign):
    """Plays of each arm, and rounds in which it was the default, from the ledger alone."""
    plays, led, default = dict.fromkeys(CLICKS, 0), dict.fromkeys(CLICKS, 0), None
    for event in campaign.events():
        if event.kind == "opened":
            default = event.body["settings"]["arms"][0]
        default = event.body.get("promoted", default)
        if event.kind == "decided":
            plays[event.body["arm"]] += 1
            led[default] += 1
    return plays, led


def guaranteed(campaign):
    """Return the budget by the formula of docs/guarantee.md, computed from scratch."""
    ends = {arm.name: (arm.lower, arm.upper) for arm in campaign.status().arms}
    plays, led = counts(campaign)
    weights = {name: plays[name] - (1 - OPEN["max_loss"]) * led[name] for name in plays}
    return sum(c * ends[name][c < 0] for name, c in weights.items())


def test_the_budget_is_held_against_the_default_of_the_time():
    campaign, rng = new_campaign(**OPEN, floor="confidence"), random.Random(1)
    for promoted in (None, "quiz", "now", "video", "quiz"):
        if promoted:
            before = campaign.status()
            campaign.promote_arm(promoted)
            after = campaign.status()
            assert campaign.settings.arms[0] == after.arms[0].name == promoted
            assert after.guaranteed_budget == pytest.approx(before.guaranteed_budget)
            assert after.guaranteed_share == pytest.approx(before.guaranteed_share)
        busy(campaign, rng, 150)
        assert campaign._state.budget() == pytest.approx(guaranteed(campaign))
        plays, led = counts(campaign)
        status = campaign.status()
        assert {arm.name: arm.plays for arm in status.arms} == plays
        assert {arm.name: arm.as_default for arm in status.arms} == led
        share = status.guaranteed_share
        ends = {arm.name: (arm.lower, arm.upper) for arm in status.arms}
        for times, sign in ((share - 1e-9, 1), (share + 1e-9, -1)):
            weights = {name: plays[name] - times * led[name] for name in plays}
            assert sign * sum(c * ends[name][c < 0] for name, c in weights.items()) > -1e-12
        gain = status.gain
        assert gain.lower <= gain.estimate <= gain.upper
    assert "of the default at the time" in status.verdict


def groups(campaign, end=None):
    """Each group's [plays, seen, earned], rounds and plays as the default, from the ledger alone.

    Challengers first, then one default after the other; plays before decision `end`.
    """
    tenure, found, decisions, number = 0, {0: [0, 0, 0.0]}, {}, 0
    rounds, led = [0], [0]
    default = None
    for event in campaign.events():
        if event.kind == "opened":
            default = event.body["settings"]["arms"][0]
        if "promoted" in event.body:
            default = event.body["promoted"]
            rounds.append(0)
            led.append(0)
        if event.kind == "decided":
            tenure, is_default = len(rounds), event.body["arm"] == default
            rounds[-1] += 1
            led[-1] += is_default
            group = tenure if is_default else 0
            if end is None or number < end:
                found.setdefault(group, [0, 0, 0.0])[0] += 1
                decisions[event.seq] = group
            number += 1
        if event.kind == "observed" and event.decision_seq in decisions:
            found[decisions[event.decision_seq]][1] += 1
            found[decisions[event.decision_seq]][2] += event.body["reward"]
    defaults = [found.get(i + 1, [0, 0, 0.0]) for i in range(len(rounds))]
    return found[0], list(zip(defaults, rounds, led, strict=True))


def least_budget(campaign, share, end=None):
    """Return the budget by the formula of docs/joint-floor.md, computed from scratch."""
    (plays, seen, earned), defaults = groups(campaign, end)
    numbers, rest = [1.0, earned, plays - seen, plays], 0.0
    for (plays, seen, earned), rounds, led in defaults:
        if plays:
            numbers += [(led - share * rounds) / plays, earned, plays - seen, plays]
        else:
            rest += min(led - share * rounds, 0.0)
    level = -math.log(campaign.settings.delta)
    counted = sum(min(led - share * rounds, 0.0) for _, rounds, led in defaults)
    return max(rest + least_sum(numbers, 0, len(numbers) // 4, level, 6.0), counted)


@pytest.mark.parametrize("late", [False, True])
def test_under_the_joint_floor_each_default_is_a_group_of_its_own(late):
    campaign, rng = new_campaign(**OPEN, floor="joint"), random.Random(3)
    waiting, cuts, explored = [], 0, 0
    for promoted in (None, "quiz", "now", "video", "quiz"):
        if promoted:
            before = campaign.status()
            campaign.promote_arm(promoted)
            after = campaign.status()
            # Until the cut is looked for again, rewards on their way count at their worst.
            same = {"abs": 20.0 if late else 1e-6}
            assert after.guaranteed_budget == pytest.approx(before.guaranteed_budget, **same)
            assert late or after.guaranteed_share == pytest.approx(before.guaranteed_share)
            if promoted == "quiz":
                campaign.add_arm(f"arm {len(campaign.settings.arms)}")
                campaign.retire_arm(campaign.settings.arms[-1])
        for _ in range(15):
            busy(campaign, rng, 20, waiting, delay=35 if late else 0, lost=0.02 * late)
            memory, share = campaign._state.memory.floor, 1 - OPEN["max_loss"]
            end = None
            if best_tally(memory) != tally_at(memory, ALL):
                end, cuts = int(memory[END]), cuts + 1
                assert end >= memory[START]
            budget = campaign._state.budget()
            if promoted or not late:  # before, missing rewards are filled in without a loss
                assert budget == pytest.approx(least_budget(campaign, share, end), abs=1e-6)
            if end is not None:
                assert tally_at(memory, ALL)[4:7] == tuple(groups(campaign)[0])
        sure = campaign.status().guaranteed_share
        budgets = [least_budget(campaign, sure + change, end) for change in (-1e-6, 1e-6)]
        assert budgets[0] >= 0 > budgets[1] or (late and not promoted)
        plays, _ = counts(campaign)
        explored += promoted is not None and plays[campaign.settings.arms[0]] > 0
    assert (cuts > 10) == late
    assert explored == 4
    assert campaign.state() == replayed(campaign)


def test_a_replay_makes_the_same_cut_where_plays_were_voided():
    """Which cut is used must not follow from when somebody last asked for the budget."""
    campaign, rng = new_campaign(**OPEN, floor="joint"), random.Random(1)
    waiting = []
    busy(campaign, rng, 60, waiting, delay=15, candidate="quiz")
    campaign.promote_arm("video")
    for _ in range(8):
        busy(campaign, rng, 20, waiting, delay=15, candidate="quiz")
        for ticket in [ticket for ticket in waiting if ticket.arm == "quiz"][:3]:
            waiting.remove(ticket)
            campaign.void(ticket)
        assert campaign.state() == replayed(campaign)
    assert campaign._state.memory.floor[VOIDED] > 10


def test_until_a_promotion_it_is_the_confidence_floor():
    """Decision for decision, a campaign that could promote and one that never could."""
    one, other = (new_campaign(**OPEN, floor="confidence", voids=voids) for voids in (False, True))
    assert type(one._state.floor) is not type(other._state.floor)
    rng = random.Random(5)
    for _ in range(400):
        tickets = [one.decide(), other.decide()]
        assert tickets[0].arm == tickets[1].arm
        if tickets[0].arm != "now":  # with voids, a default counts once its reward is known
            budgets = [ticket.guaranteed_budget for ticket in tickets]
            assert budgets[0] == pytest.approx(budgets[1])
        reward = float(rng.random() < CLICKS[tickets[0].arm])
        for campaign, ticket in zip((one, other), tickets, strict=True):
            campaign.observe(ticket, reward)


@pytest.mark.parametrize("floor", ["confidence", "joint", "randomised"])
def test_a_replay_gives_the_same_state(tmp_path, monkeypatch, floor):
    """With late and lost rewards, snapshots in between, and a crash at any of these moments."""
    monkeypatch.setattr(snapshot_writer, "SNAPSHOT_EVERY", 60)
    path, clock, rng, waiting = tmp_path / "c", Clock(), random.Random(2), []
    settings = {**OPEN, "floor": floor, "missing": "zero", "window": 40.0, "holdback": 0.1}
    settings |= {"in_flight_rate": 0.9} if floor == "randomised" else {}
    with new_campaign(path, clock=clock, **settings) as campaign:
        steps = [
            lambda: None,
            lambda: campaign.promote_arm("quiz"),
            lambda: campaign.retire_arm("now"),
            lambda: campaign.promote_arm("video"),
            lambda: campaign.start_epoch(default="quiz"),
        ]
        for number, step in enumerate(steps):
            step()
            assert replayed_file(crash_copy(path, tmp_path / str(number))) == campaign.state()
            busy(campaign, rng, 60, waiting, delay=20, lost=0.2)
            clock.now += 10.0
            campaign.status()
            assert campaign.state() == replayed(campaign)
        assert campaign.settings.arms[0] == "quiz" and campaign.status().retired == ["now"]
    with Campaign.open(path, clock=clock, arms=["now", "video", "quiz"]) as again:
        assert again.state() == replayed(again)
    report = verify(str(path))
    assert report.problems == []
    assert report.lowest_budget >= 0


def test_late_rewards_of_a_former_default_count_on_its_side():
    """Under the randomised floor: the account is that of a campaign that never promoted."""
    given = {"arms": ["now", "video"], "floor": "randomised", "holdback": 0.3, "max_loss": 0.3}
    one, other = new_campaign(**given, delta=0.3), new_campaign(**given, delta=0.3)
    rng, waiting, coins = random.Random(4), [], 0
    for number in range(500):
        tickets = [campaign.decide(candidate="video") for campaign in (one, other)]
        assert tickets[0].arm == tickets[1].arm
        assert tickets[0].guaranteed_budget == tickets[1].guaranteed_budget
        coins += 0 < tickets[0].probability < 1
        waiting.append((tickets, float(rng.random() < 0.5)))
        if number == 499:
            other.promote_arm("video")
        while len(waiting) > (30 if number < 499 else 0):
            late, reward = waiting.pop(0)
            for campaign, ticket in zip((one, other), late, strict=True):
                campaign.observe(ticket, reward)
    assert coins > 100
    one._state.refresh()
    other._state.refresh()
    assert list(one._state.memory.floor) == list(other._state.memory.floor)
    for name in ("now", "video"):
        known = [next(a for a in c.status().arms if a.name == name) for c in (one, other)]
        assert (known[0].plays, known[0].seen) == (known[1].plays, known[1].seen)


def test_a_ticket_says_what_the_default_was():
    campaign, rng = new_campaign(**OPEN), random.Random(1)
    busy(campaign, rng, 200)
    for candidate in ("quiz", "now"):
        ticket = campaign.decide(f"visit {candidate}", candidate=candidate)
        assert ticket.is_default == (ticket.arm == "now")
        campaign.observe(ticket, 0.0)
    before = [campaign.decide(f"visit {name}") for name in ("quiz", "now")]
    campaign.promote_arm("quiz")
    assert [campaign.decide(f"visit {name}") for name in ("quiz", "now")] == before
    assert campaign.decide(candidate="quiz").is_default


@pytest.mark.parametrize("floor", ["confidence", "joint"])
def test_a_default_of_its_time_cannot_be_voided_later(floor):
    campaign, rng = new_campaign(**OPEN, floor=floor), random.Random(1)
    busy(campaign, rng, 200)
    was_default = campaign.decide(candidate="now")
    was_challenger = campaign.decide(candidate="quiz")
    assert was_challenger.arm == "quiz"
    campaign.promote_arm("quiz")
    with pytest.raises(Conflict, match="a default decision cannot be voided"):
        campaign.void(was_default)
    budget = campaign._state.budget()
    lower = campaign.status().arms[0].lower
    assert campaign.void(was_challenger) == "accepted"
    assert campaign._state.budget() <= budget - 0.9 * lower  # its credit is gone, its round is not
    assert campaign.status().arms[0].as_default == 0
    assert campaign.state() == replayed(campaign)


def test_a_decision_is_explained_by_the_defaults_so_far():
    campaign, rng = new_campaign(**OPEN, floor="confidence"), random.Random(1)
    busy(campaign, rng, 200)
    campaign.promote_arm("quiz")
    busy(campaign, rng, 100)
    found = explain(campaign._ledger, campaign.decide(candidate="now").id)
    assert [term.arm for term in found.terms] == ["quiz", "video", "now"]
    assert sum(term.sum for term in found.terms) == pytest.approx(found.guaranteed_budget)
    assert "0.7 x 101 decisions as the default" in found.arithmetic[1]
    assert "0.7 x 200 decisions as the default" in found.arithmetic[3]


def test_under_the_joint_floor_a_decision_is_explained_by_each_default():
    campaign, rng = new_campaign(**OPEN, floor="joint"), random.Random(1)
    busy(campaign, rng, 200)
    late = campaign.decide(candidate="now")
    campaign.promote_arm("quiz")
    busy(campaign, rng, 100)
    found = explain(campaign._ledger, campaign.decide(candidate="now").id)
    words = "\n".join(found.arithmetic)
    assert "now, the default until decision 201: " in words
    assert "1 missing and counted at the highest" in words
    assert "owed: 0.7 x 101 decisions - 1" in words and "owed: 0.7 x 201 decisions - " in words
    assert found.arithmetic[-1] == f"the least budget not refuted: {found.guaranteed_budget:,.6g}"
    campaign.observe(late, 1.0)
    again = explain(campaign._ledger, campaign.decide(candidate="now").id)
    assert "highest" not in "".join(again.arithmetic)


def test_the_watch_looks_at_the_new_default():
    campaign, rng = new_campaign(**OPEN, drift_level=0.5), random.Random(1)
    busy(campaign, rng, 300, candidate="now")
    late = campaign.decide(candidate="now")
    campaign.promote_arm("quiz")
    assert len(campaign._state.drift.plays) == 0
    campaign.observe(late, 1.0)  # of the former default: not in the watch
    assert campaign._state.drift.total == 0.0
    busy(campaign, rng, 2000, candidate="quiz")  # 50% after 30%: no change of this default
    assert campaign.status().state == "running"
    later = {**CLICKS, "quiz": 0.95}
    for _ in range(2000):
        ticket = campaign.decide(candidate="quiz")
        campaign.observe(ticket, float(rng.random() < later[ticket.arm]))
    assert campaign.status().state == "drift"
    with pytest.raises(Conflict, match="start a new epoch with now as its default"):
        campaign.promote_arm("now")
    campaign.start_epoch(default="now")
    assert campaign.status().state == "running" and campaign.settings.arms[0] == "now"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"floor": "joint", "arms_may_change": False}, "was opened with arms_may_change=False"),
        ({"floor": "joint", "boundary": "stitched"}, "with boundary='stitched' the joint floor"),
        ({"floor": "joint-variance"}, "the joint-variance floor tests its budget"),
        ({"voids": True}, "with voids=True it is not settled"),
        ({"arms_may_change": False}, "was opened with arms_may_change=False"),
    ],
)
def test_where_it_needs_a_new_epoch(settings, words):
    campaign = new_campaign(**{**OPEN, **settings})
    seq = campaign.seq
    with pytest.raises(Conflict, match=f"^arm: .*{words}.*; start a new epoch with quiz"):
        campaign.promote_arm("quiz")
    assert campaign.seq == seq
    campaign.start_epoch(default="quiz")
    assert campaign.settings.arms == ("quiz", "video", "now")
    assert campaign.decide().arm == "quiz"
    assert campaign.state() == replayed(campaign)


def test_the_joint_floor_takes_so_many_defaults_and_no_more():
    campaign = new_campaign(**OPEN, floor="joint")
    for number in range(MAX_PROMOTIONS):
        for _ in range(3):
            campaign.observe(campaign.decide(), 1.0)
        campaign.promote_arm(("quiz", "now")[number % 2])
    assert campaign._state.budget() >= 0
    campaign.decide()
    with pytest.raises(Conflict, match="as often in this epoch as the joint floor can take"):
        campaign.promote_arm("video")
    campaign.start_epoch(default="video")
    campaign.decide()
    campaign.promote_arm("now")
    assert campaign.state() == replayed(campaign)


def test_what_cannot_be_promoted():
    campaign = new_campaign(**OPEN)
    with pytest.raises(ValueError, match=r"^arm: must be one of now, video, quiz, not 'x'"):
        campaign.promote_arm("x")
    campaign.retire_arm("video")
    for promote in (campaign.promote_arm, lambda arm: campaign.start_epoch(default=arm)):
        with pytest.raises(ValueError, match=r"^arm: video was retired"):
            promote("video")
    seq = campaign.seq
    campaign.promote_arm("now")  # which is the default
    assert campaign.seq == seq
    known = new_campaign(**OPEN, default_mean=0.3)
    for promote in (known.promote_arm, lambda arm: known.start_epoch(default=arm)):
        with pytest.raises(Conflict, match=r"default_mean.*open another campaign"):
            promote("quiz")
    campaign.finish("quiz")
    with pytest.raises(Conflict, match="is finished"):
        campaign.promote_arm("quiz")


def test_the_verifier_finds_a_promotion_that_was_not_to_be_had(tmp_path):
    path = str(tmp_path / "c")
    with new_campaign(path, **{**OPEN, "floor": "joint-variance"}) as campaign:
        body = {"promoted": "quiz"}
        campaign._recorder.run(campaign._recorder.record, "changed", None, None, body)
    assert ["one default" in words for words in verify(path).problems] == [True]


def test_the_default_can_be_promoted_again_under_every_floor():
    """A request that is repeated changes nothing, where another promotion would be refused."""
    campaign = new_campaign(floor="joint")
    campaign.promote_arm(campaign.settings.arms[0])
    assert campaign.status().arms[0].name == campaign.settings.arms[0]
