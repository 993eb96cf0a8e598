"""A busy campaign, to be killed: `python busy.py FILE SEED FLOOR`.

Each decision, reward and change of the arms is written to standard output after it was returned,
and not before.
"""

import contextlib
import os
import random
import sys

from campaigns import new_campaign

from floorline.live import Conflict, snapshot_writer


def main():
    snapshot_writer.SNAPSHOT_EVERY, snapshot_writer.LARGE = 50, 20
    path, seed, floor = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    rng = random.Random(seed)
    settings = {"max_loss": 0.3, "holdback": 0.05, "floor": floor, "arms_may_change": True}
    campaign = new_campaign(path, seed=seed, **settings)
    waiting = [record.ticket for record in campaign.history() if record.outcome == "pending"]
    while True:
        if rng.random() < 0.5:
            done = step(campaign, rng, waiting)
        else:
            done = []
            with campaign.transaction():
                for _ in range(rng.randrange(1, 40)):
                    done += step(campaign, rng, waiting)
        # One write, not through a buffer: a line is there whole or not at all.
        os.write(1, "".join(f"{line}\n" for line in done).encode())


def step(campaign, rng, waiting):
    if rng.random() < 0.02:
        return change(campaign, rng)
    if len(waiting) > 30 or (waiting and rng.random() < 0.4):
        ticket, reward = waiting.pop(rng.randrange(len(waiting))), rng.randrange(9) / 8
        campaign.observe(ticket, reward)
        return [f"observed {ticket} {reward}"]
    ticket = campaign.decide(f"key {rng.getrandbits(64)}")
    waiting.append(ticket.id)
    return [f"decided {ticket.id} {ticket.arm}"]


def change(campaign, rng):
    """Add an arm, or retire or promote a challenger."""
    arms, retired = campaign.settings.arms, campaign.status().retired
    left = [arm for arm in arms[1:] if arm not in retired]
    if len(left) < 2:
        name = f"arm {len(arms)}"
        campaign.add_arm(name)
        return [f"added {name}"]
    arm = rng.choice(left)
    if len(arms) < 40 and rng.random() < 0.5:  # a campaign has at most 64 in its life
        campaign.retire_arm(arm)
        return [f"retired {arm}"]
    with contextlib.suppress(Conflict):  # after many promotions the joint floor takes no more
        campaign.promote_arm(arm)
    return []


if __name__ == "__main__":
    main()
