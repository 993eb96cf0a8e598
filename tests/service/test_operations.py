"""Running the service: its folder, its logs, its end, and backups."""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from serving import GONE, PAGE, Server, post

from floorline.live import Campaign
from floorline.live.verify import verify
from floorline.service import backup
from floorline.service.folder import Folder
from floorline.service.logs import JsonLines

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_the_end_loses_nothing(start: Callable[..., Server], tmp_path: Path) -> None:
    server = start(tmp_path)
    post(server.url, "/v1/campaigns", PAGE)

    def ask(number: int) -> int:
        try:
            path = "/v1/campaigns/page/decisions"
            return post(server.url, path, {"request_key": str(number)})[0]
        except GONE:
            return 0

    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(ask, number) for number in range(400)]
        asked[50].result()
        server.process.terminate()
        answers = [one.result() for one in asked]
    assert server.end() == 0
    assert server.lines[-1]["message"].startswith("Finished server process")
    assert set(answers) <= {0, 200}
    report = verify(str(tmp_path / "campaigns" / "page.ledger"))
    assert report.problems == []
    assert report.decisions >= answers.count(200) > 50


def test_a_second_server_is_refused(
    start: Callable[..., Server], tmp_path: Path, floorline: Run
) -> None:
    first = start(tmp_path)
    second = floorline("serve", "--data", str(tmp_path), "--port", "0")
    assert second.returncode == 2
    assert "is being served by another process" in second.stderr
    assert first.client().get("/livez").status_code == 200


def test_a_port_in_use(tmp_path: Path, floorline: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        refused = floorline("serve", "--data", str(tmp_path), "--port", port)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"floorline: --port: 127.0.0.1:{port} cannot be used")


def test_settings_from_the_environment(start: Callable[..., Server], tmp_path: Path,
                                       monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setenv("FLOORLINE_RATE", "1")
    client = start(tmp_path).client()
    assert [client.get("/v1/campaigns").status_code for _ in range(2)] == [200, 429]


def test_a_folder_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "format").write_text("99\n")
    with pytest.raises(ValueError, match="has the form '99'"):
        Folder(tmp_path)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot be used"):
        Folder(tmp_path / "file")


def test_a_backup_of_a_running_service_can_be_restored(
    start: Callable[..., Server], tmp_path: Path, floorline: Run
) -> None:
    server = start(tmp_path / "data")
    client = server.client()
    client.post("/v1/campaigns", json=PAGE)
    path = "/v1/campaigns/page/decisions"
    made = client.post(path, json={"request_key": "before"}).json()
    done = floorline("backup", "--data", str(tmp_path / "data"), "--to", str(tmp_path / "copy"))
    assert done.returncode == 0, done.stderr
    client.post(path, json={"request_key": "after"})
    assert server.end() == 0
    restored = start(tmp_path / "copy").client()
    assert restored.get("/v1/campaigns/page").json()["status"]["decisions"] == 1
    assert restored.post(path, json={"request_key": "before"}).json() == made
    again = floorline("backup", "--data", str(tmp_path / "data"), "--to", str(tmp_path / "copy"))
    assert (again.returncode, "is there already" in again.stderr) == (2, True)


def test_a_backup_leaves_other_folders_alone(tmp_path: Path, floorline: Run) -> None:
    Folder(tmp_path / "shop-new")
    Campaign.open(tmp_path / "shop-new" / "campaigns" / "page.ledger", arms=["a", "b"],
                  max_loss=0.1).close()  # fmt: skip
    data, to = ("--data", str(tmp_path / "shop-new")), ("--to", str(tmp_path / "shop"))
    assert floorline("backup", *data, *to).returncode == 0
    for folder in ("shop-new", "shop"):
        assert verify(str(tmp_path / folder / "campaigns" / "page.ledger")).problems == []
    assert sorted(os.listdir(tmp_path)) == ["shop", "shop-new"]


def test_a_backup_that_fails_leaves_nothing(
    tmp_path: Path, floorline: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Folder(tmp_path / "data")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup, "_copy", fail)
    refused = floorline("backup", "--data", str(tmp_path / "data"), "--to", str(tmp_path / "to"))
    assert (refused.returncode, "No space left" in refused.stderr) == (2, True)
    assert os.listdir(tmp_path) == ["data"]


def test_a_damaged_ledger_does_not_keep_the_others_from_a_backup(
    tmp_path: Path, floorline: Run
) -> None:
    folder = Folder(tmp_path / "data")
    Campaign.open(folder.ledger("page"), arms=["a", "b"], max_loss=0.1).close()
    folder.ledger("bad").write_bytes(b"x" * 5000)
    done = floorline("backup", "--data", str(folder.path), "--to", str(tmp_path / "copy"))
    assert done.returncode == 1
    assert done.stderr.startswith("bad was not copied: ")
    assert Folder(tmp_path / "copy").names() == ["page"]


def test_a_folder_that_cannot_be_locked(tmp_path: Path, floorline: Run) -> None:
    Folder(tmp_path)
    (tmp_path / "lock").mkdir()  # root may open any file
    refused = floorline("serve", "--data", str(tmp_path), "--port", "0")
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"floorline: --data: {tmp_path} cannot be locked")


def test_a_log_line_is_json() -> None:
    try:
        raise KeyError("x")
    except KeyError:
        record = logging.LogRecord("a", logging.ERROR, "f", 1, "lost %s", ("it",), sys.exc_info())
    record.campaign = "page"
    line = json.loads(JsonLines().format(record))
    assert (line["level"], line["message"], line["campaign"]) == ("error", "lost it", "page")
    assert "KeyError" in line["error"]
