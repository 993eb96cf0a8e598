"""The bodies of requests that open, change or delete a campaign."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from floorline.core.checks import MAX_UNIT
from floorline.environments.arrivals import MISSING_POLICIES
from floorline.live.guardrails import MAX_GUARDRAILS, MAX_METRIC_NAME, WORSE
from floorline.live.notes import MAX_LABEL, MAX_LABELS, MAX_NOTE
from floorline.live.settings import (
    BEYOND,
    LIVE_BOUNDARIES,
    LIVE_FLOORS,
    LIVE_POLICIES,
    CampaignSettings,
)
from floorline.service.api.fields import (
    ArmName,
    ArmNames,
    CampaignName,
    Fraction,
    Probability,
    RequestKey,
)

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
    """What it means if no reward is reported: `zero`: nothing was earned, once the window is over
    (clicks); `unknown`: the worst is assumed until one arrives (every outcome is reported,
    including zeros); `random`: it got lost, whatever its value."""
    delta: Probability | None = DEFAULTS["delta"]
    """The probability that the floor ever fails."""
    default_mean: float | None = None
    """The default arm's mean reward; learned unless given."""
    policy: Literal[LIVE_POLICIES] | None = None  # type: ignore[valid-type]
    """Proposes an arm when no candidate is given: by default `conservative-ucb` with two arms and
    `conservative-thompson-votes` with more."""
    floor: Literal[LIVE_FLOORS] | None = None  # type: ignore[valid-type]
    """The floor that the policy runs under: by default `joint-steady` with two arms and `joint`
    with more; `confidence` if rewards may be below 0, decisions may be voided, or the boundary is
    not `beta-binomial`."""
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
    """What rewards are counted in, such as EUR; only shown."""
    window: float | None = None
    """Seconds after which a reward counts as missing; needed for `zero` and `random`."""
    voids: bool | None = DEFAULTS["voids"]
    """Whether decisions may be voided."""
    holdback: Fraction | None = None
    """The share of decisions that always go to the default, to watch it: 0.02 by default, 0.05
    under the randomised floor."""
    drift_level: Probability | None = DEFAULTS["drift_level"]
    """The probability that the test for a drifting default ever gives a false alarm."""
    in_flight_rate: Fraction | None = DEFAULTS["in_flight_rate"]
    """With `in_flight_burst`, what is assumed about pending rewards under the randomised floor."""
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


class FinishBody(Struct, forbid_unknown_fields=True):
    """The winner."""

    arm: ArmName
    """The arm that everybody gets from now on."""


class StopBody(Struct, forbid_unknown_fields=True):
    """What to play once a campaign is stopped."""

    arm: ArmName | None = None
    """The arm that everybody should get from now on; by default the default arm, or the winner of a
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
    """Whose request keys and contexts to erase: exactly one of these must be given."""

    request_key: RequestKey | None = None
    """Those of the request with this key."""
    before: Annotated[float, Meta(ge=0)] | None = None
    """Those of all decisions before this time, in seconds since 1970."""


class DeleteBody(Struct, forbid_unknown_fields=True):
    """The confirmation that a campaign should be deleted."""

    name: CampaignName
    """Its name again."""


class EpochBody(Struct, forbid_unknown_fields=True):
    """Which epoch to end, and what changes in the next one."""

    epoch: Annotated[int, Meta(ge=0, le=2**53)] | None = None
    """The epoch that the campaign is in. Sent again when it has ended, it changes nothing."""
    default: ArmName | None = None
    """The default arm of the new epoch; the same as before if left out."""
    arms_may_change: bool | None = None
    """Whether challengers may be added from then on; as before if left out."""
