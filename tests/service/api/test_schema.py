"""The whole API against its own description: schemathesis makes up the requests."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from serving import PAGE, Server

from floorline.service.host.folder import Folder
from floorline.service.http.keys import SCOPES, KeyFile

SETTINGS = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "422"]
"""
"""422 too: some rules join two values, such as that `low` is below `high`."""


def explore(server: Server, folder: Path, examples: int, *words: str) -> None:
    """Let schemathesis look for answers that are not as described."""
    config = folder / "schemathesis.toml"
    config.write_text(SETTINGS)
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        "--config-file",
        str(config),
        "run",
        f"{server.url}/openapi.json",
        "--max-examples",
        str(examples),
        "--seed",
        "1",
        "--checks",
        "all",
        "--suppress-health-check",
        "all",
        "--no-color",
        "--exclude-path-regex",
        # The first never ends, and each of the others is a process; they have tests of their own.
        "/(live|export|report)$",
        *words,
    ]
    found = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert found.returncode == 0, found.stdout + found.stderr
    assert server.process.poll() is None
    worst = [line for line in server.lines if line["level"] == "error"]
    assert worst == []


def without_keys(start: Callable[..., Server], folder: Path, examples: int) -> None:
    server = start(folder / "data")
    server.client().post("/v1/campaigns", json=PAGE)
    explore(server, folder, examples)


def with_a_key(start: Callable[..., Server], folder: Path, examples: int) -> None:
    key = KeyFile(Folder(folder / "data", create=True).keys).create(SCOPES)
    server = start(folder / "data")
    headers = {"Authorization": f"Bearer {key}"}
    server.client(headers=headers).post("/v1/campaigns", json=PAGE)
    explore(server, folder, examples, "-H", f"Authorization: Bearer {key}")
    explore(server, folder, 2)  # and as a stranger


def test_without_keys(start: Callable[..., Server], tmp_path: Path) -> None:
    without_keys(start, tmp_path, 5)


def test_with_a_key(start: Callable[..., Server], tmp_path: Path) -> None:
    with_a_key(start, tmp_path, 5)


@pytest.mark.soak
@pytest.mark.parametrize("run", [without_keys, with_a_key])
def test_at_length(run: Callable[..., None], start: Callable[..., Server], tmp_path: Path) -> None:
    run(start, tmp_path, 300)
