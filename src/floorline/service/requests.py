"""What comes in: the bodies and queries of requests. The API's description is made from these."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from floorline.environments.delayed import MISSING_POLICIES
from floorline.live.campaign import MAX_KEY
from floorline.live.settings import LIVE_POLICIES, MAX_ARMS
from floorline.service.limits import MAX_BATCH, MAX_PAGE

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
Limit = Annotated[int, Meta(ge=1, le=MAX_PAGE)]
Cursor = Annotated[int, Meta(ge=0, le=2**53)]


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
    policy: Literal[LIVE_POLICIES] | None = None  # type: ignore[valid-type]
    boundary: str | None = None
    prior: tuple[float, float] | None = None
    low: float | None = None
    high: float | None = None
    missing: Literal[MISSING_POLICIES] | None = None  # type: ignore[valid-type]
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


class OfrepContext(Struct):
    """About whom the flag is asked. It is not used: decisions are not personal."""

    targetingKey: str | None = None  # noqa: N815 (OFREP's name)


class OfrepBody(Struct):
    """OFREP's request."""

    context: OfrepContext | None = None
