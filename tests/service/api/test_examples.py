"""The OpenAPI document has real defaults, and examples that the service takes and gives."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import msgspec
from starlette.testclient import TestClient

from floorline.live.settings import CampaignSettings
from floorline.service.api import campaign_requests, ofrep_requests, requests
from floorline.service.api.examples import EXAMPLES, TICKET

BODIES = {**vars(requests), **vars(campaign_requests), **vars(ofrep_requests)}


def schemas(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()["components"]["schemas"]
    return found


def test_defaults_are_those_of_the_settings(client: TestClient) -> None:
    described = schemas(client)["NewCampaign"]["properties"]
    defaults = {field.name: field.default for field in fields(CampaignSettings)}
    for name, schema in described.items():
        if "default" in schema:
            depends = name in ("policy", "floor", "holdback")  # on other settings
            real = None if depends else defaults[name]
            plain = list(real) or None if isinstance(real, tuple) else real
            assert schema["default"] == plain, name
    assert described["delta"]["default"] == 0.05
    sent = {**EXAMPLES["NewCampaign"], **dict.fromkeys(set(described) & set(defaults))}
    required = {name: EXAMPLES["NewCampaign"][name] for name in ("arms", "max_loss", "missing")}
    made = client.post("/v1/campaigns", json={**sent, **required, "window": 1800})
    assert (made.status_code, made.json()["settings"]["delta"]) == (201, 0.05)


def test_a_generated_client_sends_defaults_that_change_nothing(client: TestClient) -> None:
    described = schemas(client)["NewCampaign"]["properties"]
    given = {name: schema["default"] for name, schema in described.items() if "default" in schema}
    sent = {**given, **EXAMPLES["NewCampaign"]}
    for name, body in (("plain", EXAMPLES["NewCampaign"]), ("given", sent)):
        assert client.post("/v1/campaigns", json={**body, "name": name}).status_code == 201
    plain, explicit = (client.get(f"/v1/campaigns/{name}").json() for name in ("plain", "given"))
    assert plain["settings"] == explicit["settings"]


def test_every_field_of_a_new_campaign_is_described(client: TestClient) -> None:
    described = schemas(client)["NewCampaign"]["properties"]
    assert [name for name, schema in described.items() if "description" not in schema] == []


def test_every_body_has_an_example_of_its_kind(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    bodies = [
        reference["$ref"].rpartition("/")[2]
        for path in document["paths"].values()
        for operation in path.values()
        if "requestBody" in operation
        for schema in [operation["requestBody"]["content"]["application/json"]["schema"]]
        for reference in schema.get("anyOf", [schema])
    ]
    assert len(bodies) > 8
    for name in bodies:
        assert document["components"]["schemas"][name]["examples"] == [EXAMPLES[name]]
        msgspec.convert(EXAMPLES[name], BODIES[name])


def shape(value: Any) -> Any:
    """The fields of a message, and the kinds of their values."""
    if isinstance(value, dict):
        return {name: shape(item) for name, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return type(value)


def test_the_service_takes_and_gives_the_examples(client: TestClient) -> None:
    assert client.post("/v1/campaigns", json=EXAMPLES["NewCampaign"]).status_code == 201
    page = "/v1/campaigns/page"
    first = client.post(f"{page}/decisions", json=EXAMPLES["DecisionRequest"]).json()
    again = client.post(f"{page}/decisions", json=EXAMPLES["DecisionRequests"]).json()
    assert shape(first) == shape(EXAMPLES["DecisionAnswer"])
    assert shape(again["decisions"][:1]) == shape(EXAMPLES["Decisions"]["decisions"])
    assert {**first, "ticket": TICKET} == EXAMPLES["DecisionAnswer"]
    ticket = first["ticket"]
    taken = client.post(f"/v1/decisions/{ticket}/reward", json=EXAMPLES["RewardBody"]).json()
    assert taken == {**EXAMPLES["RewardReceipt"], "ticket": ticket}
    rewards = client.post("/v1/rewards", json=EXAMPLES["RewardsBody"])
    assert rewards.json()["results"][0]["problem"]["status"] == 404  # of another service
    for body, path, answer in (
        ("OfrepFlagBody", "/ofrep/v1/evaluate/flags/page", "OfrepAnswer"),
        ("OfrepBulkBody", "/ofrep/v1/evaluate/flags", "OfrepFlags"),
    ):
        assert shape(client.post(path, json=EXAMPLES[body]).json()) == shape(EXAMPLES[answer])
    for word, body in (("start-epoch", "EpochBody"), ("finish", "FinishBody")):
        assert client.post(f"{page}/{word}", json=EXAMPLES[body]).status_code == 200
