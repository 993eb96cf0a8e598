"""A campaign as people use one in a notebook."""

from __future__ import annotations

from pathlib import Path

import pytest

import floorline
from floorline.live import Campaign
from floorline.live.verify import verify

PAGE = {"arms": ["now", "video"], "max_loss": 0.1, "missing": "zero"}


def opened(**settings: object) -> Campaign:
    return Campaign.open(":memory:", **{**PAGE, "window": "30m", "seed": 1, **settings})


@pytest.mark.parametrize(
    ("window", "seconds"), [("30m", 1800), ("1.5 h", 5400), ("45s", 45), ("7d", 604_800), (60, 60)]
)
def test_a_window_may_be_a_text(window: float | str, seconds: float) -> None:
    assert opened(window=window).settings.window == seconds


@pytest.mark.parametrize("window", ["30", "m", "30 min", "-5m", "0s"])
def test_other_texts_are_refused(window: str) -> None:
    with pytest.raises(ValueError, match="window: must be"):
        opened(window=window)


def test_one_is_not_many(tmp_path: Path) -> None:
    with Campaign.open(tmp_path / "page", arms=["now", "video"], max_loss=0.1) as campaign:
        campaign.decide()
        assert "1 decision, 1 waiting for a reward" in repr(campaign.status())
    assert verify(str(tmp_path / "page")).contents == "2 events, 1 decision, 0 rewards, 0 snapshots"


def test_true_and_false_are_rewards() -> None:
    campaign = opened()
    tickets = [campaign.decide() for _ in range(2)]
    assert [campaign.observe(tickets[0], True), campaign.observe(tickets[1], False)] == [
        "accepted",
        "accepted",
    ]
    assert [record.reward for record in campaign.history()] == [1.0, 0.0]
    assert "2 decisions, 0 waiting" in repr(campaign.status())
    assert campaign.observe(tickets[0], 1.0) == "duplicate"


def test_a_reward_before_its_ticket_is_said_to_be_swapped() -> None:
    campaign = opened()
    with pytest.raises(ValueError, match=r"ticket: must come before the reward, not 1\.0 before"):
        campaign.observe(1.0, campaign.decide())
    assert [record.reward for record in campaign.history()] == [None]


def test_a_status_shows_what_is_known_of_each_arm() -> None:
    campaign = opened()
    campaign.observe(campaign.decide(), 1)
    status = campaign.status()
    text, html = repr(status), status._repr_html_()
    for shown in (status.id, status.verdict, status.headline, "video", "1 decision"):
        assert shown in text
    assert html.count("<tr>") == 3 and "<td>video</td>" in html


def test_packages_for_users_need_no_import_of_their_own() -> None:
    assert floorline.live.Campaign is Campaign
    assert {"live", "client", "testing", "theory"} <= set(dir(floorline))
