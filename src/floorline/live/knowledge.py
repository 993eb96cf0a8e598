"""What is known about the arms in an epoch, and what the policy concludes from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from floorline.core.cuts import is_time_for_cuts
from floorline.core.machine_code import Native
from floorline.core.pending import CLOSED, FRESH, close_play, open_play, skip_play
from floorline.core.records import Arms
from floorline.floors.arithmetic import Arithmetic, Moment, Received
from floorline.live.coins import Coin
from floorline.live.compiled_policy import Answer
from floorline.live.kept_records import KeptRecords
from floorline.live.order import Order, reorder
from floorline.live.plays import OpenPlay
from floorline.live.settings import CampaignSettings


class Knowledge(KeptRecords):
    """Counts, intervals and the accounts of the policy's parts."""

    def __init__(self, settings: CampaignSettings, numbers: Sequence[int] | None = None) -> None:
        super().__init__(settings, numbers)
        self.start()

    def start(self) -> None:
        """Reset counts, intervals and accounts to zero."""
        n_arms = len(self.settings.arms)
        self.rounds = 0  # decisions that weigh on the budget
        self.default_rounds = 0  # those of them that were for the default at the time
        self.promised_decisions: int | None = None
        """How many there were when the campaign was finished; None before that."""
        self.missed = 0.0
        """Estimate of what the default would have earned in the challengers' rounds above the
        lowest reward, from coins that it won."""
        self.start_records()
        self._behind: set[int] = set()
        """Arms whose interval is older than their upper end for proposers."""
        self._compared: set[int] = set()
        """Arms whose lower end was needed when they were last compared with the default."""
        self.set_active(range(n_arms))
        self.in_flight = self.floor.in_flight_check()
        self._forget(self.rules, self.arms, self.memory)

    # Which arms there are.

    def set_active(self, arms: Sequence[int]) -> None:
        """Let the proposer choose among these arms only."""
        self.active = list(arms)
        self.proposals.set_active(self.active)

    def rearrange(self, order: Order) -> None:
        """Continue with the arms of the settings: each arm's old index, None for a new one.

        The settings and `numbers` are already in the new order.
        """
        n_before, memory = len(self.arms.plays), self.memory
        proposer, floor = self.proposals.proposer, self.floor
        self.prepare()
        kept: Any = self.memory
        kept.floor = floor.rearranged(memory.floor, n_before, order)
        if not proposer.caches:
            kept.proposer = proposer.rearranged(memory.proposer, n_before, order)
        fresh = {"plays": 0, "seen": 0, "lower": self.rules.low, "upper": math.inf}
        for name in Arms._fields:
            reorder(getattr(self.arms, name), order, fresh.get(name, 0.0))
        self.open.rearrange(order)
        self._behind.clear()  # all are updated from there

    # Plays and rewards.

    def start_play(self, arm: int, slot: int, number: int, probability: float) -> None:
        """Count a play in the decision with this number, whose reward may come."""
        if self.promised_decisions is not None and not self._weighs(arm, number):
            self.arms.plays[arm] += 1
            open_play(self.book, arm, slot)
            return
        rules, arms, memory, book = self.rules, self.arms, self.memory, self.book
        low, high = self.settings.low, self.settings.high
        self._start_play(rules, arms, memory, book, low, high, arm, slot, number, probability)
        self.rounds += 1
        self.default_rounds += arm == 0
        if self.in_flight is not None:
            self.in_flight.decided(arm, probability)

    def open_uncounted(self, arm: int, slot: int) -> None:
        """Open a play that counts for the budget only once it is closed."""
        open_play(self.book, arm, slot)
        if is_time_for_cuts(self.book, arm):
            low, high = self.settings.low, self.settings.high
            self._move_cuts(self.rules, self.arms, self.memory, self.book, low, high, arm)

    def count(self, arm: int, number: int, probability: float) -> None:
        """Count a play for the budget, in the decision with this number."""
        arms = self.arms
        arms.plays[arm] += 1
        if self.promised_decisions is not None and not self._weighs(arm, number):
            return
        self.rounds += 1
        self.default_rounds += arm == 0
        self._await_reward(self.rules.floor, arms, self.memory.floor, arm, number, probability)
        if self.in_flight is not None:
            self.in_flight.decided(arm, probability)

    def _weighs(self, arm: int, number: int) -> bool:
        """Return whether a play weighs on the budget.

        A floor on rewards received knows what the default would have earned only from its coins,
        and none is tossed once the campaign is finished.
        """
        promised = self.promised_decisions
        return arm == 0 or promised is None or number < promised or not self.floor.counts_received

    def receive(self, play: OpenPlay, reward: float) -> None:
        """Record the reward of an open play."""
        arm = play.arm
        if self._counts_received and play.was_default and 0.0 < play.probability < 1.0:
            # The default wins a coin with this probability, so on average that adds what it would
            # have earned where it lost.
            odds = (1.0 - play.probability) / play.probability
            self.missed += odds * (reward - self.settings.low)
        rules, arms, memory, book = self.rules, self.arms, self.memory, self.book
        side, number, slot = play.side, play.number, play.slot
        if self.promised_decisions is not None and not self._weighs(side, number):
            self._receive_reward(rules, arms, memory, book, arm, slot, reward)
            return
        low, high, probability = self.settings.low, self.settings.high, play.probability
        self._settle_play(
            rules, arms, memory, book, low, high, arm, slot, side, number, probability, reward
        )
        if self.in_flight is not None:
            self.in_flight.settled(number, reward)

    def skip(self, play: OpenPlay) -> None:
        """Remove a play from its arm's plays, as if it had never been among them."""
        skip_play(self.book, play.arm, play.slot)
        side, number = play.side, play.number
        if self.promised_decisions is not None and not self._weighs(side, number):
            return
        rules, arms, memory = self.rules.floor, self.arms, self.memory.floor
        self._take_late_reward(rules, arms, memory, side, number, play.probability, math.nan)
        if self.in_flight is not None:
            self.in_flight.settled(number, math.nan)

    def leave_unknown(self, play: OpenPlay) -> None:
        """Close a play whose reward stays unknown: it counts at its worst from now on."""
        close_play(self.book, play.arm, play.slot, self.settings.low, self.settings.high)
        if self.in_flight is not None:
            self.in_flight.settled(play.number, math.nan)

    # Queries.

    def propose(self, rng: Any) -> int:
        """Return the arm that the proposer would play now; its counts include open plays."""
        memory, round = self.memory.proposer, self.rounds + 1
        return self.proposals.propose(self.seen_by_proposer, memory, round, rng)

    def default_propensity(self, chances: Sequence[float]) -> float:
        """Return how likely the default is to be played, given the candidates' probabilities.

        A retired arm is replaced by the default. Call `refresh` first.
        """
        rules, arms, memory, round = self.rules, self.arms, self.memory, self.rounds + 1
        total = chances[0]
        for candidate in range(1, len(chances)):
            chance = chances[candidate]
            if chance > 0.0 and candidate in self.active:
                chance *= self._refusal_probability(rules, arms, memory, round, candidate)
            total += chance
        return total

    def answer(self, candidate: int | None, rng: Any, coin: Coin) -> Answer:
        """Return the decision on a candidate, or on the proposer's if there is none."""
        answer: Answer
        if candidate is None and self.compiled is not None and self.proposals.names_largest_end:
            answer = self.compiled.answer_leader(self.rounds + 1, coin)
        else:
            self.prepare_decision()
            wanted = self.propose(rng) if candidate is None else candidate
            answer = self._answer_candidate(
                self.rules, self.arms, self.memory, self.rounds + 1, wanted, coin
            )
        if self.settings.voids and answer[1] == 0:
            return *answer[:-1], self.budget_after_default()
        return answer

    def refusal_probability(self, candidate: int) -> float:
        """Return how likely a candidate is to be refused now. Call `refresh` first."""
        round = self.rounds + 1
        return float(
            self._refusal_probability(self.rules, self.arms, self.memory, round, candidate)
        )

    def ends(self, arm: int) -> tuple[float, float]:
        """Return both ends of an arm's interval. Call `refresh` first."""
        if not self.floor.assumes_steady_means:
            return self.settings.low, self.settings.high
        return float(self.arms.lower[arm]), float(self.arms.upper[arm])

    def is_surely_better(self, arm: int) -> bool:
        """Return whether an arm surely is no worse than the default, after `prepare_decision`."""
        if not self._steady_means:
            return False
        arms, book, behind = self.arms, self.book, self._behind
        if not self._needs_intervals:
            if 0 in behind and arms.seen[0] == book.length[0]:  # nothing is missing
                upper = book.optimistic_upper[0]
            else:
                if 0 in behind or book.stale[0] != FRESH:
                    self._catch_up(0)
                upper = arms.upper[0]
            least = book.closed[arm] * upper
            below = arms.average[arm] < upper and book.closed_least[arm] < least
            if below and book.cut_lower[arm] < upper:
                self._compared.discard(arm)
                return False  # a lower end is below the average it is computed from
            self._compared.add(arm)
            for one in (0, arm):
                if one in behind or book.stale[one] != FRESH:
                    self._catch_up(one)
        return bool(arms.lower[arm] >= arms.upper[0])

    def prepare_decision(self) -> None:
        """Update what a decision depends on: less than `refresh` if nothing needs intervals."""
        if self.compiled is not None:
            self.compiled.update_bounds()
            return
        if self._needs_intervals:
            self.refresh()
            return
        rules, book = self.rules, self.book
        low, stale = self.settings.low, book.stale
        for arm, age in enumerate(stale) if self._reads_upper_ends else ():
            if age == FRESH:
                continue
            if arm in self._compared:  # both ends at once take less time than one after the other
                self._catch_up(arm)
            else:
                self._update_optimistic_end(rules, self.arms, self.memory, book, low, arm)
                stale[arm] = FRESH
                self._behind.add(arm)
        self._recount(rules.floor, self.arms, self.memory.floor, book, low)

    def _catch_up(self, arm: int) -> None:
        """Recompute the interval of one arm, which is then up to date."""
        low, high = self.settings.low, self.settings.high
        if arm in self._behind:
            self._behind.remove(arm)
            self.book.stale[arm] = CLOSED
        self._update_interval(self.rules, self.arms, self.memory, self.book, low, high, arm)
        self.book.stale[arm] = FRESH

    def refresh(self) -> None:
        """Update the intervals and what the floor derives from its accounts."""
        low, high = self.settings.low, self.settings.high
        for arm in self._behind:
            self.book.stale[arm] = CLOSED
        self._behind.clear()
        self._update_bounds(self.rules, self.arms, self.memory, self.book, low, high)

    def enter_machine_code(self, code: Sequence[Native]) -> None:
        """Continue in machine code, which updates all intervals each time."""
        self.refresh()
        super().enter_machine_code(code)

    def budget_after_default(self) -> float:
        """Return a lower bound on the budget after a default decision. Call `refresh` first."""
        if self.settings.voids:  # it may be voided, and counts only once it is closed
            return self.budget()
        return self.budget_after(0)

    def budget_after(self, arm: int) -> float:
        """Return a lower bound on the budget after `arm` is played now. Call `refresh` first."""
        round = self.rounds + 1
        return float(self._budget_after(self.rules.floor, self.arms, self.memory.floor, round, arm))

    def budget(self) -> float:
        """Return a lower bound on the budget now."""
        self.refresh()
        return float(
            self._current_budget(self.rules.floor, self.arms, self.memory.floor, self.rounds)
        )

    def guaranteed_share(self) -> float:
        """Return a lower bound on the reward of all decisions so far over the default's.

        Open defaults that can still be voided are counted only if that lowers it. Call
        `refresh` first.
        """
        voidable = self.book.open[0] if self.settings.voids else 0
        rules, arms, memory = self.rules.floor, self.arms, self.memory.floor
        shares = [
            float(
                self._guaranteed_share(
                    rules, arms, memory, arms.plays[0] + shown, self.rounds + shown
                )
            )
            for shown in (0, voidable)
            if self.rounds + shown > 0
        ]
        return min(shares, default=1.0)

    def received(self) -> Received | None:
        """Return the rewards received, each less the lowest; None if the floor does not count them.

        Call `refresh` first.
        """
        return self.floor.received(self.rules.floor, self.memory.floor)

    def explain(self, arm: int, probability: float) -> Arithmetic:
        """Return the arithmetic of the budget after `arm` is played now. Call `refresh` first."""
        return self.floor.explain(self._moment(arm, probability))

    def explain_now(self) -> Arithmetic:
        """Return the arithmetic of `budget`. Call `refresh` first."""
        return self.floor.explain(self._moment(None, 0.0))

    def _moment(self, arm: int | None, probability: float) -> Moment:
        counts = arm is not None and (arm > 0 or not self.settings.voids)
        plays = [int(count) for count in self.arms.plays]
        if arm is not None:
            plays[arm] += counts
        return Moment(
            rules=self.rules.floor,
            arms=self.arms,
            memory=self.memory.floor,
            pending=self.book,
            kernels=self.kernels,
            names=self.settings.arms,
            unit=f" {self.settings.unit}" if self.settings.unit else "",
            arm=arm,
            rounds=self.rounds + counts,
            plays=plays,
            low=self.settings.low,
            fallback_probability=probability,
        )
