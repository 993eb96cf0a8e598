"""Guardrails over HTTP and on the page."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from serving import Server, problem
from starlette.testclient import TestClient

GUARDED = {
    "name": "page",
    "arms": ["now", "slow"],
    "max_loss": 0.5,
    "missing": "unknown",
    "guardrails": [{"name": "latency_ms", "low": 0, "high": 1000, "limit": 300}],
}


def play(client: Any, count: int) -> None:
    """Let visitors come; the slow arm takes 900 ms, the other one 100 ms."""
    rng = random.Random(1)
    for _ in range(count // 100):
        asked = {"requests": [{}] * 100}
        made = client.post("/v1/campaigns/page/decisions", json=asked).json()["decisions"]
        rewards = [
            {
                "ticket": one["ticket"],
                "reward": rng.random() < 0.9,
                "metrics": {"latency_ms": 900 if one["arm"] == "slow" else 100},
            }
            for one in made
        ]
        rewards = [{**one, "reward": float(one["reward"])} for one in rewards]
        answer = client.post("/v1/rewards", json={"rewards": rewards}).json()["results"]
        assert {one["result"] for one in answer} == {"accepted"}


def test_metrics_come_with_rewards(client: TestClient) -> None:
    created = client.post("/v1/campaigns", json=GUARDED)
    assert created.status_code == 201, created.text
    assert client.post("/v1/campaigns", json=GUARDED).status_code == 200  # the same one
    ticket = client.post("/v1/campaigns/page/decisions").json()["ticket"]
    path = f"/v1/decisions/{ticket}/reward"
    wrong = client.post(path, json={"reward": 1, "metrics": {"speed": 1}})
    assert "metrics: must be one of latency_ms" in problem(wrong, 422, "invalid", "now")
    right = {"reward": 1, "metrics": {"latency_ms": 120}}
    assert client.post(path, json=right).json()["result"] == "accepted"
    (latency,) = client.get("/v1/campaigns/page").json()["status"]["guardrails"]
    assert latency["arms"][0] | {"lower": 0, "upper": 0} == {
        "arm": "now",
        "seen": 1,
        "average": 120.0,
        "lower": 0,
        "upper": 0,
    }


def test_bad_guardrails_name_the_field(client: TestClient) -> None:
    bad = {**GUARDED, "guardrails": [{"name": "x", "low": 0, "high": 1, "limit": 7}]}
    answer = client.post("/v1/campaigns", json=bad)
    assert "guardrails.x.limit" in problem(answer, 422, "invalid")
    bad = {**GUARDED, "guardrails": [{"name": "x", "low": 0, "high": 1, "worse": "up"}]}
    answer = client.post("/v1/campaigns", json=bad)
    detail = problem(answer, 422, "invalid")
    assert detail == "guardrails[0].worse: must be one of above, below, not 'up'"


def test_an_arm_is_retired_on_the_page_and_in_the_report(
    start: Callable[..., Server], look: Callable[..., Any], tmp_path: Path
) -> None:
    from browsing import expect, ready, violations

    server = start(tmp_path / "data")
    with server.client() as client:
        client.post("/v1/campaigns", json=GUARDED)
        play(client, 800)
        status = client.get("/v1/campaigns/page").json()["status"]
        report = client.get("/v1/campaigns/page/report").text
        wanted = client.post("/v1/campaigns/page/decisions", json={"candidate": "slow"}).json()
    assert (wanted["arm"], wanted["candidate"], wanted["reason"]) == ("now", "slow", "retired")
    assert status["retired"] == ["slow"]
    assert "slow (retired)" in report
    assert "slow retired: latency_ms is surely above 300" in report
    page = ready(look(f"{server.url}/campaigns/page"))
    row = page.locator("#metrics tbody tr").last
    expect(row).to_contain_text("not above 300")
    expect(row).to_contain_text("retired")
    expect(page.locator("#events")).to_contain_text("slow retired: latency_ms is surely above 300")
    expect(page.locator("#verdict h2")).to_contain_text("Every challenger is retired")
    assert violations(page) == []
