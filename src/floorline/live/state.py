"""The state of a campaign: its events, replayed through the kernels."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from floorline.live.drift import new_drift_watch
from floorline.live.equal_split import EqualSplit
from floorline.live.errors import LedgerError
from floorline.live.estimates import EarlyRewards
from floorline.live.events import Event
from floorline.live.guardrails import GuardrailWatch
from floorline.live.knowledge import Knowledge
from floorline.live.order import Order, reorder
from floorline.live.plays import OpenPlay
from floorline.live.settings import CHANGEABLE_IN_NEW_EPOCH, CampaignSettings

SERVABLE = frozenset(("added", "retired", "promoted"))
"""Changes of which arms can be served, beside the end of a campaign."""


class State(Knowledge):
    """Everything that follows from a campaign's events, which `apply` takes one by one."""

    def __init__(self, settings: CampaignSettings, numbers: Sequence[int] | None = None) -> None:
        self.index = {name: arm for arm, name in enumerate(settings.arms)}
        self.seq = 0
        self.time = 0.0
        self.outage = 0.0
        """Seconds by which the ledger's time is ahead of that of windows.

        Windows stand still while nothing can be recorded, and continue when the time is set back.
        """
        self.epoch = 0
        self.paused = False
        self.stopped = False
        self.finished = False
        self.serves: str | None = None
        """The arm that everybody gets for good, once the campaign is finished or stopped."""
        self.labels: list[str] = []
        self.archived = False
        self.withdrawn: list[str] = []
        """Challengers that a person has retired; a new epoch does not bring them back."""
        super().__init__(settings, numbers)

    def start(self) -> None:
        """Start an epoch: reset everything that is counted."""
        super().start()
        n_arms = len(self.settings.arms)
        self.epoch += 1
        self.decisions = 0
        self.on_challengers = 0
        # A Counter would take three times as long.
        self.reasons: defaultdict[str, int] = defaultdict(int)
        self.lost = [0] * n_arms
        self.late = 0
        self.turned_away = [0] * n_arms  # proposals that the floor gave to the default, by arm
        self.turned_to = [0] * n_arms  # and by who was the default then
        self.as_default = [0] * n_arms  # decisions by who was the default, without voided defaults
        self.equal_split = EqualSplit(n_arms)
        self.promoted_at = 0  # decisions before the default became the default
        self.clipped = 0
        self.refused = 0  # decisions whose only reward was refused
        self.refused_open: set[int] = set()  # those of them that may still get another one
        window = self.settings.window
        self.early = None if window is None else EarlyRewards(n_arms, window)
        self.drift = new_drift_watch(self.settings)
        self.guardrails = GuardrailWatch(self.settings, self.numbers)
        self.retire(self.withdrawn)

    def retire(self, names: Sequence[str]) -> None:
        """Play all arms but these from now on."""
        self.retired = list(names)
        """Arms that a person has retired, or that have surely broken a limit."""
        arms = enumerate(self.settings.arms)
        self.set_active([arm for arm, name in arms if name not in self.retired])

    @property
    def drift_alarm(self) -> str | None:
        """What the drift watch has found, if the floor needs a default that does not change."""
        return self.drift.alarm if self._steady_means else None

    # Windows.

    def is_due(self, decision_seq: int, now: float) -> bool:
        """Return whether a decision is open although its window is over."""
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
        elif kind == "noted":
            self.labels = event.body.get("labels", self.labels)
            self.archived = event.body.get("archived", self.archived)
        elif kind != "opened":
            raise LedgerError(f"event {event.seq}: {kind!r} is not a kind of event")

    def _decided(self, event: Event) -> None:
        body = event.body
        arm, number, reason = self.index[body["arm"]], self.decisions, body["reason"]
        self.decisions = number + 1
        if arm > 0:
            self.on_challengers += 1
        self.as_default[0] += 1
        self.reasons[reason] += 1
        if reason in ("budget-low", "no-rewards"):
            self.turned_away[self.index[body["candidate"]]] += 1
            self.turned_to[0] += 1
        probability = fallback_probability_of(body)
        block = self.drift.decided() if arm == 0 else -1
        since = event.time - self.outage
        slot = self.open.add(event.seq, arm, event.time, since, block, number, probability)
        if arm > 0 or not self.settings.voids:
            self.start_play(arm, slot, number, probability)
        else:
            self.open_uncounted(arm, slot)

    def _close(self, decision_seq: int | None) -> OpenPlay:
        if decision_seq is None or decision_seq not in self.open:
            raise LedgerError(f"event {self.seq}: its decision {decision_seq} is not open")
        self.refused_open.discard(decision_seq)
        return self.open.take(decision_seq)

    def _count_if_voidable(self, play: OpenPlay) -> None:
        """Count a default that could be voided until now."""
        if play.arm == 0 and self.settings.voids:
            self.count(0, play.number, play.probability)

    def _observed(self, event: Event) -> None:
        seq = event.decision_seq
        if seq in self.open:
            body = event.body
            if "clipped_from" in body:
                self.clipped += 1
            if seq in self.refused_open:  # it was corrected
                self.refused -= 1
            play = self._close(seq)
            self._receive(play, body["reward"])
            if "metrics" in body:
                self.guardrails.observed(play.arm, body["metrics"])
        else:  # after its window, or of an earlier epoch
            self.late += 1

    def _receive(self, play: OpenPlay, reward: float) -> None:
        if self.settings.voids:
            self._count_if_voidable(play)
        self.receive(play, reward)
        if self._is_watched(play):
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
        if was_refused:  # something was earned: it is neither a zero nor lost at random
            self._count_if_voidable(play)
            self.leave_unknown(play)
            return
        self.lost[play.arm] += 1
        if self.settings.missing == "zero":
            self._receive(play, 0.0)
            return
        self._count_if_voidable(play)
        self.skip(play)
        if self._is_watched(play):
            self.drift.skipped(play.block)

    def _voided(self, event: Event) -> None:
        self.refused -= event.decision_seq in self.refused_open
        play = self._close(event.decision_seq)
        if play.was_default:
            self.as_default[play.arm] -= 1
        else:  # it still counts as a round, credited with the lowest reward
            self.arms.plays[play.arm] -= 1
        self.book.voided[play.arm] += 1
        self.leave_unknown(play)
        if self._is_watched(play):
            self.drift.skipped(play.block)

    def _is_watched(self, play: OpenPlay) -> bool:
        """Return whether a play is one of the current default, made since it became the default."""
        return play.block >= 0 and play.number >= self.promoted_at

    def _changed(self, body: dict[str, Any]) -> None:
        if self.finished or not SERVABLE.isdisjoint(body):
            self.equal_split.count(self)
        changed = {name: body[name] for name in CHANGEABLE_IN_NEW_EPOCH if name in body}
        if changed:
            self.settings = CampaignSettings.from_json({**self.settings.to_json(), **changed})
            before = self.floor
            self.prepare()
            if self.floor != before and "epoch" not in body:
                raise LedgerError(f"event {self.seq}: changes the floor within an epoch")
        if "promoted" in body:
            self._promote(body["promoted"])
        if "epoch" in body:
            self._renumber()
            self.start()
        self.outage += body.get("outage", 0.0) - body.get("set_back", 0.0)
        if "added" in body:
            self._add(body["added"])
        if "retired" in body:
            if "why" not in body:  # by no guardrail
                self.withdrawn = [*self.withdrawn, body["retired"]]
            self.retire(list(dict.fromkeys([*self.retired, body["retired"]])))
        if body.get("stopped") or body.get("finished"):
            self.stopped = self.stopped or "stopped" in body
            self.finished = self.finished or "finished" in body
            if "finished" in body:
                self.promised_decisions = self.decisions
            self.serves = body.get("serves", self.settings.arms[0])  # not named in version 0.1

    # Arms that come and go.

    def _add(self, name: str) -> None:
        arms = self.settings.arms
        self.numbers = [*self.numbers, len(arms)]
        self._take_arms((*arms, name), (*range(len(arms)), None))

    def _promote(self, name: str) -> None:
        """Let an arm and the default swap places: the default is always the first."""
        order = list(range(len(self.settings.arms)))
        place = self.index[name]
        order[0], order[place] = place, 0
        self.numbers = [self.numbers[old] for old in order]
        self._take_arms([self.settings.arms[old] for old in order], order)
        self.drift = new_drift_watch(self.settings)
        self.promoted_at = self.decisions

    def _take_arms(self, arms: Sequence[str], order: Order) -> None:
        """Continue with these arms: each arm's old index, None for a new one."""
        self.settings = replace(self.settings, arms=tuple(arms))
        self.index = {name: arm for arm, name in enumerate(arms)}
        self.rearrange(order)
        for values in (self.lost, self.turned_away, self.turned_to, self.as_default):
            reorder(values, order, 0)
        self.equal_split.rearrange(order)
        if self.early is not None:
            self.early.rearrange(order)
        self.guardrails.rearrange(self.settings, self.numbers, order)
        self.retire(self.retired)

    def _renumber(self) -> None:
        """Renumber the arms for a new epoch, retired ones last."""
        arms = self.settings.arms
        last = sorted(range(len(arms)), key=lambda arm: (arms[arm] in self.withdrawn, arm))
        numbers = [last.index(arm) for arm in range(len(arms))]
        if numbers != self.numbers:
            self.numbers = numbers
            self.prepare()


def fallback_probability_of(body: dict[str, Any]) -> float:
    """Return the fallback probability at which a decision was made.

    If there was a coin, the body of the event has its probability.
    """
    if "p" in body:
        return float(body["p"])
    return 0.0 if body["arm"] == body["candidate"] else 1.0
