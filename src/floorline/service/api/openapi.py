"""The OpenAPI 3.1 document, generated from the table of operations."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, get_args

import msgspec

from floorline import __version__
from floorline.service.api.campaign_requests import NewCampaign
from floorline.service.api.examples import EXAMPLES
from floorline.service.api.field_docs import field_docs
from floorline.service.api.fields import CampaignName, TicketId
from floorline.service.http.operations import Operation
from floorline.service.http.problems import MEDIA_TYPE

PATH_TYPES = {"name": CampaignName, "key": CampaignName, "ticket": TicketId}
REFERENCE = "#/components/schemas/{name}"

SUCCESS_DESCRIPTIONS = {
    200: "Done.",
    201: "Created.",
    304: "Nothing has changed since the response whose `ETag` is in `If-None-Match`.",
}

PROBLEM_DESCRIPTIONS = {
    400: "The body is not JSON.",
    401: "A key is needed.",
    403: "The key may not do this.",
    404: "There is no such campaign or decision.",
    408: "The body did not come in time.",
    409: "It contradicts what is known, or the campaign is stopped.",
    413: "The body is too large.",
    415: "The body is not declared as JSON.",
    422: "A value is not allowed.",
    429: "Too many requests; see Retry-After.",
    500: "Something is wrong with the service.",
    503: "The ledger cannot be used now; see Retry-After.",
}


def describe(operations: Iterable[Operation], *, keys: bool) -> dict[str, Any]:
    """Return the document for a service with or without keys."""
    listed = list(operations)
    kinds = [kind for operation in listed for kind in _kinds(operation)]
    parts, components = msgspec.json.schema_components(kinds, ref_template=REFERENCE)
    _explain(components, kinds)
    schemas = dict(zip(map(_name, kinds), parts, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for operation in listed:
        described = _operation(operation, schemas)
        if keys and operation.scope is not None:
            described["security"] = [{"key": []}]
            described["description"] = f"Needs a key with the scope `{operation.scope}`."
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Floorline",
            "version": __version__,
            "description": "Decisions under a floor: explore while reward stays above a share of "
            "the default's, at every moment.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _explain(components: dict[str, Any], kinds: Iterable[Any]) -> None:
    """Add examples, the fields' docstrings, and defaults that the decoder creates each time."""
    for name, schema in components.items():
        if name in EXAMPLES:
            schema["examples"] = [EXAMPLES[name]]
    for name, texts in field_docs(kinds).items():
        for field, text in texts.items():
            if field in components.get(name, {}).get("properties", {}):
                components[name]["properties"][field].setdefault("description", text)
    prior = components[_name(NewCampaign)]["properties"]["prior"]
    prior["default"] = NewCampaign("", [], 0, "").prior


def _kinds(operation: Operation) -> list[Any]:
    """Return the types of an operation that the API description has schemas for."""
    bodies = operation.body_shapes or ((operation.body,) if operation.body else ())
    responses = () if isinstance(operation.response, str) else _members(operation.response)
    return [*bodies, *responses, operation.problem]


def _members(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) or (kind,)


def _name(kind: Any) -> str:
    return str(kind.__name__)


def _one_of(kinds: Iterable[Any], schemas: dict[str, Any]) -> dict[str, Any]:
    options = [schemas[_name(kind)] for kind in kinds]
    return options[0] if len(options) == 1 else {"anyOf": options}


def _operation(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "summary": operation.summary,
        "operationId": operation.id,
        "tags": [_tag(operation.path)],
        "parameters": [*_path_parameters(operation), *_query_parameters(operation)],
        "responses": _responses(operation, schemas),
    }
    if operation.body is not None:
        bodies = operation.body_shapes or (operation.body,)
        described["requestBody"] = {
            "required": operation.body_required,
            "content": {"application/json": {"schema": _one_of(bodies, schemas)}},
        }
    return described


def _tag(path: str) -> str:
    if path.startswith("/ofrep"):
        return "feature flags"
    if not path.startswith("/v1"):
        return "health"
    return "decisions" if "decisions" in path or "rewards" in path else "campaigns"


def _path_parameters(operation: Operation) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": msgspec.json.schema(PATH_TYPES[name]),
        }
        for name in re.findall(r"{(\w+)}", operation.path)
    ]


def _query_parameters(operation: Operation) -> list[dict[str, Any]]:
    if operation.query is None:
        return []
    schema = msgspec.json.schema(operation.query)["$defs"][_name(operation.query)]
    return [
        {"name": name, "in": "query", "required": False, "schema": part}
        for name, part in schema["properties"].items()
    ]


def _responses(operation: Operation, schemas: dict[str, Any]) -> dict[str, Any]:
    if isinstance(operation.response, str):
        content: dict[str, Any] = {operation.response: {"schema": {"type": "string"}}}
        if operation.response == "text/csv":
            content["application/jsonl"] = {"schema": {"type": "string"}}
            binary = {"schema": {"type": "string", "format": "binary"}}
            content["application/vnd.apache.parquet"] = binary
    else:
        schema = _one_of(_members(operation.response), schemas)
        content = {"application/json": {"schema": schema}}
    responses: dict[str, Any] = {
        str(status): {"description": SUCCESS_DESCRIPTIONS[status], "content": content}
        for status in operation.status
    }
    if 304 in operation.status:
        del responses["304"]["content"]
    problem = {MEDIA_TYPE: {"schema": schemas[_name(operation.problem)]}}
    for status in sorted(_problem_statuses(operation)):
        responses[str(status)] = {"description": PROBLEM_DESCRIPTIONS[status], "content": problem}
    return responses


def _problem_statuses(operation: Operation) -> set[int]:
    statuses = {500, 503, *operation.problems}
    if operation.scope is not None:
        statuses |= {401, 403, 429}
    if operation.body is not None:
        statuses |= {400, 408, 413, 415, 422}
    if operation.query is not None:
        statuses |= {422}
    return statuses
