"""The cost of live decisions, next to River and bare SQLite, and of opening a long campaign.

python benchmarks/live.py                 all of it; the file takes about 1 GB for a while
python benchmarks/live.py --events 100000 a shorter campaign to open
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw

from floorline.live import Campaign, snapshot
from floorline.live.compile_policy import compile_policy
from floorline.live.events import Event
from floorline.live.ledgers.sqlite import SCHEMA, SqliteLedger
from floorline.live.replay import load
from floorline.live.snapshot_writer import SNAPSHOT_EVERY

ARMS = ["now", "a", "b", "c", "d"]
MEANS = dict(zip(ARMS, (0.5, 0.6, 0.4, 0.4, 0.4), strict=True))
ROUNDS = 20_000
REPEATS = 5
GROUP = 64
LOG_GROUPS = 250
"""Groups that fill SQLite's log of 1,000 pages: a group of decisions takes 5 or 6."""
FLOORS = ("confidence", "joint")
INSERT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)"


def new_campaign(path: str | Path = ":memory:", floor: str = "joint") -> Campaign:
    settings = {"arms": ARMS, "max_loss": 0.1, "policy": "conservative-ucb", "floor": floor}
    campaign = Campaign.open(path, seed=1, **settings)  # type: ignore[arg-type]
    compile_policy(campaign.settings, range(len(ARMS)))  # or it would be done in the background
    return campaign


# One decision and its reward.


def median_of(
    choose: Callable[[], object],
    learn: Callable[[object, float], object],
    mean_of: Callable[[object], float],
) -> float:
    """Return the median microseconds of one `choose` and one `learn`."""
    rng, times = random.Random(1), []
    for _ in range(ROUNDS):
        coin = rng.random()
        start = time.perf_counter()
        chosen = choose()
        middle = time.perf_counter()
        reward = float(coin < mean_of(chosen))
        again = time.perf_counter()
        learn(chosen, reward)
        times.append(middle - start + time.perf_counter() - again)
    return statistics.median(times) * 1e6


def floorline_round(floor: str) -> float:
    campaign = new_campaign(floor=floor)
    return median_of(campaign.decide, campaign.observe, lambda ticket: MEANS[ticket.arm])  # type: ignore


def river_round() -> float:
    from river.bandit import UCB

    policy = UCB(delta=1, seed=1)
    return median_of(lambda: policy.pull(ARMS), policy.update, lambda arm: MEANS[arm])  # type: ignore


# Durable decisions.


def group_times(folder: Path, groups: int, floor: str) -> tuple[float, float]:
    """Return the median seconds of a group of decisions, and of bare SQLite for the same rows.

    Both are measured after LOG_GROUPS groups. Until then SQLite appends to its log, which takes
    the disk longer than overwriting it, and bare SQLite would append for longer.
    """
    db = apsw.Connection(str(folder / "bare"))
    db.execute(SCHEMA)
    db.pragma("journal_mode", "wal")
    db.pragma("synchronous", "full")
    own, bare = [], []
    with new_campaign(folder / "campaign", floor) as campaign:
        for _ in range(LOG_GROUPS + groups):
            after = campaign.state()["seq"]
            start = time.perf_counter()
            with campaign.transaction():
                tickets = [campaign.decide() for _ in range(GROUP)]
            own.append(time.perf_counter() - start)
            rows = campaign._ledger.page(after)
            start = time.perf_counter()
            db.execute("BEGIN IMMEDIATE")
            for row in rows:
                db.execute(INSERT, row)
            db.execute("COMMIT")
            bare.append(time.perf_counter() - start)
            with campaign.transaction():  # rewards come a group later
                for ticket in tickets:
                    campaign.observe(ticket, 1.0)
    db.close()
    return statistics.median(own[LOG_GROUPS:]), statistics.median(bare[LOG_GROUPS:])


# Opening a long campaign.


def write_long_campaign(path: Path, events: int) -> None:
    """Write a campaign of this many events, with its snapshot as far from the end as possible."""
    with new_campaign(path) as campaign:
        opening = next(campaign.events())
    ledger = SqliteLedger(str(path))
    ledger._db.pragma("synchronous", "off")
    state = load(ledger)
    for batch in batches(long_story(opening.time), events - 1, 100_000):
        for event in batch:
            ledger.append(event)
            state.apply(event)
            if event.seq == events - SNAPSHOT_EVERY:
                ledger.save_snapshot(event.seq, snapshot.to_json(state))
        ledger.commit()
    ledger.close()


def long_story(now: float) -> Iterator[Event]:
    """Yield decisions for the default, each with its reward; 1 reward in 100 never comes."""
    body = {
        "arm": "now",
        "candidate": "now",
        "reason": "default-is-best",
        "guaranteed_budget": 1.0,
        "probability": 1.0,
    }
    rng, seq = random.Random(1), 1
    while True:
        seq += 1
        yield Event(seq, now + seq, "decided", None, None, body)
        if rng.random() > 0.01:
            seq += 1
            reward = float(rng.random() < 0.5)
            yield Event(seq, now + seq, "observed", seq - 1, None, {"reward": reward})


def batches(story: Iterator[Event], count: int, size: int) -> Iterator[list[Event]]:
    for start in range(0, count, size):
        yield [next(story) for _ in range(min(size, count - start))]


def seconds_to_open(path: Path) -> float:
    start = time.perf_counter()
    Campaign.open(path).close()
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=10_000_000)
    options = parser.parse_args()
    print("| | median |\n|---|---:|")
    print_rounds()
    print_groups()
    print_opening(options.events)


def print_rounds() -> None:
    own: dict[str, list[float]] = {floor: [] for floor in FLOORS}
    peer = []
    for _ in range(REPEATS):
        for floor, times in own.items():
            times.append(floorline_round(floor))
        try:
            peer.append(river_round())
        except ImportError as error:
            print(f"| River does not run here: {error} | |")
    for floor, times in own.items():
        name = f"decide and observe in memory, 5 arms, {floor} floor"
        print(f"| {name} | {statistics.median(times):.1f} us |")
    if peer:
        print(f"| River UCB, pull and update, 5 arms | {statistics.median(peer):.1f} us |")


def print_groups() -> None:
    for floor in FLOORS:
        with tempfile.TemporaryDirectory() as folder:
            own, bare = group_times(Path(folder), 300, floor)
        name = f"durable decisions in groups of {GROUP}, {floor} floor"
        print(f"| {name} | {GROUP / own:,.0f} a second |")
        print(f"| bare SQLite commits of the same rows | {GROUP / bare:,.0f} a second |")
        print(f"| ratio | {bare / own:.2f} |")


def print_opening(events: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long"
        write_long_campaign(path, events)
        size = path.stat().st_size / 1e9
        times = statistics.median(seconds_to_open(path) for _ in range(REPEATS))
        print(f"| opening {events:,} events ({size:.1f} GB) | {times:.2f} s |")


if __name__ == "__main__":
    main()
