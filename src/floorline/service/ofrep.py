"""OFREP: the feature-flag world's protocol. A campaign is a flag."""

from __future__ import annotations

from floorline.service.calls import Call
from floorline.service.decisions import decide_one
from floorline.service.messages import DecisionRequest, OfrepAnswer


async def evaluate(call: Call) -> OfrepAnswer:
    """A decision as the value of a flag."""
    entry = call.service.registry.get(call.path["key"])
    made = await entry.writer.submit(
        lambda campaign: decide_one(entry, campaign, DecisionRequest())
    )
    metadata: dict[str, str | bool | float] = {
        "ticket": made.ticket,
        "is_default": made.is_default,
        "reason": made.reason,
        "guaranteed_budget": made.guaranteed_budget,
    }
    reason = "DEFAULT" if made.is_default else "SPLIT"
    return OfrepAnswer(entry.name, made.arm, made.arm, reason, metadata)
