import json

import pytest

from floorline.cli.verify import sentences
from floorline.verification import Share, Verification

SMALL = ("--horizon", "1000", "--runs", "40000")


def test_it_holds_in_words_and_with_exit_code_0(floorline):
    done = floorline("verify", *SMALL)
    assert done.returncode == 0
    first, floor, intervals, verdict = done.stdout.splitlines()
    assert first == (
        "conservative-ucb, floor confidence, boundary stitched: 40,000 runs of 1,000 rounds"
    )
    assert floor.startswith("below the floor at some time: ") and floor.endswith(": holds")
    assert intervals.startswith("an interval missed its mean: ") and intervals.endswith(": holds")
    assert verdict == "The guarantee holds here: failures in at most a share 0.001 of the runs."


@pytest.mark.parametrize(
    ("policy", "floor", "named"),
    [
        ("conservative-ucb", "joint", "joint"),
        ("budget-first", "joint", None),  # it brings its own
    ],
)
def test_the_floor_is_named(floorline, policy, floor, named):
    words = ("--policy", policy, "--floor", floor, "--horizon", "100", "--runs", "100")
    first = floorline("verify", *words).stdout.splitlines()[0]
    assert (f", floor {named}, " in first) == (named is not None)
    assert ("floor" in first) == (named is not None)
    assert json.loads(floorline("verify", *words, "--format", "json").stdout)["floor"] == named


def test_it_fails_as_json_and_with_exit_code_1(floorline):
    done = floorline("verify", *SMALL, "--boundary", "as-printed", "--format", "json")
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    assert answer["holds"] is False
    misses = answer["misses"]
    assert misses["verdict"] == "fails"
    assert 0.001 < misses["low"] < misses["share"] == misses["count"] / 40_000 < misses["high"]


def test_it_fails_in_words():
    fails = Share(count=600, runs=100_000, delta=0.001, low=0.005, high=0.007)
    verdict = sentences(Verification(fails, None, 1e6), 0.999)[-1]
    assert verdict == "The guarantee fails here: failures in more than a share 0.001 of the runs."


def test_too_few_runs_are_said_to_be(floorline):
    done = floorline("verify", "--horizon", "1000", "--runs", "100")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith("Too few runs to tell")


def test_bad_options_are_one_line(floorline):
    done = floorline("verify", "--confidence", "2")
    assert done.returncode == 2
    assert done.stderr == (
        "floorline: --confidence: must be a number at least 0 and at most 1, not 2.0\n"
    )


def test_rewards_of_0_or_1_have_their_own_noise_scale(floorline):
    start = (
        "verify",
        "--noise",
        "bernoulli",
        "--means",
        "0.5,0.1",
        "--horizon",
        "200",
        "--runs",
        "2000",
        "--delta",
        "0.2",
        "--boundary",
        "union",
        "--format",
        "json",
    )
    found = [
        json.loads(floorline(*start, *more).stdout)["misses"]["count"]
        for more in ((), ("--noise-scale", "0.5"), ("--noise-scale", "1"))
    ]
    assert found[0] == found[1] > 0 == found[2]
