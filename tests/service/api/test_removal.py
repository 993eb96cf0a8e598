"""Over HTTP: erasing personal data, and deleting a campaign that has ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from serving import PAGE, problem
from starlette.testclient import TestClient

from floorline.service.app import Service


def test_keys_and_contexts_are_erased(client: TestClient, page: str) -> None:
    first = client.post(f"{page}/decisions", json={"request_key": "ada", "context": {"age": 36}})
    client.post(f"{page}/decisions", json={"request_key": "bob"})
    assert client.post(f"{page}/erase", json={"request_key": "ada"}).json() == {"erased": 1}
    assert client.post(f"{page}/erase", json={"request_key": "ada"}).json() == {"erased": 0}
    made = client.get(f"{page}/decisions").json()["decisions"]
    assert [(one["request_key"], one["context"]) for one in made] == [(None, None), ("bob", None)]
    assert made[0]["ticket"] == first.json()["ticket"]
    events = client.get(f"{page}/events?kind=changes").json()["events"]
    assert events[-1]["words"] == "request keys and contexts of 1 decision erased"
    assert client.post(f"{page}/erase", json={"before": 4e9}).json() == {"erased": 1}
    detail = problem(client.post(f"{page}/erase", json={}), 422, "invalid", "now")
    assert detail == "request_key, before: give one of them"


def test_a_campaign_that_has_ended_is_deleted(
    service: Service, client: TestClient, page: str
) -> None:
    made = client.post(f"{page}/decisions").json()
    running = client.post(f"{page}/delete", json={"name": "page"})
    assert "finished or stopped" in problem(running, 409, "conflict", "now")
    client.post(f"{page}/stop")
    other = client.post(f"{page}/delete", json={"name": "pages"})
    assert "must be page" in problem(other, 422, "invalid", "now")
    folder = Path(service.config.data) / "campaigns"
    assert list(folder.iterdir())
    assert client.post(f"{page}/delete", json={"name": "page"}).json() == {"name": "page"}
    assert list(folder.iterdir()) == [], "nothing of it is left"
    assert client.get(page).status_code == 404
    assert client.get("/v1/campaigns").json() == {"campaigns": []}
    reward = client.post(f"/v1/decisions/{made['ticket']}/reward", json={"reward": 1})
    assert reward.status_code == 404
    assert client.post("/v1/campaigns", json=PAGE).status_code == 201
    assert client.get(page).json()["status"]["decisions"] == 0, "another one of the same name"


@pytest.mark.parametrize("word", ["erase", "delete"])
def test_both_need_an_administrator(service: Service, word: str) -> None:
    from floorline.service.host.folder import Folder
    from floorline.service.http.keys import KeyFile

    key = KeyFile(Folder(service.config.data).keys).create(["read", "decide", "reward"])
    with TestClient(service, base_url="http://127.0.0.1:8400") as client:
        headers = {"Authorization": f"Bearer {key}"}
        answer = client.post(f"/v1/campaigns/page/{word}", json={"name": "page"}, headers=headers)
        assert answer.status_code == 403
