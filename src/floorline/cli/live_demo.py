"""`floorline demo`: a landing page with alternatives, decided by a real service over HTTP."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from pathlib import Path

from rich.console import Console

import floorline.service.app  # noqa: F401 (fail now if the extra is missing, not in the service)
from floorline.cli.background import Background, direct
from floorline.cli.live_demo_seasons import play_seasons
from floorline.cli.live_demo_table import table_of
from floorline.cli.live_demo_visitors import (
    CAMPAIGN,
    LOST_SHARE,
    MAX_LOSS,
    MEAN_DELAY_SECONDS,
    RATES,
    WINDOW_SECONDS,
    Visitors,
    plain_ucb,
)
from floorline.cli.output_files import out_errors
from floorline.core.checks import whole
from floorline.core.words import counted

TESTED_SHARE = 0.8
"""Share of the visitors that come before the winner is declared."""
TERMINATED_EXIT_CODE = 143
"""The exit code of a program ended by SIGTERM."""

PATH = f"/v1/campaigns/{CAMPAIGN['name']}"


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
    console.print(
        f"That is enough here: finished with {best['name']!r}, which everybody else sees.\n"
    )


def _report(url: str, console: Console, out: Path) -> None:
    """Save the report, and print its address."""
    with direct.open(f"{url}{PATH}/report", timeout=60) as answer:
        page = answer.read()
    file = out / "demo-report.html"
    with out_errors(file):
        file.write_bytes(page)
    console.print(f"\n[bold]Report: {file.resolve().as_uri()}[/bold]")


def _leave(*_: object) -> None:
    """Exit, so that clean-up runs; in an event loop between two callbacks, not inside one."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        sys.exit(TERMINATED_EXIT_CODE)
    loop.call_soon_threadsafe(sys.exit, TERMINATED_EXIT_CODE)


def _introduction(url: str, visitors: int) -> str:
    default, *others = RATES
    delay, window = MEAN_DELAY_SECONDS, WINDOW_SECONDS
    return f"""[bold]Dashboard: {url}/[/bold]

A company has a landing page, {default!r}, and four alternatives:
{", ".join(others)}. At every moment, the expected clicks so far must be
at least {1 - MAX_LOSS:.0%} of what {default!r} alone would have brought.
{visitors:,} visitors come; each line is a tenth of them, with the pages that they saw. After
{TESTED_SHARE:.0%} of them the verdict is read, and everybody else sees the winner.
A click is reported after {delay:g} s on average; {LOST_SHARE:.0%} of clicks never are. No report
within {window:g} s counts as no click (missing="zero"), which is fair to all pages:
each loses the same share. The seconds stand for hours on a real page.
"""


def _notes(coming: Visitors) -> str:
    fallbacks = sum(decision.ticket is None for decision in coming.decisions.values())
    speed = len(coming.decisions) / coming.seconds
    return f"""
{speed:,.0f} decisions per second over HTTP, each durable before it was answered;
{counted(fallbacks, "visitor")} got the default without the service.
Revenue is the expected clicks on the pages shown; the floor is {1 - MAX_LOSS:.0%} of the
default's. Plain UCB gets the same visitors with the same draws, and sees
every click at once."""


def _browse(console: Console, service: Background) -> None:
    console.print(f"The service stays up: {service.url}/  (Ctrl-C ends it)")
    try:
        service.process.wait()
    except KeyboardInterrupt:
        console.print("ended")
