"""Examples of messages, for the OpenAPI document. A test sends them and compares the responses."""

from __future__ import annotations

from typing import Any

TICKET = "6b1f6ab2a1c34a5d9f0e5c7d8a9b0c1d-1-5f2c9a4e7b1d3860"

DECISION = {
    "ticket": TICKET,
    "arm": "current",
    "is_default": True,
    "candidate": "current",
    "reason": "default-unknown",
    "guaranteed_budget": 0.0,
    "probability": 1.0,
    "propensity": 1.0,
}

FLAG = {
    "key": "page",
    "value": "current",
    "variant": "current",
    "reason": "DEFAULT",
    "metadata": {
        "ticket": TICKET,
        "is_default": True,
        "reason": "default-unknown",
        "guaranteed_budget": 0.0,
    },
}

EXAMPLES: dict[str, Any] = {
    "NewCampaign": {
        "name": "page",
        "arms": ["current", "video"],
        "max_loss": 0.1,
        "missing": "zero",
        "window": 1800,
    },
    "DecisionRequest": {"request_key": "visit-1"},
    "DecisionRequests": {"requests": [{"request_key": "visit-1"}, {"request_key": "visit-2"}]},
    "DecisionAnswer": DECISION,
    "Decisions": {"decisions": [DECISION]},
    "RewardBody": {"reward": 1},
    "RewardsBody": {"rewards": [{"ticket": TICKET, "reward": 1}]},
    "RewardReceipt": {"ticket": TICKET, "result": "accepted"},
    "RewardResults": {"results": [{"ticket": TICKET, "result": "accepted"}]},
    "FinishBody": {"arm": "video"},
    "StopBody": {"arm": "current"},
    "ArmBody": {"arm": "quiz"},
    "EpochBody": {"epoch": 0, "default": "video"},
    "NoteBody": {"text": "The newsletter went out."},
    "LabelsBody": {"labels": ["shop", "autumn"]},
    "ArchiveBody": {"archived": True},
    "EraseBody": {"request_key": "visit-1"},
    "DeleteBody": {"name": "page"},
    "OfrepFlagBody": {"context": {"targetingKey": "visit-1", "country": "NZ"}},
    "OfrepBulkBody": {"context": {"targetingKey": "visit-1", "country": "NZ"}},
    "OfrepAnswer": FLAG,
    "OfrepFlags": {"flags": [FLAG]},
}
"""By the name of the schema."""
