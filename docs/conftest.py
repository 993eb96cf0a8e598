"""Pages run in a folder of their own; their campaigns have ids that can be printed."""

import pytest

from floorline import BOUNDARIES
from floorline.live import Campaign


@pytest.fixture(autouse=True)
def page(tmp_path, monkeypatch):
    """Let each page run in a folder of its own, with ids that do not change."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("floorline.live.opening.new_campaign_id", lambda: "5e1f0c7a92")
    for kind in ("memory", "sqlite"):
        monkeypatch.setattr(f"floorline.live.ledgers.{kind}.new_secret", lambda: bytes(32))
    monkeypatch.setitem(Campaign.open.__func__.__kwdefaults__, "clock", lambda: 1.8e9)
    registered = dict(BOUNDARIES)
    yield
    BOUNDARIES.clear()  # of what the page has added
    BOUNDARIES.update(registered)
