"""The decisions of a campaign, each with what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from floorline.live.events import Event
from floorline.live.reader import LedgerReader
from floorline.live.tickets import ticket_id

PAGE = 1000


class Record(NamedTuple):
    """One decision and its outcome so far."""

    ticket: str
    time: float
    arm: str
    candidate: str | None
    reason: str
    guaranteed_budget: float
    probability: float | None
    request_key: str | None
    outcome: str
    """`pending`, `observed`, `late` (recorded, not used), `voided` or `expired`."""
    reward: float | None
    observed_at: float | None


def records(
    ledger: LedgerReader, campaign: str, after: int, limit: int | None,
    mutex: AbstractContextManager[Any],
) -> Iterator[Record]:  # fmt: skip
    """The decisions whose place in the ledger is after `after`, at most `limit` of them."""
    left = limit
    while left is None or left > 0:
        with mutex:
            page = ledger.decisions(after, PAGE if left is None else min(left, PAGE))
        if not page:
            return
        for event, outcomes in page:
            yield record(campaign, event, outcomes)
        after = page[-1][0].seq
        left = None if left is None else left - len(page)


def record(campaign: str, decided: Event, outcomes: list[Event]) -> Record:
    """A decision with what happened to it."""
    outcome, reward, when = "pending", None, None
    for event in outcomes:
        outcome = "late" if event.body.get("late") else event.kind
        reward = event.body.get("reward", reward)
        when = event.time if event.kind == "observed" else when
    body = decided.body
    return Record(
        ticket_id(campaign, decided.seq, decided.time), decided.time, body["arm"],
        body["candidate"], body["reason"], body["guaranteed_budget"], body["probability"],
        decided.key, outcome, reward, when,
    )  # fmt: skip
