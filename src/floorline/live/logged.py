"""The decisions of a ledger as off-policy estimates need them."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from floorline.live.export import decisions
from floorline.live.ledgers import LedgerReader
from floorline.live.settings import CampaignSettings
from floorline.offpolicy import LoggedData

NO_PROPOSAL = ("paused", "drift", "finished")
"""Reasons of decisions that no policy took part in."""


def logged_data(ledger: LedgerReader) -> LoggedData:
    """Return the decisions of a ledger whose reward is known, with their propensities.

    Decisions without a reward and those in which nothing was proposed are left out and counted.
    Where silence means zero, it is a reward.
    """
    body = ledger.opened().body
    settings = CampaignSettings.from_ledger(body["settings"])
    index = {name: i for i, name in enumerate(settings.arms)}
    left_out: Counter[str] = Counter()
    kept = []
    for record in decisions(ledger):
        reward = record.reward
        if record.outcome == "expired" and settings.missing == "zero":
            reward = 0.0
        if record.reason in NO_PROPOSAL:
            left_out["without a proposal"] += 1
        elif reward is None:
            left_out["without a reward"] += 1
        else:
            index.setdefault(record.arm, len(index))  # one that was added later
            kept.append((record, reward))
    return LoggedData(
        tuple(index),
        np.array([index[record.arm] for record, _ in kept], np.int64),
        np.array([reward for _, reward in kept], float),
        np.array(
            [math.nan if one.propensity is None else one.propensity for one, _ in kept], float
        ),
        settings.low,
        settings.high,
        [record.context for record, _ in kept],
        dict(left_out),
    )
