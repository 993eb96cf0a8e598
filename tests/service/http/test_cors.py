"""Which web pages may call the service, with which keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import PAGE
from starlette.testclient import TestClient

from floorline.service.app import Service
from floorline.service.config import Config
from floorline.service.host.folder import Folder
from floorline.service.http.keys import SCOPES, KeyFile

SHOP = "https://shop.example"

Keys = dict[str, dict[str, str]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    Folder(tmp_path / "data", create=True)
    return tmp_path / "data"


@pytest.fixture
def keys(data: Path) -> Keys:
    """The headers of an administrator, and of a page."""
    keys = KeyFile(Folder(data).keys)
    page = keys.create(["decide", "reward"], campaigns=["page"])
    return {
        name: {"Authorization": f"Bearer {key}"}
        for name, key in (("admin", keys.create(SCOPES)), ("page", page))
    }


@pytest.fixture
def client(data: Path, keys: Keys) -> Iterator[TestClient]:
    service = Service(Config(data, cors_origins=(SHOP,)))
    with TestClient(service, base_url="http://127.0.0.1:8400") as client:
        client.post("/v1/campaigns", json=PAGE, headers=keys["admin"])
        yield client


def preflight(client: TestClient, path: str, origin: str = SHOP) -> dict[str, str]:
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    answer = client.options(path, headers=headers)
    named = {name: value for name, value in answer.headers.items() if "access-control" in name}
    assert (answer.status_code == 204) == bool(named)
    return named


@pytest.mark.parametrize(
    "path", ["/v1/campaigns/page/decisions", "/v1/rewards", "/ofrep/v1/evaluate/flags/page"]
)
def test_a_listed_site_may_ask_for_decisions_and_report(client: TestClient, path: str) -> None:
    assert preflight(client, path) == {
        "access-control-allow-origin": SHOP,
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": "authorization, content-type, if-none-match",
        "access-control-max-age": "7200",
    }
    assert preflight(client, path, "https://other.example") == {}
    assert preflight(client, path, "null") == {}


@pytest.mark.parametrize("path", ["/v1/campaigns", "/v1/campaigns/page/stop", "/metrics"])
def test_the_rest_is_closed_to_pages(client: TestClient, path: str) -> None:
    assert preflight(client, path) == {}


def test_a_page_reads_answers_and_errors(client: TestClient, keys: Keys) -> None:
    headers = {"Origin": SHOP, **keys["page"]}
    for name, status in (("page", 200), ("nowhere", 404)):
        answer = client.post(f"/v1/campaigns/{name}/decisions", json={}, headers=headers)
        assert answer.status_code == status
        assert answer.headers["access-control-allow-origin"] == SHOP
        assert answer.headers["vary"] == "origin"
    other = client.post(
        "/v1/campaigns/page/decisions", json={}, headers={**headers, "Origin": "https://o.example"}
    )
    assert "access-control-allow-origin" not in other.headers


def test_a_key_that_can_do_more_is_refused_on_a_page_only(client: TestClient, keys: Keys) -> None:
    headers = keys["admin"]
    path = "/v1/campaigns/page/decisions"
    assert client.post(path, json={}, headers=headers).status_code == 200
    answer = client.post(path, json={}, headers={**headers, "Origin": SHOP})
    assert (answer.status_code, answer.json()["type"]) == (
        403,
        "urn:floorline:problem:not-for-browsers",
    )
    assert "limited to one campaign" in answer.json()["detail"]


def test_without_configuration_no_site_may(data: Path, keys: Keys) -> None:
    with TestClient(Service(Config(data)), base_url="http://127.0.0.1:8400") as client:
        assert preflight(client, "/v1/rewards") == {}


@pytest.mark.parametrize("origin", ["*", "shop.example", "https://shop.example/", "https://*.a.b"])
def test_what_is_not_an_origin_is_refused(data: Path, keys: Keys, origin: str) -> None:
    with pytest.raises(ValueError, match="cors_origin: must be like"):
        Config(data, cors_origins=(origin,))


def test_pages_need_a_key(data: Path) -> None:
    with pytest.raises(ValueError, match="cors_origin: a web page needs a key"):
        Config(data, cors_origins=(SHOP,))
