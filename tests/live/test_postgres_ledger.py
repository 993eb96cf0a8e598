"""Ledgers in PostgreSQL: the fence, lost sessions, a lost server, and what is refused."""

import threading
import time
from contextlib import closing
from importlib import import_module

import pytest
from campaigns import Clock, new_campaign, play

from floorline.live import Campaign, DamagedLedger, LedgerError
from floorline.live.errors import OpenElsewhere
from floorline.live.events import Event
from floorline.live.ledgers import exists, open_ledger, read_ledger, salvage_opening
from floorline.live.verify import verify
from floorline.testing.ledgers import check_reader

REWARDS = {"now": [1], "video": [0], "quiz": [0]}


@pytest.fixture
def locator(database):
    return f"{database}/page"


@pytest.fixture
def sql(postgres, database):
    """Runs a statement in the test's database, as its administrator would."""
    return lambda statement: postgres.execute(database.rpartition("/")[2], statement)


def end_sessions(sql):
    sql(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )


def event(seq, kind="paused", key=None):
    return Event(seq, 1e9 + seq, "opened" if seq == 1 else kind, None, key, {})


def append(ledger, *seqs):
    for seq in seqs:
        ledger.append(event(seq))
    ledger.commit()


def test_a_reader_beside_the_writer(database):
    names = iter("abc")
    check_reader(
        lambda: open_ledger(f"{database}/{next(names)}"),
        lambda ledger: read_ledger(f"{database}/{ledger.locator.rpartition('/')[2]}"),
    )


def test_a_campaign_goes_on_where_it_was(locator):
    assert not exists(locator)
    with new_campaign(locator) as campaign:
        ticket = campaign.decide("key")
        play(campaign, REWARDS, 40)
        campaign.save_snapshot()
        state = campaign.state()
    assert exists(locator)
    with Campaign.open(locator) as campaign:
        assert campaign.state() == state
        assert campaign.decide("key") == ticket
        assert campaign.observe(ticket, 1.0) == "accepted"
    assert verify(locator).problems == []
    assert salvage_opening(locator)["settings"]["arms"] == ["now", "video", "quiz"]


def test_a_key_that_the_database_cannot_hold_fails_no_other_request(locator):
    with new_campaign(locator) as campaign:
        with campaign.transaction():
            campaign.look_up_keys(["no\0", "yes"])
            with pytest.raises(ValueError, match="request_key: must be a printable text"):
                campaign.decide("no\0")
            ticket = campaign.decide("yes")
        with pytest.raises(ValueError, match="request_key: must be a printable text"):
            campaign.erase(request_key="no\0")
        assert campaign.decide("yes") == ticket


def test_wrong_settings_leave_nothing_behind(locator):
    with pytest.raises(ValueError, match="max_loss"):
        new_campaign(locator, max_loss=2)
    assert not exists(locator)


def test_one_writer_at_a_time(locator):
    with closing(open_ledger(locator)), pytest.raises(OpenElsewhere, match="open elsewhere"):
        open_ledger(locator)
    open_ledger(locator).close()


# The fence.


def test_the_next_writer_need_not_wait_for_the_end_of_a_session(locator, monkeypatch):
    ledger = open_ledger(locator)
    session = ledger._db
    with closing(session), monkeypatch.context() as context:
        context.setattr(session, "close", lambda: None)
        ledger.close()
        open_ledger(locator).close()


def test_without_its_lock_a_writer_that_lost_its_turn_writes_nothing(locator):
    first = open_ledger(locator)
    append(first, 1, 2)
    first._db.execute("SELECT pg_advisory_unlock_all()")  # so that only the fence is left
    second = open_ledger(locator)
    append(second, 3)
    with pytest.raises(LedgerError, match="another process has written to it since event 2"):
        append(first, 3, 4)
    first.roll_back()
    assert [row[0] for row in first.page(0)] == [1, 2, 3]
    append(first, 4)
    with pytest.raises(LedgerError, match="since event 3"):
        append(second, 4)
    second.roll_back()
    append(second, 5)
    assert [found.seq for found, _ in second.checked_events(0, 0)] == [1, 2, 3, 4, 5]
    first.close()
    second.close()


def test_the_fence_holds_inside_a_transaction_too(locator):
    first = open_ledger(locator)
    append(first, 1, 2)
    first._db.execute("SELECT pg_advisory_unlock_all()")
    second = open_ledger(locator)
    append(second, 3)
    first.append(event(4))  # as if the events before it had been lost
    with pytest.raises(LedgerError, match="cannot follow event 2"):
        first.counts()
    first.roll_back()
    append(second, 4)
    first.append(event(4))
    with pytest.raises(LedgerError, match="duplicate key"):
        first.counts()  # a read writes what was appended before
    first.roll_back()
    assert [row[0] for row in first.page(0)] == [1, 2, 3, 4]
    first.close()
    second.close()


def test_a_writer_whose_session_was_ended_steps_back_for_another(locator, sql):
    zombie = open_ledger(locator)
    append(zombie, 1)
    end_sessions(sql)
    with closing(open_ledger(locator)) as owner:
        append(owner, 2)
        zombie.append(event(2))
        with pytest.raises(LedgerError):
            zombie.commit()
        for _ in range(2):  # and again, without the lock
            with pytest.raises(OpenElsewhere):
                zombie.roll_back()
    zombie.roll_back()
    append(zombie, 3)
    assert len(zombie.page(0)) == 3
    zombie.close()


def test_a_campaign_connects_again_by_itself(locator, sql):
    with new_campaign(locator) as campaign:
        first = campaign.decide("first")
        end_sessions(sql)
        with pytest.raises(LedgerError):
            campaign.decide("second")
        assert campaign.decide("first") == first
        assert campaign.decide("second").arm == "now"
    assert verify(locator).problems == []


def test_a_campaign_outlives_a_crash_of_the_database(postgres, locator):
    """And its windows stand still until the database is back."""
    clock = Clock()
    with new_campaign(locator, missing="zero", window=60, clock=clock) as campaign:
        told = [campaign.decide(f"key {number}") for number in range(20)]
        postgres.kill()
        try:
            with pytest.raises(LedgerError):
                campaign.decide()
            clock.now += 1800
            with pytest.raises(LedgerError, match="cannot be reached"):
                campaign.decide()
        finally:
            postgres.start()
        assert campaign.observe(told[0], 1.0) == "accepted"
        assert campaign.state()["outage"] == 1800
        assert [campaign.decide(f"key {number}") for number in range(20)] == told
    assert verify(locator).problems == []


def test_a_failover_that_lost_events_is_noticed(locator, sql):
    with new_campaign(locator) as campaign:
        play(campaign, REWARDS, 10)
        end_sessions(sql)
        sql("DELETE FROM floorline.events WHERE seq > 15")
        sql(
            'UPDATE floorline.marks SET (seq, "check") = '
            '(SELECT seq, "check" FROM floorline.events WHERE seq = 15)'
        )
        for _ in range(2):
            with pytest.raises(DamagedLedger, match="lost what it had committed"):
                campaign.decide()


def test_a_deleted_tail_is_noticed_at_the_opening(locator, sql):
    with new_campaign(locator) as campaign:
        play(campaign, REWARDS, 10)
    sql("DELETE FROM floorline.events WHERE seq > 15")
    with pytest.raises(LedgerError, match="the events here end at 15"):
        Campaign.open(locator)
    assert verify(locator).problems


# Sessions.


def test_the_time_is_the_databases(locator, sql, monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 0.0)
    ((before,),) = sql("SELECT extract(epoch FROM clock_timestamp())::float8")
    with new_campaign(locator) as campaign:
        campaign.decide()
        made = max(found.time for found in campaign.events())
    ((after,),) = sql("SELECT extract(epoch FROM clock_timestamp())::float8")
    assert before - 0.5 <= made <= after + 0.5


def test_a_time_that_cannot_be_read_leaves_no_session_and_no_lock_behind(locator, monkeypatch):
    ended = []
    with monkeypatch.context() as patch:
        patch.setattr("floorline.live.ledgers.postgres.TIME", "SELECT 1 / 0")
        # As if the database took a moment to notice the end of a session.
        session = "floorline.live.ledgers.postgres_connection.Connection"
        patch.setattr(f"{session}.close", lambda session: ended.append(session))
        with pytest.raises(LedgerError, match="division by zero"):
            open_ledger(locator)
    open_ledger(locator).close()
    (session,) = ended
    session.close()


def test_commits_wait_for_the_disk_whatever_the_database_says(locator, sql, database):
    sql(f"ALTER DATABASE {database.rpartition('/')[2]} SET synchronous_commit = off")
    with closing(open_ledger(locator)) as ledger:
        assert ledger._db.execute("SHOW synchronous_commit").fetchone() == ("on",)


def test_passwords_are_in_no_message(database, postgres):
    wrong = database.replace("floorline@", "floorline:hidden@").replace(str(postgres.port), "1")
    with pytest.raises(
        LedgerError, match=r"postgresql://floorline@127.0.0.1:1/test\d+: .*cannot"
    ) as error:
        open_ledger(f"{wrong}/page?connect_timeout=2")
    assert "hidden" not in str(error.value)


@pytest.mark.parametrize("words", ["", "/", "/page"])
def test_a_locator_names_a_database_and_a_campaign(words):
    with pytest.raises(LedgerError, match="HOST/DATABASE/CAMPAIGN"):
        open_ledger(f"postgresql://127.0.0.1:1{words}")


# The tables.


def test_many_may_make_the_tables_at_once(database):
    names, errors = ["a", "b", "c", "d", "same", "same"], []
    ready, opened = threading.Barrier(len(names)), []

    def run(name):
        ready.wait()
        try:
            opened.append(open_ledger(f"{database}/{name}"))
        except LedgerError as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [type(error) for error in errors] == [OpenElsewhere], errors
    assert len(opened) == 5
    for ledger in opened:
        append(ledger, 1)
        ledger.close()


def test_tables_of_a_newer_version_are_refused(locator, sql):
    open_ledger(locator).close()
    sql("UPDATE floorline.schema SET version = 99")
    for use in (open_ledger, read_ledger):
        with pytest.raises(LedgerError, match="newer version of Floorline"):
            use(locator)


def test_older_tables_are_migrated(locator, database, sql, floorline, monkeypatch):
    schema = import_module("floorline.live.ledgers.postgres_schema")
    with monkeypatch.context() as earlier:
        earlier.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        earlier.setattr(schema, "SCHEMA_VERSION", 1)
        with new_campaign(locator) as campaign:
            ticket = campaign.decide("key")
    with pytest.raises(LedgerError, match=r"has schema 1, .* run: floorline ledger migrate"):
        open_ledger(locator)
    assert "had version 1 and has version 4" in floorline("ledger", "migrate", database).stdout
    assert "had version 4 and has version 4" in floorline("ledger", "migrate", database).stdout
    with Campaign.open(locator) as campaign:
        assert campaign.decide("key") == ticket
    assert sql("SELECT count(*) FROM floorline.servers") == [(0,)]


def test_a_database_that_is_not_ours_is_not_read(database):
    with pytest.raises(LedgerError, match="no tables of Floorline"):
        read_ledger(f"{database}/page")
    with pytest.raises(LedgerError, match="no tables of Floorline"):
        import_module("floorline.live.ledgers.postgres_schema").migrate(database)
