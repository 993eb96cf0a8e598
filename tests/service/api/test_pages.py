"""The dashboard's files as they are served; test_dashboard.py looks at them in a browser."""

from __future__ import annotations

import re
from typing import Any

import pytest
from serving import problem
from starlette.testclient import TestClient

from floorline.live import CampaignSettings
from floorline.service.api.pages import FILES
from floorline.service.app import Service
from floorline.service.host.folder import Folder
from floorline.service.http.keys import SCOPES, KeyFile

DEFAULTS = CampaignSettings(arms=("a", "b"), max_loss=0.1).to_json()


@pytest.mark.parametrize("path", ["/", "/campaigns/page", "/dashboard/campaign.js"])
def test_what_is_served_is_safe(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'self';")
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_browser_may_keep_files_until_they_change(client: TestClient) -> None:
    first = client.get("/dashboard/base.css")
    again = client.get("/dashboard/base.css", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304


@pytest.mark.parametrize("path", ["/dashboard/", "/dashboard/none.js", "/dashboard/../pages.py"])
def test_nothing_else_is_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_a_missing_file_is_a_problem(client: TestClient) -> None:
    problem(client.get("/dashboard/none.js"), 404, "page")


def test_all_files_are_our_own() -> None:
    """Nothing of a page comes from elsewhere, and nothing is written into its markup."""
    for file in FILES.iterdir():
        text = file.read_text()
        addresses = set(re.findall(r"https?://[^\s\"'<>]+", text))
        assert addresses <= {"http://www.w3.org/2000/svg"}, file.name
        assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|\beval\(", text)
        assert not re.search(r"<script>|\son\w+=|\sstyle=", text), file.name


def test_all_that_a_file_needs_is_there() -> None:
    for file in FILES.iterdir():
        names = re.findall(r'from "\./([^"]+)"|"/dashboard/([^"]+\.\w+)"', file.read_text())
        for name in (one or other for one, other in names):
            assert (FILES / name).exists(), f"{file.name} needs {name}"


@pytest.mark.parametrize("name", ["max_loss", "delta", "low", "high", "holdback", "drift_level"])
def test_the_form_shows_the_defaults(name: str) -> None:
    form = (FILES / "overview.html").read_text()
    field = re.search(rf'<input id="{name}".*?>|<select id="{name}".*?</select>', form, re.S)
    assert field is not None
    chosen = re.search(r'<option(?: value="(\w+)")? selected>([\w-]+)', field[0])
    if chosen is not None:
        assert (chosen[1] or chosen[2]) == DEFAULTS[name]
    else:
        shown = re.search(r'value="([\d.]+)"', field[0])
        assert shown is not None
        assert float(shown[1]) == DEFAULTS[name]


def test_access_without_keys(client: TestClient) -> None:
    assert client.get("/dashboard/access").json() == {"required": False, "scopes": list(SCOPES)}


def test_access_with_keys(service: Service) -> None:
    key = KeyFile(Folder(service.config.data).keys).create(["read", "decide"])

    def ask(client: TestClient, **headers: str) -> Any:
        return client.get("/dashboard/access", headers=headers).json()

    with TestClient(service, base_url="http://127.0.0.1:8400") as client:
        assert ask(client) == {"required": True, "scopes": []}
        assert ask(client, Authorization="Bearer fl_1_2")["scopes"] == []
        assert ask(client, Authorization=f"Bearer {key}")["scopes"] == ["read", "decide"]
