"""Guardrails: further metrics, their intervals, and arms that break a limit."""

import random

import pytest

from floorline.live import Campaign
from floorline.live.explain import explain
from floorline.live.ledgers import read_ledger
from floorline.live.state import State
from floorline.live.verify import verify

LATENCY = {"name": "latency_ms", "low": 0, "high": 1000, "limit": 400}
TRUTH = {"now": 200.0, "slow": 700.0, "fast": 200.0}
REWARDS = {"now": 0.5, "slow": 0.9, "fast": 0.6}
"""The slow one earns most: without its limit it would be played most."""


def run(path, decisions, guardrails=(LATENCY,), candidate=None, **settings):
    """Run a campaign whose every reward comes with a latency; its decisions in order."""
    rng = random.Random(1)
    made = []
    with Campaign.open(
        str(path),
        arms=list(TRUTH),
        max_loss=0.3,
        delta=1e-7,
        seed=1,
        guardrails=list(guardrails),
        **settings,
    ) as campaign:
        with campaign.transaction():  # one wait for the disk
            for _ in range(decisions):
                ticket = campaign.decide(candidate=candidate)
                reward = float(rng.random() < REWARDS[ticket.arm])
                latency = TRUTH[ticket.arm] + rng.uniform(-150, 150)
                campaign.observe(ticket, reward, {"latency_ms": latency})
                made.append(ticket)
        return made, campaign.status()


def test_an_arm_that_surely_breaks_its_limit_is_not_played_any_more(tmp_path):
    """It is retired, others take its place, and the ledger proves it. Odds of failure: 1e-7."""
    path = tmp_path / "page.ledger"
    made, status = run(path, 3000)
    assert status.retired == ["slow"]
    last = max(n for n, ticket in enumerate(made) if ticket.arm == "slow")
    assert last < 1500
    assert any(ticket.arm == "fast" for ticket in made[last:])
    later = [ticket for ticket in made[last + 1 :] if ticket.candidate == "slow"]
    assert {(ticket.arm, ticket.reason) for ticket in later} <= {("now", "retired")}
    assert status.winner != "slow"
    with Campaign.open(str(path)) as again:
        assert again.status().retired == ["slow"]
        words = [event.body for event in again.events() if "retired" in event.body]
        assert len(words) == 1
        assert words[0]["why"].startswith("latency_ms is surely above 400: between ")
    assert verify(str(path)).problems == []


def test_under_the_randomised_floor_too(tmp_path):
    """The coin is between the default and an arm that is left. Odds of failure: 1e-7."""
    path = str(tmp_path / "page.ledger")
    made, status = run(path, 1500, floor="randomised", policy="conservative-thompson-votes")
    assert status.retired == ["slow"]
    last = max(n for n, ticket in enumerate(made) if ticket.arm == "slow")
    assert {ticket.candidate for ticket in made[last + 1 :]} == {"now", "fast"}
    assert all(ticket.propensity is not None for ticket in made)
    assert verify(path).problems == []


def test_without_a_limit_nobody_is_retired(tmp_path):
    """The control: the same values, and the slow one is played to the end."""
    made, status = run(tmp_path / "page.ledger", 3000, guardrails=({**LATENCY, "limit": None},))
    assert status.retired == []
    assert sum(ticket.arm == "slow" for ticket in made[1500:]) > 500


def test_an_arm_within_its_limit_stays(tmp_path):
    _, status = run(tmp_path / "page.ledger", 1500, guardrails=({**LATENCY, "limit": 720},))
    assert status.retired == []


def test_a_limit_below(tmp_path):
    low = {**LATENCY, "limit": 400, "worse": "below"}
    _, status = run(tmp_path / "page.ledger", 3000, (low,), candidate="fast")
    assert status.retired == ["fast"]  # and never the default, which breaks it too


def test_intervals_hold(tmp_path):
    """At the end, all contain the truth: each fails with a probability below 1e-7."""
    _, status = run(tmp_path / "page.ledger", 1000)
    (latency,) = status.guardrails
    assert (latency.name, latency.limit, latency.worse) == ("latency_ms", 400.0, "above")
    for arm in latency.arms:
        assert arm.lower <= TRUTH[arm.arm] <= arm.upper
        assert arm.average is None or arm.lower <= arm.average <= arm.upper
    now = latency.arms[0]
    assert now.seen > 100 and now.upper - now.lower < 500  # which says something


def fast_is_retired(patience):
    """Whether an arm with mean 500 is retired as below 400, with high values so many plays late."""
    rng = random.Random(1)
    low = {**LATENCY, "worse": "below"}
    campaign = Campaign.open(
        ":memory:", arms=["now", "fast"], max_loss=0.9, delta=1e-7, seed=1, guardrails=[low]
    )
    waiting = []
    with campaign, campaign.transaction():
        for _ in range(300):
            value = rng.choice([0.0, 1000.0])
            waiting.append((campaign.decide(candidate="fast"), value))
            for ticket, value in [one for one in waiting if one[1] == 0.0]:
                campaign.observe(ticket, 0.5, {"latency_ms": value})
            waiting = [one for one in waiting if one[1] > 0.0]
            while len(waiting) > patience:
                ticket, value = waiting.pop(0)
                campaign.observe(ticket, 0.5, {"latency_ms": value})
        return "fast" in campaign.status().retired


def test_how_late_a_value_comes_must_not_depend_on_it():
    """A good arm is retired if high values come late. A false alarm has probability 1e-7."""
    assert not fast_is_retired(0)
    assert fast_is_retired(1000)


def test_a_verifier_finds_a_retired_arm_that_is_played(tmp_path, monkeypatch):
    path = tmp_path / "page.ledger"
    set_active = State.set_active
    with monkeypatch.context() as broken:
        every = range(len(TRUTH))
        broken.setattr(State, "set_active", lambda state, arms: set_active(state, every))
        run(path, 1500)
    assert any("was played after it was retired" in text for text in verify(str(path)).problems)


def test_a_retired_candidate_of_your_own(tmp_path):
    path = tmp_path / "page.ledger"
    run(path, 3000)
    with Campaign.open(str(path)) as campaign:
        ticket = campaign.decide(candidate="slow")
    assert (ticket.arm, ticket.candidate, ticket.reason) == ("now", "slow", "retired")
    ledger = read_ledger(str(path))
    assert explain(ledger, ticket.id).record.reason == "retired"
    ledger.close()


def test_a_new_epoch_tries_again(tmp_path):
    path = tmp_path / "page.ledger"
    run(path, 3000)
    with Campaign.open(str(path)) as campaign:
        campaign.start_epoch()
        assert campaign.status().retired == []
        assert campaign.status().guardrails[0].arms[0].seen == 0


def test_values_are_clipped_and_others_are_optional():
    with Campaign.open(
        ":memory:", arms=["now", "b"], max_loss=0.1, guardrails=[LATENCY]
    ) as campaign:
        campaign.observe(campaign.decide(), 1.0, {"latency_ms": 5000})
        campaign.observe(campaign.decide(), 1.0)
        now = campaign.status().guardrails[0].arms[0]
        assert (now.seen, now.average) == (1, 1000.0)


@pytest.mark.parametrize(
    ("metrics", "words"),
    [
        ({"latency": 3}, "metrics: must be one of latency_ms"),
        ({"latency_ms": "fast"}, "metrics.latency_ms: must be"),
        ({"latency_ms": float("nan")}, "metrics.latency_ms: must be"),
        ([3], "metrics: must be names with numbers"),
    ],
)
def test_wrong_metrics_are_refused_and_nothing_is_recorded(metrics, words):
    with Campaign.open(
        ":memory:", arms=["now", "b"], max_loss=0.1, guardrails=[LATENCY]
    ) as campaign:
        ticket = campaign.decide()
        with pytest.raises(ValueError, match=words):
            campaign.observe(ticket, 1.0, metrics)
        assert campaign.observe(ticket, 1.0, {"latency_ms": 3}) == "accepted"


def test_metrics_of_a_campaign_without_guardrails_are_refused_in_words():
    with Campaign.open(":memory:", arms=["now", "b"], max_loss=0.1) as campaign:
        with pytest.raises(ValueError, match=r"^metrics: this campaign has no guardrails"):
            campaign.observe(campaign.decide(), 1.0, {"latency_ms": 3})
        assert campaign.observe(campaign.decide(), 1.0, {}) == "accepted"


@pytest.mark.parametrize(
    ("guardrails", "words"),
    [
        ([{"name": "x"}], "guardrails: each must have name, low and high"),
        ([{"name": "x", "low": 1, "high": 1}], "guardrails.x.high"),
        ([{"name": "x", "low": 0, "high": 1, "limit": 2}], "guardrails.x.limit"),
        ([{"name": "x", "low": 0, "high": 1, "worse": "up"}], "guardrails.x.worse"),
        ([{"name": "", "low": 0, "high": 1}], "guardrails: must be names"),
        ([{"name": "x", "low": 0, "high": 1}] * 2, "guardrails: must be of different names"),
        ([7], "guardrails: must be a list of Guardrail"),
        ("latency", "guardrails: must be a list of at most 10"),
    ],
)
def test_wrong_guardrails_are_refused(guardrails, words):
    with pytest.raises(ValueError, match=words):
        Campaign.open(":memory:", arms=["now", "b"], max_loss=0.1, guardrails=guardrails)


def test_a_retired_arm_gives_its_chances_to_the_default(tmp_path):
    path = tmp_path / "page.ledger"
    run(path, 3000)
    with Campaign.open(str(path)) as campaign:
        chances = {"now": 0.2, "slow": 0.5, "fast": 0.3}
        ticket = campaign.decide(candidate="slow", chances=chances)
    assert (ticket.arm, ticket.probability) == ("now", 1.0)
    # 0.2 of its own, 0.5 of the retired one, and the control group's share of 0.3.
    assert ticket.propensity == pytest.approx(0.2 + 0.5 + 0.02 * 0.3)
