"""Fields that several messages have, with the values that they may take."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from floorline.live.guardrails import MAX_GUARDRAILS
from floorline.live.names import MAX_NAME
from floorline.live.request import MAX_KEY
from floorline.live.settings import MAX_ARMS

# No pattern that other languages understand can say which characters names may have.
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
