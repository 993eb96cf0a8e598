"""`floorline ledger erase` and `delete`."""

from floorline.live import Campaign
from floorline.live.verify import verify


def made(path, **settings):
    with Campaign.open(path, arms=["now", "video"], max_loss=0.1, **settings) as campaign:
        campaign.decide("ada@example.com", context={"age": 36})
        campaign.decide("bob")


def test_erase(floorline, tmp_path):
    ledger = str(tmp_path / "c.ledger")
    made(ledger)
    done = floorline("ledger", "erase", ledger, "--key", "ada@example.com")
    assert (done.returncode, done.stderr) == (0, "")
    assert "contexts of 1 decision\n" in done.stdout
    assert (
        "of 1 decision\n" in floorline("ledger", "erase", ledger, "--before", "2999-12-31").stdout
    )
    assert b"ada@example.com" not in (tmp_path / "c.ledger").read_bytes()
    assert "2 decisions without key and context" in floorline("ledger", "verify", ledger).stdout
    assert verify(ledger).problems == []
    nothing = floorline("ledger", "erase", ledger)
    assert nothing.returncode == 2
    assert "give one of them" in nothing.stderr
    nowhere = floorline("ledger", "erase", str(tmp_path / "none"), "--key", "a")
    assert nowhere.returncode == 2 and not (tmp_path / "none").exists()


def test_delete(floorline, tmp_path):
    ledger = str(tmp_path / "c.ledger")
    made(ledger)
    assert "--confirm: must be" in floorline("ledger", "delete", ledger).stderr
    running = floorline("ledger", "delete", ledger, "--confirm", ledger)
    assert running.returncode == 2 and "finished or stopped" in running.stderr
    with Campaign.open(ledger) as campaign:
        campaign.stop()
    done = floorline("ledger", "delete", ledger, "--confirm", ledger)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []
