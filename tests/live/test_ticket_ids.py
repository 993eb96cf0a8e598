"""Ticket ids are signed: nobody can guess those of others, and old ones stay valid."""

import hashlib
import hmac
import itertools
import logging
import re
import shutil
from pathlib import Path
from unittest import mock

import apsw
import pytest
from campaigns import Clock, new_campaign
from typer.testing import CliRunner

from floorline.cli.main import app
from floorline.live import Campaign, LedgerError, UnknownTicket, export
from floorline.live.events import UNSIGNED_IDS, VERSION
from floorline.live.ledgers import read_ledger
from floorline.live.ledgers.memory import MemoryLedger
from floorline.live.tickets import RECENT, TicketIds

FIRST_FORM = Path(__file__).parents[1] / "data" / "ledger-v1.sqlite"


def old_tag(time):
    """The formula of version 0.1."""
    return f"{int(time * 1000) & 0xFFFFFF:x}"


def test_the_tickets_before_and_after_do_not_tell_the_one_between():
    """All that an attacker knows: campaign, sequence number, and the time to a millisecond."""
    clock = Clock()
    campaign = new_campaign(clock=clock)
    before = campaign.decide()
    clock.now += 0.1
    secret = campaign.decide()
    clock.now += 0.2
    after = campaign.decide()
    name, seq, _ = secret.id.split("-")
    times = [1_000_000 + number / 1000 for number in range(301)]
    guesses = [old_tag(time) for time in times]
    guesses += [ticket.id.split("-")[2] for ticket in (before, after)]
    for guess in guesses:
        with pytest.raises(UnknownTicket):
            campaign.observe(f"{name}-{seq}-{guess}", 1.0)
    assert re.fullmatch("[0-9a-f]{16}", secret.id.split("-")[2])
    assert campaign.observe(secret.id, 1.0) == "accepted"


def test_tags_depend_on_secret_campaign_number_and_time(monkeypatch):
    monkeypatch.setattr("floorline.live.opening.new_campaign_id", lambda: "c0ffee")
    clock = Clock()
    one, other = new_campaign(clock=clock), new_campaign(clock=clock)
    tickets = [one.decide(), one.decide(), other.decide()]
    assert tickets[0].id.split("-")[:2] == tickets[2].id.split("-")[:2]
    assert len({ticket.id.split("-")[2] for ticket in tickets}) == 3
    with pytest.raises(UnknownTicket):
        one.observe(tickets[2], 1.0)


def test_a_tag_is_a_keyed_hash_of_campaign_number_and_time():
    """Rewards may arrive years later, so the formula of a version must never change."""
    secret = bytes(range(32))
    signed = b"c0ffee 7 1700000000.25"
    tags = [
        hashlib.blake2s(signed, key=secret, digest_size=8).hexdigest(),
        hmac.new(secret, signed, "sha256").hexdigest()[:16],
        hmac.new(secret, signed, "sha256").hexdigest()[:16],
    ]
    for version, tag in zip((VERSION, 3, 2), tags, strict=True):
        ids = TicketIds("c0ffee", secret, version)
        assert ids.name(7, 1_700_000_000.25) == f"c0ffee-7-{tag}"


@pytest.mark.parametrize("version", [2, 3])
def test_tickets_of_earlier_ledgers_that_are_signed_stay_valid(tmp_path, monkeypatch, version):
    monkeypatch.setattr("floorline.live.opening.VERSION", version)
    with new_campaign(tmp_path / "c") as campaign:
        ticket = campaign.decide()
        secret = bytes(campaign._ledger.secret)
        (made,) = campaign.history()
    monkeypatch.undo()
    with Campaign.open(tmp_path / "c") as campaign:
        signed = f"{campaign.id} 2 {made.time!r}".encode()
        assert ticket.id.split("-")[2] == hmac.new(secret, signed, "sha256").hexdigest()[:16]
        assert campaign.observe(ticket.id, 1.0) == "accepted"


def test_ids_that_are_remembered_no_longer_are_still_checked():
    ids = TicketIds("c0ffee", b"secret")
    names = [ids.issue(seq, 1.0) for seq in range(3 * RECENT)]
    assert ids.recall(names[0]) is None
    assert ids.recall(names[-RECENT]) == (2 * RECENT, 1.0)
    ids.check(names[0], 0, 1.0)
    with pytest.raises(UnknownTicket):
        ids.check(names[1], 0, 1.0)


def test_the_id_of_a_decision_that_was_rolled_back_is_unknown(monkeypatch):
    """Its sequence number is used again, at another time."""
    clock = Clock()
    campaign = new_campaign(clock=clock)
    monkeypatch.setattr(campaign._ledger, "commit", mock.Mock(side_effect=LedgerError("full")))
    with pytest.raises(LedgerError, match="full"), campaign.transaction():
        lost = campaign.decide()
    monkeypatch.undo()
    clock.now += 1
    assert campaign.decide().id.split("-")[1] == lost.id.split("-")[1]
    with pytest.raises(UnknownTicket):
        campaign.observe(lost, 1.0)


def test_an_id_is_the_same_wherever_it_is_shown(tmp_path):
    times = itertools.count(1e9, 1 / 3)
    with new_campaign(tmp_path / "c", clock=lambda: next(times)) as campaign:
        tickets = [campaign.decide(f"key {number}") for number in range(5)]
        campaign.observe(tickets[0], 1.0)
        shown = [ticket.id for ticket in tickets]
        assert [record.ticket for record in campaign.history()] == shown
        campaign.save_snapshot()
    reader = read_ledger(str(tmp_path / "c"))
    assert [record.ticket for record in export.decisions(reader)] == shown
    reader.close()
    with Campaign.open(tmp_path / "c", clock=lambda: next(times)) as campaign:
        assert [campaign.decide(f"key {number}").id for number in range(5)] == shown
        assert campaign.observe(shown[0], 1.0) == "duplicate"
        assert campaign.observe(shown[4], 1.0) == "accepted"
    words = ["ledger", "show", str(tmp_path / "c"), "--ticket", shown[2]]
    assert shown[2] in CliRunner().invoke(app, words).output


def test_tickets_of_ledgers_begun_before_stay_valid(tmp_path):
    path = shutil.copyfile(FIRST_FORM, tmp_path / "c")
    with Campaign.open(path) as campaign:
        for record in campaign.history():
            assert record.ticket.split("-")[2] == old_tag(record.time)
        ticket = campaign.decide()
        made = list(campaign.history())[-1]
        assert ticket.id.split("-")[2] == old_tag(made.time)
        assert campaign.observe(ticket.id, 0.0) == "accepted"


def test_a_ledger_with_a_secret_that_was_begun_unsigned_stays_unsigned(tmp_path, monkeypatch):
    monkeypatch.setattr("floorline.live.opening.VERSION", UNSIGNED_IDS)
    with new_campaign(tmp_path / "c", clock=Clock()) as campaign:
        ticket = campaign.decide()
        assert campaign._ledger.secret is not None
    monkeypatch.undo()
    assert ticket.id.split("-")[2] == old_tag(1_000_000.0)
    with Campaign.open(tmp_path / "c", clock=Clock()) as campaign:
        assert campaign.observe(ticket, 1.0) == "accepted"


def test_a_ledger_without_a_secret_has_unsigned_ids():
    class Plain(MemoryLedger):
        secret = None

    campaign = new_campaign(Plain(), clock=Clock())
    assert next(campaign.events()).body["version"] == UNSIGNED_IDS
    assert campaign.decide().id.split("-")[2] == old_tag(1_000_000.0)


@pytest.mark.parametrize(
    "damage",
    ["DELETE FROM secrets", "UPDATE secrets SET secret = zeroblob(32)", "DROP TABLE secrets"],
)
def test_a_signed_ledger_that_lost_its_secret_is_refused(tmp_path, damage):
    """With another secret every ticket would be unknown, and its reward be dropped in the end."""
    new_campaign(tmp_path / "c").close()
    db = apsw.Connection(str(tmp_path / "c"))
    db.execute(damage)
    db.close()
    with pytest.raises(LedgerError, match="its secret is damaged or gone"):
        Campaign.open(tmp_path / "c")


def test_the_secret_is_shown_nowhere(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    path = tmp_path / "c"
    with new_campaign(path) as campaign:
        ticket = campaign.decide("key")
        campaign.observe(ticket, 1.0)
        campaign.save_snapshot()
        secret = campaign._ledger.secret
        shown = [repr(vars(campaign)), repr(campaign._ids), repr(vars(campaign._recorder))]
        shown += map(repr, (campaign.state(), campaign.status(), *campaign.history()))
        shown += map(repr, campaign.events())
    for words in (
        ["export", str(path)],
        ["export", str(path), "--format", "jsonl", "--events"],
        ["show", str(path), "--ticket", ticket.id],
        ["show", str(path)],
        ["verify", str(path)],
    ):
        result = CliRunner().invoke(app, ["ledger", *words])
        assert result.exit_code == 0
        shown.append(result.output)
    shown.append(caplog.text)
    assert secret.hex() not in "".join(shown)
    assert repr(secret)[2:-1] not in "".join(shown)
