"""The visitors of `floorline demo`, and what plain UCB would have shown them."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rich.console import Console

from floorline.cli.live_demo_table import Visits
from floorline.client import AsyncClient, Decision
from floorline.core.records import Counts, Floats
from floorline.environments import Bernoulli
from floorline.policy import Policy
from floorline.proposers import classical_ucb
from floorline.simulation.engines.cpu import stream
from floorline.simulation.stepping import step_through

RATES = {"current": 0.10, "photo": 0.15, "video": 0.04, "quiz": 0.03, "chatbot": 0.01}
"""Clicks per visitor, by page. Only the demo knows them; the service must learn them."""

MAX_LOSS = 0.1

WINDOW_SECONDS = 1.0
"""Time after which a visitor counts as not clicking; for a real page it would be hours."""

MEAN_DELAY_SECONDS = 0.2
"""Mean delay between a click and its report."""

LOST_SHARE = 0.02
"""The share of clicks that are never reported."""

WORKERS = 16

TIMEOUT_SECONDS = 2.0
"""Timeout of a decision: long, because the visitors share the machine with the service."""

CAMPAIGN = {
    "name": "landing-page",
    "arms": list(RATES),
    "max_loss": MAX_LOSS,
    "missing": "zero",
    "window": WINDOW_SECONDS,
    "unit": "clicks",
}


@dataclass
class Visitors:
    """Visitors, each with a uniform draw that does not depend on the page shown."""

    draws: Floats
    """A visitor clicks if the draw is below the page's rate."""
    delay: Floats
    lost: Any
    decisions: dict[int, Decision] = field(default_factory=dict)
    seconds: float = 0.0

    @classmethod
    def draw(cls, count: int, seed: int) -> Visitors:
        """Return visitors with the draws of run 0 of a simulation with this seed."""
        others = np.random.default_rng([seed, 1])
        return cls(
            stream(seed, 0).random(count),
            others.exponential(MEAN_DELAY_SECONDS, count),
            others.random(count) < LOST_SHARE,
        )

    async def visit(self, url: str, console: Console, until: int) -> None:
        """Send visitors up to number `until`, some at a time; report their clicks after a delay."""
        loop = asyncio.get_running_loop()
        start = time.monotonic()
        before = len(self.decisions)
        tenth = max(1, len(self.draws) // 10)
        coming = iter(range(before, until))
        clicks: list[asyncio.TimerHandle] = []

        async def work() -> None:
            for visitor in coming:
                decision = await client.decide(str(CAMPAIGN["name"]))
                self.decisions[visitor] = decision
                if self.draws[visitor] < RATES[decision.arm] and not self.lost[visitor]:
                    click = loop.call_later(
                        self.delay[visitor], client.reward, decision.ticket, 1.0
                    )
                    clicks.append(click)
                if len(self.decisions) % tenth == 0:
                    speed = (len(self.decisions) - before) / (time.monotonic() - start)
                    console.print(self._progress(speed))

        default = str(next(iter(RATES)))
        async with AsyncClient(
            url,
            defaults={str(CAMPAIGN["name"]): default},
            timeout=TIMEOUT_SECONDS,
            connections=WORKERS,
        ) as client:
            try:
                await asyncio.gather(*(work() for _ in range(WORKERS)))
                self.seconds += time.monotonic() - start
                console.print("waiting for the last clicks ...")
                await asyncio.sleep(WINDOW_SECONDS)
            finally:
                for click in clicks:
                    click.cancel()

    def _progress(self, speed: float) -> str:
        done = len(self.decisions)
        latest = list(self.decisions.values())[-len(self.draws) // 10 :]
        recent = [decision.arm for decision in latest]
        shares = ", ".join(f"{name} {recent.count(name) / len(recent):.0%}" for name in RATES)
        return f"{done:>7,} visitors, {speed:,.0f}/s: {shares}"

    def visits(self) -> Visits:
        """Return what each visitor saw, in the order of the service's decisions.

        Visitors for whom the client fell back to the default are not decisions of the service.
        """
        order = sorted(
            (int(decision.ticket.split("-")[1]), list(RATES).index(decision.arm), visitor)
            for visitor, decision in self.decisions.items()
            if decision.ticket is not None
        )
        arms = np.array([arm for _, arm, _ in order])
        return Visits(arms, self.draws[[visitor for *_, visitor in order]])


def plain_ucb(draws: Floats, seed: int) -> Visits:
    """Return what UCB without a floor shows the same visitors, if it sees every click at once."""
    trace = step_through(
        Policy(classical_ucb(0.5)), Bernoulli(list(RATES.values())), horizon=len(draws), seed=seed
    )
    arms: Counts = trace.arm
    return Visits(arms, draws)
