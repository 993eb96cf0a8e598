"""Ledgers that are deleted, replaced or given a second name while they are open."""

import os
import shutil

import pytest
from campaigns import new_campaign, replayed_file

from floorline.live import Campaign, LedgerError
from floorline.live.verify import verify


@pytest.fixture
def path(tmp_path):
    return tmp_path / "c"


def refuses(campaign, match, calls=5):
    """Nothing is acknowledged, by single calls or as a transaction, and what was there stays."""
    before = campaign.state()
    for _ in range(calls):
        with pytest.raises(LedgerError, match=match):
            campaign.decide()
    with pytest.raises(LedgerError, match=match), campaign.transaction():
        campaign.decide()
        campaign.decide()
    assert campaign.state() == before


def test_nothing_is_acknowledged_into_a_deleted_file(path):
    with new_campaign(path) as campaign:
        campaign.decide()
        path.rename(path.with_name("away"))
        refuses(campaign, "c: cannot be found: No such file or directory; it was not changed")
        path.with_name("away").rename(path)
        campaign.decide()
    assert verify(str(path)).decisions == 2


def test_nothing_is_acknowledged_into_a_file_that_another_has_replaced(path):
    with new_campaign(path) as campaign:
        campaign.decide()
        shutil.copyfile(path, path.with_name("copy"))
        os.replace(path.with_name("copy"), path)
        refuses(campaign, "another file has taken its place since it was opened; nothing was")


def test_a_ledger_with_two_names_is_refused(path):
    second = path.with_name("second")
    with new_campaign(path) as campaign:
        campaign.decide()
        before = campaign.state()
    os.link(path, second)
    for name in (path, second):
        with pytest.raises(LedgerError, match=r"has 2 names .hard links., under which"):
            Campaign.open(name)
    assert verify(str(path)).problems == []
    second.unlink()
    with Campaign.open(path) as campaign:
        assert campaign.state() == before


def test_a_second_name_for_an_open_ledger_stops_its_campaign_until_it_is_gone(path):
    second = path.with_name("second")
    with new_campaign(path) as campaign:
        campaign.decide()
        os.link(path, second)
        refuses(campaign, "has 2 names")
        second.unlink()
        campaign.decide()
        after = campaign.state()
    assert replayed_file(path) == after
