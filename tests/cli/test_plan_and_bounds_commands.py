import json
import subprocess
import sys

import pytest

PLAN = ("plan", "--challengers", "2", "--default-mean", "0.5", "--decisions-per-day", "300",
        "--improvement", "40%", "--days", "20")  # fmt: skip


def test_plan_prints_a_page_and_draws_a_figure(program, tmp_path):
    found = program(*PLAN, "--max-loss", "10%,0.2", "--out", str(tmp_path / "new"))
    assert found.returncode == 0, found.stderr
    assert "10%" in found.stdout and "20%" in found.stdout
    assert "it gets most of the traffic from" in found.stdout
    assert len(found.stdout.splitlines()) < 40
    assert (tmp_path / "new" / "plan.png").stat().st_size > 10_000


def test_plan_as_json_has_an_outlook_for_every_loss_and_every_guess(floorline):
    found = floorline(*PLAN, "--default-mean-error", "0.1", "--max-loss", "0.1,0.2", "--no-figure",
                      "--format", "json")  # fmt: skip
    answer = json.loads(found.stdout)
    assert [(o["max_loss"], o["default_mean"]) for o in answer["outlooks"]] == [
        (loss, mean) for loss in (0.1, 0.2) for mean in (0.5, 0.4, 0.6)
    ]
    assert answer["question"]["learned"] is True and answer["figure"] is None
    assert len(answer["outlooks"][0]["better"]["gain"]) == 20


def test_without_matplotlib_plan_says_so_in_one_line():
    code = (
        "import sys; sys.modules['matplotlib'] = None; "
        f"sys.argv = {['floorline', *PLAN]!r}; from floorline.cli.main import main; main()"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 2
    assert found.stderr == "floorline: figures need matplotlib: pip install matplotlib\n"


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ((*PLAN, "--max-loss", "0"), "--max-loss"),
        ((*PLAN, "--max-loss", "ten"), "--max-loss"),
        ((*PLAN, "--default-mean-error", "0.5"), "--default-mean-error"),
        ((*PLAN, "--reward", "coins"), "--reward"),
        ((*PLAN, "--improvement", "200%"), "--improvement"),
        (("bounds", "--means", "0.5,1.6"), "--means"),
        (("bounds", "--means", "0.5"), "--means"),
        (("bounds", "--means", "0.5,0.6", "--max-loss", "0"), "--max-loss"),
        (("bounds", "--means", "0.5,0.6", "--format", "xml"), "--format"),
    ],
)
def test_bad_options_are_one_line_and_exit_code_2(floorline, words, option):
    found = floorline(*words)
    assert found.returncode == 2 and found.stdout == ""
    assert found.stderr.startswith(f"floorline: {option}: must be ")
    assert found.stderr.count("\n") == 1


def test_a_plan_says_what_keeps_it_from_exploring(floorline):
    words = ["plan", "--challengers", "1", "--default-mean", "0.03", "--improvement", "33%",
             "--decisions-per-day", "100", "--days", "5", "--max-loss", "10%",
             "--no-figure"]  # fmt: skip
    lost = " ".join(floorline(*words, "--lost", "10%").stdout.split())
    assert "the most of it that it can ever get 13.94%" in lost
    assert "At 10% a challenger that is 33% better can never get most of the traffic" in lost
    assert "Try --boundary beta-binomial" in lost
    live = " ".join(floorline(*words, "--boundary", "beta-binomial").stdout.split())
    assert "the most of it that it can ever get 100%" in live
    assert "by theory, at the latest" not in live
    assert "never get" not in live and "Try --boundary" not in live


def test_bounds_agree_with_the_functions_and_stand_above_the_simulation(floorline):
    found = floorline("bounds", "--means", "0.5,0.6,0.4", "--noise-scale", "0.1", "--horizon",
                      "20000", "--delta", "1e-9", "--format", "json", "--runs", "20")  # fmt: skip
    answer = json.loads(found.stdout)
    for name, row in answer["bounds"].items():
        if row["simulated_max"] is not None:
            assert row["simulated_mean"] <= row["simulated_max"] <= row["bound"], name
    assert (
        answer["bounds"]["conservative_ucb"]["as_printed"]
        < (answer["bounds"]["conservative_ucb"]["bound"])
    )
    assert answer["warm_up"]["certified"] <= answer["warm_up"]["certain"]
    assert answer["lower_bound_conditions"] == "its conditions hold"


def test_bounds_as_a_table_by_the_name_of_the_package():
    words = ["--means", "0.05,0.6", "--default-mean", "learned", "--horizon", "1000", "--runs", "5"]
    command = [sys.executable, "-m", "floorline", "bounds", *words]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert "Theorem 2" in found.stdout and "default_mean: must be from" in found.stdout


@pytest.mark.parametrize(
    ("words", "bound"),
    [
        (("--means", "0.5,0.6,0.4,0.4,0.4", "--max-loss", "0.001"), 27.9),
        (("--means", "0.03,0.04", "--noise", "bernoulli", "--horizon", "1000000"), 16.9),
    ],
)
def test_the_lower_bound_is_that_of_a_floor_which_may_fail_and_of_these_rewards(
    floorline, words, bound
):
    found = floorline("bounds", *words, "--runs", "1", "--format", "json")
    assert json.loads(found.stdout)["bounds"]["lower_bound"]["bound"] == pytest.approx(
        bound, abs=0.05
    )
