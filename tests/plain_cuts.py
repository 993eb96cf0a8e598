"""Cuts worked out a second time, from a plain list of an arm's plays."""

import math


class PlainCuts:
    """The cuts of one arm; `move` is called after each play made and each reward received."""

    def __init__(self):
        self.next_walk, self.lower, self.upper = 0, -math.inf, math.inf

    def move(self, plays, seen, worst, end):
        """Place the cuts anew, if it is time to.

        `plays` are in the order of decisions: None while pending, else the least and the most that
        a play earned; `seen` are the rewards received, `worst` the lowest and the highest, and
        `end(count, total, side)` is the lower or the upper end.
        """
        opened = [i for i, play in enumerate(plays) if play is None]
        now = 2 * len(plays) - len(opened)
        if now < self.next_walk:
            return
        self.lower, self.upper, passed = -math.inf, math.inf, 0
        if seen and opened and len(plays) - len(opened) > opened[0]:
            (low_place, high_place), passed = places(plays, opened, seen, worst, end)
            if low_place:
                self.lower = end(low_place, filled(plays[:low_place], worst, 0), 0)
            if high_place:
                self.upper = end(high_place, filled(plays[:high_place], worst, 1), 1)
        self.next_walk = now + 16 + len(plays) // 64 + passed // 4


def places(plays, opened, seen, worst, end):
    """The plays before each of the two cuts, 0 for none, and how many pending ones were passed."""
    average = sum(seen) / len(seen)
    losses = []
    for side in (0, 1):
        radius = abs(average - end(len(seen), sum(seen), side))
        loss = 2 * abs(average - worst[side]) / radius - 1 if radius > 0 else math.inf
        losses.append(max(loss, 0))
    values, found, passed = [opened[0], opened[0]], [0, 0], 0
    for missing, place in enumerate([*opened[1:], len(plays)], 1):
        costs = [missing * loss for loss in losses]
        known_in_all = len(plays) - len(opened)
        if all(known_in_all - cost <= value for cost, value in zip(costs, values, strict=True)):
            break
        for side, cost in enumerate(costs):
            if place - missing - cost > values[side]:
                values[side], found[side] = place - missing - cost, place
        passed = missing
    return found, passed


def filled(plays, worst, side):
    """The sum of the rewards, with the worst for those that are missing."""
    return sum(worst[side] if play is None else play[side] for play in plays)
