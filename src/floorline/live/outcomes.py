"""Outcomes of decisions: rewards, refused rewards, voids and expired windows."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from floorline.core.checks import number
from floorline.live.errors import Conflict
from floorline.live.guardrails import checked_metrics
from floorline.live.messages import Result, Ticket
from floorline.live.recorder import Recorder
from floorline.live.settings import LARGEST_REWARD
from floorline.live.tickets import TicketIds, decision_of, seq_of


class Outcomes:
    """Records the outcome of each decision of a campaign, at most once."""

    def __init__(self, recorder: Recorder, ids: TicketIds) -> None:
        self._recorder = recorder
        self._ids = ids
        self.duplicates = 0
        """Rewards reported again."""

    def observe(
        self, ticket: Ticket | str, reward: float, metrics: Mapping[str, float] | None = None
    ) -> Result:
        """Record a reward and return what became of it; see `Campaign.observe`."""
        recorder = self._recorder
        settings = recorder.state.settings
        values = checked_metrics(settings.guardrails, metrics) if metrics else {}
        if type(reward) is float and settings.low <= reward <= settings.high:  # the usual case
            return recorder.run(self._observe, ticket, reward, values)
        if isinstance(reward, (Ticket, str)) and not isinstance(ticket, (Ticket, str)):
            raise ValueError(f"ticket: must come before the reward, not {ticket!r} before {reward}")
        reward = float(reward) if isinstance(reward, bool) else reward  # a bool: a click, or none
        try:
            given = number("reward", reward, settings.low, settings.high)
        except ValueError:
            with suppress(ValueError):  # not a number
                given = number("reward", reward, -LARGEST_REWARD, LARGEST_REWARD)
                if given > settings.high and settings.beyond == "clip":
                    return recorder.run(self._observe, ticket, given, values)
                recorder.run(self._refuse, ticket, given)
            raise
        return recorder.run(self._observe, ticket, given, values)

    def _observe(self, ticket: Ticket | str, given: float, metrics: dict[str, float]) -> Result:
        recorder = self._recorder
        state = recorder.state
        reward = min(given, state.settings.high)
        seq, name = self._decision(ticket)
        if seq not in state.open:
            return self._observe_closed(seq, name, reward)
        body: dict[str, Any] = {"reward": reward}
        if reward != given:
            body["clipped_from"] = given
        if metrics:
            body["metrics"] = metrics
        arm = state.open[seq].arm
        recorder.record("observed", seq, None, body)
        if metrics and arm > 0:
            self._retire_if_broken(arm)
        return "accepted"

    def _retire_if_broken(self, arm: int) -> None:
        """Retire a challenger that surely breaks a limit."""
        state = self._recorder.state
        name = state.settings.arms[arm]
        if name in state.retired:
            return
        why = state.guardrails.broken(arm)
        if why is not None:
            self._recorder.record("changed", body={"retired": name, "why": why})

    def _refuse(self, ticket: Ticket | str, given: float) -> None:
        """Record a refused reward: unless another comes, its decision counts as unknown, not 0."""
        state = self._recorder.state
        seq, _ = self._decision(ticket)
        if seq in state.open and seq not in state.refused_open:
            self._recorder.record("refused", seq, None, {"reward": given})

    def _observe_closed(self, seq: int, name: str, reward: float) -> Result:
        """Return `duplicate`, or record the reward of a closed decision and return `late`."""
        for event in self._recorder.ledger.about(seq):
            if event.kind == "voided":
                raise Conflict(f"ticket {name}: was voided")
            if event.kind == "observed":
                if event.body["reward"] != reward:
                    raise Conflict(
                        f"ticket {name}: has the reward {event.body['reward']:g} already, "
                        f"not {reward:g}"
                    )
                self.duplicates += 1
                return "duplicate"
        self._recorder.record("observed", seq, body={"reward": reward, "late": True})
        return "late"

    def void(self, ticket: Ticket | str) -> Result:
        """Record that a decision reached nobody, and return the result; see `Campaign.void`."""
        return self._recorder.run(self._void, ticket)

    def _void(self, ticket: Ticket | str) -> Result:
        state = self._recorder.state
        seq, name = self._decision(ticket)
        if seq not in state.open:
            if any(event.kind == "voided" for event in self._recorder.ledger.about(seq)):
                return "duplicate"
            raise Conflict(f"ticket {name}: can no longer be voided; it is closed")
        if state.open[seq].was_default and not state.settings.voids:
            raise Conflict(
                f"ticket {name}: a default decision cannot be voided in this campaign, which "
                "counts it when it is made; open one with voids=True"
            )
        self._recorder.record("voided", seq)
        return "accepted"

    def _decision(self, ticket: Ticket | str) -> tuple[int, str]:
        """Return the sequence number and id of a decision, closed if its window is over."""
        recorder = self._recorder
        name = ticket.id if isinstance(ticket, Ticket) else ticket
        seq, time = self._ids.recall(name) or (seq_of(self._ids.campaign, name), None)
        state = recorder.state
        play = state.open.get(seq)
        if play is None:
            decision_of(recorder.ledger, self._ids, name)
            return seq, name
        if play.time != time:
            self._ids.check(name, seq, play.time)
        # Without a window, the clock need not be read.
        if state.settings.window is not None and state.is_due(seq, recorder.now()):
            recorder.record("expired", seq)
        return seq, name
