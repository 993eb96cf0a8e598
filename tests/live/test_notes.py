"""Notes, labels and the archive: recorded, replayed, and without any influence on decisions."""

import pytest

from floorline.live import Campaign
from floorline.live.verify import verify


def test_notes_survive(tmp_path):
    path = str(tmp_path / "page.ledger")
    with Campaign.open(path, arms=["now", "b"], max_loss=0.1, seed=1) as campaign:
        campaign.note("  the price list changed ")
        campaign.label(["web", " web ", "autumn"])
        campaign.archive()
        campaign.archive()
        campaign.decide()
        campaign.save_snapshot()
    with Campaign.open(path) as again:
        status = again.status()
        noted = [event.body for event in again.events() if event.kind == "noted"]
    assert (status.labels, status.archived, status.decisions) == (["web", "autumn"], True, 1)
    assert noted == [
        {"text": "the price list changed"},
        {"labels": ["web", "autumn"]},
        {"archived": True},
    ]
    assert verify(path).problems == []


@pytest.mark.parametrize("text", ["", "  ", "two\nlines", "x" * 501, 7])
def test_a_note_is_a_line(text):
    with (
        Campaign.open(":memory:", arms=["now", "b"], max_loss=0.1) as campaign,
        pytest.raises(ValueError, match="text: must be one line of 1 to 500 characters"),
    ):
        campaign.note(text)


@pytest.mark.parametrize("labels", ["web", [""], ["  "], ["x" * 41], ["a\nb"], ["a"] * 21, [1]])
def test_labels_are_short_texts(labels):
    with (
        Campaign.open(":memory:", arms=["now", "b"], max_loss=0.1) as campaign,
        pytest.raises(ValueError, match="labels: must be"),
    ):
        campaign.label(labels)
