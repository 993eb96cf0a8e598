"""A browser, and pages in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from browsing import launch  # which skips where there is none

    with launch() as browser:
        yield browser


@pytest.fixture
def look(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens pages, and sees to it that none has an error or asks another host."""
    contexts: list[Any] = []
    wrong: list[str] = []

    def note(message: Any) -> None:
        # The browser itself reports an answer that is no success; the page says so in words.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            wrong.append(message.text)

    def open_page(url: str, width: int = 1280, scheme: str = "light") -> Any:
        size = {"width": width, "height": 800}
        contexts.append(browser.new_context(viewport=size, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.set_default_timeout(20_000)
        page.on("console", note)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: hosts.add(urlsplit(asked.url).hostname))
        page.goto(url)
        return page

    hosts: set[str | None] = set()
    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []
    assert hosts <= {"127.0.0.1", None}  # None: an export saved from memory
