"""The page on security says what the code does."""

from __future__ import annotations

from pathlib import Path

import pytest

from floorline.service.api.explain import MAX_REPLAYED_EVENTS
from floorline.service.config import Config
from floorline.service.host import descriptors, feed, pending
from floorline.service.http import limits
from floorline.service.http.connections import connection_count
from floorline.service.http.keys import SCOPES
from floorline.service.server import KEEP_ALIVE_SECONDS

resource = pytest.importorskip("resource", reason="there are no limits of resources here")

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "security.md").read_text()


def row(start: str) -> str:
    """The line of a table that begins so."""
    (line,) = (line for line in PAGE.splitlines() if line.startswith(f"| {start}"))
    return line


@pytest.mark.parametrize(
    ("start", "bounds"),
    [
        ("connections in total", [limits.MAX_CONNECTIONS]),
        ("connections from one address", [limits.MAX_CONNECTIONS_PER_ADDRESS]),
        ("request line and headers", [limits.MAX_HEADER_BYTES // 1024]),
        ("headers of a request", [limits.MAX_HEADERS]),
        ("time to receive them", [limits.HEADER_TIMEOUT_SECONDS]),
        ("time between requests", [KEEP_ALIVE_SECONDS]),
        ("body |", [limits.MAX_BODY_BYTES // 1024, limits.MAX_BATCH_BODY_BYTES // 1024**2]),
        ("time to receive a body", [limits.BODY_TIMEOUT_SECONDS]),
        ("a body that continues", [limits.HEADER_TIMEOUT_SECONDS]),
        ("decisions or rewards in a batch", [limits.MAX_BATCH]),
        ("requests a second", [Config.rate]),
        ("single decisions and rewards", [pending.MAX_PENDING]),
        ("decisions and rewards in batches", [pending.MAX_PENDING]),
        ("items in a page", [limits.MAX_PAGE]),
        ("events replayed", [MAX_REPLAYED_EVENTS]),
        ("live streams", [feed.MAX_LISTENERS]),
        ("open campaigns", [descriptors.MAX_OPEN_CAMPAIGNS]),
    ],
)
def test_bounds(start: str, bounds: list[float]) -> None:
    for bound in bounds:
        assert f" {bound:,.0f}" in row(start)


def test_connections_with_few_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 1024))
    assert f"({connection_count()._max_total} of 1,024)" in row("connections in total")


def test_scopes() -> None:
    assert all(row(f"`{scope}`") for scope in SCOPES)


def test_how_to_report_a_flaw_is_where_people_look() -> None:
    assert "To report a flaw" in (ROOT / "SECURITY.md").read_text()
    assert '--8<-- "SECURITY.md:report"' in PAGE
