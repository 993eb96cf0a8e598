"""A real browser: Debian's Chromium, driven by Playwright, and axe; importing skips without."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    pytest.skip(
        "no browser: what runs in one is not tested; install Debian's package chromium",
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


@contextmanager
def launch() -> Iterator[Any]:
    """A browser, closed at the end."""
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


def ready(page: Any) -> Any:
    """The page, once it has loaded what it shows."""
    page.wait_for_selector("main[aria-busy=false]")
    return page


def violations(page: Any) -> list[str]:
    """What axe-core finds against the page, in short."""
    found = axe.Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]
