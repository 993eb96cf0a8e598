"""OpenFeature's own SDK, through the provider, to a real service."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest

pytest.importorskip("openfeature", reason="the extra [openfeature] is not installed")

from openfeature import api
from openfeature.client import OpenFeatureClient
from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import ErrorCode
from openfeature.flag_evaluation import Reason
from openfeature.track import TrackingEventDetails

from floorline.client import Client
from floorline.client.openfeature import FloorlineProvider


@pytest.fixture
def flags(service: Any) -> Iterator[OpenFeatureClient]:
    api.set_provider(FloorlineProvider(Client(service.url, timeout=10)))
    yield api.get_client()
    api.shutdown()
    api.clear_providers()


def test_a_flag_is_a_decision(service: Any, campaign: str, flags: OpenFeatureClient) -> None:
    found = [flags.get_string_details(campaign, "other") for _ in range(12)]
    records = service.records(campaign)
    assert [one.flag_metadata["ticket"] for one in found] == [one["ticket"] for one in records]
    assert [one.value for one in found] == [one["arm"] for one in records]
    assert [one.variant for one in found] == [one.value for one in found]
    reasons = {(one.value == "now", one.reason) for one in found}
    assert reasons == {(True, Reason.DEFAULT), (False, Reason.SPLIT)}
    assert found[0].flag_metadata["reason"] == records[0]["reason"]
    assert found[0].error_code is None


def test_a_targeting_key_has_one_decision(campaign: str, flags: OpenFeatureClient) -> None:
    tickets = [
        flags.get_string_details(campaign, "x", EvaluationContext(key)).flag_metadata["ticket"]
        for key in ("visit-1", "visit-1", "visit-2")
    ]
    assert tickets[0] == tickets[1] != tickets[2]


def test_attributes_are_kept_with_the_decision(
    service: Any, campaign: str, flags: OpenFeatureClient
) -> None:
    known = EvaluationContext("visit-3", {"country": "NZ", "since": datetime(2026, 1, 2)})
    flags.get_string_details(campaign, "x", known)
    assert service.records(campaign)[0]["context"] == {
        "country": "NZ",
        "since": "2026-01-02 00:00:00",
    }


def test_an_event_with_a_ticket_is_a_reward(
    service: Any, campaign: str, flags: OpenFeatureClient
) -> None:
    tickets = [flags.get_string_details(campaign, "x").flag_metadata["ticket"] for _ in range(3)]
    flags.track("order", None, TrackingEventDetails(0.25, {"ticket": tickets[0]}))
    flags.track("click", None, TrackingEventDetails(None, {"ticket": tickets[1]}))
    flags.track("click", None, TrackingEventDetails(None, {"ticket": "forged"}))
    flags.track("click", None, TrackingEventDetails(1, {"ticket": tickets[2], "metrics": 7}))
    flags.track("scroll")
    api.shutdown()
    assert [one["reward"] for one in service.records(campaign)] == [0.25, 1, None]


def test_an_event_has_metrics(service: Any, flags: OpenFeatureClient) -> None:
    service.open("flag-metrics", guardrails=[{"name": "latency_ms", "low": 0, "high": 1000}])
    ticket = flags.get_string_details("flag-metrics", "x").flag_metadata["ticket"]
    reported = {"ticket": ticket, "metrics": {"latency_ms": 310}}
    flags.track("order", None, TrackingEventDetails(0.5, reported))
    api.shutdown()
    (latency,) = service.status("flag-metrics")["guardrails"]
    assert (latency["arms"][0]["seen"], latency["arms"][0]["average"]) == (1, 310)


def test_a_loop_can_wait_for_it(campaign: str, flags: OpenFeatureClient) -> None:
    found = asyncio.run(flags.get_string_details_async(campaign, "other"))
    assert found.value == "now" and found.flag_metadata["ticket"]


def test_failures_give_the_callers_value(campaign: str, flags: OpenFeatureClient) -> None:
    found = flags.get_string_details("nowhere", "mine")
    assert (found.value, found.error_code) == ("mine", ErrorCode.FLAG_NOT_FOUND)
    assert found.reason == Reason.ERROR and not found.flag_metadata
    long = EvaluationContext("x" * 201)
    found = flags.get_string_details(campaign, "mine", long)
    assert (found.value, found.error_code) == ("mine", ErrorCode.INVALID_CONTEXT)
    for ask, mine in (
        (flags.get_boolean_details, True),
        (flags.get_integer_details, 7),
        (flags.get_float_details, 0.5),
        (flags.get_object_details, {"a": 1}),
    ):
        other = ask(campaign, mine)  # type: ignore[operator]
        assert (other.value, other.error_code) == (mine, ErrorCode.TYPE_MISMATCH)


def test_a_service_that_is_gone_gives_the_callers_value() -> None:
    api.set_provider(FloorlineProvider(Client("http://127.0.0.1:9")), "gone")
    found = api.get_client("gone").get_string_details("page", "mine")
    api.clear_providers()
    assert (found.value, found.error_code, found.reason) == ("mine", ErrorCode.GENERAL, "ERROR")
