"""The server process: its settings, its logs and its end."""

from __future__ import annotations

import json
import logging
import os
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from serving import GONE, PAGE, Server, post

from floorline.live.verify import verify
from floorline.service.host.folder import Folder
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
    assert server.process.wait(30) == 0  # a second signal could come while Python ends
    server.end()
    assert server.lines[-1]["message"].startswith("Finished server process")
    assert set(answers) <= {0, 200}
    report = verify(str(tmp_path / "campaigns" / "page.ledger"))
    assert report.problems == []
    assert report.decisions >= answers.count(200) > 50


@pytest.mark.locks
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
        refused = floorline("serve", "--create", "--data", str(tmp_path), "--port", port)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"floorline: --port: 127.0.0.1:{port} cannot be used")


def test_settings_from_the_environment(
    start: Callable[..., Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLOORLINE_RATE", "1")
    client = start(tmp_path).client()
    assert [client.get("/v1/campaigns").status_code for _ in range(2)] == [200, 429]


def test_a_folder_that_cannot_be_locked(tmp_path: Path, floorline: Run) -> None:
    Folder(tmp_path, create=True)
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


def test_only_the_owner_can_read_the_data(start: Callable[..., Server], tmp_path: Path) -> None:
    data = tmp_path / "data"
    before = os.umask(0o022)
    try:
        server = start(data)
    finally:
        os.umask(before)
    client = server.client()
    client.post("/v1/campaigns", json=PAGE)
    client.post("/v1/campaigns/page/decisions")
    modes = {path: path.stat().st_mode & 0o777 for path in (data, *data.rglob("*"))}
    assert len(modes) >= 7  # the folders, and the files of the ledger among others
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}, modes
    warnings = [line["message"] for line in server.lines if line["level"] == "warning"]
    assert warnings == ["no keys: whoever can reach this address has full access"]


def test_https(start: Callable[..., Server], tmp_path: Path) -> None:
    """With a real client, which checks the certificate."""
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
    name = ["-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(cert)]
    subprocess.run(["openssl", *words.split(), *name, *files], check=True, capture_output=True)
    server = start(tmp_path / "data", "--tls-cert", str(cert), "--tls-key", str(key))
    assert server.url.startswith("https://127.0.0.1:")
    trusting = ssl.create_default_context(cafile=str(cert))
    with urlopen(f"{server.url}/readyz", context=trusting, timeout=10) as answer:
        assert json.load(answer)["status"] == "ready"
    with pytest.raises(URLError):
        urlopen(f"{server.url}/readyz", context=ssl.create_default_context(), timeout=10)
    assert server.end() == 0


def test_a_certificate_that_cannot_be_used(tmp_path: Path, floorline: Run) -> None:
    words = ("serve", "--create", "--data", str(tmp_path / "data"), "--port", "0")
    alone = floorline(*words, "--tls-cert", str(tmp_path / "none.pem"))
    assert (alone.returncode, "both are needed" in alone.stderr) == (2, True)
    none = str(tmp_path / "none.pem")
    missing = floorline(*words, "--tls-cert", none, "--tls-key", none)
    assert (missing.returncode, "cannot be used" in missing.stderr) == (2, True)
