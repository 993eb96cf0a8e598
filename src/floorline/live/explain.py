"""Explaining one decision by the arithmetic of its budget."""

from __future__ import annotations

from floorline.live.events import Event
from floorline.live.history import record
from floorline.live.ledgers import LedgerReader
from floorline.live.messages import Explanation, Record, Term
from floorline.live.replay import load
from floorline.live.state import State
from floorline.live.tickets import decision_of, ticket_ids


def explain(ledger: LedgerReader, ticket: str) -> Explanation:
    """Return the explanation of the decision with this ticket id, from the events before it."""
    ids = ticket_ids(ledger, ledger.opened())
    event = decision_of(ledger, ids, ticket)
    state = load(ledger, upto=event.seq - 1)
    return _explained(state, event, record(ids, event, ledger.about(event.seq)))


def _explained(state: State, event: Event, record: Record) -> Explanation:
    state.refresh()
    candidate = event.body["candidate"]
    refused = candidate is not None and candidate != event.body["arm"]
    candidate_budget = state.budget_after(state.index[candidate]) if refused else None
    arm = state.index[event.body["arm"]]
    uncounted = arm == 0 and state.settings.voids
    rounds = state.rounds if uncounted else state.rounds + 1
    plays = [int(count) for count in state.arms.plays]
    plays[arm] += 0 if uncounted else 1
    terms = [_term(state, i, plays[i], rounds) for i in range(len(plays))]
    return Explanation(
        record,
        rounds,
        state.settings.max_loss,
        terms,
        sum(term.sum for term in terms),
        candidate_budget,
    )


def _term(state: State, arm: int, plays: int, rounds: int) -> Term:
    lower, upper = float(state.arms.lower[arm]), float(state.arms.upper[arm])
    voided = int(state.book.voided[arm]) if arm > 0 else 0
    weight = float(plays) if arm > 0 else plays - (1 - state.settings.max_loss) * rounds
    mean = upper if weight < 0 else lower
    doubtful = state.doubtful_credit(arm) if arm > 0 and state.settings.voids else 0.0
    earned = weight * mean + voided * state.settings.low - doubtful
    name = state.settings.arms[arm]
    return Term(name, plays, lower, upper, weight, mean, voided, doubtful, earned)
