"""Pages run in a folder of their own, and campaigns in them have an id that can be printed."""

import pytest


@pytest.fixture(autouse=True)
def page(tmp_path, monkeypatch):
    """Let each page run in a folder of its own, its campaigns with an id that does not change."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("floorline.live.opening.new_campaign_id", lambda: "5e1f0c7a92")
