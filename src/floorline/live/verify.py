"""Verifying a ledger: is it undamaged, and was every event allowed?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from floorline.core.words import counted
from floorline.live import snapshot
from floorline.live.errors import LedgerError
from floorline.live.event_checks import CHECKS
from floorline.live.events import Event
from floorline.live.ledgers import LedgerReader, read_ledger
from floorline.live.replay import UNUSABLE, start, unusable
from floorline.live.state import State


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
        """The contents of the ledger, in words."""
        names = ("event", "decision", "reward", "snapshot")
        return ", ".join(counted(getattr(self, f"{name}s"), name) for name in names)


def verify(locator: str, tick: Callable[[int], None] = lambda done: None) -> Report:
    """Replay every event of a ledger; check checksums, snapshots, counts, budgets and the mark.

    Each event must have been allowed in the state before it. For a decision the budget is
    recomputed: it must be as recorded, and a challenger must have been affordable.
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
    """Report what is wrong with an event, given the state before it."""
    wrong = CHECKS[event.kind](state, event) if event.kind in CHECKS else None
    if event.time < state.time and "set_back" not in event.body:
        wrong = f"its time is {state.time - event.time:g} seconds before that of the event before"
    if wrong is not None:
        report.problems.append(f"event {event.seq}: {wrong}")
    if event.kind == "decided" and state.index[event.body["arm"]] > 0 and not state.finished:
        report.lowest_budget = min(report.lowest_budget, event.body["guaranteed_budget"])


def _compare_snapshot(ledger: LedgerReader, state: State, check: int, report: Report) -> None:
    report.snapshots += 1
    try:
        stored = ledger.snapshot(state.seq)
        # Through a state: snapshots of earlier versions lack what has a default.
        kept, replayed = snapshot.plain(snapshot.from_json(stored.state)), snapshot.plain(state)
        for name in replayed.keys() - stored.state.keys():  # earlier versions did not store it
            kept[name] = replayed[name]
        for name in replayed["open"].keys() - stored.state["open"].keys():
            kept["open"][name] = replayed["open"][name]
        agrees = (stored.check, kept) == (check, replayed)
    except UNUSABLE:
        agrees = False
    if not agrees:
        report.problems.append(f"snapshot after event {state.seq}: differs from the replay")
