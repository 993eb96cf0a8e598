"""Errors of requests say in words what is wrong with which value."""

from __future__ import annotations

from typing import Any

import pytest
from serving import PAGE
from starlette.testclient import TestClient

from floorline.live.settings import LIVE_POLICIES


def detail(client: TestClient, path: str, body: Any) -> str:
    answer = client.post(path, json=body)
    assert answer.status_code == 422
    return str(answer.json()["detail"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "a b"}, "name: must be at most 64 letters, digits and . _ -, a letter or digit"),
        ({"name": ""}, "name: must have at least 1 character, not ''"),
        ({"arms": ["now"]}, "arms: must have at least 2 items, not ['now']"),
        ({"arms": ["now", 7]}, "arms[1]: must be a text, not 7"),
        ({"max_loss": 2}, "max_loss: must be at most 1, not 2"),
        ({"max_loss": "much"}, "max_loss: must be a number, not 'much'"),
        ({"delta": 0}, "delta: must be above 0, not 0"),
        ({"window": "soon"}, "window: must be a number or null, not 'soon'"),
        ({"missing": "zer"}, "missing: must be one of random, unknown, zero, not 'zer'"),
        (
            {"policy": "ucb"},
            f"policy: must be one of {', '.join(sorted(LIVE_POLICIES))}, not 'ucb'",
        ),
        ({"colour": 1}, "colour: is not known here"),
        ({"arms": None}, "arms: must be a list, not None"),
        ({"unit": "x" * 99}, f"unit: must have at most 16 characters, not '{'x' * 59}..."),
    ],
)
def test_a_campaign(client: TestClient, change: dict[str, Any], said: str) -> None:
    assert detail(client, "/v1/campaigns", {**PAGE, **change}).startswith(said)


def test_what_is_left_out(client: TestClient) -> None:
    assert detail(client, "/v1/campaigns", {}) == "name: must be given"
    assert detail(client, "/v1/campaigns", []) == "the body: must be an object, not []"
    rewards = {"rewards": [{"ticket": "1-1-1", "reward": 1}, {"ticket": "1-1-1"}]}
    assert detail(client, "/v1/rewards", rewards) == "rewards[1].reward: must be given"


def test_what_is_inside_a_list(client: TestClient, page: str) -> None:
    guardrail = {"name": "cost", "low": 0, "high": 1, "worse": "sideways"}
    assert detail(client, "/v1/campaigns", {**PAGE, "guardrails": [guardrail]}) == (
        "guardrails[0].worse: must be one of above, below, not 'sideways'"
    )
    rewards = {"rewards": [{"ticket": "forged", "reward": 1}]}
    assert detail(client, "/v1/rewards", rewards) == (
        "rewards[0].ticket: must be the ticket of a decision, as the service gave it, not 'forged'"
    )
    requests = {"requests": [{}, {"request_key": ""}]}
    assert detail(client, f"{page}/decisions", requests) == (
        "requests[1].request_key: must have at least 1 character, not ''"
    )


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("limit=0", "limit: must be at least 1, not '0'"),
        ("limit=many", "limit: must be a whole number, not 'many'"),
        ("order=best", "order: must be one of newest, oldest, not 'best'"),
        ("colour=red", "colour: is not known here"),
        ("limit=1&limit=2", "limit: is given twice"),
    ],
)
def test_a_query(client: TestClient, page: str, query: str, said: str) -> None:
    answer = client.get(f"{page}/decisions?{query}")
    assert (answer.status_code, answer.json()["detail"]) == (422, said)
