"""The bodies of responses. The OpenAPI document is generated from these."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from floorline.live import Record, Result, Status, Term
from floorline.service.http.problems import ProblemDocument


class DecisionAnswer(Struct):
    """Which arm to play, and why."""

    ticket: str
    """Identifies the decision when its reward is reported."""
    arm: str
    is_default: bool
    candidate: str | None
    """The arm that was proposed."""
    reason: str
    guaranteed_budget: float
    """Lower bound on the budget after this decision."""
    probability: float | None
    """The probability of this arm given the candidate."""
    propensity: float | None
    """The probability of this arm given everything before the proposer chose; null if it cannot be
    computed, as for a candidate from outside."""


class Decisions(Struct):
    """Decisions, in the order of the requests."""

    decisions: list[DecisionAnswer]


class BatchReceipt(Struct, omit_defaults=True):
    """The result of reporting one reward of a batch, or a problem."""

    ticket: str
    result: Result | None = None
    problem: ProblemDocument | None = None


class RewardResults(Struct):
    """The results in the order of the rewards."""

    results: list[BatchReceipt]


class CampaignAnswer(Struct):
    """A campaign: its settings and its status."""

    name: str
    available: bool
    """Whether its ledger can be used."""
    default_arm: str | None
    settings: dict[str, Any] | None
    status: Status | None
    problem: str | None = None
    """Why it is not available."""
    warnings: list[str] = []
    """What the person who created it should know."""


class Erased(Struct):
    """What was erased."""

    erased: int
    """Decisions whose request key and context were erased."""


class Deleted(Struct):
    """What was deleted."""

    name: str


class Campaigns(Struct):
    """All campaigns, by name."""

    campaigns: list[CampaignAnswer]


class RecordPage(Struct):
    """A page of decisions."""

    decisions: list[Record]
    next: int | None
    """The cursor of the next page; null at the end."""


class EventAnswer(Struct):
    """One event of a campaign."""

    seq: int
    time: float
    kind: str
    ticket: str | None
    request_key: str | None
    body: dict[str, Any]
    words: str
    """What it did, in words."""


class EventPage(Struct):
    """A page of events."""

    events: list[EventAnswer]
    next: int | None
    """The cursor of the next page; null at the end."""


class ExplanationAnswer(Struct):
    """Why a decision was made: the arithmetic of its budget."""

    decision: Record
    words: str
    """The reason as a sentence."""
    decisions: int
    """Decisions counted so far, including this one."""
    max_loss: float
    terms: list[Term]
    """What each arm contributes to the guaranteed budget; empty under a floor that does not count
    arm by arm."""
    arithmetic: list[str]
    """How the guaranteed budget was computed, one line for each step."""
    guaranteed_budget: float
    candidate_budget: float | None
    """The budget guaranteed if the candidate had been played; null if it was."""


class Series(Struct):
    """The history of a campaign as columns of equal length; the last row is that of the
    last decision, with what is known now."""

    time: list[float]
    epoch: list[int]
    decisions: list[int]
    """In the epoch."""
    reward: list[float | None]
    """Estimated expected reward so far: the sum over arms of plays times average reward. An arm
    without an average counts as the default. Null until the default has one. Where the same rounds
    are compared, as under the randomised floor: what was received."""
    reward_lower: list[float]
    reward_upper: list[float]
    default: list[float | None]
    """Estimate of the expected reward of the default alone; or of what it would have received in
    the same rounds."""
    floor: list[float | None]
    """The promised share of `default`."""
    guaranteed_budget: list[float]
    plays: dict[str, list[int]]
    """By arm."""
    reasons: dict[str, list[int]]
    """Decisions by reason."""
    floor_lower: list[float | None]
    """Bounds on the floor: the promised share of what the default would have received in the same
    rounds. Null, as are the columns below, unless the same rounds are compared."""
    floor_upper: list[float | None]
    challengers: list[float | None]
    """Received in the rounds in which a challenger was played."""
    missed: list[float | None]
    """Estimate of what the default would have received in those rounds."""
    missed_upper: list[float | None]
    """Upper bound on that, at the campaign's confidence."""
    default_probability: list[float | None]
    """Probability of the default, had a challenger been proposed next."""


class Update(Struct):
    """The current status of a campaign, as its live stream sends it."""

    status: Status | None
    point: Series | None
    """The last point of the series."""
    problem: str | None = None
    """Why there is no status."""


class OfrepAnswer(Struct):
    """An OFREP response: the arm is the variant and the value."""

    key: str
    value: str
    variant: str
    reason: str
    metadata: dict[str, str | bool | float]
    """The ticket for reporting the reward, unless the campaign is stopped, and the reason."""


class OfrepFlag(Struct, omit_defaults=True):
    """One flag of a bulk response: its value, or an error."""

    key: str
    value: str | None = None
    variant: str | None = None
    reason: str | None = None
    metadata: dict[str, str | bool | float] | None = None
    errorCode: str | None = None  # noqa: N815 (OFREP's names)
    errorDetails: str | None = None  # noqa: N815


class OfrepFlags(Struct):
    """An OFREP bulk response: every campaign that the key reaches."""

    flags: list[OfrepFlag]


class Live(Struct):
    """The process responds."""

    status: Literal["live"]


class Ready(Struct):
    """Decisions are served."""

    status: Literal["ready"]
    campaigns: int
    unavailable_campaigns: int
    """Whose ledger cannot be used."""
    unavailable: list[str]
    """Their names, if the request has a key with the scope `read`, or none is needed."""
