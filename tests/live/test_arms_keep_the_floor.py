"""Live campaigns whose arms come and go keep the floor in all but delta of the cases.

Whoever runs them is hostile: the newest challenger is proposed each time, and it is bad.
"""

import random

import pytest
from scipy.stats import binom

from floorline.floors import JointSuccessionFloor, SuccessionFloor
from floorline.floors.joint.succession_account import FORMER, ROUNDS, TENURE, TENURES
from floorline.live import Campaign
from floorline.live.state import State

RUNS, DECISIONS, STEP = 24, 240, 40
MAX_LOSS, DELTA = 0.2, 0.1
MANY = 1000
"""Campaigns in `make soak`."""
MOST_BREACHES = int(binom.isf(1e-7, RUNS, DELTA))
"""If each campaign breaks the floor with probability delta, more do with a chance below 1e-7."""


class Shop:
    """A campaign under one floor, with late rewards, and what its decisions were worth."""

    def __init__(self, seed, floor):
        self.rng = random.Random(seed)
        self.means = {"first": 0.5, "worst": 0.05}
        self.campaign = Campaign.open(
            ":memory:",
            arms=list(self.means),
            max_loss=MAX_LOSS,
            delta=DELTA,
            floor=floor,
            holdback=0.1,
            arms_may_change=True,
            seed=seed,
        )
        self.waiting = []
        self.budget = self.lowest = 0.0
        self.received = floor == "randomised"

    def play(self, decisions, candidate):
        """Play some decisions, whose rewards are up to ten decisions late."""
        for _ in range(decisions):
            default = self.campaign.settings.arms[0]
            pays = {arm: float(self.rng.random() < mean) for arm, mean in self.means.items()}
            ticket = self.campaign.decide(candidate=candidate)
            counted = pays if self.received else self.means
            self.budget += counted[ticket.arm] - (1 - MAX_LOSS) * counted[default]
            self.lowest = min(self.lowest, self.budget)
            self.waiting.append((ticket, pays[ticket.arm]))
            while len(self.waiting) > 10:
                self.campaign.observe(*self.waiting.pop(self.rng.randrange(11)))

    def add(self, name, mean):
        self.means[name] = mean
        self.campaign.add_arm(name)


def challengers_come_and_go(shop):
    """Each challenger is retired when it has lost what may be lost, and another one comes."""
    newest = "worst"
    for number in range(DECISIONS // STEP):
        shop.play(STEP, newest)
        shop.campaign.retire_arm(newest)
        newest = f"worst {number}"
        shop.add(newest, 0.05)


def defaults_come_and_go(shop):
    """Something worse is made the default for a while, and bad arms are tried under it."""
    shop.add("poor", 0.15)
    shop.play(2 * STEP, "poor")
    shop.campaign.promote_arm("poor")
    shop.campaign.retire_arm("worst")
    shop.add("worst of all", 0.0)
    shop.play(5 * STEP, "worst of all")
    shop.campaign.promote_arm("first")
    shop.play(STEP, "worst of all")


def what_was_won_is_spent(shop):
    """A better challenger wins something, becomes the default, and all of it is spent again."""
    shop.add("best", 0.9)
    shop.play(4 * STEP, "best")
    shop.campaign.promote_arm("best")
    shop.play(2 * STEP, "worst")
    shop.add("poor", 0.3)
    shop.campaign.promote_arm("poor")
    shop.play(2 * STEP, "worst")


def the_lucky_one_stays(shop):
    """Challengers that all earn too little are tried until one of them was lucky."""
    for number in range(DECISIONS // STEP):
        shop.add(f"try {number}", 0.3)
        shop.play(STEP // 2, f"try {number}")
        known = shop.campaign.status().arms[-1]
        if (known.average or 0.0) < 0.5:
            shop.campaign.retire_arm(known.name)
        else:
            shop.play(DECISIONS // 2, known.name)


def breaches(story, floor, runs=RUNS):
    """How many campaigns were below the floor at some time."""
    found = 0
    for seed in range(runs):
        shop = Shop(seed, floor)
        with shop.campaign.transaction():
            story(shop)
        found += shop.lowest < -1e-9
    return found


CASES = [
    (challengers_come_and_go, "confidence"),
    (challengers_come_and_go, "joint"),
    (challengers_come_and_go, "randomised"),
    (defaults_come_and_go, "confidence"),
    (defaults_come_and_go, "joint"),
    (defaults_come_and_go, "randomised"),
    (what_was_won_is_spent, "joint"),
    (the_lucky_one_stays, "confidence"),
    (the_lucky_one_stays, "joint"),
]


@pytest.mark.parametrize(("story", "floor"), CASES)
def test_the_floor_holds(story, floor):
    assert breaches(story, floor) <= MOST_BREACHES


@pytest.mark.soak
@pytest.mark.parametrize(("story", "floor"), CASES)
def test_the_floor_holds_in_many_campaigns(story, floor):
    assert breaches(story, floor, MANY) <= int(binom.isf(1e-8, MANY, DELTA))


def test_forgetting_the_rounds_of_a_retired_arm_breaks_it(monkeypatch):
    """The control: its losses would be there to be lost again, arm after arm."""
    retire = State.retire

    def forget(state, names):
        retire(state, names)
        for arm in set(range(len(state.settings.arms))) - set(state.active):
            state.rounds -= state.arms.plays[arm]
            state.memory.floor[0] -= state.arms.plays[arm]
            state.arms.plays[arm] = 0

    monkeypatch.setattr(State, "retire", forget)
    assert breaches(challengers_come_and_go, "confidence") > MOST_BREACHES


def test_holding_the_past_against_the_present_default_breaks_it(monkeypatch):
    """The control: as if a poor default had been the default all the time."""
    rearranged = SuccessionFloor.rearranged

    def forget(floor, memory, n_arms, order):
        kept = rearranged(floor, memory, n_arms, order)
        rounds = sum(kept[: len(order)])
        kept[: len(order)] = [rounds] + [0.0] * (len(order) - 1)
        return kept

    monkeypatch.setattr(SuccessionFloor, "rearranged", forget)
    assert breaches(defaults_come_and_go, "confidence") > MOST_BREACHES


def test_a_joint_floor_that_forgets_the_rounds_of_a_former_default_breaks_it(monkeypatch):
    """The control: what was won in them is there to be spent, and what they owe is not."""
    rearranged = JointSuccessionFloor.rearranged

    def forget(floor, memory, n_arms, order):
        kept = rearranged(floor, memory, n_arms, order)
        if order[0] != 0:
            place = FORMER + TENURE * int(kept[TENURES] - 1)
            kept[place + ROUNDS : place + TENURE] = [0.0] * (TENURE - ROUNDS)
        return kept

    monkeypatch.setattr(JointSuccessionFloor, "rearranged", forget)
    assert breaches(what_was_won_is_spent, "joint") > MOST_BREACHES
