"""Measure PostgreSQL ledgers against bare PostgreSQL, and two workers against one SQLite server.

    python benchmarks/postgres.py            both
    python benchmarks/postgres.py --seconds 5 --connections 256

The database is a real one with `fsync` on, started in a temporary folder. It, the servers and the
load generator `wrk` share the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import psycopg
from postgresql_server import PostgresServer, programs
from service import CAMPAIGN, START, load, post, report

from floorline.live import Campaign

ARMS = ["now", "a", "b", "c", "d"]
GROUP = 64
GROUPS = 100
CAMPAIGNS = 4
WARM_UP = 5000
"""Decisions of each campaign before the measurement."""
COPY = "COPY floorline.events FROM STDIN"


def group_times(database: str, keyed: bool) -> tuple[float, float]:
    """Return the median seconds of a group of decisions, and of bare PostgreSQL for its rows."""
    own, bare = [], []
    locator = f"{database}/{'keyed' if keyed else 'plain'}"
    with (
        Campaign.open(
            locator, arms=ARMS, max_loss=0.1, seed=1, policy="conservative-ucb"
        ) as campaign,
        psycopg.connect(database, autocommit=True) as connection,
    ):
        other = connection.execute(
            "INSERT INTO floorline.campaigns (name, form) VALUES (%s, 2) RETURNING campaign",
            (f"bare {keyed}",),
        ).fetchall()[0][0]
        for number in range(GROUPS):
            after = campaign.seq
            start = time.perf_counter()
            keys = [f"{number}-{one}" if keyed else None for one in range(GROUP)]
            with campaign.transaction():
                if keyed:
                    campaign.look_up_keys([key for key in keys if key])
                tickets = [campaign.decide(key) for key in keys]
            own.append(time.perf_counter() - start)
            rows = campaign._ledger.page(after)
            start = time.perf_counter()
            with connection.cursor().copy(COPY) as copy:
                for row in rows:
                    copy.write_row((other, *row))
            bare.append(time.perf_counter() - start)
            with campaign.transaction():  # rewards come a group later
                for ticket in tickets:
                    campaign.observe(ticket, 1.0)
    return statistics.median(own), statistics.median(bare)


SCRIPT = START.replace(
    '"/v1/campaigns/page/decisions"', f'"/v1/campaigns/page" .. made % {CAMPAIGNS} .. "/decisions"'
)
UNKEYED = """
request = function()
  made = made + 1
  return wrk.format(nil, "/v1/campaigns/page" .. made % 4 .. "/decisions", nil, "{}")
end
"""


def processor_seconds(pid: int) -> float:
    """Return the CPU seconds that a process and its children have used."""
    values = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    used = sum(map(int, values[11:15])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return used + sum(processor_seconds(int(child)) for child in children)


def requests_a_second(
    data: str,
    workers: int,
    options: argparse.Namespace,
    keyed: bool,
    database: PostgresServer | None = None,
) -> str:
    """Return decisions per second, their latency, and the CPU time of each decision.

    The rate depends on what else the machine does. The CPU time hardly does; two cores cannot make
    more decisions per second than fit into two seconds of it.
    """
    import service

    service.START = SCRIPT
    service.SCRIPTS["four"] = "request = decision" if keyed else UNKEYED
    command = [
        sys.executable,
        "-m",
        "floorline",
        "serve",
        "--create",
        "--data",
        data,
        "--port",
        "0",
    ]
    command += ["--workers", str(workers)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        address = address_of(process, workers)
        time.sleep(3)  # until each knows the others
        for number in range(CAMPAIGNS):
            settings = {**CAMPAIGN, "name": f"page{number}"}
            post(address, "/v1/campaigns", settings)
        time.sleep(2)  # until campaigns are spread over owners
        for number in range(CAMPAIGNS):  # the first decisions are points of the series, and slower
            for _ in range(WARM_UP // 1000):
                batch = {"requests": [{}] * 1000}
                post(address, f"/v1/campaigns/page{number}/decisions", batch)
        pids = [process.pid] + ([] if database is None else [database.process.pid])
        before = [processor_seconds(pid) for pid in pids]
        with tempfile.TemporaryDirectory() as folder:
            found = load(address, Path(folder), "four", options.connections, options.seconds)
        rate, median, high = report(found)
        each = [
            1e6 * (processor_seconds(pid) - earlier) / (rate * options.seconds)
            for pid, earlier in zip(pids, before, strict=True)
        ]
        times = " + ".join(f"{one:.0f}" for one in each)
        return f"{rate:.0f} a second, {median}, {high}; {times} microseconds of CPU each"
    finally:
        process.terminate()
        process.wait(30)


def address_of(process: subprocess.Popen[str], workers: int) -> str:
    """Return the address of a server, once all of its workers are ready."""
    assert process.stderr is not None
    address, ready = "", 0
    for line in process.stderr:
        entry = json.loads(line)
        address = entry.get("address", address)
        ready += entry["message"] == "Application startup complete."
        if ready == workers:
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return str(address)
    raise SystemExit("the server has ended")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--connections", type=int, default=64)
    options = parser.parse_args()
    folder = programs()
    if folder is None:
        raise SystemExit("PostgreSQL is needed: apt-get install postgresql")
    server = PostgresServer(folder, fsync="on")
    try:
        database = server.new_database()
        for keyed in (False, True):
            own, bare = group_times(database, keyed)
            print(
                f"{GROUP} decisions {'with keys' if keyed else 'without keys'}: "
                f"{own * 1e3:.2f} ms, bare PostgreSQL {bare * 1e3:.2f} ms, share {bare / own:.2f}",
                flush=True,
            )
        for keyed in (False, True):
            print(f"over HTTP, {CAMPAIGNS} campaigns, {'with' if keyed else 'without'} keys")
            with tempfile.TemporaryDirectory() as data:
                found = requests_a_second(data, 1, options, keyed)
                print(" SQLite, one process", found, flush=True)
            for workers in (1, 2):
                found = requests_a_second(server.new_database(), workers, options, keyed, server)
                print(f" PostgreSQL, {workers} workers", found, flush=True)
    finally:
        server.delete()


if __name__ == "__main__":
    main()
