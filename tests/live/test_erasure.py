"""Personal data can be erased from a ledger, and its checksums still show that it is whole."""

import hashlib
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from campaigns import Clock, new_campaign, replayed

from floorline.live import Campaign, Conflict, LedgerError
from floorline.live.events import BODY
from floorline.live.ledgers import read_ledger
from floorline.live.move import move
from floorline.live.verify import verify

PERSON = "ada.lovelace@example.com"


def visited(path, clock=None):
    """Return a campaign with five decisions, of which the second and third are personal."""
    campaign = new_campaign(path, clock=clock or Clock())
    campaign.observe(campaign.decide(), 1.0)
    campaign.observe(campaign.decide(PERSON), 1.0)
    campaign.decide(context={"mail": PERSON})
    campaign.decide("visit 4", context={"page": "home"})
    campaign.decide()
    return campaign


def test_one_person_is_erased_and_nothing_else(tmp_path):
    path = tmp_path / "c"
    with visited(path) as campaign:
        before = campaign.state()
        ticket = campaign.decide(PERSON)
        assert campaign.decide(PERSON) == ticket
        assert campaign.erase(request_key=PERSON) == 1
        assert campaign.erase(request_key=PERSON) == 0
        records = list(campaign.history())
        assert [record.request_key for record in records] == [None, None, None, "visit 4", None]
        assert [record.context for record in records][2:4] == [{"mail": PERSON}, {"page": "home"}]
        assert records[1].reward == 1.0
        assert campaign.state() == replayed(campaign) == {**before, **moved_on(campaign)}
        assert campaign.decide(PERSON) != ticket, "an erased key is a new request"
        assert campaign.erase(request_key=PERSON) == 1
    report = verify(str(path))
    assert (report.problems, report.erased) == ([], 2)


def moved_on(campaign):
    """Return the fields of a state that advance with every event."""
    state = campaign.state()
    return {"seq": state["seq"], "time": state["time"]}


def test_nothing_of_it_is_left_in_the_files(tmp_path):
    with visited(tmp_path / "c") as campaign:
        assert PERSON.encode() in everything(tmp_path)
        assert campaign.erase(before=Clock().now + 1) == 3
        assert PERSON.encode() not in everything(tmp_path), "not even in the log"
        assert "request keys and contexts of 3 decisions erased" in events(campaign)
    assert PERSON.encode() not in everything(tmp_path)
    assert verify(str(tmp_path / "c")).problems == []


def test_nothing_of_it_is_left_where_pages_were_split(tmp_path):
    """Keys in any order split the pages of their index, which then have copies in unused space."""
    clock = Clock()
    keys = [hashlib.sha256(bytes([i % 256, i // 256])).hexdigest() for i in range(2000)]
    with new_campaign(tmp_path / "c", clock=clock) as campaign:
        for start in range(0, len(keys), 100):
            clock.now += 1.0
            with campaign.transaction():
                for key in keys[start : start + 100]:
                    campaign.decide(key)
        assert campaign.erase(before=clock.now - 9.5) == 1000
        assert campaign.erase(request_key=keys[1500]) == 1
        files = everything(tmp_path)
    left = [key.encode() in files for key in keys]
    assert left == [False] * 1000 + [True] * 500 + [False] + [True] * 499


def everything(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


def events(campaign):
    from floorline.live.notes import words_of

    return [words_of(event.kind, event.body) for event in campaign.events()]


def test_only_what_is_older_is_erased():
    clock = Clock()
    campaign = visited(":memory:", clock)
    clock.now += 100.0
    campaign.decide("later")
    assert campaign.erase(before=clock.now) == 3
    assert [r.request_key for r in campaign.history()][-1] == "later"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE events SET key = 'eve@example.com' WHERE seq = 4",
        "UPDATE events SET body = replace(body, 'home', 'away') WHERE key = 'visit 4'",
        "UPDATE events SET key = NULL WHERE seq = 4",
        "UPDATE events SET body = substr(body, 1, instr(body, char(10)) - 1) WHERE seq = 4",
    ],
)
def test_personal_data_that_was_changed_is_damage(tmp_path, damage):
    visited(tmp_path / "c").close()
    assert verify(str(tmp_path / "c")).problems == []
    db = apsw.Connection(str(tmp_path / "c"))
    db.execute(damage)
    db.close()
    assert "is damaged or missing" in verify(str(tmp_path / "c")).problems[0]


def test_an_erasure_that_nobody_recorded_is_a_problem(tmp_path):
    visited(tmp_path / "c").close()
    db = apsw.Connection(str(tmp_path / "c"))
    db.execute(
        "UPDATE events SET key = NULL, body = substr(body, 1, instr(body, char(10)) - 1) "
        "WHERE key = 'visit 4'"
    )
    db.close()
    problems = verify(str(tmp_path / "c")).problems
    expected = "the request keys and contexts of 1 decision are gone, and those of 0 were erased"
    assert problems == [expected]


def test_a_ledger_of_before_says_that_it_cannot(tmp_path, monkeypatch):
    monkeypatch.setattr("floorline.live.opening.VERSION", 2)
    with visited(tmp_path / "c") as campaign:
        with pytest.raises(Conflict, match="has form 2, whose checksums cover request keys"):
            campaign.erase(request_key=PERSON)
        assert campaign.decide(PERSON).id
    with closing(read_ledger(str(tmp_path / "c"))) as ledger:
        assert all("\n" not in row[BODY] for row in ledger.page(0)), "it keeps its form"
    assert verify(str(tmp_path / "c")).problems == []


def test_what_to_erase_must_be_said():
    campaign = visited(":memory:")
    for given in ({}, {"request_key": "a", "before": 1.0}):
        with pytest.raises(ValueError, match="give one of them"):
            campaign.erase(**given)
    with pytest.raises(ValueError, match="before"):
        campaign.erase(before=-1.0)
    assert campaign.erase(request_key="nobody") == 0


def test_a_backend_that_cannot_erase_says_so(monkeypatch):
    from floorline.live.ledgers.interface import Ledger
    from floorline.live.ledgers.memory import MemoryLedger

    monkeypatch.setattr(MemoryLedger, "erase", Ledger.erase)
    campaign = visited(":memory:")
    with pytest.raises(LedgerError, match="cannot erase anything"):
        campaign.erase(request_key=PERSON)
    assert campaign.decide(PERSON).id, "and goes on"


def test_what_is_sealed_and_what_is_erased_can_be_moved(tmp_path):
    source, target = str(tmp_path / "c"), str(tmp_path / "moved")
    with visited(source) as campaign:
        campaign.erase(request_key=PERSON)
        before = list(campaign.history())
    move(source, target)
    with Campaign.open(target) as campaign:
        assert list(campaign.history()) == before
        assert campaign.decide("visit 4").id == before[3].ticket
        assert campaign.erase(request_key="visit 4") == 1
    report = verify(target)
    assert (report.problems, report.erased) == ([], 2)
