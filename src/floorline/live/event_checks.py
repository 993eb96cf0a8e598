"""Checks that each kind of event was allowed, given the state before it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from floorline.core.records import TOLERANCE
from floorline.live.errors import Conflict
from floorline.live.events import Event
from floorline.live.guardrails import checked_metrics
from floorline.live.roster import addable, promotable, promotable_anew, retirable
from floorline.live.settings import CHANGEABLE, CHANGEABLE_IN_NEW_EPOCH
from floorline.live.state import State

OTHER_CHANGES = (
    *("epoch", "stopped", "finished", "serves", "outage", "set_back"),
    *("added", "retired", "why", "promoted"),
)
"""What an event may change besides settings."""


def _opened(state: State, event: Event) -> str | None:
    return None if event.seq == 1 else "opened a second time"


def _decided(state: State, event: Event) -> str | None:
    """Return what is wrong with a decision, given its budget in the state before it."""
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
    # A budget is a small difference of large sums, and an earlier version may have rounded these
    # differently.
    sums = max(1.0, (state.settings.high - state.settings.low) * state.rounds)
    if not affordable or not math.isclose(recorded, budget, abs_tol=TOLERANCE * sums):
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
