"""OFREP: the feature-flag world's protocol. A campaign is a flag."""

from __future__ import annotations

import msgspec

from floorline.service.answers import OfrepAnswer
from floorline.service.calls import Call
from floorline.service.decisions import decide_one
from floorline.service.problems import ProblemDocument
from floorline.service.requests import DecisionRequest

CODES = {400: "PARSE_ERROR", 404: "FLAG_NOT_FOUND", 415: "PARSE_ERROR", 422: "INVALID_CONTEXT"}


class OfrepProblem(ProblemDocument):
    """A problem with the members that OFREP's clients look for."""

    key: str = ""
    errorCode: str = ""  # noqa: N815 (OFREP's names)
    errorDetails: str = ""  # noqa: N815


def refine(document: ProblemDocument, path: dict[str, str]) -> OfrepProblem:
    """The problem as OFREP's clients expect it."""
    code = CODES.get(document.status, "GENERAL")
    members = msgspec.structs.asdict(document)
    return OfrepProblem(**members, key=path["key"], errorCode=code, errorDetails=document.detail)


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
