"""A busy campaign, to be killed: `python busy.py FILE SEED FLOOR`.

Each decision and reward is written to standard output after it was returned, and not before.
"""

import os
import random
import sys

from campaigns import new_campaign

from floorline.live import recorder


def main():
    recorder.SNAPSHOT_EVERY = 50
    path, seed, floor = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    rng = random.Random(seed)
    campaign = new_campaign(path, max_loss=0.3, holdback=0.05, seed=seed, floor=floor)
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
    if len(waiting) > 30 or (waiting and rng.random() < 0.4):
        ticket, reward = waiting.pop(rng.randrange(len(waiting))), rng.randrange(9) / 8
        campaign.observe(ticket, reward)
        return [f"observed {ticket} {reward}"]
    ticket = campaign.decide(f"key {rng.getrandbits(64)}")
    waiting.append(ticket.id)
    return [f"decided {ticket.id} {ticket.arm}"]


if __name__ == "__main__":
    main()
