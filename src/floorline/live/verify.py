"""Is a ledger whole, and does it say what its decisions said?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from floorline.live import snapshot
from floorline.live.errors import LedgerError
from floorline.live.events import Event
from floorline.live.ledger import Ledger
from floorline.live.replay import start
from floorline.live.state import State


@dataclass
class Report:
    """What was found: nothing wrong if `problems` is empty."""

    events: int = 0
    decisions: int = 0
    rewards: int = 0
    snapshots: int = 0
    lowest_budget: float = math.inf
    """The lowest budget guaranteed when a challenger was played."""
    problems: list[str] = field(default_factory=list)


def verify(path: str, tick: Callable[[int], None] = lambda done: None) -> Report:
    """Replay every event of a ledger and compare: checksums, snapshots, counts, budgets.

    Each decision for a challenger is weighed again in the state before it, and must have been
    affordable, at the budget that it was said to leave.
    """
    ledger = Ledger(path, read_only=True)
    report = Report()
    try:
        report.problems += ledger.integrity()
        _replay(ledger, report, tick)
    except LedgerError as error:
        report.problems.append(str(error))
    finally:
        ledger.close()
    return report


def _replay(ledger: Ledger, report: Report, tick: Callable[[int], None]) -> None:
    kept = set(ledger.snapshots())
    counts: Counter[str] = Counter()
    state, events = start(ledger)
    for event, check in events:
        if event.kind == "decided":
            _weigh_again(state, event, report)
        if event.kind in ("observed", "voided", "expired"):
            _check_ticket(state, event, report)
        state.apply(event)
        counts[event.kind] += 1
        report.events += 1
        if event.seq in kept:
            kept.remove(event.seq)
            _compare_snapshot(ledger, state, check, report)
        if event.seq % 1000 == 0:
            tick(event.seq)
    for seq in sorted(kept):
        report.problems.append(f"snapshot after event {seq}: there is no such event")
    report.decisions, report.rewards = counts["decided"], counts["observed"]
    if dict(counts) != ledger.counts():
        report.problems.append(f"events by kind: {dict(counts)} replayed, {ledger.counts()} stored")


def _weigh_again(state: State, event: Event, report: Report) -> None:
    """Compare a decision for a challenger with the floor's answer in the state before it."""
    arm = state.index[event.body["arm"]]
    if arm == 0:
        return
    state.refresh()
    decision = state.permit(arm)
    said, found = event.body["guaranteed_budget"], float(decision.guaranteed_budget)
    report.lowest_budget = min(report.lowest_budget, said)
    if decision.arm != arm or not math.isclose(said, found, rel_tol=1e-9, abs_tol=1e-9):
        report.problems.append(
            f"decision {event.seq}: was made at a guaranteed budget of {said:g}, and the events "
            f"before it give {found:g}"
        )


def _check_ticket(state: State, event: Event, report: Report) -> None:
    if event.ticket not in state.open and not event.body.get("late"):
        report.problems.append(
            f"event {event.seq}: {event.kind} decision {event.ticket}, which was not open"
        )


def _compare_snapshot(ledger: Ledger, state: State, check: int, report: Report) -> None:
    report.snapshots += 1
    try:
        kept: tuple[int, dict[str, Any]] | None = ledger.snapshot(state.seq)
    except ValueError:
        kept = None
    if kept != (check, snapshot.plain(state)):
        report.problems.append(f"snapshot after event {state.seq}: differs from the replay")
