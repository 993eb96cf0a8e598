"""Opening: what is refused, what is resumed, and who may write."""

import os
import subprocess
import sys

import apsw
import numpy as np
import pytest
from campaigns import new_campaign, play

from floorline.live import Campaign, CampaignSettings, LedgerError
from floorline.live.ledgers import read_ledger

GIVEN = {"arms": ["now", "video", "quiz"], "max_loss": 0.1}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"arms": ["now"]}, "arms: must be 2 to 64 different names"),
        ({"arms": ["now", "now"]}, "arms: must be 2 to 64 different names"),
        (
            {"policy": "conservative-kl-ucb", "high": 200},
            "policy: conservative-kl-ucb needs rewards from 0 to 1, not from 0 to 200",
        ),
        ({"arms": "now"}, "arms: must be a list of names"),
        ({"arms": None}, "arms: must be a list of names"),
        ({"arms": ["now", 7]}, "arms: must be a list of names"),
        ({"arms": ["now", "<b>"]}, "arms: must be names of at most 64 letters"),
        ({"max_loss": 1.5}, "max_loss: must be a number at least 0 and at most 1"),
        ({"max_loss": True}, "max_loss: must be a number"),
        ({"delta": 0}, "delta: must be a number at least 1e-200"),
        ({"delta": 1e-320}, "delta: must be a number at least 1e-200"),
        ({"default_mean": 5e-324}, "default_mean: must be 0 or at least 1e-200, not 5e-324"),
        ({"default_mean": 2}, "default_mean: must be a number at least 0 and at most 1"),
        ({"default_mean": -0.5, "low": -1}, "default_mean: must be a number at least 0"),
        ({"policy": "ucb"}, "policy: ucb cannot run live"),
        ({"boundary": "none"}, "boundary: must be one of"),
        ({"prior": (0, 1)}, "prior: must be a number above 0"),
        ({"prior": 3}, "prior: must be two numbers"),
        ({"prior": (1.0,)}, "prior: must be a tuple of two numbers"),
        ({"low": 1.0}, "high: must be a number above 1"),
        ({"high": float("inf")}, "high: must be a number"),
        ({"missing": "skip"}, "missing: must be one of unknown, zero, random"),
        ({"missing": "zero"}, 'window: must be given in seconds where missing="zero"'),
        ({"missing": "zero", "window": 0}, "window: must be a number at least 1e-200"),
        ({"missing": "zero", "window": 1e300}, "window: must be a number at least 1e-200 and"),
        (
            {"missing": "zero", "window": 9, "low": 1, "high": 2},
            r'missing: "zero" needs a reward range that contains 0; yours is .1, 2.',
        ),
        ({"window": 9}, 'window: must be left out where missing="unknown"'),
        ({"voids": 1}, "voids: must be True or False"),
        ({"holdback": -0.1}, "holdback: must be a number at least 0"),
        ({"drift_level": 0}, "drift_level: must be a number at least 1e-200"),
        ({"seed": -1}, "seed: must be a whole number of at least 0, not -1"),
        ({"seed": "x"}, "seed: must be a whole number of at least 0, not 'x'"),
        ({"policy": "best"}, "policy: must be one of conservative-ucb, conservative-thompson, "),
        ({"clock": 5}, "clock: must be a function that returns the time in seconds, not 5"),
        ({"colour": "red"}, "settings: must be among"),
    ],
)
def test_settings_that_are_refused_leave_no_file(tmp_path, settings, message):
    with pytest.raises(ValueError, match=message):
        Campaign.open(tmp_path / "c", **GIVEN | settings)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_ledger(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(LedgerError, match="folder: is a folder, not a ledger"):
        Campaign.open(folder, **GIVEN)
    with pytest.raises(LedgerError, match="folder: is a folder, not a ledger"):
        read_ledger(str(folder))
    assert os.listdir(tmp_path) == ["folder"]


@pytest.mark.parametrize("default_mean", [None, 0, 1e-200])
def test_the_smallest_numbers_lead_to_finite_ones(default_mean):
    given = {"delta": 1e-200, "drift_level": 1e-200, "default_mean": default_mean}
    campaign = new_campaign(max_loss=1.0, **given)
    play(campaign, {"now": [0, 1], "video": [1], "quiz": [0]}, 50)
    status = campaign.status()
    numbers = [status.guaranteed_budget, status.guaranteed_share]
    numbers += [end for arm in status.arms for end in (arm.lower, arm.upper)]
    assert np.isfinite(numbers).all()


@pytest.mark.parametrize("window", [1e-200, 1e200])
def test_the_shortest_and_the_longest_window_can_be_counted_with(window):
    campaign = new_campaign(missing="zero", window=window)
    play(campaign, {"now": [0, 1], "video": [1], "quiz": [0]}, 5)
    assert campaign.status().decisions == 5


@pytest.mark.parametrize("given", [{}, {"arms": ["a", "b"]}, {"max_loss": 0.1}])
def test_a_new_campaign_needs_its_arms_and_its_loss(tmp_path, given):
    with pytest.raises(ValueError, match="must be given to open a new campaign"):
        Campaign.open(tmp_path / "c", **given)
    assert list(tmp_path.iterdir()) == []


def test_numbers_of_numpy_are_numbers(tmp_path):
    given = {"max_loss": np.float32(0.25), "delta": np.float64(0.1), "high": np.int64(2)}
    with Campaign.open(tmp_path / "c", arms=("a", "b"), prior=np.ones(2).tolist(), **given) as one:
        before = one.settings
    with Campaign.open(tmp_path / "c") as again:
        assert again.settings == before
        assert again.settings.max_loss == 0.25


def test_a_campaign_is_resumed_with_and_without_its_settings(tmp_path):
    with new_campaign(tmp_path / "c", default_mean=0.5) as campaign:
        play(campaign, {"now": [1], "video": [0], "quiz": [0]}, 40)
        pending = campaign.decide()
        before, name = campaign.state(), campaign.id
    for settings in ({}, {"max_loss": 0.1}, {**GIVEN, "default_mean": None}):
        with Campaign.open(tmp_path / "c", **settings) as again:
            assert (again.state(), again.id) == (before, name)
    with Campaign.open(str(tmp_path / "c")) as again:
        assert again.observe(pending, 0.0) == "accepted"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_loss", 0.2),
        ("delta", 0.01),
        ("arms", ["now", "quiz", "video"]),
        ("low", -1.0),
        ("high", 2.0),
        ("boundary", "stitched"),
        ("prior", (1.0, 1.0)),
        ("voids", True),
        ("holdback", 0.5),
        ("drift_level", 0.5),
        ("default_mean", 0.5),
        ("policy", "conservative-thompson"),
    ],
)
def test_settings_that_differ_from_the_files_are_refused(tmp_path, name, value):
    new_campaign(tmp_path / "c").close()
    with pytest.raises(ValueError, match=f"{name}: must be .*, as when the campaign was opened"):
        Campaign.open(tmp_path / "c", **{name: value})
    Campaign.open(tmp_path / "c").close()  # and the file is free again


def test_other_meanings_of_silence_are_refused(tmp_path):
    new_campaign(tmp_path / "c", missing="zero", window=60).close()
    for given in ({"missing": "random"}, {"window": 61}, {"missing": "unknown"}):
        with pytest.raises(ValueError, match="must be"):
            Campaign.open(tmp_path / "c", **given)


def test_warnings_come_when_a_campaign_begins_and_not_when_it_goes_on(tmp_path):
    with pytest.warns(UserWarning, match="low is below 0"):
        new_campaign(tmp_path / "c", low=-1.0).close()
    Campaign.open(tmp_path / "c").close()  # a warning would be an error here
    assert CampaignSettings(**{**GIVEN, "arms": ("a", "b")}).warnings == []


# One writer.

SECOND = """
import sys
from floorline.live import Campaign, LedgerError
try:
    Campaign.open(sys.argv[1])
except LedgerError as error:
    print(error)
"""


@pytest.mark.locks
def test_a_second_writer_is_refused_in_this_process_and_in_another(tmp_path):
    path, link = tmp_path / "c", tmp_path / "link"
    link.symlink_to(path)
    with new_campaign(path) as campaign:
        before = campaign.state()
        for name in (path, link):
            with pytest.raises(LedgerError, match=f"{name}: this campaign is open elsewhere"):
                Campaign.open(name)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", SECOND, str(path)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert "only one process at a time can write to it" in done.stdout, done.stderr
        assert len(done.stdout.splitlines()) == 1
        campaign.decide()
        assert campaign.state() != before
    Campaign.open(link).close()


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(LedgerError, match="there is no folder"):
        new_campaign(tmp_path / "none" / "c")


def test_a_closed_campaign_says_so(tmp_path):
    campaign = new_campaign(tmp_path / "c")
    campaign.close()
    campaign.close()
    for _ in range(2):
        with pytest.raises(LedgerError, match="closed"):
            campaign.decide()


def test_a_file_left_before_its_first_event_is_begun_again(tmp_path):
    """A crash between the making of the file and the opening of the campaign."""
    from floorline.live.ledgers import open_ledger

    open_ledger(str(tmp_path / "c")).close()
    with pytest.raises(ValueError, match="arms: must be given"):
        Campaign.open(tmp_path / "c")
    with new_campaign(tmp_path / "c") as campaign:
        assert campaign.decide().arm == "now"


def steps_to_open(path):
    """What SQLite does while a campaign is opened, in steps of its virtual machine."""
    steps = []

    def watch(connection):
        connection.trace_v2(
            apsw.SQLITE_TRACE_PROFILE,
            lambda done: steps.append(done["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]),
        )

    apsw.connection_hooks.append(watch)
    try:
        Campaign.open(path).close()
    finally:
        apsw.connection_hooks.remove(watch)
    return sum(steps)


def test_nothing_that_a_snapshot_covers_is_read(tmp_path):
    steps = []
    for rounds in (20, 400):
        path = tmp_path / f"{rounds} rounds"
        with new_campaign(path) as campaign, campaign.transaction():
            play(campaign, {"now": [1], "video": [0], "quiz": [0]}, rounds)
            campaign.save_snapshot()
            campaign.decide()
        steps.append(steps_to_open(path))
    assert steps[0] == steps[1] > 100
