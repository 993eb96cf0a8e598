"""What lost rewards cost where silence is unknown: the challenger's share of the decisions.

    python benchmarks/losses.py [--campaigns 6]

A default at 3% and a challenger at 4.5%; max_loss 0.1, delta 0.05, default mean learned, 20,000
decisions a campaign, holdback 2%. Rewards come at once or never, whatever they are.
"""

from __future__ import annotations

import argparse
import random
import statistics

from floorline.live import Campaign

DECISIONS = 20_000
MEANS = {"now": 0.03, "video": 0.045}


def challenger_share(losing: str, lost: float, seed: int) -> float:
    """The challenger's share in a campaign in which one arm's rewards get lost."""
    luck = random.Random(seed + 100)
    campaign = Campaign.open(":memory:", arms=list(MEANS), max_loss=0.1, seed=seed)
    with campaign.together():
        for _ in range(DECISIONS):
            ticket = campaign.decide()
            reward = float(luck.random() < MEANS[ticket.arm])
            if not (ticket.arm == losing and luck.random() < lost):
                campaign.observe(ticket, reward)
    return campaign.status().arms[1].plays / DECISIONS


def main() -> None:
    """Simulate and print."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--campaigns", type=int, default=6)
    campaigns = options.parse_args().campaigns
    print("| rewards lost | challenger's share |\n|---|---:|")
    for losing, lost in (("now", 0.0), ("now", 0.01), ("now", 0.1), ("video", 0.1)):
        shares = [challenger_share(losing, lost, seed) for seed in range(campaigns)]
        print(f"| {lost:.0%} of {losing} | {statistics.mean(shares):.1%} |", flush=True)


if __name__ == "__main__":
    main()
