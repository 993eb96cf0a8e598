"""A failover to a standby: nothing is lost if it is a synchronous one, and else it is noticed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

pytest.importorskip("psycopg", reason="the extra [postgres] is not installed")

from campaigns import new_campaign
from postgresql_server import PostgresPair, programs

from floorline.live import Campaign, DamagedLedger, LedgerError
from floorline.live.verify import verify


@pytest.fixture
def pair() -> Iterator[PostgresPair]:
    folder = programs()
    if folder is None:
        pytest.skip("no PostgreSQL server here: apt-get install postgresql")
    found = PostgresPair(folder)
    yield found
    found.delete()


def decide_until_it_fails(campaign: Campaign, acknowledged: list[str]) -> None:
    try:
        while True:
            ticket = campaign.decide(f"key {len(acknowledged)}")
            acknowledged.append(ticket.id)
    except LedgerError:  # the primary is gone
        pass


def test_a_synchronous_standby_loses_nothing(pair: PostgresPair) -> None:
    pair.wait_for_standby_at_each_commit()
    acknowledged: list[str] = []
    with new_campaign(pair.locator("page")) as campaign:
        visitor = threading.Thread(target=decide_until_it_fails, args=(campaign, acknowledged))
        visitor.start()
        while len(acknowledged) < 50:
            visitor.join(0.01)
        pair.fail_over()
        visitor.join()
        again = [campaign.decide(f"key {number}").id for number in range(len(acknowledged))]
        campaign.decide()
        assert again == acknowledged
    assert verify(pair.locator("page")).problems == []


@pytest.mark.soak
def test_a_standby_that_lags_behind_is_noticed(
    pair: PostgresPair, wait_until: Callable[[Callable[[], bool]], None]
) -> None:
    with new_campaign(pair.locator("page")) as campaign:
        campaign.decide()
        query = "SELECT pid FROM pg_stat_replication WHERE pg_current_wal_lsn() = replay_lsn"
        wait_until(lambda: bool(pair.primary.execute("postgres", query)))
        ((sender,),) = pair.primary.execute("postgres", "SELECT pid FROM pg_stat_replication")
        os.kill(sender, signal.SIGSTOP)  # nothing more reaches the standby
        try:
            campaign.decide()
            pair.fail_over()
        finally:
            with suppress(ProcessLookupError):  # it ended with the primary
                os.kill(sender, signal.SIGCONT)
        with pytest.raises(LedgerError):
            campaign.decide()
        with pytest.raises(DamagedLedger, match="a standby that lagged behind"):
            campaign.decide()
