"""Rows that were damaged while a campaign is open, or written wrongly with right checksums."""

import math
import random

import apsw
import pytest
from campaigns import Clock, new_campaign

from floorline.live import Campaign, LedgerError
from floorline.live.errors import DamagedLedger
from floorline.live.events import Event, float_text
from floorline.live.explain import explain
from floorline.live.ledgers import read_ledger
from floorline.live.verify import verify

DAMAGES = [
    ("body = replace(body, 'now', 'noW')", 2),
    ("body = '{}'", 2),
    ("body = '[1]'", 2),
    ("body = 7", 2),
    ("body = x'ff'", 2),
    ("time = time + 0.001", 2),
    ("time = 'noon'", 2),
    ("kind = 'voided'", 2),
    ("\"check\" = 'x'", 1),
    ('"check" = "check" + 1', 2),
    ("ticket = 9", 2),
]


def change(path, statement):
    db = apsw.Connection(str(path))
    db.execute(statement)
    db.close()


@pytest.mark.parametrize(("damage", "seq"), DAMAGES)
def test_a_damaged_row_is_not_served(tmp_path, damage, seq):
    """By request key, by ticket, in the history, among the events, and in an explanation."""
    path = tmp_path / "c"
    with new_campaign(path, clock=Clock()) as campaign:
        ticket = campaign.decide("key")
        campaign.observe(ticket, 1.0)
        change(path, f"UPDATE events SET {damage} WHERE seq = {seq}")
        calls = [
            lambda: campaign.decide("key"),
            lambda: campaign.observe(ticket, 1.0),
            lambda: campaign.void(ticket),
            lambda: list(campaign.events()),
        ]
        if "kind" not in damage:
            calls.append(lambda: list(campaign.history()))
        for call in calls:
            with pytest.raises(DamagedLedger, match=r"c: event [123] is damaged or missing"):
                call()
    reader = read_ledger(str(path))
    with pytest.raises(DamagedLedger):
        explain(reader, ticket.id)
    reader.close()
    assert any("is damaged or missing" in problem for problem in verify(str(path)).problems)


def test_a_damaged_reward_is_not_compared_with(tmp_path):
    path = tmp_path / "c"
    with new_campaign(path) as campaign:
        ticket = campaign.decide("key")
        campaign.observe(ticket, 1.0)
        change(path, "UPDATE events SET body = '{\"reward\":0.0}' WHERE seq = 3")
        with pytest.raises(DamagedLedger, match="event 3 is damaged"):
            campaign.observe(ticket, 0.0)
        assert campaign.decide("key") == ticket


@pytest.mark.parametrize(
    ("kind", "decision", "body"),
    [
        ("decided", None, {}),
        ("decided", None, {"arm": "radio", "reason": "explore"}),
        ("observed", 2, {}),
        ("observed", 2, {"reward": "much"}),
        ("changed", None, {"policy": 7}),
    ],
)
def test_events_with_right_checksums_and_wrong_content(tmp_path, kind, decision, body):
    path = tmp_path / "c"
    with new_campaign(path, clock=Clock()) as campaign:
        campaign.decide()
        campaign._ledger.append(Event(3, 1_000_001.0, kind, decision, None, body))
        campaign._ledger.commit()
    with pytest.raises(LedgerError, match="event 3 cannot be applied") as found:
        Campaign.open(path)
    assert "\n" not in str(found.value)
    assert any("event 3 cannot be applied" in problem for problem in verify(str(path)).problems)


def test_an_opening_with_right_checksum_and_wrong_content(tmp_path):
    path = tmp_path / "c"
    from floorline.live.ledgers import open_ledger

    ledger = open_ledger(str(path))
    ledger.append(Event(1, 1e6, "opened", None, None, {"version": 1, "id": "c"}))
    ledger.commit()
    ledger.close()
    with pytest.raises(LedgerError, match="event 1 cannot be applied"):
        Campaign.open(path)


def test_checksums_are_of_the_times_as_python_writes_them():
    """Ledgers of before were written with `repr`; msgspec writes numbers with exponents its way."""
    rng = random.Random(1)
    sizes = [1e-9, 1e-4, 0.5, 1.0, 10.0, 1e9, 2e9, 9e14, 1e15, 1e16, 1e300]
    times = [rng.uniform(-1, 1) * size for size in sizes for _ in range(300)]
    times += [round(rng.uniform(0, 4e9), digits) for digits in range(8) for _ in range(100)]
    times += [math.nextafter(size, side) for size in sizes for side in (0.0, math.inf)]
    for time in (*times, *sizes, 0.0, -0.0, math.nan, math.inf, 7, None, "noon", True):
        assert float_text(time) == repr(time)
