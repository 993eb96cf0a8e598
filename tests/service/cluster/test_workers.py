"""Several workers behind one port."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from serving import PAGE, Server

from floorline.service.config import Config


def worker_pids(server: Server) -> list[int]:
    """The processes that a server has started to serve."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text()
    found = [int(pid) for pid in children.split()]
    return [pid for pid in found if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_workers_share_a_port_and_their_campaigns(
    start: Callable[..., Server], postgres: Any, database: str, wait_until: Callable[..., None]
) -> None:
    server = start(database, "--workers", "2")

    def members() -> set[str]:
        rows = postgres.execute(
            database.rpartition("/")[2], "SELECT address FROM floorline.servers"
        )
        return {address for (address,) in rows}

    wait_until(lambda: len(members()) == 2)
    assert server.url not in members()  # each has a port of its own beside the shared one
    for number in range(6):
        settings = {**PAGE, "name": f"page{number}"}
        assert server.client().post("/v1/campaigns", json=settings).status_code == 201
        for _ in range(4):  # over new connections, of which some worker takes each
            path = f"/v1/campaigns/page{number}/decisions"
            assert server.client().post(path, json={}).status_code == 200
    before = members()
    victim, other = worker_pids(server)
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: len(worker_pids(server)) == 2 and victim not in worker_pids(server))
    # The one that was killed has been expelled, and another one has taken its place.
    wait_until(lambda: len(members()) == 2 and members() != before)
    assert other in worker_pids(server)

    def all_decide() -> bool:
        paths = [f"/v1/campaigns/page{number}/decisions" for number in range(6)]
        return all(server.client().post(path, json={}).status_code == 200 for path in paths)

    wait_until(all_decide)
    assert server.end() == 0
    assert members() == set()


def test_workers_need_a_database(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="workers: a folder has one server"):
        Config(tmp_path, workers=2)


def test_an_address_that_nobody_can_call_is_not_advertised() -> None:
    with pytest.raises(ValueError, match="advertise: must be given"):
        Config("postgresql://127.0.0.1/shop", host="0.0.0.0")
