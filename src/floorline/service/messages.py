"""What is sent and answered. The API's description is made from these."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from floorline.live import Status, Ticket
from floorline.live.campaign import MAX_KEY
from floorline.live.explain import Term
from floorline.live.settings import MAX_ARMS, POLICIES, SILENCES
from floorline.service.limits import MAX_BATCH, MAX_PAGE
from floorline.service.problems import ProblemDocument

END = r"$(?!\n)"  # Python's `$` alone also matches before a last newline
CampaignName = Annotated[
    str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}" + END, examples=["page"])
]
ArmName = Annotated[
    str, Meta(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_ .:/-]{0,63}" + END, examples=["now"])
]
RequestKey = Annotated[str, Meta(min_length=1, max_length=MAX_KEY)]
Share = Annotated[float, Meta(ge=0, le=1)]
Chance = Annotated[float, Meta(gt=0, le=1)]
TicketId = Annotated[str, Meta(pattern=r"^[0-9a-f]{1,32}-[0-9]{1,18}-[0-9a-f]{1,6}" + END)]


class NewCampaign(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A campaign to open. What is left out has the library's default."""

    name: CampaignName
    arms: Annotated[list[ArmName], Meta(min_length=2, max_length=MAX_ARMS, examples=[["now", "b"]],
                                        extra_json_schema={"uniqueItems": True})]  # fmt: skip
    """The names of the arms; the first is the default."""
    max_loss: Share
    """The share of the default's reward that may be lost."""
    delta: Chance | None = None
    """The chance that the floor ever fails."""
    default_mean: float | None = None
    """The default arm's mean reward; learned unless given."""
    policy: Literal[POLICIES] | None = None  # type: ignore[valid-type]
    boundary: str | None = None
    prior: tuple[float, float] | None = None
    low: float | None = None
    high: float | None = None
    missing: Literal[SILENCES] | None = None  # type: ignore[valid-type]
    """What silence means."""
    window: float | None = None
    """Seconds after which silence is final."""
    voids: bool | None = None
    holdback: Share | None = None
    drift_level: Chance | None = None


class DecisionRequest(Struct, forbid_unknown_fields=True):
    """One decision that is asked for."""

    request_key: RequestKey | None = None
    """Names the request; asking again with it gives the same decision."""
    candidate: ArmName | None = None
    """An arm that your own bandit proposes, without a look at this request."""


class DecisionRequests(Struct, forbid_unknown_fields=True):
    """Many decisions that are asked for."""

    requests: Annotated[list[DecisionRequest], Meta(min_length=1, max_length=MAX_BATCH)]


class DecisionBody(DecisionRequest, forbid_unknown_fields=True):
    """What is read: one request, or many."""

    requests: Annotated[list[DecisionRequest], Meta(min_length=1, max_length=MAX_BATCH)] | None = (
        None
    )


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


class RewardBody(Struct, forbid_unknown_fields=True):
    """What a decision has earned."""

    reward: float


class TicketReward(Struct, forbid_unknown_fields=True):
    """What one decision has earned."""

    ticket: TicketId
    reward: float


class RewardsBody(Struct, forbid_unknown_fields=True):
    """What many decisions have earned."""

    rewards: Annotated[list[TicketReward], Meta(min_length=1, max_length=MAX_BATCH)]


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


Limit = Annotated[int, Meta(ge=1, le=MAX_PAGE)]
Cursor = Annotated[int, Meta(ge=0, le=2**53)]


class PageQuery(Struct, forbid_unknown_fields=True):
    """Which part of a long answer is wanted."""

    cursor: Cursor | UnsetType = UNSET
    """`next` of the page before."""
    limit: Limit = 100
    order: Literal["oldest", "newest"] = "oldest"
    """Which come first."""


class EventQuery(PageQuery, forbid_unknown_fields=True):
    """Which events are wanted."""

    kind: Literal["all", "changes"] = "all"
    """`changes`: what was done to the campaign itself, without decisions and rewards."""


class ExportQuery(Struct, forbid_unknown_fields=True):
    """How to write the decisions."""

    format: Literal["csv", "jsonl"] = "csv"


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


class OfrepContext(Struct):
    """About whom the flag is asked. It is not used: decisions are not personal."""

    targetingKey: str | None = None  # noqa: N815 (OFREP's name)


class OfrepBody(Struct):
    """OFREP's request."""

    context: OfrepContext | None = None


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


def decision_of(ticket: Ticket) -> Decision:
    """A ticket as it is answered."""
    return Decision(
        ticket.id, ticket.arm, ticket.is_default, ticket.candidate, ticket.reason,
        ticket.guaranteed_budget, ticket.probability,
    )  # fmt: skip
