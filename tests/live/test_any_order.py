"""Any order of decisions, rewards, silence, voids, crashes: live, replayed and oracle agree."""

import tempfile
import warnings
from pathlib import Path
from unittest import mock

import pytest
from campaigns import Clock, crash_copy, replayed, replayed_file
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from oracle import OPEN, SEEN, SKIPPED, VOIDED, Oracle

from floorline.live import Campaign, CampaignSettings, Conflict, LedgerError, drift, snapshot_writer
from floorline.live.verify import verify

ARMS = ["now", "video", "quiz"]
WINDOW = 60.0
SLACK = 1e-7
IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # nothing here needs a real disk


class AnyOrder(RuleBasedStateMachine):
    """One campaign, in a file, with an oracle beside it."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(dir=IN_MEMORY)
        self.patches = [
            mock.patch.object(snapshot_writer, "SNAPSHOT_EVERY", 7),
            mock.patch.object(snapshot_writer, "LARGE", 3),
            mock.patch.object(drift, "BLOCK", 4),
        ]
        for patch in self.patches:
            patch.start()
        self.clock, self.lives = Clock(), 0
        self.tickets, self.keys = [], {}

    def teardown(self):
        if hasattr(self, "campaign"):
            self.campaign.close()
            assert verify(str(self.path)).problems == []
        for patch in self.patches:
            patch.stop()
        self.folder.cleanup()

    @initialize(
        max_loss=st.sampled_from([0.1, 0.4, 0.75]),
        ends=st.sampled_from([(0.0, 1.0), (-1.0, 1.0), (1.0, 3.0)]),
        missing=st.sampled_from(["unknown", "zero", "random", "random"]),
        voids=st.booleans(),
        known=st.booleans(),
        holdback=st.sampled_from([0.0, 0.2]),
        drift_level=st.sampled_from([0.01, 1.0]),
        late_intervals=st.sampled_from(["cut", "cut", "uncut"]),
    )
    def begin(self, max_loss, ends, missing, voids, known, holdback, drift_level, late_intervals):
        low, high = ends
        if missing == "zero" and low > 0:
            missing = "random"
        self.given = {
            "arms": ARMS,
            "max_loss": max_loss,
            "floor": "confidence",
            "low": low,
            "high": high,
            "missing": missing,
            "window": None if missing == "unknown" else WINDOW,
            "voids": voids,
            "default_mean": max(low, 0.0) + 0.5 if known else None,
            "holdback": holdback,
            "drift_level": drift_level,
            "late_intervals": late_intervals,
        }
        self.oracle = Oracle(CampaignSettings.from_json(self.given))
        self.oracle.time = self.clock.now
        self.path = Path(self.folder.name) / "0" / "c"
        self.path.parent.mkdir()
        self.open(self.given)

    def open(self, given):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of rewards below 0
            self.campaign = Campaign.open(self.path, seed=self.lives, clock=self.clock, **given)
        self.oracle.opened(self.clock.now)

    # Decisions.

    def decide(self, key=None, candidate=None):
        now = self.oracle.at(self.clock.now)
        ticket = self.campaign.decide(key, candidate)
        if key in self.keys:
            assert ticket == self.keys[key]
            return
        self.check(ticket, candidate)
        self.oracle.decided(ticket, now)
        self.tickets.append(ticket.id)
        if key is not None:
            self.keys[key] = ticket

    def check(self, ticket, candidate):
        """Compare what a ticket says with the oracle before it counts the decision."""
        oracle, arm = self.oracle, ARMS.index(ticket.arm)
        if candidate is not None:
            assert ticket.candidate == candidate
        if arm == 0:
            expected = oracle.budget(None if oracle.settings.voids else 0)
        else:
            assert ticket.guaranteed_budget >= 0
            assert ticket.reason in ("explore", "exploit")
            expected = oracle.budget(arm)
        assert ticket.guaranteed_budget == pytest.approx(expected, abs=SLACK)
        if ticket.reason in ("budget-low", "no-rewards"):
            assert oracle.budget(ARMS.index(ticket.candidate)) < SLACK

    @rule(candidate=st.sampled_from([None, None, *ARMS]), count=st.integers(1, 6))
    def decide_some(self, candidate, count):
        for _ in range(count):
            self.decide(candidate=candidate)

    @rule(candidate=st.sampled_from([None, *ARMS]), key=st.sampled_from("abcdef"))
    def decide_with_a_key(self, candidate, key):
        self.decide(key, candidate)

    @rule(count=st.integers(1, 12))
    def decide_together(self, count):
        with self.campaign.transaction():
            for number in range(count):
                self.decide(candidate=ARMS[number % 3])

    # Rewards, silence and voids, of any decision ever made.

    @rule(number=st.integers(0, 10**6), eighths=st.integers(0, 8))
    def observe(self, number, eighths):
        self.observe_one(number, eighths)

    @rule(start=st.integers(0, 10**6), count=st.integers(2, 12), eighths=st.integers(0, 8))
    def observe_many(self, start, count, eighths):
        with self.campaign.transaction():
            for number in range(start, start + count):
                self.observe_one(number, eighths if number % 3 else 8)

    def observe_one(self, number, eighths):
        if not self.tickets:
            return
        ticket = self.tickets[number % len(self.tickets)]
        low, high = self.oracle.settings.low, self.oracle.settings.high
        reward = low + (high - low) * eighths / 8
        now = self.oracle.at(self.clock.now)
        play = self.oracle.plays.get(ticket)
        earlier = next(r for r in self.campaign.history() if r.ticket == ticket)
        if earlier.outcome == "voided" or earlier.reward not in (None, reward):
            with pytest.raises(Conflict):
                self.campaign.observe(ticket, reward)
        elif earlier.reward == reward:
            assert self.campaign.observe(ticket, reward) == "duplicate"
        elif play is not None and play.state == OPEN:
            assert self.campaign.observe(ticket, reward) == "accepted"
            self.oracle.observed(ticket, reward)
            self.oracle.time = now
        else:
            assert self.campaign.observe(ticket, reward) == "late"
            self.oracle.time = now

    @rule(number=st.integers(0, 10**6), pending=st.booleans())
    def void(self, number, pending):
        plays = self.oracle.plays
        challengers = [ticket for ticket in self.oracle.pending() if plays[ticket].arm > 0]
        tickets = (challengers if pending else None) or self.tickets
        if not tickets:
            return
        ticket = tickets[number % len(tickets)]
        now = self.oracle.at(self.clock.now)
        play = self.oracle.plays.get(ticket)
        if play is not None and play.state == VOIDED:
            assert self.campaign.void(ticket) == "duplicate"
        elif play is not None and play.state == OPEN and (play.arm or self.oracle.settings.voids):
            assert self.campaign.void(ticket) == "accepted"
            self.oracle.voided(ticket)
            self.oracle.time = now
        elif play is not None:
            with pytest.raises(Conflict):
                self.campaign.void(ticket)

    @rule(seconds=st.sampled_from([-100.0, 0.5, 30.0, 59.5, 61.0]))
    def time_goes_on(self, seconds):
        self.clock.now += seconds

    @rule(count=st.integers(1, 12), candidate=st.sampled_from(ARMS))
    def silence(self, count, candidate):
        """Some decisions whose window is then over, with rewards for some of them."""
        for _ in range(count):
            self.decide(candidate=candidate)
        for number in range(0, count, 3):
            self.observe_one(len(self.tickets) - count + number, 8)
        self.clock.now += WINDOW

    # Switches.

    @rule()
    def pause_or_resume(self):
        paused = self.campaign.status().state == "paused"
        self.oracle.at(self.clock.now)
        (self.campaign.resume if paused else self.campaign.pause)()
        self.oracle.time = self.oracle.at(self.clock.now)
        expected = "resumed" if paused else "paused"
        assert list(self.campaign.events())[-1].kind == expected

    @rule(holdback=st.sampled_from([0.0, 0.2]))
    def change(self, holdback):
        self.oracle.time = self.oracle.at(self.clock.now)
        self.campaign.change(holdback=holdback)

    @rule(sure=st.integers(0, 3))
    def new_epoch(self, sure):
        if sure == 0:
            self.oracle.time = self.oracle.at(self.clock.now)
            self.campaign.start_epoch()
            self.oracle.new_epoch()

    # Crashes.

    @rule(in_group=st.integers(0, 3))
    def crash(self, in_group):
        """The process is gone, in the middle of a group or not; the group never happened."""
        before = None
        if in_group:
            kept = self.oracle.copy(), list(self.tickets), dict(self.keys)
            before = replayed_file(self.path)
            unfinished = self.campaign.transaction()
            unfinished.__enter__()
            for _ in range(in_group):
                self.decide()
            self.oracle, self.tickets, self.keys = kept
        self.lives += 1
        copy = crash_copy(self.path, Path(self.folder.name) / str(self.lives))
        self.campaign.close()
        self.path = copy
        if before is not None:
            assert replayed_file(self.path) == before
        self.open({})

    @rule(given=st.booleans())
    def close_and_open(self, given):
        self.campaign.close()
        told = {**self.given, "holdback": None} if given else {}  # it may have changed
        self.open(told)

    @rule(number=st.integers(1, 3), seconds=st.sampled_from([0.5, 30.0, 61.0]))
    def the_ledger_fails(self, number, seconds):
        """Nothing of a group happened, and windows stand still until something is committed."""
        before, failed = replayed_file(self.path), self.oracle.at(self.clock.now)
        kept = self.oracle.copy(), list(self.tickets), dict(self.keys)
        error = LedgerError("broke, for a test")
        broken = mock.patch.object(type(self.campaign._ledger), "commit", side_effect=error)
        with broken, pytest.raises(LedgerError), self.campaign.transaction():
            for _ in range(number):
                self.decide()
        self.oracle, self.tickets, self.keys = kept
        assert replayed(self.campaign) == before
        self.clock.now += seconds
        self.oracle.stood_still(failed, self.clock.now)
        self.campaign.note("it works again")

    @invariant()
    def live_and_replayed_agree(self):
        if hasattr(self, "campaign"):
            self.oracle.at(self.clock.now)
            state = self.campaign.state()  # and what is due expires
            assert state == replayed(self.campaign)
            oracle = self.oracle
            assert state["open"]["tickets"] == [
                int(ticket.split("-")[1]) for ticket in oracle.pending()
            ]
            for arm in range(3):
                found = [play.state for play in oracle.of(arm)]
                assert state["known"]["seen"][arm] == found.count(SEEN)
                assert state["book"]["voided"][arm] == found.count(VOIDED)
                assert state["book"]["length"][arm] == len(found) - found.count(SKIPPED)
            assert self.campaign._state.budget() == pytest.approx(oracle.budget(), abs=SLACK)


def steps(examples, length):
    return settings(
        max_examples=examples,
        stateful_step_count=length,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )


class TestAnyOrder(AnyOrder.TestCase):
    settings = steps(60, 35)


@pytest.mark.soak
class TestAnyOrderAtLength(AnyOrder.TestCase):
    settings = steps(1500, 80)
