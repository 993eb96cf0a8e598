"""Damage that is found while a campaign is served: 503 with the default arm, and it shows."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from serving import PAGE, problem
from starlette.testclient import TestClient

from floorline.service.app import Service


def damage(service: Service) -> None:
    """Make the first decision unreadable."""
    db = apsw.Connection(service.host.data.store.locator("page"))
    db.execute("UPDATE events SET body = '{' WHERE seq = 2")
    db.close()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/decisions", {"request_key": "first"}),
        ("GET", "/decisions", None),
        ("GET", "/events", None),
    ],
)
def test_damage_is_shown_and_served_no_more(
    client: TestClient, page: str, service: Service, method: str, path: str, body: object
) -> None:
    ticket = client.post(f"{page}/decisions", json={"request_key": "first"}).json()["ticket"]
    client.post(f"{page}/decisions")
    client.post("/v1/campaigns", json={**PAGE, "name": "other"})
    damage(service)
    assert client.get("/readyz").json()["unavailable"] == []
    found = client.request(method, page + path, json=body)
    detail = problem(found, 503, "unavailable", "now")
    assert "damaged" in detail and str(Path.cwd()) not in detail
    assert client.get("/readyz").json()["unavailable"] == ["page"]
    for request_key in ("first", "new"):
        again = client.post(f"{page}/decisions", json={"request_key": request_key})
        problem(again, 503, "unavailable", "now")
    answer = client.post(f"/v1/decisions/{ticket}/reward", json={"reward": 1})
    problem(answer, 503, "unavailable", "now")
    shown = client.get(page).json()
    assert (shown["available"], shown["default_arm"]) == (False, "now")
    assert "damaged" in shown["problem"]
    assert 'floorline_campaign_available{campaign="page"} 0.0' in client.get("/metrics").text
    assert client.post("/v1/campaigns/other/decisions").status_code == 200
