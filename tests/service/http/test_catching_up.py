"""A client that catches up on rewards does not keep others from getting decisions."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from serving import PAGE

from floorline.service.app import Service
from floorline.service.config import Config
from floorline.service.host import pending

SENDERS = 4
DECISIONS = 20


def test_batches_do_not_starve_decisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rewards come faster than they are recorded: some are refused, and not one decision is."""
    monkeypatch.setattr(pending, "MAX_PENDING", 200)
    service = Service(Config(tmp_path, create=True))

    async def catch_up() -> tuple[list[int], list[Any]]:
        transport = httpx.ASGITransport(app=service)
        async with (
            service._run(service),
            httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client,
        ):
            await client.post("/v1/campaigns", json=PAGE)
            path = "/v1/campaigns/page/decisions"
            many = {"requests": [{}] * 300}
            made = (await client.post(path, json=many)).json()["decisions"]
            rewards = {"rewards": [{"ticket": one["ticket"], "reward": 1} for one in made]}
            results: list[Any] = []
            decided = asyncio.Event()

            async def send() -> None:
                while not decided.is_set():
                    results.extend(
                        (await client.post("/v1/rewards", json=rewards)).json()["results"]
                    )

            senders = [asyncio.create_task(send()) for _ in range(SENDERS)]
            statuses = [(await client.post(path)).status_code for _ in range(DECISIONS)]
            decided.set()
            await asyncio.gather(*senders)
            return statuses, results

    statuses, results = asyncio.run(catch_up())
    assert statuses == [200] * DECISIONS
    refused = [result["problem"]["status"] for result in results if "problem" in result]
    assert set(refused) == {503}
    assert len(refused) < len(results)
