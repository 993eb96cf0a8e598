"""What goes out: the answers. The API's description is made from these."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from floorline.live import Status, Term
from floorline.service.problems import ProblemDocument


class Decision(Struct):
    """Which arm to play, and why."""

    ticket: str
    """Report the reward with it."""
    arm: str
    is_default: bool
    candidate: str | None
    """The arm that was proposed."""
    reason: str
    guaranteed_budget: float
    """Lower bound on the budget after this decision."""
    probability: float | None
    """How likely this arm was, given all before; null where that cannot be computed."""


class Decisions(Struct):
    """Decisions, in the order of the requests."""

    decisions: list[Decision]


class Taken(Struct):
    """What became of a reward or a void."""

    ticket: str
    result: Literal["accepted", "duplicate", "late"]
    """`late`: it is recorded, and not used."""


class TakenOrNot(Struct, omit_defaults=True):
    """What became of one of many rewards: a result or a problem."""

    ticket: str
    result: Literal["accepted", "duplicate", "late"] | None = None
    problem: ProblemDocument | None = None


class RewardResults(Struct):
    """What became of each reward, in the order given."""

    results: list[TakenOrNot]


class CampaignAnswer(Struct):
    """A campaign: what it was opened with, and where it stands."""

    name: str
    available: bool
    """Whether its ledger can be used."""
    default_arm: str | None
    settings: dict[str, Any] | None
    status: Status | None
    problem: str | None = None
    """Why it is not available."""
    warnings: list[str] = []
    """What the one who opened it should know."""


class Campaigns(Struct):
    """All campaigns, by name."""

    campaigns: list[CampaignAnswer]


class RecordAnswer(Struct):
    """One decision and its outcome so far."""

    ticket: str
    time: float
    arm: str
    candidate: str | None
    reason: str
    guaranteed_budget: float
    probability: float | None
    request_key: str | None
    outcome: Literal["pending", "observed", "late", "voided", "expired"]
    reward: float | None
    observed_at: float | None


class RecordPage(Struct):
    """Some decisions."""

    decisions: list[RecordAnswer]
    next: int | None
    """The cursor of the next page; null at the end."""


class EventAnswer(Struct):
    """One thing that happened to a campaign."""

    seq: int
    time: float
    kind: str
    ticket: str | None
    request_key: str | None
    body: dict[str, Any]


class EventPage(Struct):
    """Some events."""

    events: list[EventAnswer]
    next: int | None
    """The cursor of the next page; null at the end."""


class Explanation(Struct):
    """Why a decision was made as it was: the arithmetic of its budget."""

    decision: RecordAnswer
    words: str
    """The reason as a sentence."""
    decisions: int
    """Decisions on the clock, this one included."""
    max_loss: float
    terms: list[Term]
    """What each arm adds to the guaranteed budget."""
    guaranteed_budget: float
    candidate_budget: float | None
    """What would have stayed guaranteed had the candidate been played, if it was not."""


class Series(Struct):
    """How a campaign went, in columns of the same length, the last being now."""

    time: list[float]
    epoch: list[int]
    decisions: list[int]
    """In the epoch."""
    reward: list[float]
    """Estimate of the expected reward so far: plays by average, over all arms."""
    reward_lower: list[float]
    reward_upper: list[float]
    default: list[float]
    """Estimate of what the default alone would be expected to have earned."""
    floor: list[float]
    """The promised share of `default`."""
    guaranteed_budget: list[float]
    plays: dict[str, list[int]]
    """By arm."""
    reasons: dict[str, list[int]]
    """Decisions by reason."""


class Update(Struct):
    """Where a campaign stands now, as its live stream tells it."""

    status: Status | None
    point: Series | None
    """The last point of the series."""
    problem: str | None = None
    """Why there is no status."""


class OfrepAnswer(Struct):
    """OFREP's answer: the arm is the variant and the value."""

    key: str
    value: str
    variant: str
    reason: str
    metadata: dict[str, str | bool | float]
    """The ticket, with which the reward is reported, and why."""


class Live(Struct):
    """The process answers."""

    status: Literal["live"]


class Ready(Struct):
    """Decisions are served."""

    status: Literal["ready"]
    campaigns: int
    unavailable: list[str]
    """The campaigns whose ledger cannot be used."""
