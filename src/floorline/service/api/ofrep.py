"""Handlers of OFREP, the OpenFeature Remote Evaluation Protocol: a campaign is a flag."""

from __future__ import annotations

import hashlib

import msgspec

from floorline.live import CampaignError, Stopped
from floorline.service.api.decisions import decide_one
from floorline.service.api.ofrep_requests import OfrepBody, OfrepContext
from floorline.service.api.requests import DecisionRequest
from floorline.service.api.responses import OfrepAnswer, OfrepFlag, OfrepFlags
from floorline.service.host.owners import OwnedElsewhere
from floorline.service.http.forwarding import RefusedThere
from floorline.service.http.operations import Call, Reply
from floorline.service.http.problems import Problem, ProblemDocument, problem_of
from floorline.service.http.wording import in_words

decode_answer = msgspec.json.Decoder(OfrepAnswer).decode

MAX_FLAGS = 100
"""Campaigns that one bulk evaluation decides."""

ERROR_CODES = {
    400: "PARSE_ERROR",
    404: "FLAG_NOT_FOUND",
    415: "PARSE_ERROR",
    422: "INVALID_CONTEXT",
}
"""OFREP's codes by the status of a problem; GENERAL for the others."""

NO_TARGETING_KEY = "targeting-key-missing"


class OfrepProblem(ProblemDocument):
    """A problem with the members that OFREP clients expect."""

    key: str = ""
    errorCode: str = ""  # noqa: N815 (OFREP's names)
    errorDetails: str = ""  # noqa: N815


def refine(document: ProblemDocument, path: dict[str, str]) -> OfrepProblem:
    """Return the problem as OFREP clients expect it. They treat 422 as no response."""
    members = msgspec.structs.asdict(document)
    members["status"] = 400 if document.status == 422 else document.status
    key, code = path.get("key", ""), error_code(document)
    return OfrepProblem(**members, key=key, errorCode=code, errorDetails=document.detail)


def error_code(document: ProblemDocument) -> str:
    """Return OFREP's word for a problem."""
    if document.type.endswith(NO_TARGETING_KEY):
        return "TARGETING_KEY_MISSING"
    return ERROR_CODES.get(document.status, "GENERAL")


async def evaluate(call: Call) -> OfrepAnswer:
    """Return a decision as the value of a flag: always the same for the same targeting key."""
    return await _evaluate(call, call.path["key"], _request(call))


async def evaluate_all(call: Call) -> Reply:
    """Return the decisions of all campaigns that the key reaches; 304 if the caller has them.

    Clients ask again and again, so a targeting key is required: without one, each request would
    make new decisions that nobody sees.
    """
    request = _request(call)
    if request.request_key is None:
        raise Problem(400, NO_TARGETING_KEY, "targetingKey: must be given to evaluate all flags")
    await call.host.registry.catalogue.list_again()
    names = [name for name in call.host.registry.catalogue.names() if call.access.sees(name)]
    if len(names) > MAX_FLAGS:
        detail = f"there are {len(names)} campaigns; use a key that is limited to {MAX_FLAGS}"
        raise Problem(400, "too-many-flags", detail)
    # One by one, since few campaigns may be open at a time.
    asked = msgspec.json.encode(call.body)
    flags = [await _flag(call, name, request, asked) for name in names]
    body = msgspec.json.encode(OfrepFlags(flags))
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    if tag in call.headers.get(b"if-none-match", b"").decode("latin-1"):
        return Reply(b"", 304, {"ETag": tag})
    return Reply(body, headers={"ETag": tag})


def _request(call: Call) -> DecisionRequest:
    """Return the decision request: the targeting key as request key, the rest as context."""
    body: OfrepBody = call.body
    context = body.context or {}
    try:
        key = msgspec.convert(context, OfrepContext).targetingKey
    except msgspec.ValidationError as error:
        raise Problem(422, "invalid", in_words(str(error), OfrepContext, context)) from None
    others = {name: value for name, value in context.items() if name != "targetingKey"}
    return DecisionRequest(key or None, context=others or None)


async def _flag(call: Call, name: str, request: DecisionRequest, body: bytes) -> OfrepFlag:
    """Return one decision, or why there is none: one campaign must not break the others."""
    path = f"/ofrep/v1/evaluate/flags/{name}"
    try:
        answer = await call.wherever(
            lambda: _evaluate(call, name, request), "POST", path, body, decode_answer
        )
    except OwnedElsewhere:
        raise  # the server that sent it here knows better by now
    except RefusedThere as refusal:
        problem = msgspec.json.decode(refusal.body, type=OfrepProblem)
        return OfrepFlag(name, errorCode=problem.errorCode, errorDetails=problem.errorDetails)
    except (CampaignError, ValueError) as error:
        document = problem_of(error).document()
        return OfrepFlag(name, errorCode=error_code(document), errorDetails=document.detail)
    return OfrepFlag(**msgspec.structs.asdict(answer))


async def _evaluate(call: Call, name: str, request: DecisionRequest) -> OfrepAnswer:
    hosted = await call.host.registry.get(name)
    try:
        decision = await hosted.queue.submit(
            lambda campaign: decide_one(hosted, campaign, request), keys=(request.request_key,)
        )
    except Stopped:
        arm = hosted.index_entry.default_arm  # what it was stopped with
        return OfrepAnswer(name, arm, arm, "STATIC", {"reason": "stopped"})
    metadata: dict[str, str | bool | float] = {
        "ticket": decision.ticket,
        "is_default": decision.is_default,
        "reason": decision.reason,
        "guaranteed_budget": decision.guaranteed_budget,
    }
    reason = "DEFAULT" if decision.is_default else "SPLIT"
    return OfrepAnswer(name, decision.arm, decision.arm, reason, metadata)
