"""`floorline demo`: a landing page with alternatives, decided by a real service over HTTP."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import floorline.service.app  # noqa: F401 (better to miss the extra now than in the service)
from floorline.cli.background import Background, direct
from floorline.cli.live_demo_seasons import play_seasons
from floorline.cli.live_demo_table import Visits, table_of
from floorline.client import AsyncClient, Decision
from floorline.core.checks import whole
from floorline.core.records import Counts, Floats
from floorline.core.words import counted
from floorline.environments import Bernoulli
from floorline.policy import Policy
from floorline.proposers import classical_ucb
from floorline.simulation.engines.cpu import stream
from floorline.simulation.stepping import step_through

RATES = {"current": 0.10, "short": 0.15, "video": 0.04, "quiz": 0.03, "chatbot": 0.01}
"""Clicks per visitor, by page. Only the demo knows them; the service must learn them."""

MAX_LOSS = 0.1
WINDOW_SECONDS = 1.0
"""Time after which a visitor counts as not clicking; for a real page it would be hours."""
MEAN_DELAY_SECONDS = 0.2
"""Mean time until a click is reported."""
LOST_SHARE = 0.02
"""Share of the clicks that are never reported."""
TESTED_SHARE = 0.8
"""Share of the visitors that come before the winner is declared."""
WORKERS = 16
TIMEOUT_SECONDS = 2.0
"""Timeout of a decision: long, since the visitors share the machine with the service."""
TERMINATED_EXIT_CODE = 143
"""The exit code of a program ended by SIGTERM."""

CAMPAIGN = {
    "name": "landing-page",
    "arms": list(RATES),
    "max_loss": MAX_LOSS,
    "missing": "zero",
    "window": WINDOW_SECONDS,
    "unit": "clicks",
}
PATH = f"/v1/campaigns/{CAMPAIGN['name']}"


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


def live_demo(visitors: int, seed: int, out: Path) -> None:
    """Run the demo from opening to report; with a terminal, keep the service up for browsing."""
    coming = Visitors.draw(whole("visitors", visitors, 1), whole("seed", seed, 0))
    console = Console(highlight=False, soft_wrap=True)
    signal.signal(signal.SIGTERM, _leave)  # else the service and its folder would be left behind
    with (
        tempfile.TemporaryDirectory(prefix="floorline-demo-") as folder,
        Background(Path(folder) / "data", 8400, 0) as service,
    ):
        service.send("/v1/campaigns", CAMPAIGN)
        console.print(_introduction(service.url, visitors))
        tested = max(1, int(TESTED_SHARE * visitors))
        asyncio.run(coming.visit(service.url, console, tested))
        _finish(service, console, tested)
        asyncio.run(coming.visit(service.url, console, visitors))
        console.print(table_of(coming.visits(), plain_ucb(coming.draws, seed), RATES, MAX_LOSS))
        console.print(_notes(coming))
        play_seasons(service, console, visitors, seed)
        _report(service.url, console, out)
        if sys.stdout.isatty() and os.environ.get("CI", "").lower() not in ("1", "true"):
            _browse(console, service)


def _finish(service: Background, console: Console, visitors: int) -> None:
    """Read the verdict, and finish with a page that is surely better, if there is one."""
    status = service.send(PATH)["status"]
    console.print(f"\n{status['headline']}\n{status['verdict']}.")
    default, *others = status["arms"]
    best = max(others, key=lambda arm: float(arm["lower"]))
    if best["lower"] <= default["upper"]:
        console.print(
            "No page is surely better than the current one yet, so the campaign goes on.\n"
        )
        return
    note = f"Surely better after {visitors:,} visitors: finished"
    service.send(f"{PATH}/notes", {"text": note})
    service.send(f"{PATH}/finish", {"arm": best["name"]})
    console.print(f"Finished with {best['name']!r}: everybody else sees it.\n")


def _report(url: str, console: Console, out: Path) -> None:
    """Save the report, and print its address."""
    with direct.open(f"{url}{PATH}/report", timeout=60) as answer:
        page = answer.read()
    file = out / "demo-report.html"
    try:
        out.mkdir(parents=True, exist_ok=True)
        file.write_bytes(page)
    except OSError as error:
        raise ValueError(f"out: cannot write {file}: {error.strerror}") from None
    console.print(f"\n[bold]Report: {file.resolve().as_uri()}[/bold]")


def _leave(*_: object) -> None:
    """Exit, so that clean-up runs; in an event loop between two callbacks, not inside one."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        sys.exit(TERMINATED_EXIT_CODE)
    loop.call_soon_threadsafe(sys.exit, TERMINATED_EXIT_CODE)


def plain_ucb(draws: Floats, seed: int) -> Visits:
    """Return what UCB without a floor shows the same visitors, if it sees every click at once."""
    trace = step_through(
        Policy(classical_ucb(0.5)), Bernoulli(list(RATES.values())), horizon=len(draws), seed=seed
    )
    arms: Counts = trace.arm
    return Visits(arms, draws)


def _introduction(url: str, visitors: int) -> str:
    default, *others = RATES
    delay, window = MEAN_DELAY_SECONDS, WINDOW_SECONDS
    return f"""[bold]Dashboard: {url}/[/bold]

A company has a landing page, {default!r}, and four alternatives:
{", ".join(others)}. At every moment, the clicks to be expected so
far shall be at least {1 - MAX_LOSS:.0%} of those that {default!r} alone would have brought.
{visitors:,} visitors come; each tenth is a line, with the pages that it saw. After
{TESTED_SHARE:.0%} of them the verdict is read, and the winner is served to the others.
A click is reported after {delay:g} s on average; {LOST_SHARE:.0%} of clicks never are. Silence
for {window:g} s means no click (missing="zero"): that is what clicks are, and lost
ones are lost on all pages alike. Seconds stand for the hours of a real page.
"""


def _notes(coming: Visitors) -> str:
    fallbacks = sum(decision.ticket is None for decision in coming.decisions.values())
    speed = len(coming.decisions) / coming.seconds
    return f"""
{speed:,.0f} decisions per second over HTTP, each durable before it was answered;
{counted(fallbacks, "visitor")} got the default without the service.
Revenue is the clicks to be expected from the pages shown; the floor is {1 - MAX_LOSS:.0%} of
the default's. Plain UCB has the same visitors with the same draws, and sees
every click at once."""


def _browse(console: Console, service: Background) -> None:
    console.print(f"The service stays up: {service.url}/  (Ctrl-C ends it)")
    try:
        service.process.wait()
    except KeyboardInterrupt:
        console.print("ended")
