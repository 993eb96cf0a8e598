"""What tests in a real browser share: Debian's Chromium, driven by Playwright, and axe."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip(
        "no browser: the dashboard is not tested; install Debian's package chromium",
        allow_module_level=True,
    )
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")

expect = playwright.expect
expect.set_options(timeout=20_000)  # where many things run at once
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def ready(page: Any) -> Any:
    page.wait_for_selector("main[aria-busy=false]")
    return page


def violations(page: Any) -> list[str]:
    """What axe-core finds against the page, in short."""
    found = axe.Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]
