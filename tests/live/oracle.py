"""The guaranteed budget worked out a second time, from plain lists and SciPy."""

import math
from collections import defaultdict
from copy import copy
from functools import lru_cache

from plain_cuts import PlainCuts
from scipy.optimize import brentq
from scipy.special import betaln, xlog1py, xlogy

OPEN, SEEN, SKIPPED, VOIDED = "open", "seen", "skipped", "voided"


@lru_cache(maxsize=100_000)
def unit_lower(count, total, inverse_error):
    """The least mean that rewards in [0, 1] do not rule out, with the prior Beta(1/2, 1/2)."""
    failed = count - total
    mixture = betaln(0.5 + total, 0.5 + failed) - betaln(0.5, 0.5)

    def excess(mean):
        return mixture - xlogy(total, mean) - xlog1py(failed, -mean) - math.log(inverse_error)

    return brentq(excess, 1e-300, total / count, xtol=1e-14) if total > 0 else 0.0


class Play:
    """One decision."""

    def __init__(self, arm, time):
        self.arm, self.time, self.state, self.reward = arm, time, OPEN, None


class Oracle:
    """A campaign as a list of plays."""

    def __init__(self, settings):
        self.settings = settings
        self.plays = {}
        self.cuts = defaultdict(PlainCuts)
        self.time = 0.0
        self.ahead = 0.0

    def copy(self):
        twin = Oracle(self.settings)
        twin.time, twin.ahead = self.time, self.ahead
        for ticket, play in self.plays.items():
            twin.plays[ticket] = Play(play.arm, play.time)
            twin.plays[ticket].state, twin.plays[ticket].reward = play.state, play.reward
        for arm, cuts in self.cuts.items():
            twin.cuts[arm] = copy(cuts)
        return twin

    # What happens.

    def at(self, now):
        """Time goes on, never back, and windows end."""
        now += self.ahead
        if self.settings.window is not None:
            moment = max(now, self.time)
            for play in self.plays.values():
                if play.state == OPEN and play.time <= moment - self.settings.window:
                    zero = self.settings.missing == "zero"
                    play.state, play.reward = (SEEN, 0.0) if zero else (SKIPPED, None)
                    if zero:
                        self.move_cuts(play.arm)
                    self.time = moment
        return max(now, self.time)

    def opened(self, now):
        """A ledger that is ahead of the clock goes on from where it is."""
        self.ahead = max(0.0, self.time - now)

    def stood_still(self, since, now):
        """Windows did not run for a while, unless that was too short to be recorded."""
        self.time = max(now + self.ahead, self.time)
        if self.time - since >= 1:
            for play in self.plays.values():
                play.time += self.time - since

    def decided(self, ticket, now):
        self.time = now
        arm = self.settings.arms.index(ticket.arm)
        self.plays[ticket.id] = Play(arm, self.time)
        self.move_cuts(arm)

    def observed(self, ticket, reward):
        self.plays[ticket].state, self.plays[ticket].reward = SEEN, reward
        self.move_cuts(self.plays[ticket].arm)

    def voided(self, ticket):
        self.plays[ticket].state = VOIDED

    def new_epoch(self):
        self.plays = {}
        self.cuts.clear()

    # What is known.

    def of(self, arm):
        return [play for play in self.plays.values() if play.arm == arm]

    def ends(self, arm):
        """Lower and upper end by the best of the three forms."""
        settings = self.settings
        if arm == 0 and settings.default_mean is not None:
            return settings.default_mean, settings.default_mean
        rows = [play for play in self.of(arm) if play.state != SKIPPED]
        first = next((i for i, play in enumerate(rows) if play.state == OPEN), len(rows))
        low, high = settings.low, settings.high
        lowers, uppers = [low], [high]
        for form in (rows, rows[:first]):
            if form:
                lowers.append(self.end(form, low, 0))
                uppers.append(self.end(form, high, 1))
        seen = sum(play.state == SEEN for play in rows)
        closed = [play.state for play in rows[:first]]
        if seen < len(rows) and not 0 < closed.count(SEEN) == first == seen:
            lowers.append(self.cuts[arm].lower)
            uppers.append(self.cuts[arm].upper)
        return max(lowers), min(uppers)

    def move_cuts(self, arm):
        settings = self.settings
        if settings.late_intervals == "uncut" or (arm == 0 and settings.default_mean is not None):
            return
        rows = [play for play in self.of(arm) if play.state != SKIPPED]
        worst = settings.low, settings.high
        earned = [
            None if play.state == OPEN else (play.reward,) * 2 if play.state == SEEN else worst
            for play in rows
        ]
        seen = [play.reward for play in rows if play.state == SEEN]
        self.cuts[arm].move(earned, seen, worst, self.end_of)

    def end(self, plays, worst, side):
        total = sum(play.reward if play.state == SEEN else worst for play in plays)
        return self.end_of(len(plays), total, side)

    def end_of(self, count, total, side):
        settings = self.settings
        width = settings.high - settings.low
        means = len(settings.arms) - (settings.default_mean is not None)
        unit = (total - count * settings.low) / width
        if side == 0:
            return settings.low + width * unit_lower(count, unit, means / settings.delta)
        return settings.high - width * unit_lower(count, count - unit, means / settings.delta)

    def counted_defaults(self):
        """With voids a default counts once its reward is known or its window over."""
        counting = (SEEN, SKIPPED) if self.settings.voids else (SEEN, SKIPPED, OPEN)
        return sum(play.state in counting for play in self.of(0))

    def budget(self, extra=None):
        """Lower bound on the budget, one more play of arm `extra` counted."""
        settings = self.settings
        defaults = self.counted_defaults() + (extra == 0)
        rounds, earned = defaults, 0.0
        for arm in range(1, len(settings.arms)):
            lower = self.ends(arm)[0]
            plays = self.of(arm)
            rounds += len(plays) + (extra == arm)
            earned += lower * (extra == arm)
            for play in plays:
                credit = settings.low if play.state == VOIDED else lower
                if settings.voids and play.state in (OPEN, VOIDED):  # nobody may have been reached
                    credit = min(credit, (1 - settings.max_loss) * self.ends(0)[0])
                earned += credit
        ahead = defaults - (1 - settings.max_loss) * rounds
        return earned + ahead * self.ends(0)[ahead < 0]

    def pending(self):
        return [ticket for ticket, play in self.plays.items() if play.state == OPEN]
