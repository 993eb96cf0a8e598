"""Explaining one decision by the arithmetic of its budget."""

from __future__ import annotations

from floorline.live.events import Event
from floorline.live.history import record
from floorline.live.ledgers import LedgerReader
from floorline.live.messages import Explanation, Record, Term
from floorline.live.replay import load
from floorline.live.state import State, fallback_probability_of
from floorline.live.tickets import decision_of, ticket_ids


def explain(ledger: LedgerReader, ticket: str) -> Explanation:
    """Return the explanation of the decision with this ticket id, from the events before it."""
    ids = ticket_ids(ledger, ledger.opened())
    event = decision_of(ledger, ids, ticket)
    state = load(ledger, upto=event.seq - 1)
    return _explained(state, event, record(ids, event, ledger.about(event.seq)))


def _explained(state: State, event: Event, record: Record) -> Explanation:
    state.refresh()
    body = event.body
    candidate, arm = body["candidate"], state.index[body["arm"]]
    refused = candidate is not None and candidate != body["arm"]
    arithmetic = state.explain(arm, fallback_probability_of(body))
    return Explanation(
        record,
        state.rounds + (arm > 0 or not state.settings.voids),
        state.settings.max_loss,
        [Term(*term) for term in arithmetic.terms],
        arithmetic.words,
        state.budget_after(arm) if arm > 0 else state.budget_after_default(),
        state.budget_after(state.index[candidate]) if refused else None,
    )
