"""The state of a campaign: its events, replayed through the kernels."""

from __future__ import annotations

import math
from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from copy import copy
from typing import Any, cast

import msgspec

from floorline.core.kernel import Function, bind
from floorline.core.late import best_ends, late_ends, receive, update_bounds
from floorline.core.pending import (
    add_slots,
    close_play,
    forget_plays,
    new_pending,
    open_play,
    skip_play,
)
from floorline.core.records import FOREVER, Decision, in_lists, in_slots, new_arms, new_memory
from floorline.core.slots import chance, guaranteed_budget
from floorline.core.steps import candidate_of, decide_on, forget, refusal_probability
from floorline.floors.confidence import SURELY_EARNED, budget_bound
from floorline.live.drift import DriftWatch
from floorline.live.errors import LedgerError
from floorline.live.estimates import EarlyRewards
from floorline.live.events import Event
from floorline.live.settings import CHANGEABLE_IN_NEW_EPOCH, CampaignSettings

TICK = 10
"""Seconds to which the ages of open plays are counted."""


class OpenPlay(msgspec.Struct, frozen=True, gc=False):
    """A decision whose reward may still come."""

    arm: int
    time: float
    since: float
    """The time without outages: windows run by it."""
    slot: int
    """Its index in the book of open plays."""
    block: int
    """For the default arm: its block in the drift watch."""


class State:
    """What follows from a campaign's events, which `apply` takes one by one."""

    def __init__(self, settings: CampaignSettings) -> None:
        self.settings = settings
        self.index = {name: arm for arm, name in enumerate(settings.arms)}
        self.seq = 0
        self.time = 0.0
        self.outage = 0.0
        """Seconds during which windows stood still, because the service was down."""
        self.epoch = 0
        self.paused = False
        self.stopped = False
        self.finished = False
        self.serves: str | None = None
        """The arm that everybody gets for good, once the campaign is finished or stopped."""
        self._prepare()
        self._start_epoch()

    def _prepare(self) -> None:
        """Bind the kernels of the policy, which may change during a campaign."""
        policy = self.settings.to_policy().prepare(len(self.settings.arms), FOREVER)
        choices: dict[Function, Function] = {**policy.kernels, late_ends: best_ends}
        self.rules = in_slots(policy.rules)
        # A new policy starts with an empty memory; the floor's accounts follow from the plays.
        self.memory = in_slots(in_lists(new_memory(policy.memory)))
        self._forget = bind(forget, choices)
        self._update_bounds = bind(update_bounds, choices)
        self._candidate_of = bind(candidate_of, choices)
        self._decide_on = bind(decide_on, choices)
        self._refusal_probability = bind(refusal_probability, choices)
        self._receive_reward = bind(receive, choices)
        self._chance = bind(choices[chance], choices)
        self._budget_after = bind(choices[guaranteed_budget], choices)

    def _start_epoch(self) -> None:
        """Reset counts, intervals and budget to zero."""
        n_arms = len(self.settings.arms)
        self.epoch += 1
        self.decisions = 0
        self.rounds = 0  # decisions that weigh on the budget
        self.open: OrderedDict[int, OpenPlay] = OrderedDict()
        self.pending = [0] * n_arms  # open plays by arm
        # A Counter would take three times as long.
        self.open_since: defaultdict[float, int] = defaultdict(int)  # open plays by their TICK
        self.reasons: defaultdict[str, int] = defaultdict(int)
        self.lost = [0] * n_arms
        self.late = 0
        self.turned_away = [0] * n_arms  # proposals that the floor turned to the default, by arm
        self.clipped = 0
        self.refused = 0  # decisions with a refused reward
        self.refused_open: set[int] = set()  # those that may still get another one
        window = self.settings.window
        self.early = None if window is None else EarlyRewards(n_arms, window)
        self.drift = DriftWatch(self.settings)
        arms, book = in_lists(new_arms(n_arms)), in_lists(new_pending(n_arms, 64))
        self.arms, self.book = in_slots(arms), in_slots(book)
        self._seen_by_proposer = in_slots(arms._replace(upper=book.optimistic_upper))
        self._free = list(range(64))
        self._forget(self.rules, self.arms, self.memory)
        forget_plays(self.book)

    # Queries.

    def propose(self, rng: Any) -> int:
        """Return the arm that the proposer would play now; its counts include open plays."""
        # On a copy of its memory: the state must follow from the events alone.
        self._proposal = cast(Any, copy(self.memory))
        self._proposal.proposer = list(self.memory.proposer)
        seen, round = self._seen_by_proposer, self.rounds + 1
        arm: int = self._candidate_of(self.rules, seen, self._proposal, round, rng)
        return arm

    def decide_on(self, candidate: int, coin: Any) -> Decision:
        """Return the decision between a candidate and the default. Call `refresh` first."""
        decision: Decision = self._decide_on(
            self.rules, self.arms, self.memory, self.rounds + 1, candidate, coin
        )
        return decision

    def refusal_probability(self, candidate: int) -> float:
        """Return how likely a candidate is to be refused now. Call `refresh` first."""
        round = self.rounds + 1
        return float(
            self._refusal_probability(self.rules, self.arms, self.memory, round, candidate)
        )

    def chance(self, candidate: int, arm: int) -> float:
        """Return how likely the proposer was to propose `arm` when it proposed `candidate`."""
        seen = self._seen_by_proposer
        memory = self._proposal.proposer
        return float(self._chance(self.rules.proposer, seen, memory, candidate, arm))

    def budget_after_default(self) -> float:
        """Lower bound on the budget after a default decision. Call `refresh` first."""
        if self.settings.voids:  # it may be voided, and counts only once it is closed
            return self.budget()
        return self.budget_after(0)

    def budget_after(self, arm: int) -> float:
        """Lower bound on the budget after `arm` is played now. Call `refresh` first."""
        round = self.rounds + 1
        return float(self._budget_after(self.rules.floor, self.arms, self.memory.floor, round, arm))

    def refresh(self) -> None:
        """Update the intervals, and the lower bound on what challengers have earned."""
        self._update_bounds(
            self.rules,
            self.arms,
            self.memory,
            self.book,
            self.settings.low,
            self.settings.high,
        )
        if self.settings.voids:
            challengers = range(1, len(self.arms.plays))
            self.memory.floor[SURELY_EARNED] -= sum(
                self.doubtful_credit(arm) for arm in challengers
            )

    def doubtful_credit(self, arm: int) -> float:
        """Return what open and voided plays of a challenger would add to the budget.

        If they reach nobody they add nothing, so it must not be spent before.
        """
        break_even = (1 - self.settings.max_loss) * self.arms.lower[0]
        open_credit = self.pending[arm] * max(0.0, self.arms.lower[arm] - break_even)
        voided_credit = self.book.voided[arm] * max(0.0, self.settings.low - break_even)
        return float(open_credit + voided_credit)

    def budget(self) -> float:
        """Lower bound on the budget now."""
        self.refresh()
        arms = self.arms
        loss = float(self.settings.max_loss)
        earned = self.memory.floor[SURELY_EARNED]
        return float(budget_bound(loss, arms, arms.plays[0], self.rounds, earned))

    def is_due(self, decision_seq: int, now: float) -> bool:
        """Whether a decision is open although its window is over."""
        play = self.open.get(decision_seq)
        windows = self.settings.window is not None
        return play is not None and windows and self._is_over(play.since, now)

    def _is_over(self, since: float, now: float) -> bool:
        assert self.settings.window is not None
        return since <= now - self.outage - self.settings.window

    def due(self, now: float) -> Iterator[int]:
        """Yield the open decisions whose window is over, the oldest first."""
        if self.settings.window is None:
            return
        for decision_seq, play in self.open.items():
            if not self._is_over(play.since, now):
                return
            yield decision_seq

    def over_before(self, now: float) -> float:
        """Return the time, without outages, up to which all decisions are closed."""
        assert self.settings.window is not None
        oldest = next((play.since for play in self.open.values()), math.inf)
        return min(now - self.outage - self.settings.window, oldest)

    # Events.

    def apply(self, event: Event) -> None:
        """Apply one event."""
        self.seq = event.seq
        self.time = event.time
        kind = event.kind
        if kind == "decided":
            self._decided(event)
        elif kind == "observed":
            self._observed(event)
        elif kind == "expired":
            self._expired(event)
        elif kind == "refused":
            self._refused(event)
        elif kind == "voided":
            self._voided(event)
        elif kind in ("paused", "resumed"):
            self.paused = kind == "paused"
        elif kind == "changed":
            self._changed(event.body)
        elif kind != "opened":
            raise LedgerError(f"event {event.seq}: {kind!r} is not a kind of event")

    def _decided(self, event: Event) -> None:
        arm = self.index[event.body["arm"]]
        self.decisions += 1
        self.reasons[event.body["reason"]] += 1
        if event.body["reason"] in ("budget-low", "no-rewards"):
            self.turned_away[self.index[event.body["candidate"]]] += 1
        if arm > 0 or not self.settings.voids:
            self._count(arm)
        block = self.drift.decided() if arm == 0 else -1
        self.open_play(event.seq, arm, event.time, event.time - self.outage, block)

    def _count(self, arm: int) -> None:
        """Count a play for the budget."""
        self.rounds += 1
        self.arms.plays[arm] += 1

    def open_play(self, decision_seq: int, arm: int, time: float, since: float, block: int) -> None:
        """Add a play whose reward may still arrive; plays are added in order."""
        if not self._free:
            self._free.extend(add_slots(self.book))
        slot = self._free.pop()
        open_play(self.book, arm, slot)
        self.open[decision_seq] = OpenPlay(arm, time, since, slot, block)
        self.pending[arm] += 1
        self.open_since[time // TICK] += 1

    def _close(self, decision_seq: int | None) -> OpenPlay:
        if decision_seq is None or decision_seq not in self.open:
            raise LedgerError(f"event {self.seq}: its decision {decision_seq} is not open")
        play = self.open.pop(decision_seq)
        self.refused_open.discard(decision_seq)
        self.pending[play.arm] -= 1
        since = play.time // TICK
        self.open_since[since] -= 1
        if self.open_since[since] == 0:
            del self.open_since[since]
        self._free.append(play.slot)
        return play

    def _observed(self, event: Event) -> None:
        if event.decision_seq in self.open:
            self.clipped += "clipped_from" in event.body
            self._receive(self._close(event.decision_seq), event.body["reward"])
        else:  # after its window, or of an earlier epoch
            self.late += 1

    def _receive(self, play: OpenPlay, reward: float) -> None:
        if play.arm == 0 and self.settings.voids:
            self._count(0)
        self._receive_reward(
            self.rules, self.arms, self.memory, self.book, play.arm, play.slot, reward
        )
        if play.arm == 0:
            self.drift.observed(play.block, reward)
        if self.early is not None:
            self.early.add(play.arm, play.since, reward, self.over_before(self.time))

    def _refused(self, event: Event) -> None:
        seq = event.decision_seq
        if seq is None or seq not in self.open:
            raise LedgerError(f"event {self.seq}: its decision {seq} is not open")
        self.refused += 1
        self.refused_open.add(seq)

    def _expired(self, event: Event) -> None:
        was_refused = event.decision_seq in self.refused_open
        play = self._close(event.decision_seq)
        if was_refused:  # something was earned: neither a zero nor lost whatever it was
            self._leave_unknown(play)
            return
        self.lost[play.arm] += 1
        if self.settings.missing == "zero":
            self._receive(play, 0.0)
            return
        if play.arm == 0 and self.settings.voids:
            self._count(0)
        skip_play(self.book, play.arm, play.slot)
        if play.arm == 0:
            self.drift.skipped(play.block)

    def _leave_unknown(self, play: OpenPlay) -> None:
        """Close a play whose reward stays unknown: each interval counts it at its worst."""
        if play.arm == 0 and self.settings.voids:
            self._count(0)
        close_play(self.book, play.arm, play.slot, self.settings.low, self.settings.high)

    def _voided(self, event: Event) -> None:
        play = self._close(event.decision_seq)
        if play.arm > 0:  # it still counts as a round, credited with the lowest reward
            self.arms.plays[play.arm] -= 1
        self.book.voided[play.arm] += 1
        close_play(self.book, play.arm, play.slot, self.settings.low, self.settings.high)
        if play.arm == 0:
            self.drift.skipped(play.block)

    def _changed(self, body: dict[str, Any]) -> None:
        changed = {name: body[name] for name in CHANGEABLE_IN_NEW_EPOCH if name in body}
        if changed:
            self.settings = CampaignSettings.from_json({**self.settings.to_json(), **changed})
            self._prepare()
        if "epoch" in body:
            self._start_epoch()
        self.outage += body.get("outage", 0.0)
        if body.get("stopped") or body.get("finished"):
            self.stopped = self.stopped or "stopped" in body
            self.finished = self.finished or "finished" in body
            self.serves = body.get("serves", self.settings.arms[0])  # not named in version 0.1
