"""Sweeps: what a file describes, that cells are what `simulate` gives, and that they go on."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.text import Text

from floorline import Bernoulli, PolicySetup, make_policy, summarize
from floorline.paper.own import own_plans
from floorline.paper.sweeps import PaperRun
from floorline.simulation.plots import new_figure
from floorline.sweeping import Instance, SweepPlan, figures, read_plan, run_sweep
from floorline.sweeping.figures import axis_of
from floorline.sweeping.plan import plan_of

FILE = """
runs = 40
seed = 7

[grid]
policy = ["ucb", "conservative-ucb"]
max_loss = [0.1, 0.3]
horizon = 200

[[instance]]
name = "clicks"
means = [0.3, 0.6]
noise = "bernoulli"

[[instance]]
name = "three arms"
means = [0.5, 0.6, 0.4]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "grid.toml"
    path.write_text(FILE)
    return path


def test_every_cell_is_what_summarize_gives(file: Path, tmp_path: Path) -> None:
    finished = run_sweep(read_plan(file), tmp_path / "out")
    assert finished.new_cells == len(finished.rows) == 8
    row = finished.rows[3]
    assert (row["instance"], row["policy"], row["max_loss"]) == ("clicks", "conservative-ucb", 0.3)
    arms = Bernoulli([0.3, 0.6])
    policy = make_policy("conservative-ucb", PolicySetup.of(arms, 200, max_loss=0.3))
    alone = summarize(policy, arms, horizon=200, runs=40, seed=7)
    assert row["regret"] == alone.pseudo_regret.mean[0]
    assert row["regret_standard_error"] == alone.pseudo_regret.standard_error[0]
    assert row["breach_rate"] == alone.breach_rate[0]
    assert [row["plays_0"], row["plays_1"]] == alone.plays[0].tolist()


def test_files_hold_the_same_rows_and_name_every_setting(file: Path, tmp_path: Path) -> None:
    finished = run_sweep(read_plan(file), tmp_path / "out")
    table = pd.read_csv(tmp_path / "out" / "results.csv")
    same = pd.read_parquet(tmp_path / "out" / "results.parquet").replace({None: float("nan")})
    pd.testing.assert_frame_equal(table, same, check_dtype=False)
    assert table["regret"].tolist() == [row["regret"] for row in finished.rows]
    assert {"delta", "boundary", "floor", "learned", "runs", "seed", "noise_scale"} <= {*table}
    settings = [name for name in table if not name.startswith(("regret", "breach", "low", "plays"))]
    assert not table[settings].duplicated().any()
    assert {path.name for path in finished.files} == {
        "results.csv",
        "results.parquet",
        "clicks.png",
        "three-arms.png",
    }
    assert all(path.stat().st_size > 0 for path in finished.files)


def test_it_goes_on_where_it_was_stopped(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run_sweep(read_plan(file), tmp_path / "whole")
    from floorline.sweeping import run

    def stopped(*args, **options):
        for number, summary in enumerate(original(*args, **options)):
            if number == 3:
                raise KeyboardInterrupt
            yield summary

    original = run.sweep
    monkeypatch.setattr(run, "sweep", stopped)
    with pytest.raises(KeyboardInterrupt):
        run_sweep(read_plan(file), tmp_path / "out")
    monkeypatch.setattr(run, "sweep", original)
    resumed = run_sweep(read_plan(file), tmp_path / "out")
    assert resumed.new_cells == 5
    assert resumed.rows == whole.rows
    assert run_sweep(read_plan(file), tmp_path / "out").new_cells == 0
    file.write_text(FILE.replace("[0.1, 0.3]", "[0.1, 0.2, 0.3]"))
    assert run_sweep(read_plan(file), tmp_path / "out").new_cells == 4
    file.write_text(FILE.replace("seed = 7", "seed = 8"))
    with pytest.raises(ValueError, match="holds results of other settings"):
        run_sweep(read_plan(file), tmp_path / "out")
    file.write_text(FILE)
    with pytest.raises(ValueError, match="device 'cpu', not 'python'"):
        run_sweep(read_plan(file), tmp_path / "out", device="python")
    assert run_sweep(read_plan(file), tmp_path / "out", force=True).new_cells == 8


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("runs = 40", "run = 40", "setting: must be one of runs, seed, grid, instance, not 'run'"),
        ("max_loss = [", "max_los = [", "grid: must be one of policy, horizon"),
        ('policy = ["ucb", "conservative-ucb"]', "", "grid.policy: must be one policy or several"),
        ("means = [0.3, 0.6]", "mean = [0.3]", "instance: must be one of name, means"),
        ("runs = 40", "runs = [", "is not TOML"),
        ('name = "three arms"', 'name = "clicks"', "instance.name: must be different for each"),
        ('name = "three arms"', 'name = "CLICKS"', "different for each, as file names too"),
        ('name = "three arms"', "name = 3", "instance.name: must be a text, not 3"),
        ("means = [0.3, 0.6]", "means = 0.3", "instance.means: must be a list of numbers"),
        ("max_loss = [0.1, 0.3]", "max_loss = []", "grid.max_loss: must be one value or several"),
        ("max_loss = [0.1, 0.3]", "max_loss = [0.1, 0.1]", "grid.max_loss: must be values that"),
        ('policy = ["ucb", "conservative-ucb"]', "policy = 5", "grid.policy: must be the names"),
        ("[grid]", "[[grid]]", "grid: must be a table: [grid]"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(file: Path, old: str, new: str, message: str) -> None:
    file.write_text(FILE.replace(old, new))
    with pytest.raises(ValueError, match=r"grid\.toml: ") as raised:
        read_plan(file)
    assert message in str(raised.value)


def test_a_cell_that_does_not_fit_is_named_before_anything_runs(tmp_path: Path) -> None:
    plan = plan_of(
        {
            "grid": {"policy": ["ucb", "nonsense"], "max_loss": 0.1},
            "instance": [{"name": "a", "means": [0.5, 0.6]}],
        }
    )
    with pytest.raises(
        ValueError, match=r"instance a, policy nonsense, max_loss 0\.1: policy: must"
    ):
        run_sweep(plan, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_table_of_rewards_lies_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("arm,value,probability\n0,0,0.5\n0,1,0.5\n1,1,1\n")
    (tmp_path / "grid.toml").write_text(
        '[grid]\npolicy = "ucb"\n[[instance]]\nname = "t"\nnoise = "table"\ntable = "table.csv"\n'
    )
    (cell,) = read_plan(tmp_path / "grid.toml").cells()
    assert list(cell.instance.environment().means) == [0.5, 1.0]


def test_the_axis_is_a_number_with_several_values() -> None:
    assert axis_of({"policy": ["a", "b"], "max_loss": [0.1, 0.2], "horizon": [5]}) == "max_loss"
    assert axis_of({"policy": ["a", "b"], "max_loss": [0.1, 0.2], "horizon": [5, 6]}) == "horizon"
    assert axis_of({"policy": ["a", "b"], "noise_scale": [1, 2]}) == "noise_scale"
    assert axis_of({"policy": ["a", "b"]}) is None
    assert axis_of({"policy": ["a", "b"], "learned": [True, False]}) is None


def test_the_papers_sweeps_with_means_of_ones_own(tmp_path: Path) -> None:
    plans = own_plans(PaperRun(runs=20, quick=True), [0.3, 0.4], "bernoulli", ["ucb"])
    assert {len(plan.cells()) for plan in plans.values()} == {20, 7}
    cell = plans["horizon"].cells()[-1]
    assert (cell.setup().horizon, cell.setup().delta) == (98_000, 1 / 98_000)
    assert cell.instance == Instance("own", (0.3, 0.4), "bernoulli")
    assert len(own_plans(PaperRun(), [0.3, 0.4], "gaussian")["alpha"].grid["policy"]) == 4


def test_the_title_of_a_figure_is_above_its_legend(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []

    def kept(*arguments: Any, **options: Any) -> Any:
        figure, axes = new_figure(*arguments, **options)
        drawn.append(figure)
        return figure, axes

    monkeypatch.setattr(figures, "new_figure", kept)
    finished = run_sweep(read_plan(file), tmp_path / "out")
    policies = {row["policy"] for row in finished.rows}
    heights = {one.get_text(): one.get_window_extent() for one in drawn[0].findobj(Text)}
    assert heights["clicks"].y0 > max(heights[policy].y1 for policy in policies)


def test_nothing_is_simulated_where_figures_cannot_be_drawn(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ValueError, match="figures need matplotlib"):
        run_sweep(read_plan(file), tmp_path / "out")
    assert not (tmp_path / "out").exists()


OWN = """
from floorline import Entry, Policy, Proposer, kernel

@kernel
def second(rules, arms, memory, round, rng):
    return 1

ALWAYS = Entry("always the second arm", "none", lambda setup: Policy(Proposer(second)))
"""


def test_policies_of_ones_own_and_the_command(floorline, file: Path, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    own = f"{tmp_path / 'own.py'}:ALWAYS"
    file.write_text(FILE.replace('"ucb", "conservative-ucb"', f'"{own}"'))
    done = floorline("sweep", str(file), "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("4 cells, 4 of them new")
    with open(tmp_path / "out" / "results.csv") as stream:
        rows = list(csv.DictReader(stream))
    assert {float(row["plays_1"]) for row in rows} == {200.0}
    for wrong in ("own.py:NOTHING", "nowhere.py:X", "no.such.module:X"):
        file.write_text(FILE.replace('"ucb", "conservative-ucb"', f'"{wrong}"'))
        done = floorline("sweep", str(file), "--out", str(tmp_path / "other"))
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1


def test_the_paper_command_with_means_and_policies_of_ones_own(floorline, tmp_path: Path) -> None:
    words = ["--quick", "--only", "alpha", "--means", "0.3,0.6", "--noise", "bernoulli"]
    done = floorline(
        "paper", *words, "--runs", "2", "--policy", "ab-test", "--out", str(tmp_path / "out")
    )
    assert done.returncode == 0, done.stderr
    none = floorline("paper", *words, "--runs", "0", "--out", str(tmp_path / "none"))
    assert none.returncode == 2 and "--runs: must be a whole number" in none.stderr
    table = pd.read_csv(tmp_path / "out" / "alpha" / "results.csv")
    assert len(table) == 20 and set(table["policy"]) == {"ab-test"}
    assert (tmp_path / "out" / "alpha" / "own.png").exists()


def test_a_plan_checks_its_numbers() -> None:
    with pytest.raises(ValueError, match="runs: must be a whole number of at least 2"):
        SweepPlan((Instance("a", (0.1, 0.2)),), {"policy": ["ucb"]}, runs=1)
