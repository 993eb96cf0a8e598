"""Plays of several arms in plain lists, next to the book that kernels keep of them."""

import math

import numpy as np
from plain_cuts import PlainCuts

from floorline.core.cuts import best_cuts, is_time_for_cuts, move_cuts
from floorline.core.kernel import bind, kernel
from floorline.core.late import best_ends, late_ends, receive, update_bounds
from floorline.core.pending import close_play, forget_plays, new_pending, open_play, skip_play
from floorline.core.records import FOREVER, new_arms, new_memory
from floorline.core.slots import interval
from floorline.core.steps import forget
from floorline.live import CampaignSettings

OPEN, RECEIVE, VOID, SKIP = range(4)
WORDS = {RECEIVE: "received", VOID: "voided", SKIP: "skipped"}
LOW, HIGH = -1.0, 3.0
ARMS = 3
SIZE = 64

SETTINGS = CampaignSettings(arms=("a", "b", "c"), max_loss=0.1, low=LOW, high=HIGH)
POLICY = SETTINGS.to_policy().prepare(ARMS, FOREVER)
CHOICES = {**POLICY.kernels, late_ends: best_ends, move_cuts: best_cuts}
NO_MEMORY = np.zeros(0)
interval_of = bind(POLICY.kernels[interval], CHOICES)


def ends_of(rules, seen, total):
    return interval_of(rules, NO_MEMORY, 0, seen, total)


def end_of(count, total, side):
    return ends_of(POLICY.rules.boundary, count, total)[side]


class PlainBook:
    """The book by brute force: every play of every arm, in the order of decisions."""

    def __init__(self):
        self.plays = [[] for _ in range(ARMS)]
        self.cuts = [PlainCuts() for _ in range(ARMS)]
        self.at = {}

    def open(self, arm, place):
        play = {"state": "open", "arm": arm}
        self.plays[arm].append(play)
        self.at[place] = play
        self.move_cuts(arm)

    def end(self, place, state, reward=math.nan):
        play = self.at.pop(place)
        play.update(state=state, reward=reward)
        if state == "received":
            self.move_cuts(play["arm"])

    def counted(self, arm):
        return [play for play in self.plays[arm] if play["state"] != "skipped"]

    def closed(self, arm):
        found = []
        for play in self.counted(arm):
            if play["state"] == "open":
                break
            found.append(play)
        return found

    def filled(self, plays, worst):
        return sum(play["reward"] if play["state"] == "received" else worst for play in plays)

    def seen(self, arm):
        return [play["reward"] for play in self.plays[arm] if play["state"] == "received"]

    def move_cuts(self, arm):
        earned = {"open": None, "voided": (LOW, HIGH)}
        plays = [
            earned[p["state"]] if p["state"] in earned else (p["reward"], p["reward"])
            for p in self.counted(arm)
        ]
        self.cuts[arm].move(plays, self.seen(arm), (LOW, HIGH), end_of)

    def uses_cuts(self, arm):
        """Whether anything is known beyond closed plays whose rewards are all known."""
        closed, counted = self.closed(arm), self.counted(arm)
        known = [play for play in closed if play["state"] == "received"]
        all_known = 0 < len(known) == len(closed)
        return len(self.seen(arm)) < len(counted) and (
            not all_known or len(self.seen(arm)) > len(known)
        )

    def ends(self, arm):
        """Lower and upper end: the best of closed plays, all plays, and those before a cut."""
        forms = [plays for plays in (self.counted(arm), self.closed(arm)) if plays]
        if not forms:
            return LOW, HIGH
        lowers = [end_of(len(plays), self.filled(plays, LOW), 0) for plays in forms]
        uppers = [end_of(len(plays), self.filled(plays, HIGH), 1) for plays in forms]
        if self.uses_cuts(arm):
            lowers.append(self.cuts[arm].lower)
            uppers.append(self.cuts[arm].upper)
        return max(LOW, *lowers), min(uppers)


def script_of(steps):
    """Steps that can be taken: opened plays get free places, the others name an open one."""
    free, open_places, script = list(range(SIZE)), [], []
    arm_at = {}
    for action, number, eighths in steps:
        if action == OPEN or not open_places:
            if not free:
                continue
            place = free.pop(number % len(free))
            open_places.append(place)
            arm_at[place] = number % ARMS
            script.append((OPEN, arm_at[place], place, 0.0))
        else:
            place = open_places.pop(number % len(open_places))
            free.append(place)
            script.append((action, arm_at[place], place, LOW + (HIGH - LOW) * eighths / 8))
    return script


def new_records():
    arms, memory, book = new_arms(ARMS), new_memory(POLICY.memory), new_pending(ARMS, SIZE)
    bind(forget, CHOICES)(POLICY.rules, arms, memory)
    forget_plays(book)
    return arms, memory, book


@kernel
def take_step(rules, arms, memory, book, action, arm, place, reward):
    if action == OPEN:
        arms.plays[arm] += 1
        open_play(book, arm, place)
        if is_time_for_cuts(book, arm):
            move_cuts(rules, arms, memory, book, LOW, HIGH, arm)
    elif action == RECEIVE:
        receive(rules, arms, memory, book, arm, place, reward)
        if is_time_for_cuts(book, arm):
            move_cuts(rules, arms, memory, book, LOW, HIGH, arm)
    elif action == SKIP:
        skip_play(book, arm, place)
    else:
        arms.plays[arm] -= 1
        book.voided[arm] += 1
        close_play(book, arm, place, LOW, HIGH)


@kernel
def take_steps(rules, arms, memory, book, actions, of_arm, places, rewards, found):
    for i in range(actions.size):
        take_step(rules, arms, memory, book, actions[i], of_arm[i], places[i], rewards[i])
        update_bounds(rules, arms, memory, book, LOW, HIGH)
        for arm in range(arms.plays.size):
            at = (i * arms.plays.size + arm) * 3
            found[at] = arms.lower[arm]
            found[at + 1] = arms.upper[arm]
            found[at + 2] = book.optimistic_upper[arm]


def played(script, choices=CHOICES):
    """The book and its plain twin after each step, with all intervals up to date."""
    arms, memory, book = new_records()
    plain = PlainBook()
    step, fresh = bind(take_step, choices), bind(update_bounds, choices)
    for action, arm, place, reward in script:
        step(POLICY.rules, arms, memory, book, action, arm, place, reward)
        if action == OPEN:
            plain.open(arm, place)
        else:
            plain.end(place, WORDS[action], reward)
        fresh(POLICY.rules, arms, memory, book, LOW, HIGH)
        yield plain, arms, memory, book
