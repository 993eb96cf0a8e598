"""Verifying a ledger: is it undamaged, and was every event allowed?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from floorline.core.words import counted
from floorline.live import snapshot
from floorline.live.errors import Conflict, LedgerError
from floorline.live.events import Event
from floorline.live.guardrails import checked_metrics
from floorline.live.ledgers import LedgerReader, read_ledger
from floorline.live.replay import UNUSABLE, start, unusable
from floorline.live.roster import addable, promotable, promotable_anew, retirable
from floorline.live.settings import CHANGEABLE, CHANGEABLE_IN_NEW_EPOCH
from floorline.live.state import State

OTHER_CHANGES = (
    *("epoch", "stopped", "finished", "serves", "outage", "set_back"),
    *("added", "retired", "why", "promoted"),
)
"""What an event may change besides settings."""


@dataclass
class Report:
    """The result of a verification; the ledger is sound if `problems` is empty."""

    events: int = 0
    decisions: int = 0
    rewards: int = 0
    snapshots: int = 0
    erased: int = 0
    """Decisions whose request key and context were erased."""
    lowest_budget: float = math.inf
    """The lowest guaranteed budget of a decision for a challenger."""
    problems: list[str] = field(default_factory=list)

    @property
    def contents(self) -> str:
        """What the ledger holds, in words."""
        names = ("event", "decision", "reward", "snapshot")
        return ", ".join(counted(getattr(self, f"{name}s"), name) for name in names)


def verify(locator: str, tick: Callable[[int], None] = lambda done: None) -> Report:
    """Replay every event of a ledger; check checksums, snapshots, counts, budgets and the mark.

    Each event must have been allowed in the state before it. For a decision the budget is
    computed again: it must be as recorded, and a challenger must have been affordable.
    """
    ledger = read_ledger(locator)
    report = Report()
    try:
        report.problems += ledger.problems()
        lost_tail = ledger.lost_tail(ledger.mark())
        if lost_tail is not None:
            report.problems.append(lost_tail)
        _replay(ledger, report, tick)
    except LedgerError as error:
        report.problems.append(str(error))
    finally:
        ledger.close()
    return report


def _replay(ledger: LedgerReader, report: Report, tick: Callable[[int], None]) -> None:
    stored = ledger.counts()
    kept = set(ledger.snapshots())
    counts: Counter[str] = Counter()
    said_to_be_erased = 0
    state, events = start(ledger)
    for event, check in events:
        try:
            _check(state, event, report)
            state.apply(event)
        except UNUSABLE as error:
            raise unusable(ledger, event, error) from None
        counts[event.kind] += 1
        report.events += 1
        report.erased += "sealed" in event.body
        said_to_be_erased += event.body.get("erased", 0)
        if event.seq in kept:
            kept.remove(event.seq)
            _compare_snapshot(ledger, state, check, report)
        if event.seq % 1000 == 0:
            tick(event.seq)
        if report.events == sum(stored.values()):
            break  # a running campaign may have appended more since
    for seq in sorted(kept):
        report.problems.append(f"snapshot after event {seq}: there is no such event")
    if report.erased > said_to_be_erased:
        report.problems.append(
            f"the request keys and contexts of {counted(report.erased, 'decision')} are gone, and "
            f"those of {said_to_be_erased:,} were erased"
        )
    report.decisions, report.rewards = counts["decided"], counts["observed"]
    if dict(counts) != stored:
        report.problems.append(f"events by kind: {dict(counts)} replayed, {stored} stored")


def _check(state: State, event: Event, report: Report) -> None:
    """Report what is wrong with an event, by the state before it."""
    wrong = CHECKS[event.kind](state, event) if event.kind in CHECKS else None
    if event.time < state.time and "set_back" not in event.body:
        wrong = f"its time is {state.time - event.time:g} seconds before that of the event before"
    if wrong is not None:
        report.problems.append(f"event {event.seq}: {wrong}")
    if event.kind == "decided" and state.index[event.body["arm"]] > 0 and not state.finished:
        report.lowest_budget = min(report.lowest_budget, event.body["guaranteed_budget"])


def _opened(state: State, event: Event) -> str | None:
    return None if event.seq == 1 else "opened a second time"


def _decided(state: State, event: Event) -> str | None:
    """Return what is wrong with a decision, by its budget in the state before it."""
    arm = state.index[event.body["arm"]]
    recorded = event.body["guaranteed_budget"]
    if state.stopped:
        return "decided in a campaign that was stopped"
    if state.finished and event.body["arm"] != state.serves:
        return f"{event.body['arm']} was played after the campaign was finished with {state.serves}"
    state.refresh()
    if arm > 0 and not state.finished and (state.paused or state.drift_alarm):
        return f"{event.body['arm']} was played where only the default was allowed"
    if event.body["arm"] in state.retired and not state.finished:
        return f"{event.body['arm']} was played after it was retired"
    budget = state.budget_after(arm) if arm > 0 else state.budget_after_default()
    affordable = arm == 0 or state.refusal_probability(arm) < 1.0 or state.finished
    if not affordable or not math.isclose(recorded, budget, rel_tol=1e-9, abs_tol=1e-9):
        return f"decided at a guaranteed budget of {recorded:g}; the events before give {budget:g}"
    return _tossed(state, event.body)


def _tossed(state: State, body: dict[str, Any]) -> str | None:
    """Return what is wrong with the coin of a decision, if it has one."""
    if "p" not in body:
        return None
    probability = state.refusal_probability(state.index[body["candidate"]])
    if body["p"] != probability:
        return f"a coin at {body['p']:g}, where the events before give {probability:g}"
    won = body["candidate"] if body["coin"] == "candidate" else state.settings.arms[0]
    return None if won == body["arm"] else f"{body['arm']} was played, and the coin was {won}'s"


def _observed(state: State, event: Event) -> str | None:
    settings, reward = state.settings, event.body["reward"]
    if not settings.low <= reward <= settings.high:
        return f"a reward of {reward:g}, outside the declared range"
    if event.body.get("late"):
        return "a late reward of an open decision" if event.decision_seq in state.open else None
    metrics = event.body.get("metrics", {})
    try:
        clipped = checked_metrics(settings.guardrails, metrics)
    except ValueError as error:
        return str(error)
    if clipped != metrics:
        return f"metrics of {metrics}, which would be {clipped} in their ranges"
    return _must_be_open(state, event)


def _refused(state: State, event: Event) -> str | None:
    settings, reward = state.settings, event.body["reward"]
    if settings.low <= reward <= settings.high:
        return f"refused a reward of {reward:g}, inside the declared range"
    return _must_be_open(state, event)


def _voided(state: State, event: Event) -> str | None:
    wrong = _must_be_open(state, event)
    if (
        wrong is None
        and state.open[event.decision_seq or 0].was_default
        and not state.settings.voids
    ):
        return "a default decision was voided in a campaign without voids"
    return wrong


def _expired(state: State, event: Event) -> str | None:
    wrong = _must_be_open(state, event)
    if wrong is None and not state.is_due(event.decision_seq or 0, event.time):
        return f"decision {event.decision_seq} expired before its window was over"
    return wrong


def _changed(state: State, event: Event) -> str | None:
    allowed = CHANGEABLE_IN_NEW_EPOCH if "epoch" in event.body else CHANGEABLE
    others = set(event.body) - {*allowed, *OTHER_CHANGES}
    if others:
        return f"changed {', '.join(sorted(others))}, which cannot change"
    outage = event.body.get("outage")
    if outage is not None and not 0 <= outage <= event.time - state.time + 1e-3:
        return f"an outage of {outage:g} seconds, which began before the last event"
    return _other_arms(state, event.body)


def _other_arms(state: State, body: dict[str, Any]) -> str | None:
    """Return what is wrong with a change of the arms."""
    try:
        if "added" in body:
            addable(state, body["added"])
            if body["added"] in state.settings.arms:
                return f"{body['added']} was added a second time"
        if "retired" in body:
            retirable(state, body["retired"])
        if "promoted" in body:
            (promotable_anew if "epoch" in body else promotable)(state, body["promoted"])
    except (ValueError, Conflict) as error:
        return str(error)
    return None


def _must_be_open(state: State, event: Event) -> str | None:
    if event.decision_seq in state.open:
        return None
    return f"{event.kind} decision {event.decision_seq}, which was not open"


CHECKS: dict[str, Callable[[State, Event], str | None]] = {
    "opened": _opened,
    "decided": _decided,
    "observed": _observed,
    "voided": _voided,
    "refused": _refused,
    "expired": _expired,
    "changed": _changed,
}


def _compare_snapshot(ledger: LedgerReader, state: State, check: int, report: Report) -> None:
    report.snapshots += 1
    try:
        stored = ledger.snapshot(state.seq)
        # Through a state: snapshots of earlier versions lack what has a default.
        kept, replayed = snapshot.plain(snapshot.from_json(stored.state)), snapshot.plain(state)
        for name in replayed.keys() - stored.state.keys():  # which earlier versions did not store
            kept[name] = replayed[name]
        for name in replayed["open"].keys() - stored.state["open"].keys():
            kept["open"][name] = replayed["open"][name]
        agrees = (stored.check, kept) == (check, replayed)
    except UNUSABLE:
        agrees = False
    if not agrees:
        report.problems.append(f"snapshot after event {state.seq}: differs from the replay")
