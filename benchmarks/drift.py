"""A default that rises after a winner was found: what is lost, and when the alarm comes.

    python benchmarks/drift.py [--campaigns 6]

First the watch alone, on clicks at 3%. Then whole campaigns: a default at 20% and a challenger at
24%; max_loss 0.1, delta 0.05, default mean learned, all rewards known at once. After 20,000
decisions the default rises to 30%, for good.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections import deque

from floorline.live import Campaign, CampaignSettings
from floorline.live.drift import new_drift_watch

BEFORE = 20_000
LONGEST = 80_000
"""Decisions that are simulated after the change."""
GROUP = 100
RISEN = 0.3


def after_the_rise(holdback: float, seed: int) -> tuple[int | None, float, float]:
    """Return the decisions from the rise to the alarm, and the shares of reward earned.

    The shares are of the new default's reward, from the rise to the alarm and to the end.
    """
    means = {"now": 0.2, "video": 0.24}
    luck = random.Random(seed)
    campaign = Campaign.open(
        ":memory:", arms=["now", "video"], max_loss=0.1, holdback=holdback, seed=seed
    )
    made, earned, alarm, until_alarm = 0, 0.0, None, 0.0
    while made < BEFORE + LONGEST:
        if made == BEFORE:
            means["now"] = RISEN
        with campaign.transaction():
            for _ in range(GROUP):
                ticket = campaign.decide()
                campaign.observe(ticket, float(luck.random() < means[ticket.arm]))
                earned += means[ticket.arm] if made >= BEFORE else 0.0
                made += 1
        if alarm is None and campaign.status().alarm:
            if made <= BEFORE:
                return 0, 1.0, 1.0  # a false alarm
            alarm, until_alarm = made - BEFORE, earned / (made - BEFORE) / RISEN
    whole = earned / LONGEST / RISEN
    return alarm, whole if alarm is None else until_alarm, whole


def plays_to_alarm(
    means: tuple[float, float],
    before: int,
    seed: int,
    limit: int,
    lost: float = 0.0,
    delay: int = 0,
) -> int | None:
    """Return the default's plays from a change of its mean to the alarm, if there is one."""
    watch = new_drift_watch(CampaignSettings(arms=("now", "video"), max_loss=0.1))
    luck, fate = random.Random(seed), random.Random(f"lost {seed}")
    pending: deque[tuple[int, int, float]] = deque()
    for play in range(before + limit):
        mean = means[play >= before]
        block, reward = watch.decided(), float(luck.random() < mean)
        if fate.random() >= lost:
            pending.append((play, block, reward))
        while pending and pending[0][0] <= play - delay:
            watch.observed(*pending.popleft()[1:])
        if watch.alarm:
            return play + 1 - before
    return None


def main() -> None:
    """Simulate and print."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--campaigns", type=int, default=6)
    campaigns = options.parse_args().campaigns
    watch_alone()
    whole_campaigns(campaigns)


def watch_alone() -> None:
    """Print how many plays of the default the watch needs."""
    print("The watch alone, 200 runs each, 5,000 plays at 3% before the change:\n")
    print_head("mean after")
    for after in (0.03, 0.015, 0.04, 0.045, 0.06, 0.09):
        print_row(f"{after:.1%}", (0.03, after), 5000)
    print("\nFrom 3% to 6%, by the number of plays before the change:\n")
    print_head("plays before")
    for before in (3000, 3700, 5000, 7000):
        print_row(f"{before:,}", (0.03, 0.06), before)
    print("\nFrom 3% to 6% after 5,000 plays, with rewards that never come or come late:\n")
    print_head("lost, plays late")
    for lost in (0.0, 0.001, 0.005, 0.01):
        for delay in (0, 1000):
            print_row(f"{lost:.1%}, {delay:,}", (0.03, 0.06), 5000, lost=lost, delay=delay)


def print_head(name: str) -> None:
    """Print the head of a table."""
    print(f"| {name} | median plays to the alarm | nine in ten within | no alarm |")
    print("|---|---:|---:|---:|")


def print_row(
    name: str, means: tuple[float, float], before: int, lost: float = 0.0, delay: int = 0
) -> None:
    """Print how soon 200 runs found a change."""
    found = [plays_to_alarm(means, before, seed, 20_000, lost, delay) for seed in range(200)]
    seen = sorted(plays for plays in found if plays is not None)
    middle, most = (
        f"{seen[int(share * 200)]:,}" if len(seen) > share * 200 else "more than 20,000"
        for share in (0.5, 0.9)
    )
    print(f"| {name} | {middle} | {most} | {200 - len(seen)} |", flush=True)


def whole_campaigns(campaigns: int) -> None:
    """Print what a rise of the default costs, by holdback."""
    print(f"\nWhole campaigns, {campaigns} each, {LONGEST:,} decisions after the change:\n")
    print("| holdback | alarms | median decisions to it | earned until then | by the end |")
    print("|---|---:|---:|---:|---:|")
    for holdback in (0.0, 0.02, 0.1):
        ends = [after_the_rise(holdback, seed) for seed in range(campaigns)]
        alarms = [alarm for alarm, _, _ in ends if alarm is not None]
        middle = f"{statistics.median(alarms):,.0f}" if alarms else "none"
        until, end = (statistics.mean(one[i] for one in ends) for i in (1, 2))
        print(
            f"| {holdback:.0%} | {len(alarms)} of {campaigns} | {middle} | {until:.0%} | "
            f"{end:.0%} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
