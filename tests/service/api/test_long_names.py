"""Arm names of the greatest length do not cover the numbers beside them, on any screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsing import expect, ready
from serving import Server

DEFAULT = "Der bisherige Auftritt mit dem blauen Bild und dem langen Text"
CHALLENGER = "Ein anderer Auftritt mit gelbem Bild und noch viel mehr Text"
FINDS_OVERLAPS = """() => {
    const ends = [...document.querySelectorAll("#arms svg text.strong")].map((name) =>
        [name.getBoundingClientRect().right, name.nextElementSibling.getBoundingClientRect().left]);
    return ends.filter(([right, left]) => right > left).length;
}"""


@pytest.mark.parametrize("width", [360, 1280])
def test_a_name_leaves_room_for_the_number_of_decisions(
    tmp_path: Path, look: Callable[..., Any], width: int
) -> None:
    server = Server(tmp_path / "data")
    try:
        arms = [DEFAULT, f"{CHALLENGER} 1", f"{CHALLENGER} 2", "quiz"]
        with server.client() as client:
            campaign = {"name": "page", "arms": arms, "max_loss": 0.1, "missing": "unknown"}
            client.post("/v1/campaigns", json=campaign)
        page = ready(look(f"{server.url}/campaigns/page", width=width))
        names = page.locator("#arms svg text.strong")
        expect(names).to_have_count(4)
        assert page.evaluate(FINDS_OVERLAPS) == 0
        shown = names.all_text_contents()
        assert shown[0].startswith("Der") and shown[0].endswith("(default)")
        assert [name[-1] for name in shown[1:3]] == ["1", "2"]  # they differ at their end
        assert shown[3] == "quiz"
    finally:
        server.end()
