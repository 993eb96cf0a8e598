"""Campaigns that move to another ledger: everything arrives, and tickets stay valid."""

import shutil
from pathlib import Path

import pytest
from campaigns import new_campaign, play

from floorline.core import file_locks
from floorline.live import Campaign, LedgerError, UnknownTicket
from floorline.live.ledgers import exists, open_ledger, read_ledger
from floorline.live.move import move
from floorline.live.verify import verify

REWARDS = {"now": [1], "video": [0], "quiz": [0]}
FIRST_FORM = Path(__file__).parents[1] / "data" / "ledger-v1.sqlite"


@pytest.fixture(params=["sqlite to sqlite", "sqlite to postgresql", "postgresql to sqlite"])
def ways(request, tmp_path):
    """A source and a target, which do not exist yet."""
    kinds = request.param.split(" to ")
    folders = {"sqlite": tmp_path}
    if "postgresql" in kinds:
        folders["postgresql"] = request.getfixturevalue("database")
    return [f"{folders[kind]}/{name}" for kind, name in zip(kinds, ("page", "copy"), strict=True)]


def fill(locator):
    """Return the state and the last ticket of a campaign of some decisions."""
    with new_campaign(locator) as campaign:
        play(campaign, REWARDS, 30)
        campaign.save_snapshot()
        play(campaign, REWARDS, 10)
        ticket = campaign.decide("last")
        return campaign.state(), ticket


def test_everything_arrives(ways):
    source, target = ways
    state, ticket = fill(source)
    moved = move(source, target)
    assert moved.events == state["seq"]
    assert not exists(source)
    before, after = read_ledger(moved.kept_as), read_ledger(target)
    assert after.page(0) == before.page(0)
    assert after.snapshots() == before.snapshots() != []
    assert after.secret == before.secret
    before.close()
    after.close()
    with Campaign.open(target) as campaign:
        assert campaign.state() == state
        assert campaign.decide("last") == ticket
        assert campaign.observe(ticket, 1.0) == "accepted"
        with pytest.raises(UnknownTicket):
            campaign.observe(ticket.id[:-1] + ("0" if ticket.id[-1] != "0" else "1"), 1.0)
    assert verify(moved.kept_as).problems == []


def test_there_and_back(tmp_path, database):
    state, ticket = fill(str(tmp_path / "page"))
    move(str(tmp_path / "page"), f"{database}/page")
    first = move(f"{database}/page", str(tmp_path / "page"))
    move(str(tmp_path / "page"), f"{database}/page")
    second = move(f"{database}/page", str(tmp_path / "page"))
    assert first.kept_as != second.kept_as
    with pytest.raises(LedgerError, match="was moved"):
        open_ledger(f"{database}/{first.kept_as.rpartition('/')[2]}")
    with Campaign.open(tmp_path / "page") as campaign:
        assert campaign.state() == state
        assert campaign.observe(ticket, 1.0) == "accepted"


def test_what_is_moved_away_can_be_read_however_long_its_name(tmp_path, database):
    source = f"{database}/{'x' * 64}"
    fill(source)
    moved = move(source, str(tmp_path / "page"))
    assert verify(moved.kept_as).problems == []


def test_what_was_interrupted_can_be_done_again(ways):
    source, target = ways
    state, _ = fill(source)
    open_ledger(target).close()  # interrupted before the transaction
    kept = move(source, target).kept_as
    if "://" not in kept:  # interrupted after the transaction
        shutil.copyfile(kept, source)
        assert move(source, target).events == state["seq"]
        assert not exists(source)


def test_nothing_is_overwritten(ways):
    source, target = ways
    state, _ = fill(source)
    fill(target)
    with pytest.raises(LedgerError, match="holds something else"):
        move(source, target)
    with Campaign.open(source) as campaign:
        assert campaign.state() == state


def test_a_running_campaign_is_not_moved(ways):
    source, target = ways
    if file_locks.fcntl is None and not source.startswith("postgresql"):
        pytest.skip("there are no locks of files here")
    with new_campaign(source) as campaign:
        with pytest.raises(LedgerError, match="open elsewhere"):
            move(source, target)
        campaign.decide()
    assert not exists(target)


def test_nothing_is_no_ledger(ways):
    with pytest.raises(LedgerError, match="no such ledger"):
        move(*ways)
    assert not any(map(exists, ways))


def test_a_file_of_the_first_form_has_no_secret_to_move(tmp_path, database):
    path = shutil.copyfile(FIRST_FORM, tmp_path / "old")
    with Campaign.open(path) as campaign:
        state, tickets = campaign.state(), [record.ticket for record in campaign.history()]
    move(str(path), f"{database}/old")
    with Campaign.open(f"{database}/old") as campaign:
        assert campaign.state() == state
        assert [record.ticket for record in campaign.history()] == tickets


def test_the_command(tmp_path, database, floorline):
    source, target = str(tmp_path / "page"), f"{database}/page"
    fill(source)
    result = floorline("ledger", "move", source, target)
    assert (result.returncode, result.stderr) == (0, "")
    assert f"read-only: {source}-moved" in result.stdout
    assert floorline("ledger", "verify", target).returncode == 0
    assert "campaign" in floorline("ledger", "show", target).stdout
    lines = floorline("ledger", "export", target, "--format", "jsonl", "--events").stdout
    assert len(lines.splitlines()) == sum(read_counts(target).values())
    assert floorline("ledger", "migrate", database).returncode == 0
    refused = floorline("ledger", "move", source, target)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


def read_counts(locator):
    reader = read_ledger(locator)
    try:
        return reader.counts()
    finally:
        reader.close()
