"""The handler of OFREP, the OpenFeature Remote Evaluation Protocol: a campaign is a flag."""

from __future__ import annotations

import msgspec

from floorline.service.api.decisions import decide_one
from floorline.service.api.requests import DecisionRequest
from floorline.service.api.responses import OfrepAnswer
from floorline.service.http.operations import Call
from floorline.service.http.problems import ProblemDocument

ERROR_CODES = {
    400: "PARSE_ERROR",
    404: "FLAG_NOT_FOUND",
    415: "PARSE_ERROR",
    422: "INVALID_CONTEXT",
}


class OfrepProblem(ProblemDocument):
    """A problem with the members that OFREP clients expect."""

    key: str = ""
    errorCode: str = ""  # noqa: N815 (OFREP's names)
    errorDetails: str = ""  # noqa: N815


def refine(document: ProblemDocument, path: dict[str, str]) -> OfrepProblem:
    """The problem as OFREP clients expect it."""
    code = ERROR_CODES.get(document.status, "GENERAL")
    members = msgspec.structs.asdict(document)
    return OfrepProblem(**members, key=path["key"], errorCode=code, errorDetails=document.detail)


async def evaluate(call: Call) -> OfrepAnswer:
    """A decision as the value of a flag."""
    hosted = await call.host.registry.get(call.path["key"])
    given = call.body.context or {}
    context = {name: value for name, value in given.items() if name != "targetingKey"}
    request = DecisionRequest(context=context or None)
    decision = await hosted.queue.submit(lambda campaign: decide_one(hosted, campaign, request))
    metadata: dict[str, str | bool | float] = {
        "ticket": decision.ticket,
        "is_default": decision.is_default,
        "reason": decision.reason,
        "guaranteed_budget": decision.guaranteed_budget,
    }
    reason = "DEFAULT" if decision.is_default else "SPLIT"
    return OfrepAnswer(hosted.name, decision.arm, decision.arm, reason, metadata)
