"""`verify` finds what a program could write that forgot the rules, checksums right and all."""

import re

import pytest
from campaigns import Clock, new_campaign

from floorline.live.events import Event
from floorline.live.verify import verify


def decided(**other):
    return {
        "arm": "now",
        "candidate": "now",
        "reason": "explore",
        "guaranteed_budget": 0.0,
        "probability": None,
    } | other


@pytest.mark.parametrize(
    ("kind", "ticket", "body", "words"),
    [
        ("opened", None, {}, "opened a second time"),
        ("decided", None, decided(guaranteed_budget=1e9), "guaranteed budget of 1e\\+09"),
        ("decided", None, decided(arm="quiz"), "decided at"),
        ("observed", 2, {"reward": -50.0}, "outside the declared range"),
        ("observed", 99, {"reward": 1.0}, "which was not open"),
        ("observed", 2, {"reward": 1.0, "metrics": {"ms": 9000.0}}, "'ms': 500.0} in their"),
        ("observed", 2, {"reward": 1.0, "metrics": {"mm": 9.0}}, "metrics"),
        ("observed", 2, {"reward": 1.0, "late": True}, "late reward of an open decision"),
        ("voided", 2, {}, "voided in a campaign without voids"),
        ("expired", 2, {}, "before its window was over"),
        ("changed", None, {"max_loss": 0.9}, "changed max_loss"),
        ("sold", None, {}, "not a kind of event"),
    ],
)
def test_events_that_break_the_rules_are_found(tmp_path, kind, ticket, body, words):
    settings = {
        "missing": "zero",
        "window": 60,
        "guardrails": [{"name": "ms", "low": 0, "high": 500}],
    }
    with new_campaign(tmp_path / "c", clock=Clock(), **settings) as campaign:
        campaign.decide()
        assert verify(str(tmp_path / "c")).problems == []
        event = Event(3, 1_000_001.0, kind, ticket, None, body)
        campaign._ledger.append(event)
        campaign._ledger.commit()
    problems = verify(str(tmp_path / "c")).problems
    assert problems
    assert re.search(words, " ".join(problems))


@pytest.mark.parametrize(("kind", "body"), [("paused", {}), ("changed", {"stopped": True})])
def test_a_challenger_where_only_the_default_may_be_played_is_found(tmp_path, kind, body):
    with new_campaign(tmp_path / "c", max_loss=1.0) as campaign:
        campaign._ledger.append(Event(2, 2e9, kind, None, None, body))
        campaign._ledger.append(Event(3, 2e9, "decided", None, None, decided(arm="quiz")))
        campaign._ledger.commit()
    assert len(verify(str(tmp_path / "c")).problems) == 1


@pytest.mark.parametrize(("error", "problems"), [(5e-10, 0), (5e-9, 1)])
def test_a_budget_may_differ_by_the_rounding_of_its_sums(tmp_path, error, problems):
    """It is a small difference of sums that an earlier version may have rounded otherwise."""
    rounds = 40
    with new_campaign(tmp_path / "c", clock=Clock(), floor="joint") as campaign:
        for _ in range(rounds):
            campaign.observe(campaign.decide(), 1.0)
        state = campaign._state
        state.refresh()
        budget = state.budget_after_default() + error * rounds
        event = Event(state.seq + 1, state.time, "decided", None, None, decided())
        event.body["guaranteed_budget"] = budget
        campaign._ledger.append(event)
        campaign._ledger.commit()
    assert len(verify(str(tmp_path / "c")).problems) == problems
