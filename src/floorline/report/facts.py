"""The contents of a report, read from a ledger by the functions that status and dashboard use."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from floorline.live.assessment import status_of
from floorline.live.events import CHANGES, Event
from floorline.live.ledgers import LedgerReader, read_ledger
from floorline.live.replay import start
from floorline.live.series import MAX_POINTS, SeriesPoint, SeriesRecorder, point_after, point_of
from floorline.live.settings import CampaignSettings
from floorline.live.status import Status
from floorline.live.verify import Report, verify


@dataclass(frozen=True)
class ReportFacts:
    """Everything that a report shows."""

    name: str
    settings: CampaignSettings
    status: Status
    """After the last event, at the time of the report."""
    points: list[SeriesPoint]
    """Points of the current epoch; the last is that of `status`."""
    events: list[Event]
    """What was done to the campaign, including notes."""
    opened_at: float
    last_event_at: float
    verification: Report | None
    """None if the ledger was not verified."""


def facts_of(
    locator: str, name: str, now: float, tick: Callable[[int], None] = lambda done: None
) -> ReportFacts:
    """Return what a report of the campaign in this ledger shows; the whole ledger is verified.

    Args:
        locator: the ledger's locator.
        name: the campaign's name.
        now: the time of the report, by the campaign's clock: windows may have ended since the last
            event.
        tick: called with the number of events verified so far.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    verification = verify(locator, tick)
    with closing(read_ledger(locator)) as ledger:
        return read_facts(ledger, name, now, verification)


def read_facts(
    ledger: LedgerReader, name: str, now: float, verification: Report | None = None
) -> ReportFacts:
    """Return what the sound part of a ledger shows at `now`, with its verification."""
    opened = ledger.opened()
    campaign_id = opened.body["id"]
    series = SeriesRecorder(MAX_POINTS)
    changes = []
    last_decision_at = opened.time
    state, events = start(ledger)
    for event, _ in events:
        state.apply(event)
        if event.kind in CHANGES:
            changes.append(event)
        if event.kind != "decided":
            continue
        last_decision_at = event.time
        if series.is_due(event.seq):
            series.add([point_after(state)])
    status = status_of(campaign_id, state, 0, max(now, state.time))
    last = point_of(state.seq, last_decision_at, status, state.settings)
    points = [point for point in series.points if point.epoch == status.epoch]
    return ReportFacts(
        name,
        state.settings,
        status,
        [*points, last],
        changes,
        opened.time,
        state.time,
        verification,
    )
