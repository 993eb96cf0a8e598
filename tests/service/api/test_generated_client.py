"""A client that openapi-python-client generates from the description works, as it is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from serving import Server

GENERATOR = Path(sys.prefix) / "generator" / "bin"
"""An environment of its own: it needs an older typer than Floorline."""

if not (GENERATOR / "openapi-python-client").exists():
    pytest.skip(
        "no generator: clients generated from the description are not tested; run make generator",
        allow_module_level=True,
    )

PROGRAM = """
import json, sys
from floorline_client import Client
from floorline_client.api.campaigns import campaigns_create, campaigns_finish, campaigns_list_all
from floorline_client.api.decisions import decisions_decide, decisions_rewards, history_decisions
from floorline_client.api.feature_flags import ofrep_evaluate_all
from floorline_client.models import (
    DecisionRequest, DecisionRequests, FinishBody, NewCampaign, NewCampaignMissing, OfrepBulkBody,
    OfrepKeyedContext, ProblemDocument, RewardsBody, TicketReward,
)

client = Client(base_url=sys.argv[1])
new = NewCampaign("page", ["now", "video"], 0.1, NewCampaignMissing.ZERO, window=1800)
made = campaigns_create.sync(client=client, body=new)
decision = decisions_decide.sync("page", client=client, body=DecisionRequest("visit-1"))
batch = decisions_decide.sync(
    "page", client=client, body=DecisionRequests([DecisionRequest("visit-1"), DecisionRequest()])
)
rewards = RewardsBody([TicketReward(one.ticket, 0.5) for one in batch.decisions])
receipts = decisions_rewards.sync(client=client, body=rewards)
page = history_decisions.sync("page", client=client, limit=1)
flags = ofrep_evaluate_all.sync(client=client, body=OfrepBulkBody(OfrepKeyedContext("visit-1")))
problem = decisions_decide.sync("nowhere", client=client, body=DecisionRequest())
finished = campaigns_finish.sync("page", client=client, body=FinishBody("video"))
print(json.dumps({
    "delta": new.delta,
    "made": made.name,
    "same": [decision.ticket == one.ticket for one in batch.decisions],
    "results": [receipt.result for receipt in receipts.results],
    "rewards": [record.reward for record in page.decisions],
    "flags": [(flag.key, flag.value) for flag in flags.flags],
    "problem": [isinstance(problem, ProblemDocument), problem.type_],
    "serves": finished.status.serves,
    "campaigns": [one.name for one in campaigns_list_all.sync(client=client).campaigns],
}))
"""


def test_a_generated_client(start: Callable[..., Server], tmp_path: Path) -> None:
    server = start(tmp_path / "data")
    described = tmp_path / "openapi.json"
    described.write_bytes(server.client().get("/openapi.json").content)
    config = tmp_path / "config.json"
    config.write_text('{"post_hooks": []}')
    target = tmp_path / "generated"
    words = ["--path", described, "--config", config, "--output-path", target, "--fail-on-warning"]
    made = subprocess.run(
        [GENERATOR / "openapi-python-client", "generate", *words], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stdout + made.stderr
    done = subprocess.run(
        [GENERATOR / "python", "-c", PROGRAM, server.url],
        cwd=target,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "delta": 0.05,
        "made": "page",
        "same": [True, False],
        "results": ["accepted", "accepted"],
        "rewards": [0.5],
        "flags": [["page", "now"]],
        "problem": [True, "urn:floorline:problem:unknown-campaign"],
        "serves": "video",
        "campaigns": ["page"],
    }
