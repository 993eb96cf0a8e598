"""The messages of a campaign: tickets, records, explanations and receipts, each defined once."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Reason = Literal[
    "explore",
    "exploit",
    "budget-low",
    "default-is-best",
    "default-unknown",
    "no-rewards",
    "holdback",
    "coin",
    "paused",
    "drift",
    "finished",
    "retired",
]
"""Why a decision was made as it was."""

Outcome = Literal["pending", "observed", "late", "voided", "refused", "expired"]
"""The outcome of a decision; `late`: its reward is recorded but not used; `refused`: its reward was
outside the range, and no other has arrived."""

Coin = Literal["default", "candidate"]
"""The winner of a coin toss between the default and a candidate."""

Result = Literal["accepted", "duplicate", "late"]
"""The result of a report; `late`: it is recorded but not used."""


class Ticket(msgspec.Struct, frozen=True, gc=False):
    """One decision: which arm to play, and why. It cannot change, and compares by its fields."""

    id: str
    """Letters, digits and dashes; the reward is reported with it."""
    arm: str
    is_default: bool
    candidate: str | None
    """The arm that was proposed, by the proposer or with the request. While the campaign is paused,
    finished or in drift the proposer is not asked: None unless one came with the request."""
    reason: Reason
    guaranteed_budget: float
    """Lower bound on the budget after this decision. Never negative for a challenger, unless the
    campaign is finished with it."""
    probability: float | None
    """Probability of this arm given the candidate; None only in decisions of version 0.1."""
    propensity: float | None
    """Probability of this arm given everything before the proposer chose; None if that cannot be
    computed, as for a candidate from outside that came without `chances`."""


class Record(msgspec.Struct, frozen=True, gc=False):
    """One decision and its outcome so far."""

    ticket: str
    time: float
    arm: str
    candidate: str | None
    reason: Reason
    guaranteed_budget: float
    probability: float | None
    propensity: float | None
    p: float | None
    """Probability of the default that a coin was tossed at; None if there was none."""
    coin: Coin | None
    """The winner of the coin toss."""
    request_key: str | None
    outcome: Outcome
    reward: float | None
    observed_at: float | None
    context: dict[str, Any] | None
    """What was given with the request."""


class RewardReceipt(msgspec.Struct, frozen=True, gc=False):
    """The result of reporting a reward or a void."""

    ticket: str
    result: Result


class Term(msgspec.Struct, frozen=True, gc=False):
    """What one arm adds to the guaranteed budget."""

    arm: str
    plays: int
    """Plays that count, including this decision."""
    lower: float
    upper: float
    weight: float
    """Factor of the arm's mean: its plays; for the default, less (1 - max_loss) of all plays."""
    mean: float
    """The end of its interval that makes the budget smallest."""
    voided: int
    """Plays that reached nobody, each counted at the lowest reward."""
    doubtful: float
    """Subtracted from the sum: the credit of plays that may have reached nobody, with `voids`."""
    sum: float


class Explanation(msgspec.Struct, frozen=True):
    """One decision, and how its guaranteed budget is computed."""

    record: Record
    decisions: int
    """Decisions that count for the budget, including this one."""
    max_loss: float
    terms: list[Term]
    """What each arm adds; none under a floor that does not count arm by arm."""
    arithmetic: list[str]
    """The same in words, line by line."""
    guaranteed_budget: float
    candidate_budget: float | None
    """The budget that would have stayed guaranteed had the candidate been played; None if it was
    played."""
