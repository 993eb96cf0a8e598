"""The randomised floor and worlds that change, on the command line."""

import json

import pytest

CLICKS = ["--means", "0.3,0.4", "--horizon", "3000", "--runs", "64", "--format", "json"]


def simulated(floorline, *words):
    done = floorline("simulate", "--policy", "randomised-thompson", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_means_that_change(floorline):
    """The default's doubling drives the challenger out; false alarm below 1e-9 (40 errors)."""
    steady = simulated(floorline, *CLICKS, "--noise", "bernoulli")
    once = simulated(floorline, *CLICKS, "--change", "1500:0.8,0.4")
    back = simulated(floorline, *CLICKS, "--change", "1500:0.8,0.4", "--change", "1502:0.3,0.4")
    shares = [found["plays"]["mean"][1] / 3000 for found in (steady, once, back)]
    assert shares[1] < shares[0] - 0.1
    assert shares[1] < shares[2] - 0.1
    assert once["pseudo_regret"]["mean"] > steady["pseudo_regret"]["mean"]


def test_kinds_of_visitors(floorline):
    """Arms alike on average: only a learner for each kind can tell them apart. Without it regret
    would be at 0.1 a round, and it is below half of that."""
    options = ["--segments", "0.2,0.4;0.4,0.2", "--horizon", "3000", "--runs", "64"]
    found = simulated(floorline, *options, "--means", "0.3,0.3", "--format", "json")
    assert found["pseudo_regret"]["mean"] < 0.05 * 3000
    assert found == simulated(floorline, *options, "--format", "json") | {
        "rounds_per_second": found["rounds_per_second"]
    }


def test_seasons_and_holdback(floorline):
    options = [*CLICKS, "--season", "500:0.5,-0.5"]
    shares = [
        simulated(floorline, *options, "--holdback", holdback)["plays"]["mean"][0] / 3000
        for holdback in ("0.05", "0.5")
    ]
    assert shares[0] < shares[1] - 0.1
    assert shares[1] > 0.5


def test_verify_counts_breaches_alone(floorline):
    done = floorline(
        "verify",
        "--policy",
        "randomised-ucb",
        "--adversary",
        "turncoat",
        "--means",
        "0.2,0.6",
        "--delta",
        "0.2",
        "--runs",
        "400",
        "--horizon",
        "1000",
        "--format",
        "json",
    )
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert found["misses"] is None
    assert found["breaches"]["verdict"] == "holds"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--means", "0.3,0.4", "--change", "500"], "change: must be like"),
        (["--means", "0.3,0.4", "--change", "9:0.1"], "--change: means from round 9: must be two"),
        (["--means", "0.3,0.4", "--change", "0:0.1,0.2"], "--change: a round: must be a whole"),
        (["--means", "0.3,0.4", "--season", "x:1"], "season: must be like"),
        (["--means", "0.3,0.4", "--season", "0:1"], "--season: must be a whole number"),
        (["--means", "0.3,0.4", "--season", "50:3"], "--season: must be a number"),
        (["--segments", "0.2,0.4;0.4,x"], "segments: must be numbers"),
        (["--segments", "0.2,0.4;0.4"], "--segments: must be two or more"),
        (["--segments", "0.2,0.4;0.4,0.2,0.1"], "--segments: must be rows of the same length"),
        (["--segments", "0.2,0.4;0.4,0.2", "--means", "0.3,0.4"], "means: must be left out"),
        (["--means", "0.3,0.4", "--change", "9:0.1,0.1", "--adversary", "lure"], "adversary"),
        (["--means", "0.3,0.4", "--change", "9:0.1,0.1", "--season", "9:0.1"], "change"),
        (["--means", "0.3,0.4"], "RandomisedFloor needs rewards"),
        (["--means", "0.3,0.4", "--noise", "bernoulli", "--holdback", "0.001"], "holdback"),
    ],
)
def test_wrong_options_are_named(floorline, words, message):
    done = floorline("simulate", "--policy", "randomised-thompson", *words)
    assert done.returncode == 2
    assert message in done.stderr
