"""The bodies and queries of requests about decisions. The OpenAPI document is generated from these.

Those about campaigns are in `campaign_requests.py`, OFREP's in `ofrep_requests.py`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from floorline.live.export import FORMATS as EXPORT_FORMATS
from floorline.report.tables import TABLES
from floorline.service.api.fields import ArmName, Fraction, Metrics, RequestKey, TicketId
from floorline.service.http.limits import MAX_BATCH, MAX_PAGE

EXPORT_TABLES = ("decisions", *TABLES)
Limit = Annotated[int, Meta(ge=1, le=MAX_PAGE)]
Cursor = Annotated[int, Meta(ge=0, le=2**53)]


class DecisionRequest(Struct, forbid_unknown_fields=True):
    """One request for a decision."""

    request_key: RequestKey | None = None
    """Identifies the request; a retry with the same key gives the same decision."""
    candidate: ArmName | None = None
    """An arm that your own bandit proposes; it may look at this request only under the randomised
    floor."""
    context: dict[str, Any] | None = None
    """What was known about the request: an object of at most 4 KB that is kept and exported."""
    chances: dict[str, Fraction] | None = None
    """How likely your bandit was to propose each arm; the decision then has a propensity."""


class DecisionRequests(Struct, forbid_unknown_fields=True):
    """A batch of requests for decisions."""

    requests: Annotated[list[DecisionRequest], Meta(min_length=1, max_length=MAX_BATCH)]


class DecisionBody(DecisionRequest, forbid_unknown_fields=True):
    """The body as it is decoded: one request, or a batch."""

    requests: (
        Annotated[list[DecisionRequest], Meta(min_length=1, max_length=MAX_BATCH)] | UnsetType
    ) = UNSET


class RewardBody(Struct, forbid_unknown_fields=True):
    """The reward of the decision in the path."""

    reward: float
    """From `low` to `high` of the campaign: 0 to 1 by default."""
    metrics: Metrics | None = None
    """Values of the campaign's guardrails, by name."""


class TicketReward(Struct, forbid_unknown_fields=True):
    """The reward of one decision."""

    ticket: TicketId
    reward: float
    metrics: Metrics | None = None


class RewardsBody(Struct, forbid_unknown_fields=True):
    """The rewards of many decisions."""

    rewards: Annotated[list[TicketReward], Meta(min_length=1, max_length=MAX_BATCH)]


class PageQuery(Struct, forbid_unknown_fields=True):
    """Which page of a long list is wanted."""

    cursor: Cursor | UnsetType = UNSET
    """`next` of the previous page."""
    limit: Limit = 100
    order: Literal["oldest", "newest"] = "oldest"
    """Which come first."""


class EventQuery(PageQuery, forbid_unknown_fields=True):
    """Which events are wanted."""

    kind: Literal["all", "changes"] = "all"
    """`changes`: changes to the campaign itself, without decisions and rewards."""


class ExportQuery(Struct, forbid_unknown_fields=True):
    """What to export, and its format."""

    format: Literal[EXPORT_FORMATS] = "csv"  # type: ignore[valid-type]
    table: Literal[EXPORT_TABLES] = "decisions"  # type: ignore[valid-type]
    """`decisions`: each with its outcome; `summary`: the status in one row; `arms`: what is known
    about each; `series`: the course of the current epoch; `guardrails`: what is known about
    further metrics, if any; `changes`: what was done to the campaign, and notes; `settings`."""
