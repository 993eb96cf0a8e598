"""Durable decisions and rewards a second over HTTP, and memory under a long load, with wrk.

    python benchmarks/service.py                 decisions, rewards and both, 10 seconds each
    python benchmarks/service.py --seconds 600   the same load for long: is memory flat?
    python benchmarks/service.py --only "random keys"
                                                 decisions whose keys are in no order
    python benchmarks/service.py --compare --connections 64 256 512
                                                 decisions, and empty answers of the same server

Server and load generator share the machine. Every decision has a request key of its own, every
reward belongs to a decision, and both are answered only when they are durable. `wrk` comes from
the system's packages (Debian: apt-get install wrk).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CAMPAIGN = {
    "name": "page",
    "arms": ["now", "b", "c", "d", "e"],
    "max_loss": 0.1,
    "missing": "unknown",
    "policy": "conservative-ucb",
}
MOST_A_SECOND = 40_000
"""Tickets that are prepared for each second of rewards."""

START = """
wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
local made, begun = 0, os.time()
local function decision(key)
  made = made + 1
  local body = '{"request_key":"' .. (key or begun .. '-' .. made) .. '"}'
  return wrk.format(nil, "/v1/campaigns/page/decisions", nil, body)
end
local function reward(ticket)
  local body = ticket:byte(-1) % 3 == 0 and '{"reward":1}' or '{"reward":0}'
  return wrk.format(nil, "/v1/decisions/" .. ticket .. "/reward", nil, body)
end
"""

SCRIPTS = {
    "empty answers": "request = decision",
    "decisions": "request = decision",
    "random keys": """
math.randomseed(os.time())
local function part() return math.random(0, 0x7fffffff) end
request = function() return decision(string.format("%08x%08x%08x", part(), part(), part())) end
""",
    "rewards": """
local next_ticket = io.lines("tickets")
request = function() return reward(next_ticket() or error("no tickets are left")) end
""",
    "both": """
local waiting = {}
request = function()
  local ticket = table.remove(waiting)
  return ticket and reward(ticket) or decision()
end
response = function(status, headers, body)
  local ticket = body:match('"ticket":"([^"]+)","arm"')
  if ticket then table.insert(waiting, ticket) end
end
""",
}


EMPTY = """
import sys
from floorline.service.app import Service
from floorline.cli.main import main

async def answer(self, scope, receive, send):
    if scope["type"] == "lifespan":
        return await self.router(scope, receive, send)
    await send({"type": "http.response.start", "status": 200,
                "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"{}"})

if sys.argv.pop(1) == "empty answers":
    Service.__call__ = answer
main()
"""
"""The same server with an application that does nothing, to measure what the rest takes."""


@contextmanager
def server(data: Path, what: str) -> Iterator[tuple[int, str]]:
    """Yield the process id and the address of a running server."""
    serve = ["serve", "--create", "--data", str(data), "--port", "0", "--rate", "1e6"]
    command = [sys.executable, "-c", EMPTY, what, *serve]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        lines = (json.loads(line) for line in process.stderr)
        address = next(line["address"] for line in lines if "address" in line)
        next(line for line in lines if line["message"] == "Application startup complete.")
        threading.Thread(target=lambda: list(lines), daemon=True).start()
        yield process.pid, address
    finally:
        process.terminate()
        process.wait(30)


def post(address: str, path: str, body: object) -> Any:
    """Return the response to a request."""
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(address + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def make_tickets(address: str, folder: Path, count: int) -> None:
    """Make decisions whose rewards can be reported."""
    with open(folder / "tickets", "w") as file:
        for _ in range(0, count, 1000):
            many = {"requests": [{}] * 1000}
            made = post(address, "/v1/campaigns/page/decisions", many)["decisions"]
            file.writelines(f"{one['ticket']}\n" for one in made)


def load(address: str, folder: Path, what: str, connections: int, seconds: int) -> str:
    """Return what wrk reports."""
    script = folder / "load.lua"
    script.write_text(START + SCRIPTS[what])
    command = [
        "wrk",
        "-t1",
        f"-c{connections}",
        f"-d{seconds}s",
        "--timeout",
        "10s",
        "--latency",
        "-s",
        str(script),
        address,
    ]
    found = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True)
    if "Non-2xx" in found.stdout or "Socket errors" in found.stdout:
        raise SystemExit(found.stdout)
    return found.stdout


def report(text: str) -> tuple[float, str, str]:
    """Return requests per second, and the median and the 99th percentile of the latency."""
    rate = re.search(r"Requests/sec:\s+([\d.]+)", text)
    half, most = (re.search(rf"^\s+{share}%\s+(\d\S*)\s*$", text, re.M) for share in (50, 99))
    if not (rate and half and most):
        raise SystemExit(text)
    return float(rate[1]), half[1], most[1]


def memory(process: int) -> float:
    """Return the resident memory in MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def cpu(process: int) -> float:
    """Return the CPU seconds used so far."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def measure(what: str, connections: int, seconds: int) -> None:
    """Print a line of the table, and the memory over time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with server(folder / "data", what) as (process, address):
            if what != "empty answers":
                post(address, "/v1/campaigns", CAMPAIGN)
            if what == "rewards":
                make_tickets(address, folder, MOST_A_SECOND * seconds)
            used, ended, sizes = cpu(process), threading.Event(), [memory(process)]

            def watch() -> None:
                while not ended.wait(seconds / 10):
                    sizes.append(memory(process))

            watcher = threading.Thread(target=watch)
            watcher.start()
            rate, half, most = report(load(address, folder, what, connections, seconds))
            ended.set()
            watcher.join()
            each = (cpu(process) - used) / (rate * seconds) * 1e6
    shown = " ".join(f"{size:.0f}" for size in sizes)
    print(
        f"| {what} | {connections} | {rate:,.0f} | {half} | {most} | {each:.0f} | {shown} |",
        flush=True,
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=int, default=10)
    options.add_argument("--only", choices=list(SCRIPTS))
    options.add_argument("--compare", action="store_true", help="decisions and empty answers")
    options.add_argument("--connections", type=int, nargs="+", default=[64])
    chosen = options.parse_args()
    if shutil.which("wrk") is None:
        raise SystemExit("wrk is needed: apt-get install wrk")
    busy = os.getloadavg()[0]
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{machine}, load {busy:.1f} before\n")
    print("| | connections | a second | median | p99 | server's CPU µs each | MB over time |")
    print("|---|---:|---:|---:|---:|---:|---|")
    cases = ["decisions", "rewards", "both"] if chosen.only is None else [chosen.only]
    if chosen.compare:
        cases = ["empty answers", "decisions"]
    for connections in chosen.connections:
        for what in cases:
            measure(what, connections, chosen.seconds)


if __name__ == "__main__":
    main()
