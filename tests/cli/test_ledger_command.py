"""`floorline ledger` through the program's own entry, in this process."""

import csv
import io
import json
import sys

import pytest
from msgspec.structs import asdict

pytest.importorskip("apsw")

import apsw

from floorline.cli.main import main
from floorline.live import Campaign, snapshot_writer

ARMS = ["now", "video", "quiz"]


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs the program on some words: exit code, output, errors."""

    def call(*words):
        monkeypatch.setattr(sys, "argv", ["floorline", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        found = capsys.readouterr()
        return ended.value.code or 0, found.out, found.err

    return call


@pytest.fixture
def ledger(tmp_path, monkeypatch):
    """A campaign of 40 decisions, of which one is voided and the last 5 wait for a reward."""
    monkeypatch.setattr(snapshot_writer, "SNAPSHOT_EVERY", 30)
    path = tmp_path / "c"
    with Campaign.open(path, arms=ARMS, max_loss=0.3, holdback=0.0, seed=1) as campaign:
        tickets = [campaign.decide(f"key {number}", "video") for number in range(40)]
        challengers = [ticket for ticket in tickets if not ticket.is_default]
        campaign.void(challengers[0])
        for ticket in tickets[:35]:
            if ticket != challengers[0]:
                campaign.observe(ticket, 0.5)
    return path


@pytest.fixture
def records(ledger):
    with Campaign.open(ledger) as campaign:
        return list(campaign.history())


def test_verify_says_what_it_found(run, ledger):
    code, out, _ = run("ledger", "verify", ledger)
    assert code == 0
    assert "76 events, 40 decisions, 34 rewards, 1 snapshot\n" in out
    assert "every decision for a challenger was affordable" in out


def test_verify_names_problems_and_ends_with_1(run, ledger):
    db = apsw.Connection(str(ledger))
    db.execute("UPDATE snapshots SET state = x'00'")
    db.close()
    code, out, _ = run("ledger", "verify", ledger)
    assert code == 1
    assert out.count("problem: snapshot after event") == 1
    assert "affordable" not in out
    db = apsw.Connection(str(ledger))
    db.execute("UPDATE events SET body = '{}' WHERE seq = 9")
    db.close()
    code, out, _ = run("ledger", "verify", ledger)
    assert code == 1
    assert "event 9 is damaged or missing" in out


def test_what_cannot_be_read_is_one_line_and_ends_with_2(run, ledger, tmp_path):
    (tmp_path / "text").write_text("hello " * 500)
    (tmp_path / "empty").write_text("")
    for command in ("verify", "export", "show"):
        for name, message in (
            ("none", "there is no such file"),
            ("text", "is not a ledger"),
            ("empty", "is not a ledger"),
        ):
            code, out, errors = run("ledger", command, tmp_path / name)
            assert (code, out) == (2, "")
            assert message in errors
            assert len(errors.splitlines()) == 1
    assert (tmp_path / "empty").read_text() == ""
    assert not (tmp_path / "none").exists()


def test_export_as_csv(run, ledger, records):
    code, out, _ = run("ledger", "export", ledger)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert [row["ticket"] for row in rows] == [record.ticket for record in records]
    for row, record in zip(rows, records, strict=True):
        assert (row["arm"], row["reason"], row["outcome"]) == (
            record.arm,
            record.reason,
            record.outcome,
        )
        assert float(row["guaranteed_budget"]) == record.guaranteed_budget
        assert row["reward"] == ("" if record.reward is None else str(record.reward))
        assert row["request_key"] == record.request_key


def test_export_as_jsonl_and_to_a_file(run, ledger, records, tmp_path):
    code, out, _ = run("ledger", "export", ledger, "--format", "jsonl")
    assert code == 0
    assert [json.loads(line) for line in out.splitlines()] == [asdict(r) for r in records]
    assert run("ledger", "export", ledger, "--format", "jsonl", "--out", tmp_path / "o")[0] == 0
    assert (tmp_path / "o").read_text() == out


def test_export_of_all_events(run, ledger):
    code, out, _ = run("ledger", "export", ledger, "--format", "jsonl", "--events")
    events = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [event["seq"] for event in events] == list(range(1, 77))
    assert (events[0]["kind"], events[0]["body"]["settings"]["arms"]) == ("opened", ARMS)


def test_export_as_parquet(run, ledger, records, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "c.parquet"
    assert run("ledger", "export", ledger, "--format", "parquet", "--out", out)[0] == 0
    assert parquet.read_table(out).to_pylist() == [asdict(record) for record in records]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--format", "xml"], "--format: must be one of csv, jsonl, parquet"),
        (["--format", "parquet"], "--out: must be given for parquet"),
        (["--events"], "--format: must be jsonl for events"),
        (["--out", "no/such/folder/x"], "--out: cannot write no/such/folder/x"),
        (["--format", "parquet", "--out", "no/such/x"], "--out: cannot write no/such/x"),
    ],
)
def test_exports_that_cannot_be_made(run, ledger, words, message):
    code, out, errors = run("ledger", "export", ledger, *words)
    assert (code, out) == (2, "")
    assert errors.startswith(f"floorline: {message}")
    assert len(errors.splitlines()) == 1


def test_show_explains_the_arithmetic_of_a_decision(run, ledger, records):
    explored = next(record for record in records[20:] if record.arm == "video")
    code, out, _ = run("ledger", "show", ledger, "--ticket", explored.ticket)
    assert code == 0
    assert f"Decision {explored.ticket}" in out
    assert "video (explore)" in out
    assert f"guaranteed budget: {explored.guaranteed_budget:,.6g}" in out
    refused = next(record for record in records if record.arm == "now")
    _, out, _ = run("ledger", "show", ledger, "--ticket", refused.ticket)
    assert "video was proposed" in out
    assert "not affordable" in out
    assert "Since then: observed, reward 0.5" in out


def test_every_decisions_arithmetic_adds_up(ledger, records):
    from floorline.live.explain import explain
    from floorline.live.ledgers import read_ledger

    file = read_ledger(str(ledger))
    for record in records:
        found = explain(file, record.ticket)
        assert found.guaranteed_budget == pytest.approx(record.guaranteed_budget, abs=1e-6)
        assert found.record == record
    file.close()


def test_show_without_a_ticket_is_the_status(run, ledger):
    code, out, _ = run("ledger", "show", ledger)
    assert code == 0
    assert out.startswith("The floor holds: ") or out.startswith("The default is played: ")
    assert "40 decisions, 5 waiting for a reward" in out
    assert all(name in out for name in ARMS)
    with Campaign.open(ledger) as campaign:
        status = campaign.status()
    introduction, *lines = status.arithmetic
    shown = "".join(f"  {line}\n" for line in lines)
    assert f"\n\n{introduction}\n{shown}  guaranteed budget: " in out
    assert out.endswith(f"guaranteed budget: {status.guaranteed_budget:,.6g}\n")


@pytest.mark.parametrize("ticket", ["x", "x-2", ""])
def test_show_of_no_decision(run, ledger, ticket):
    code, _, errors = run("ledger", "show", ledger, "--ticket", ticket)
    assert code == 2
    assert errors.startswith("floorline: ticket ")


def test_reading_goes_on_beside_the_recorder(run, ledger):
    with Campaign.open(ledger) as campaign:
        campaign.decide()
        assert run("ledger", "verify", ledger)[0] == 0
        assert "41 decisions" in run("ledger", "show", ledger)[1]
