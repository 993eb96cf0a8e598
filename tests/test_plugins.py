"""Policies of other packages, found by their entry points."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import floorline
from floorline import PolicySetup
from floorline.plugins import plugin_entries

MODULE = '''
from floorline import Entry, Policy, Proposer, kernel

@kernel
def last_arm(rules, arms, memory, round, rng):
    """Return the last arm."""
    return len(arms.plays) - 1

LAST = Entry("the last arm, always", "none at all", lambda setup: Policy(Proposer(last_arm)))
FLOORED = Entry("the last arm if affordable", "the floor",
                lambda setup: setup.floored(Proposer(last_arm)), live=True, floors=("confidence",))
FAILS = Entry("one that cannot be made", "none", lambda setup: 1 / 0)
NOTHING = Entry("one that makes nothing", "none", lambda setup: None)
NO_ENTRY = {"summary": "not an entry"}
'''
LEAVES = "import sys\nsys.exit('a plug-in that\\nends programs')\n"


def install(folder: Path, package: str, module: str, source: str, points: dict[str, str]) -> None:
    """Write what an installed package leaves in a folder of packages."""
    (folder / f"{module}.py").write_text(source)
    info = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {place}" for name, place in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[floorline.policies]", *lines, ""]))


@pytest.fixture
def packages(tmp_path):
    good = {"last": "floorline_last:LAST", "floored-last": "floorline_last:FLOORED"}
    install(tmp_path, "floorline-last", "floorline_last", MODULE, good)
    return tmp_path


@pytest.fixture
def broken(packages):
    """Beside the good package, one that does everything wrong."""
    points = {
        "absent": "floorline_last:ABSENT",
        "no-module": "floorline_absent:ENTRY",
        "no-entry": "floorline_last:NO_ENTRY",
        "leaves": "floorline_leaves:ENTRY",
        "ucb": "floorline_last:LAST",
        "fails": "floorline_last:FAILS",
        "nothing": "floorline_last:NOTHING",
    }
    install(packages, "floorline-broken", "floorline_leaves", LEAVES, points)
    return packages


def program(folder, *words):
    """Run the command line in a process that has this folder among its packages."""
    command = [str(Path(sys.executable).with_name("floorline")), *words]
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "100"}
    return subprocess.run(command, capture_output=True, text=True, env=environment)


SIMULATE = ("simulate", "--means", "0.5,0.6,0.4", "--horizon", "50", "--runs", "4")


def test_a_policy_of_another_package_is_listed_with_its_package(packages):
    done = program(packages, "policies")
    assert done.returncode == 0 and not done.stderr
    lines = done.stdout.splitlines()
    row = next(n for n, line in enumerate(lines) if line.startswith("floored-last"))
    assert lines[row].split()[1] == "yes" and "the last arm if affordable" in lines[row]
    assert lines[row + 1].split()[:2] == ["of", "floorline-last"]
    assert any(line.startswith("conservative-thompson ") for line in lines)


def test_it_can_be_simulated(packages):
    done = program(packages, *SIMULATE, "--policy", "last", "--format", "json")
    assert done.returncode == 0, done.stderr
    assert '"plays": {"mean": [0.0, 0.0, 50.0]}' in done.stdout


def test_a_name_that_nobody_has_is_an_error_that_names_plug_ins(packages):
    done = program(packages, *SIMULATE, "--policy", "lost")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "ab-test, " in done.stderr and "last, floored-last, not 'lost'" in done.stderr


def test_broken_plug_ins_are_one_line_each_and_harm_nothing_else(broken):
    done = program(broken, "policies")
    assert done.returncode == 0
    for name, why in {
        "absent": "AttributeError: ",
        "no-module": "ModuleNotFoundError: ",
        "no-entry": "TypeError: floorline_last:NO_ENTRY is not a floorline.Entry",
        "leaves": "SystemExit: a plug-in that ends programs",
        "ucb": "ValueError: a policy of that name already exists",
    }.items():
        told = f"floorline: warning: plug-in {name} of floorline-broken cannot be loaded and is "
        assert told + f"left out: {why}" in done.stderr
    assert len(done.stderr.splitlines()) == 5
    assert "floored-last" in done.stdout and "no-entry" not in done.stdout
    assert program(broken, *SIMULATE, "--policy", "last").returncode == 0


def test_a_policy_of_the_catalogue_asks_no_plug_in(broken):
    done = program(broken, *SIMULATE, "--policy", "ucb")
    assert done.returncode == 0 and not done.stderr


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("fails", "cannot make its policy: ZeroDivisionError: division by zero"),
        ("nothing", "made None, which is not a floorline.Policy"),
    ],
)
def test_an_entry_that_makes_no_policy_is_one_line(broken, name, why):
    done = program(broken, *SIMULATE, "--policy", name)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == f"floorline: plug-in {name} of floorline-broken {why}"


def test_a_plug_in_works_in_python_too(packages, monkeypatch):
    monkeypatch.syspath_prepend(packages)
    plugin_entries.cache_clear()
    try:
        setup = PolicySetup(n_arms=3, horizon=100, default_mean=0.5, max_loss=0.2)
        policy = floorline.make_policy("floored-last", setup)
        found = floorline.simulate(policy, floorline.Gaussian([0.5, 0.6, 0.4]), horizon=100, runs=4)
        assert (found.plays[:, -1, 1] == 0).all() and policy.floor.max_loss == 0.2
        with pytest.raises(ValueError, match=r"^boundary: must be one of "):
            floorline.make_policy("floored-last", replace(setup, boundary="none"))
    finally:
        plugin_entries.cache_clear()
