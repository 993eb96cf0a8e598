"""Live campaigns under the randomised floor: coins, propensities, late rewards, restarts."""

import random

import numpy as np
import pytest
from campaigns import Clock, new_campaign, replayed
from scipy.stats import binom

from floorline.core.records import new_arms
from floorline.floors.randomised.account import charge, credit, lower_bound
from floorline.floors.randomised.design import randomised_rules
from floorline.floors.randomised.memory import account_size
from floorline.live import Campaign, Conflict, snapshot, snapshot_writer
from floorline.live.coins import DRAWN, Coin, SystemNumbers
from floorline.live.events import Event
from floorline.live.explain import explain
from floorline.live.verify import verify

COINS = {"floor": "randomised", "arms": ["now", "video", "quiz"], "holdback": 0.05}
MEANS = {"now": 0.4, "video": 0.7, "quiz": 0.1}


def busy(campaign, rng, decisions, delay=15, lost=0.03, candidates=(None,)):
    """Decisions whose rewards come late, in any order, twice, or never."""
    waiting, tickets = [], []
    for _ in range(decisions):
        ticket = campaign.decide(
            candidate=rng.choice(candidates), context={"hour": rng.randrange(24)}
        )
        tickets.append(ticket)
        waiting.append(ticket)
        while len(waiting) > delay:
            late = waiting.pop(rng.randrange(len(waiting)))
            if rng.random() > lost:
                reward = float(rng.random() < MEANS[late.arm])
                assert campaign.observe(late, reward) == "accepted"
                assert campaign.observe(late, reward) == "duplicate"
    return tickets


def test_a_ticket_says_how_likely_its_arm_was():
    campaign = new_campaign(**COINS)
    busy(campaign, random.Random(1), 400, delay=0, lost=0)
    tossed = 0
    for record in campaign.history():
        if record.p is None:
            assert record.probability == 1.0
            assert record.arm == (record.candidate if record.arm != "now" else "now")
            continue
        tossed += 1
        assert 0.05 <= record.p < 1
        won = record.coin == "candidate"
        assert record.arm == (record.candidate if won else "now")
        assert record.probability == (1 - record.p if won else record.p)
        assert record.propensity == record.probability, "the optimistic proposer tosses no coin"
        assert record.context["hour"] in range(24)
    assert tossed > 50
    outside = campaign.decide(candidate="video")
    assert outside.propensity is None
    assert outside.probability is not None
    own = campaign.decide(candidate="now")
    assert (own.arm, own.probability) == ("now", 1.0)
    assert list(campaign.history())[-1].coin is None, "nothing to toss for"


def test_a_candidate_from_outside_may_bring_its_chances():
    campaign = new_campaign(**COINS)
    busy(campaign, random.Random(8), 300, delay=0, lost=0)
    chances = {"now": 0.2, "video": 0.5, "quiz": 0.3}
    shares = {}
    for _ in range(40):
        before = campaign._state.refusal_probability(1)
        ticket = campaign.decide(candidate="video", chances=chances)
        shares[ticket.arm] = ticket.propensity
        default = 0.2 + 0.8 * before  # named itself, or won the coin against any other
        expected = default if ticket.is_default else 0.5 * (1 - before)
        assert ticket.propensity == pytest.approx(expected)
        campaign.observe(ticket, 0.5)
    assert set(shares) == {"now", "video"}
    for wrong, named in (
        ({"now": 0.5, "video": 0.6}, "numbers that add to 1"),
        ({"now": 1.0}, "above 0 for the candidate video"),
        ({"radio": 1.0}, "chances: must be one of"),
        ({"video": 1.5}, "chances\\[video\\]"),
    ):
        with pytest.raises(ValueError, match=named):
            campaign.decide(candidate="video", chances=wrong)
    with pytest.raises(ValueError, match="chances: are those of a candidate from outside"):
        campaign.decide(chances=chances)


def test_the_same_request_has_one_coin():
    campaign = new_campaign(**COINS)
    busy(campaign, random.Random(2), 300, delay=0, lost=0)
    for number in range(30):
        first = campaign.decide(f"visit {number}", candidate="video", context={"try": 1})
        for _ in range(3):
            assert campaign.decide(f"visit {number}", candidate="quiz") == first
    arms = {record.arm for record in campaign.history(campaign.seq - 31)}
    assert arms == {"now", "video"}, "the case shows nothing"


def test_the_coin_is_the_system_s_unless_a_seed_is_given(monkeypatch):
    monkeypatch.setattr("os.urandom", bytes)
    assert Campaign.open(":memory:", **COINS, max_loss=0.1)._coin.random() == 0.0
    assert new_campaign(**COINS)._coin.random() != 0.0


def test_a_coin_s_numbers_come_in_order_each_once():
    coin = Coin(iter([0.1, 0.2, 0.3, 0.4]).__next__)
    assert [coin.ahead, coin.random(), coin.random(), coin.ahead, coin.random()] == [
        0.1, 0.1, 0.2, 0.3, 0.3,
    ]  # fmt: skip


def test_coins_are_the_system_s_bits_each_used_once(monkeypatch):
    asked = []

    def urandom(size):
        asked.append(np.random.default_rng(len(asked)).bytes(size))
        return asked[-1]

    monkeypatch.setattr("os.urandom", urandom)
    system = SystemNumbers()
    numbers = [system.random() for _ in range(3 * DRAWN)]
    assert len(asked) == 3
    words = [word for part in asked for word in np.frombuffer(part, np.uint64).tolist()]
    assert sorted(numbers) == sorted((word >> 11) / 2**53 for word in words)


@pytest.mark.parametrize(("byte", "number"), [(b"\x00", 0.0), (b"\xff", 1 - 2**-53)])
def test_a_coin_s_number_is_below_1(monkeypatch, byte, number):
    monkeypatch.setattr("os.urandom", lambda size: byte * size)
    assert SystemNumbers().random() == number


@pytest.mark.parametrize("missing", ["unknown", "zero"])
@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_late_and_lost_rewards_replay_alike(tmp_path, monkeypatch, missing, rate):
    monkeypatch.setattr(snapshot_writer, "SNAPSHOT_EVERY", 100)
    clock, path, rng = Clock(), tmp_path / "c", random.Random(3)
    window = None if missing == "unknown" else 50.0
    stated = {"in_flight_rate": rate, "in_flight_burst": 0.0 if rate == 1.0 else 4.0}
    settings = {**COINS, **stated, "missing": missing, "window": window}
    with new_campaign(path, clock=clock, max_loss=0.3, **settings) as campaign:
        for _ in range(4):
            busy(campaign, rng, 60, candidates=(None, "video", "quiz", "now"))
            clock.now += 20.0
        campaign.status()  # looking must change nothing
        assert campaign.state() == replayed(campaign)
        restored = snapshot.from_json(snapshot.plain(campaign._state))
        for arm in range(3):
            expected = campaign._state.refusal_probability(arm)
            assert restored.refusal_probability(arm) == expected
        assert sum(arm.plays for arm in campaign.status().arms[1:]) > 10
        with pytest.raises(ValueError, match="holdback: is part of the randomised floor"):
            campaign.change(holdback=0.2)
        campaign.change(policy="conservative-thompson")
        busy(campaign, rng, 50)
    with Campaign.open(path, clock=clock) as campaign:
        assert campaign.state() == replayed(campaign)
        assert campaign.settings.in_flight_rate == rate
        campaign.start_epoch(holdback=0.2)
        busy(campaign, rng, 50)
    report = verify(str(path))
    assert report.problems == []
    assert report.snapshots >= 1
    assert report.lowest_budget >= 0


def test_the_account_is_that_of_the_coins_and_rewards_in_any_order():
    campaign = new_campaign(**COINS, max_loss=0.3)
    busy(campaign, random.Random(4), 300)
    rules = randomised_rules(0.3, 0.05, holdback=0.05)
    memory, unused, plays = [0.0] * account_size(rules), new_arms(1), {}
    for event in campaign.events():
        if event.kind == "decided":
            arm = ["now", "video", "quiz"].index(event.body["arm"])
            p = event.body.get("p", 1.0)
            plays[event.seq] = arm, p
            charge(rules, unused, memory, arm, p)
        elif event.kind == "observed" and not event.body.get("late"):
            credit(rules, unused, memory, *plays[event.decision_seq], event.body["reward"], 0.0)
    expected = lower_bound(rules, memory, rules.ladder[0])
    assert campaign._state.budget() == pytest.approx(expected, abs=1e-9)
    shown = campaign.status()
    assert shown.guaranteed_budget == pytest.approx(max(0.0, expected), abs=1e-9)
    assert shown.winner is None
    assert {(arm.lower, arm.upper) for arm in shown.arms} == {(0.0, 1.0)}, "no mean is known"


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"missing": "random", "window": 9}, 'missing: "random" is refused under the randomised'),
        ({"voids": True}, "voids: the randomised floor counts every decision"),
        ({"default_mean": 0.4}, "default_mean: the randomised floor takes none"),
        ({"low": -1.0}, "low: must be a number at least 0"),
        ({"holdback": 0.003}, "holdback: must be a number above 0.0039"),
        ({"in_flight_rate": 2.0}, "in_flight_rate: must be a number at least 0 and at most 1"),
        ({"floor": "joint", "in_flight_rate": 0.1}, "in_flight_rate: is for the randomised floor"),
    ],
)
def test_what_the_floor_cannot_take_is_refused_by_name(tmp_path, settings, named):
    with pytest.raises(ValueError, match=named):
        new_campaign(tmp_path / "c", **{**COINS, **settings})
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("context", [["a list"], {"key": object()}, {"long": "x" * 5000}])
def test_a_context_is_a_small_json_object(context):
    campaign = new_campaign(**COINS)
    with pytest.raises(ValueError, match="context: must"):
        campaign.decide(context=context)
    assert campaign.seq == 1


def test_its_own_holdback_is_the_default_of_a_new_campaign():
    told = {name: value for name, value in COINS.items() if name != "holdback"}
    assert Campaign.open(":memory:", **told, max_loss=0.1).settings.holdback == 0.05
    plain = Campaign.open(":memory:", arms=["now", "video"], max_loss=0.1)
    assert plain.settings.holdback == 0.02


def test_a_drifting_default_stops_nothing():
    campaign = new_campaign(**COINS, drift_level=1.0)
    for number in range(1200):
        ticket = campaign.decide(candidate="video" if number % 2 else "now")
        campaign.observe(ticket, float(number % 3 == 0) if number < 600 else 1.0)
    assert campaign._state.drift.alarm
    assert campaign.status().state == "running"
    assert campaign.status().reasons.get("drift") is None


@pytest.mark.parametrize(
    ("body", "words"),
    [({"p": 0.5}, "a coin at 0.5"), ({"coin": "default"}, "the coin was now's")],
)
def test_a_coin_that_was_tampered_with_is_found(tmp_path, body, words):
    with new_campaign(tmp_path / "c", **COINS, max_loss=0.5) as campaign:
        busy(campaign, random.Random(5), 200, delay=0, lost=0)
        state = campaign._state
        state.refresh()
        p, budget = state.refusal_probability(1), state.budget_after(1)
        fair = {"arm": "video", "candidate": "video", "reason": "explore", "probability": 1 - p}
        fair |= {"guaranteed_budget": budget, "propensity": None, "p": p, "coin": "candidate"}
        assert 0 < p < 1
        event = Event(state.seq + 1, state.time, "decided", None, None, fair | body)
        campaign._ledger.append(event)
        campaign._ledger.commit()
    problems = verify(str(tmp_path / "c")).problems
    assert len(problems) == 1
    assert words in problems[0]


def test_a_decision_is_explained_by_its_coin():
    campaign = new_campaign(**COINS, unit="EUR")
    busy(campaign, random.Random(6), 300, delay=0, lost=0)
    found = {}
    for record in campaign.history(after=200):
        found.setdefault((record.coin, record.reason), record)
    for (coin, _), record in found.items():
        explained = explain(campaign._ledger, record.ticket)
        assert explained.guaranteed_budget == pytest.approx(record.guaranteed_budget)
        said = explained.arithmetic[-1]
        if coin is None:
            assert "no coin" in said
        else:
            assert f"now with probability {record.p:g}" in said
            assert said.endswith(f"{record.arm} won")
    assert {coin for coin, _ in found} == {None, "default", "candidate"}


def test_a_statement_about_pending_rewards_is_checked_when_they_are_in():
    """Every pending reward of the default is a 1, where at most 2 of them were stated."""
    for honest in (True, False):
        clock = Clock()
        stated = {"in_flight_rate": 0.0, "in_flight_burst": 2.0, "missing": "zero", "window": 60}
        campaign = new_campaign(**COINS, **stated, max_loss=0.1, clock=clock)
        for _ in range(150):
            campaign.observe(campaign.decide(candidate="now"), 1.0)
        for _ in range(4):
            tickets = [campaign.decide(candidate="video") for _ in range(100)]
            for ticket in tickets:
                campaign.observe(ticket, float(not honest and ticket.arm == "now"))
        status = campaign.status()
        assert campaign._state.in_flight.checked == 550
        assert (status.alarm is None) == honest
        assert ("Nothing is promised" in status.verdict) == (not honest)
        assert campaign.state() == replayed(campaign)


def test_what_it_does_not_take_back_stays_charged():
    campaign = new_campaign(**COINS, max_loss=0.5)
    busy(campaign, random.Random(7), 200, delay=0, lost=0)
    before = campaign._state.budget()
    played = [campaign.decide(candidate="video") for _ in range(20)]
    default = next(ticket for ticket in played if ticket.is_default)
    other = next(ticket for ticket in played if not ticket.is_default)
    with pytest.raises(Conflict, match="a default decision cannot be voided"):
        campaign.void(default)
    campaign.void(other)
    assert campaign._state.budget() <= before
    assert campaign.state() == replayed(campaign)


# Visitors of two kinds, and a candidate that takes those from whom the default would have earned.

CAMPAIGNS = 60
DELTA = 0.2


def lowest_budget(seed, **settings):
    """Return the lowest realised budget: rewards received, less the floor of the default's."""
    campaign = new_campaign(arms=["now", "video"], max_loss=0.1, delta=DELTA, seed=seed, **settings)
    luck = random.Random(seed)
    budget = lowest = 0.0
    for _ in range(300):
        fan = luck.random() < 0.5
        of_default, of_video = float(fan), float(luck.random() < 0.3)
        ticket = campaign.decide(candidate="video" if fan else "now", context={"fan": fan})
        reward = of_default if ticket.is_default else of_video
        campaign.observe(ticket, reward)
        budget += reward - 0.9 * of_default
        lowest = min(lowest, budget)
    return lowest


def test_the_floor_holds_under_a_candidate_that_looks_at_the_visitor():
    """At most a share delta of campaigns may be below it; false alarm below 1e-6.

    Under the confidence floor nearly all are, which is the control.
    """
    limit = binom.isf(1e-6, CAMPAIGNS, DELTA)

    def breaches(**settings):
        return sum(lowest_budget(seed, **settings) < -1e-9 for seed in range(CAMPAIGNS))

    assert breaches(floor="randomised", holdback=0.05) <= limit
    assert breaches(floor="confidence", drift_level=1e-9) > limit
