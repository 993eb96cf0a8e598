"""One decision explained: the arithmetic of its budget."""

from __future__ import annotations

from dataclasses import dataclass

from floorline.live.events import Event
from floorline.live.history import Record, record
from floorline.live.reader import LedgerReader
from floorline.live.replay import load
from floorline.live.state import State
from floorline.live.tickets import decision_of


@dataclass(frozen=True)
class Term:
    """What one arm adds to the guaranteed budget."""

    arm: str
    plays: int
    """Plays that count, this decision included."""
    lower: float
    upper: float
    weight: float
    """What its mean is multiplied with: plays, less (1 - max_loss) of all for the default."""
    mean: float
    """The end of its interval that makes the budget smallest."""
    voided: int
    """Plays that reached nobody, each counted at the lowest reward."""
    doubtful: float
    """Left out of the sum: what plays would add that may have reached nobody, with `voids`."""
    sum: float


@dataclass(frozen=True)
class Explanation:
    """One decision, and how its guaranteed budget comes about."""

    record: Record
    decisions: int
    """Decisions on the clock, this one included."""
    max_loss: float
    terms: list[Term]
    guaranteed_budget: float
    candidate_budget: float | None
    """What would have stayed guaranteed had the candidate been played, if it was not."""


def explain(ledger: LedgerReader, ticket: str) -> Explanation:
    """The decision with this ticket, explained from the events before it."""
    campaign = ledger.opened().body["id"]
    event = decision_of(ledger, campaign, ticket)
    state = load(ledger, upto=event.seq - 1)
    return _explained(state, event, record(campaign, event, ledger.about(event.seq)))


def _explained(state: State, event: Event, made: Record) -> Explanation:
    state.refresh()
    candidate = event.body["candidate"]
    refused = candidate is not None and candidate != event.body["arm"]
    instead = float(state.budget_after(state.index[candidate])) if refused else None
    arm = state.index[event.body["arm"]]
    uncounted = arm == 0 and state.settings.voids
    rounds = state.rounds if uncounted else state.rounds + 1
    plays = [int(count) for count in state.arms.plays]
    plays[arm] += 0 if uncounted else 1
    terms = [_term(state, i, plays[i], rounds) for i in range(len(plays))]
    return Explanation(
        made, rounds, state.settings.max_loss, terms, sum(term.sum for term in terms), instead
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
