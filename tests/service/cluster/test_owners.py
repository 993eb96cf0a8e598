"""What servers tell each other by the database, without requests between them."""

from __future__ import annotations

import asyncio
from typing import Any

from floorline.live import Campaign
from floorline.service.host.cluster import Cluster
from floorline.service.host.database import Session

SEEN = "SELECT extract(epoch FROM seen)::double precision FROM floorline.servers WHERE server = %s"
AN_HOUR_AGO = "UPDATE floorline.servers SET seen = seen - interval '1 hour' WHERE server = %s"


def test_a_campaign_is_unserved_since_its_owner_was_last_heard_of(database: str) -> None:
    """Whether the owner is still listed or was expelled, but not after it gave the campaign up."""
    Campaign.open(f"{database}/page", arms=["now", "video"], max_loss=0.1).close()
    session = Session(database)

    async def look() -> None:
        dead, other = Cluster(Session(database)), Cluster(Session(database))
        for cluster in (dead, other):
            cluster._beat()

        async def unserved() -> Any:
            return await other.unserved_since("page")

        assert await unserved() is None
        await dead.claimed("page")
        ((seen,),) = session.run(SEEN, (dead.server,))
        assert await unserved() == seen
        assert await dead.unserved_since("page") is None  # which has it itself
        await dead.released("page")
        assert await unserved() is None

        await dead.claimed("page")
        session.run(AN_HOUR_AGO, (dead.server,))
        other._member_since = 0.0
        other._beat()
        assert not other.is_alive(dead.server)
        assert await unserved() == seen - 3600
        await other.claimed("page")
        assert await unserved() is None
        await other.released("page")
        assert await unserved() is None
        await other.stop()
        await dead.stop()

    try:
        asyncio.run(look())
    finally:
        session.close()


def test_refused_requests_of_all_servers_are_counted(database: str) -> None:
    Campaign.open(f"{database}/page", arms=["now", "video"], max_loss=0.1).close()

    async def count() -> list[int]:
        here, gone, new = (Cluster(Session(database)) for _ in range(3))
        for cluster in (here, gone):
            cluster._beat()
        await gone.count_refused(700)  # before anybody looked, which is not new
        totals = [await here.count_refused(5)]
        await gone.count_refused(710)
        totals.append(await here.count_refused(5))
        await gone.stop()
        new._beat()
        await new.count_refused(9)
        totals.append(await here.count_refused(6))
        assert set(here._refused) == {here.server, new.server}
        await here.stop()
        await new.stop()
        return totals

    assert asyncio.run(count()) == [5, 15, 16]
