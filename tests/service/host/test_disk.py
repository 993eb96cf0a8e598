"""Disks that fail: 503 with the default arm, nothing damaged, and all well when space returns."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from serving import PAGE, Server, problem
from starlette.testclient import TestClient

from floorline.live.verify import verify
from floorline.service.app import Service
from floorline.service.host import commit_queue
from floorline.service.host.campaigns import HostedCampaign

resource = pytest.importorskip("resource", reason="there are no limits of resources here")

ROOM = 300_000
"""Bytes that a file may have."""


def little_room() -> None:
    """Let this process write no larger files, which ends like a full disk."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, most))


def test_no_room(start: Callable[..., Server], tmp_path: Path) -> None:
    server = start(tmp_path, before=little_room)
    client = server.client()
    assert client.post("/v1/campaigns", json=PAGE).status_code == 201
    path = "/v1/campaigns/page/decisions"
    acknowledged = {}
    failed = None
    for number in range(5000):
        answer = client.post(path, json={"request_key": f"{number:0100d}"})
        if answer.status_code != 200:
            failed = answer
            break
        acknowledged[f"{number:0100d}"] = answer.json()
    assert failed is not None and len(acknowledged) > 10
    problem(failed, 503, "unavailable", "now")
    assert failed.headers["retry-after"] == "1"
    problem(client.post(path, json={}), 503, "unavailable", "now")  # at once, without a new try
    listed = client.get("/v1/campaigns").json()["campaigns"]
    assert (listed[0]["available"], listed[0]["default_arm"]) == (False, "now")
    assert client.get("/livez").status_code == 200

    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    again = client.post(path, json={"request_key": "after"})
    while again.status_code == 503:  # until the ledger has rested
        again = client.post(path, json={"request_key": "after"})
    assert again.status_code == 200
    for key, made in list(acknowledged.items())[-5:]:
        assert client.post(path, json={"request_key": key}).json() == made
    assert server.end() == 0
    report = verify(str(tmp_path / "campaigns" / "page.ledger"))
    assert report.problems == []
    assert report.decisions == len(acknowledged) + 1


SMALL_DISK = 'mount -t tmpfs -o size=1m tmpfs "$0" && head -c 500000 /dev/zero > "$0/fill" && "$@"'


def test_full_disk(start: Callable[..., Server], tmp_path: Path) -> None:
    if (
        subprocess.run(
            ["unshare", "-rm", "sh", "-c", SMALL_DISK, str(tmp_path), "true"], capture_output=True
        ).returncode
        != 0
    ):
        pytest.skip("a small disk cannot be made here: unshare or mount is not allowed")
    inside = ("unshare", "-rm", "sh", "-c", SMALL_DISK.replace('"$@"', 'exec "$@"'), str(tmp_path))
    server = start(tmp_path, inside=inside)
    disk = Path(f"/proc/{server.process.pid}/root{tmp_path}")
    client = server.client()
    assert client.post("/v1/campaigns", json=PAGE).status_code == 201
    path = "/v1/campaigns/page/decisions"
    many = {"requests": [{"request_key": "x" * 150 + str(number)} for number in range(40)]}
    made = client.post(path, json=many).json()["decisions"]
    known = len(made)
    while (answer := client.post(path, json={"requests": [{}] * 40})).status_code == 200:
        known += 40
    assert "the disk is full" in problem(answer, 503, "unavailable", "now")
    refused = client.post("/v1/campaigns", json={**PAGE, "name": "other"})
    problem(refused, 503, "unavailable")

    (disk / "fill").unlink()
    while client.post(path, json={"request_key": "after"}).status_code == 503:
        pass  # until the ledger has rested
    assert client.post(path, json=many).json()["decisions"] == made
    assert client.post("/v1/campaigns", json={**PAGE, "name": "other"}).status_code == 201
    verify_there = [
        sys.executable,
        "-m",
        "floorline",
        "ledger",
        "verify",
        str(tmp_path / "campaigns" / "page.ledger"),
    ]
    there = ["nsenter", "-t", str(server.process.pid), "-U", "-m", "--preserve-credentials"]
    report = subprocess.run([*there, *verify_there], capture_output=True, text=True)
    assert report.returncode == 0, report.stdout + report.stderr
    assert f" {known + 1:,} decisions" in report.stdout
    assert server.end() == 0


def test_read_only(
    client: TestClient, page: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit_queue, "FAILURE_PAUSE_SECONDS", 0.0)
    made = client.post(f"{page}/decisions", json={"request_key": "a"}).json()
    hosted = service.host.registry.pool._open["page"]
    set_read_only(hosted, True)
    failed = client.post(f"{page}/decisions", json={"request_key": "b"})
    detail = problem(failed, 503, "unavailable", "now")
    assert "read-only" in detail and hosted.locator not in detail
    lost = client.post(f"/v1/decisions/{made['ticket']}/reward", json={"reward": 1})
    problem(lost, 503, "unavailable", "now")
    batch = {"rewards": [{"ticket": made["ticket"], "reward": 1}]}
    results = client.post("/v1/rewards", json=batch).json()["results"]
    assert results[0]["problem"]["status"] == 503
    problem(client.post(f"{page}/pause"), 503, "unavailable", "now")
    set_read_only(hosted, False)
    status = client.get(page).json()["status"]
    assert (status["decisions"], status["arms"][0]["seen"], status["state"]) == (1, 0, "running")
    assert client.post(f"{page}/decisions", json={"request_key": "a"}).json() == made
    assert client.post(f"{page}/decisions", json={"request_key": "b"}).status_code == 200


def set_read_only(hosted: HostedCampaign, wanted: bool) -> None:
    hosted.queue._campaign._ledger._db.pragma("query_only", wanted)
