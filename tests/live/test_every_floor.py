"""Random stories under every floor: the running state, its replays and its snapshots agree."""

import random
from contextlib import suppress

import msgspec
import pytest
from campaigns import Clock, crash_copy, new_campaign

from floorline.live import Campaign, CampaignError, LedgerError, drift, snapshot, snapshot_writer
from floorline.live.assessment import status_of
from floorline.live.replay import load, start
from floorline.live.verify import verify

FLOORS = {
    "confidence": [{"voids": True}, {"default_mean": 0.4}, {"low": -1.0}],
    "joint": [{}, {"missing": "random"}, {"default_mean": 0.4}],
    "joint-steady": [{}, {"missing": "unknown", "window": None}],
    "joint-variance": [{}, {"policy": "conservative-empirical-ucb"}],
    "randomised": [{"in_flight_rate": 0.9, "in_flight_burst": 3.0}],
}
CASES = [(floor, settings) for floor, given in FLOORS.items() for settings in given]


def all_about(state, now):
    """Return everything that is kept, shown and decided by."""
    arms = range(len(state.settings.arms))
    kept, shown = snapshot.plain(state), msgspec.to_builtins(status_of("c", state, 0, now))
    state.refresh()
    budgets = [state.budget_after(arm) for arm in arms]
    refusals = [state.refusal_probability(arm) for arm in arms[1:]]
    state.prepare_decision()
    return kept, shown, budgets, refusals, [state.is_surely_better(arm) for arm in arms[1:]]


def assert_agreement(campaign, rng):
    """Compare the running state with those from the ledger and from snapshots."""
    cut, from_cut = rng.randint(1, campaign.seq), None
    replayed, events = start(campaign._ledger)
    for event, _ in events:
        replayed.apply(event)
        if from_cut is not None:
            from_cut.apply(event)
        elif event.seq == cut:
            from_cut = snapshot.from_json(snapshot.plain(replayed))
    now = campaign.now()
    running = all_about(campaign._state, now)
    for state in (replayed, from_cut, load(campaign._ledger)):
        assert all_about(state, now) == running


class Story:
    """A campaign, and what may happen to it."""

    def __init__(self, folder, settings, seed):
        self.rng, self.clock, self.folder, self.lives = random.Random(seed), Clock(), folder, 0
        self.path, self.tickets = folder / "c", []
        self.campaign = new_campaign(self.path, clock=self.clock, holdback=0.2, **settings)
        self.settings = self.campaign.settings

    def decide(self):
        for _ in range(self.rng.randint(1, 8)):
            candidate = self.rng.choice([None, None, *self.campaign.settings.arms])
            key = self.rng.choice([None, None, f"key {self.rng.randrange(40)}"])
            self.tickets.append(self.campaign.decide(key, candidate))

    def decide_together(self):
        with self.campaign.transaction():
            self.decide()

    def observe(self):
        for ticket in self.rng.choices(self.tickets[-20:], k=5):
            reward = self.rng.choice([self.settings.high, self.rng.random()])
            with suppress(CampaignError):  # it has another one already
                self.campaign.observe(ticket, reward)

    def refuse(self):
        self.campaign.observe(self.rng.choice(self.tickets[-20:]), self.settings.high + 1)

    def void(self):
        self.campaign.void(self.rng.choice(self.tickets[-20:]))

    def wait(self):
        self.clock.now += self.rng.choice([1.0, 5.0, 20.0, 70.0])

    def fail(self):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.campaign._ledger, "commit", broken)
            with pytest.raises(LedgerError):
                self.campaign.decide()
        self.clock.now += 30.0

    def change_arms(self):
        change = self.rng.choice(["add", "retire", "promote", "promote"])
        if change == "add":
            self.campaign.add_arm(f"arm {self.campaign.seq}")
        else:
            getattr(self.campaign, f"{change}_arm")(self.rng.choice(self.campaign.settings.arms))

    def start_epoch(self):
        self.campaign.start_epoch(self.rng.choice(self.campaign.settings.arms))

    def crash(self):
        self.lives += 1
        copied = crash_copy(self.path, self.folder / str(self.lives))
        self.campaign.close()
        self.path = copied
        self.campaign = Campaign.open(self.path, clock=self.clock, seed=self.lives)


def broken():
    raise LedgerError("the ledger: broke, for a test")


ODDS = {"decide": 9, "decide_together": 3, "observe": 12, "refuse": 3, "void": 2, "wait": 4}
ODDS |= {"fail": 1, "change_arms": 3, "start_epoch": 1, "crash": 1}


@pytest.mark.parametrize(("floor", "given"), CASES)
def test_the_states_agree_if_one_is_in_machine_code(
    tmp_path, monkeypatch, machine_code, floor, given
):
    test_the_states_agree(tmp_path, monkeypatch, floor, given)


@pytest.mark.parametrize(("floor", "given"), CASES)
def test_the_states_agree(tmp_path, monkeypatch, floor, given):
    monkeypatch.setattr(snapshot_writer, "SNAPSHOT_EVERY", 25)
    monkeypatch.setattr(snapshot_writer, "LARGE", 4)
    monkeypatch.setattr(drift, "BLOCK", 5)
    monkeypatch.setattr("warnings.warn", lambda *_, **__: None)  # of rewards below 0
    settings = {"floor": floor, "missing": "zero", "window": 60.0, "max_loss": 0.4} | given
    settings["arms_may_change"] = "default_mean" not in given
    story = Story(tmp_path, settings, seed=f"{floor} {given}")
    for number in range(100):
        event = story.rng.choices(list(ODDS), ODDS.values())[0] if story.tickets else "decide"
        with suppress(ValueError, CampaignError):  # what the campaign does not allow now
            getattr(story, event)()
        if number % 25 == 24:
            assert_agreement(story.campaign, story.rng)
    story.campaign.close()
    report = verify(str(story.path))
    assert report.problems == [] and report.snapshots > 0
