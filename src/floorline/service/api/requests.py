"""The bodies and queries of requests. The OpenAPI document is generated from these."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from floorline.core.checks import MAX_UNIT
from floorline.environments.delayed import MISSING_POLICIES
from floorline.live.export import FORMATS as EXPORT_FORMATS
from floorline.live.guardrails import MAX_GUARDRAILS, MAX_METRIC_NAME, WORSE
from floorline.live.names import MAX_NAME
from floorline.live.notes import MAX_LABEL, MAX_LABELS, MAX_NOTE
from floorline.live.request import MAX_KEY
from floorline.live.settings import (
    BEYOND,
    LIVE_BOUNDARIES,
    LIVE_FLOORS,
    LIVE_POLICIES,
    MAX_ARMS,
    CampaignSettings,
)
from floorline.report.tables import TABLES
from floorline.service.http.limits import MAX_BATCH, MAX_PAGE

# Which characters names may have no pattern can tell that other languages understand too.
CampaignName = Annotated[str, Meta(min_length=1, max_length=MAX_NAME, examples=["page"])]
ArmName = Annotated[str, Meta(min_length=1, max_length=MAX_NAME, examples=["current"])]
ArmNames = Annotated[
    list[ArmName],
    Meta(
        min_length=2,
        max_length=MAX_ARMS,
        examples=[["current", "video"]],
        extra_json_schema={"uniqueItems": True},
    ),
]
EXPORT_TABLES = ("decisions", *TABLES)
Metrics = Annotated[dict[str, float], Meta(max_length=MAX_GUARDRAILS)]
RequestKey = Annotated[str, Meta(min_length=1, max_length=MAX_KEY)]
Fraction = Annotated[float, Meta(ge=0, le=1)]
Probability = Annotated[float, Meta(gt=0, le=1)]
END = r"$(?!\n)"  # Python's `$` alone also matches before a last newline
TicketId = Annotated[
    str,
    Meta(
        pattern=r"^[0-9a-f]{1,32}-[0-9]{1,18}-[0-9a-f]{1,64}" + END,
        description="the ticket of a decision, as the service gave it",
    ),
]
Limit = Annotated[int, Meta(ge=1, le=MAX_PAGE)]
Cursor = Annotated[int, Meta(ge=0, le=2**53)]


DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(CampaignSettings)}
"""Of the settings of a campaign."""


class NewCampaign(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A campaign to create. A field that is null has its default."""

    name: CampaignName
    """Letters, digits and `.`, `_`, `-`; a letter or digit first."""
    arms: ArmNames
    """The names of the arms; the first is the default."""
    max_loss: Fraction
    """The share of the default's reward that may be lost."""
    missing: Literal[MISSING_POLICIES]  # type: ignore[valid-type]
    """What it means if no reward is reported: `zero`, nothing was earned, once the window is over
    (clicks); `unknown`, the worst is assumed until one comes (every outcome is reported, zeros
    too); `random`, it got lost, whatever it was."""
    delta: Probability | None = DEFAULTS["delta"]
    """The probability that the floor ever fails."""
    default_mean: float | None = None
    """The default arm's mean reward; learned unless given."""
    policy: Literal[LIVE_POLICIES] | None = DEFAULTS["policy"]  # type: ignore[valid-type]
    """Proposes an arm when no candidate is given."""
    floor: Literal[LIVE_FLOORS] | None = DEFAULTS["floor"]  # type: ignore[valid-type]
    """The floor that the policy runs under."""
    boundary: Literal[LIVE_BOUNDARIES] | None = DEFAULTS["boundary"]  # type: ignore[valid-type]
    """The confidence boundary."""
    prior: Annotated[list[float], Meta(min_length=2, max_length=2)] | None = msgspec.field(
        default_factory=lambda: list(DEFAULTS["prior"])
    )
    """The two numbers of the boundary's Beta prior; the promise does not depend on them."""
    low: float | None = DEFAULTS["low"]
    """The lowest possible reward."""
    high: float | None = DEFAULTS["high"]
    """The highest possible reward."""
    beyond: Literal[BEYOND] | None = DEFAULTS["beyond"]  # type: ignore[valid-type]
    """What becomes of a reward above `high`: `refuse` it, or `clip` it to `high`."""
    unit: Annotated[str, Meta(min_length=1, max_length=MAX_UNIT)] | None = None
    """What rewards are counted in, as EUR; only shown."""
    window: float | None = None
    """Seconds after which a reward counts as missing; needed for `zero` and `random`."""
    voids: bool | None = DEFAULTS["voids"]
    """Whether decisions may be voided."""
    holdback: Fraction | None = None
    """The share of decisions that always go to the default, to watch it: 0.02 unless told, 0.05
    under the randomised floor."""
    drift_level: Probability | None = DEFAULTS["drift_level"]
    """The probability that the test for a drifting default ever gives a false alarm."""
    in_flight_rate: Fraction | None = DEFAULTS["in_flight_rate"]
    """With `in_flight_burst`, what is stated about pending rewards under the randomised floor."""
    in_flight_burst: Annotated[float, Meta(ge=0)] | None = DEFAULTS["in_flight_burst"]
    """See `in_flight_rate`; in units of high - low."""
    guardrails: Annotated[list[GuardrailBody], Meta(max_length=MAX_GUARDRAILS)] | None = None
    """Guardrail metrics, which are reported with rewards, and their limits."""
    arms_may_change: bool | None = DEFAULTS["arms_may_change"]
    """Whether challengers may be added later, and one promoted to be the default; intervals are
    then a little wider."""


class GuardrailBody(Struct, forbid_unknown_fields=True):
    """A metric that is reported with rewards."""

    name: Annotated[str, Meta(min_length=1, max_length=MAX_METRIC_NAME)]
    low: float
    high: float
    """Values are clipped to this range."""
    limit: float | None = None
    """An arm whose mean is surely beyond it is retired."""
    worse: Literal[WORSE] = "above"  # type: ignore[valid-type]


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

    requests: Annotated[list[DecisionRequest], Meta(min_length=1, max_length=MAX_BATCH)] | None = (
        None
    )


class FinishBody(Struct, forbid_unknown_fields=True):
    """The winner."""

    arm: ArmName
    """The arm that everybody gets from now on."""


class StopBody(Struct, forbid_unknown_fields=True):
    """What to play once a campaign is stopped."""

    arm: ArmName | None = None
    """The arm that everybody is to get from now on; the default unless told, or the winner of a
    finished campaign."""


class ArmBody(Struct, forbid_unknown_fields=True):
    """A challenger."""

    arm: ArmName
    """Its name."""


class NoteBody(Struct, forbid_unknown_fields=True):
    """A remark about what happened."""

    text: Annotated[str, Meta(min_length=1, max_length=MAX_NOTE)]


class LabelsBody(Struct, forbid_unknown_fields=True):
    """All labels of a campaign."""

    labels: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=MAX_LABEL)]], Meta(max_length=MAX_LABELS)
    ]


class ArchiveBody(Struct, forbid_unknown_fields=True):
    """Whether a campaign is archived."""

    archived: bool = True


class EraseBody(Struct, forbid_unknown_fields=True):
    """Whose request keys and contexts are to be erased: one of these must be given."""

    request_key: RequestKey | None = None
    """Those of the request with this key."""
    before: Annotated[float, Meta(ge=0)] | None = None
    """Those of all decisions before this time, in seconds since 1970."""


class DeleteBody(Struct, forbid_unknown_fields=True):
    """The confirmation that a campaign is to be deleted."""

    name: CampaignName
    """Its name again."""


class EpochBody(Struct, forbid_unknown_fields=True):
    """Which epoch is to end, and what is new in the next one."""

    epoch: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    """The epoch that the campaign is in. Sent again when it has ended, it changes nothing."""
    default: ArmName | None = None
    """The arm that is the default of the new epoch; the same as before unless told."""
    arms_may_change: bool | None = None
    """Whether challengers may be added from then on; as before unless told."""


class RewardBody(Struct, forbid_unknown_fields=True):
    """The reward of the decision in the path."""

    reward: float
    """From `low` to `high` of the campaign: 0 to 1 unless told."""
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
    of each; `series`: how the present epoch went; `guardrails`: what is known of further metrics,
    where there are some; `changes`: what was done to the campaign, notes among it; `settings`."""


class OfrepContext(Struct):
    """The evaluation context. The rest of it, at most 4 KB, is kept with the decision."""

    targetingKey: Annotated[str, Meta(max_length=MAX_KEY)] | None = None  # noqa: N815 (OFREP's)
    """The request key: the same one always gets the same decision."""


class OfrepFlagBody(Struct):
    """An OFREP request for one flag."""

    context: OfrepContext | None = None


class OfrepBody(Struct):
    """An OFREP request as it is decoded, with everything that the context has."""

    context: dict[str, Any] | None = None


class OfrepKeyedContext(Struct):
    """The evaluation context of a bulk request. The rest of it is kept with each decision."""

    targetingKey: RequestKey  # noqa: N815 (OFREP's)
    """The request key: the same one always gets the same decisions."""


class OfrepBulkBody(Struct):
    """An OFREP bulk request, as it is described; OFREP has its own error where there is no key."""

    context: OfrepKeyedContext
