"""A client that is used before and after its process forks, as under gunicorn with --preload."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")

PROGRAM = """
import asyncio, os, sys
from floorline.client import AsyncClient, Client

url, campaign, file = sys.argv[1:]

def use(client, count):
    decisions = [client.decide(campaign, f"{os.getpid()} {number}") for number in range(count)]
    again = [client.decide(campaign, f"{os.getpid()} {number}") for number in range(count)]
    rewarded = all([client.reward(decision.ticket, 1.0) for decision in decisions])
    return decisions == again and rewarded and client.flush(20)

client = Client(url, timeout=20, queue_file=file)
waiting = AsyncClient(url, timeout=20)
assert asyncio.run(waiting.decide(campaign)).ticket
assert use(client, 1)
child = os.fork()
fine = use(client, 30) and asyncio.run(waiting.decide(campaign)).ticket is not None
client.close()
if child == 0:
    os._exit(0 if fine else 1)
assert fine and os.waitpid(child, 0)[1] == 0
"""


def test_both_processes_go_on(service: Any, campaign: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, service.url, campaign, str(tmp_path / "queue")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("belongs to the process that this one was forked from") == 1
    status = service.status(campaign)
    assert (status["decisions"], status["reported"]) == (1 + 2 * 30 + 2, 2 * 30)
