import json
import subprocess
import sys

import pytest

from floorline import PolicySetup, theory

PLAN = (
    *("plan", "--challengers", "2", "--default-mean", "0.5", "--decisions-per-day", "60"),
    *("--improvement", "40%", "--days", "12", "--runs", "100"),
)


def test_plan_prints_a_page_and_draws_a_figure(program, tmp_path):
    found = program(*PLAN, "--max-loss", "10%,0.2", "--out", str(tmp_path / "new"))
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    assert "10%" in found.stdout and "20%" in found.stdout
    assert "gets most traffic from day" in found.stdout
    assert "9 in 10 campaigns" in found.stdout and "worst run" not in found.stdout
    assert "medians of 100 simulated campaigns" in found.stdout
    assert len(lines) < 40 and max(map(len, lines)) <= 80
    assert (tmp_path / "new" / "plan.png").stat().st_size > 10_000


def test_plan_as_json_has_an_outlook_for_every_loss_and_every_guess(floorline):
    words = ("--default-mean-error", "0.1", "--max-loss", "0.1,0.2", "--no-figure")
    answer = json.loads(floorline(*PLAN, *words, "--format", "json").stdout)
    assert [(o["max_loss"], o["default_mean"]) for o in answer["outlooks"]] == [
        (loss, mean) for loss in (0.1, 0.2) for mean in (0.5, 0.4, 0.6)
    ]
    assert answer["question"]["learned"] is True and answer["figure"] is None
    first = answer["outlooks"][0]
    assert first["floor"] == "joint" and first["runs"] == 100
    assert set(first["takeover_day"]) == {"low", "median", "high"}
    assert [len(first["better"]["gain"][edge]) for edge in ("low", "median", "high")] == [12] * 3


def test_a_plan_that_takes_long_says_so_before_it_begins(floorline):
    found = floorline(*PLAN, "--decisions-per-day", "1000000000", "--no-figure", "--seed", "-1")
    warning, refusal = found.stderr.splitlines()
    assert warning.startswith("floorline: warning: 7.2e+12 decisions are simulated")
    assert refusal.startswith("floorline: --seed: must be")
    assert len(floorline(*PLAN, "--no-figure", "--seed", "-1").stderr.splitlines()) == 1


def test_a_plan_is_in_the_units_of_the_user(floorline):
    orders = ("--low", "0", "--high", "200", "--default-mean", "1.8", "--spread", "12")
    words = [word for word in PLAN if word not in ("--default-mean", "0.5")]
    plain = floorline(*words, *orders, "--max-loss", "20%", "--no-figure")
    assert plain.returncode == 0, plain.stderr
    page = " ".join(plain.stdout.split())
    assert "The default earns 1.8 a decision, 60 decisions a day: 1,296 in 12 days" in page
    assert "after 12 days, in reward -259" in page
    assert "A reward of the default is 81.8 in 2.2% of the decisions, else 0" in page
    for unit in ("EUR", "[/]"):
        found = floorline(*words, *orders, "--max-loss", "20%", "--no-figure", "--unit", unit)
        page = " ".join(found.stdout.split())
        assert f"earns 1.8 {unit} a decision, 60 decisions a day: 1,296 {unit} in 12 days" in page
        assert f"after 12 days, in {unit} -259" in page and page.count(f" in {unit} ") == 3
        assert f"is 81.8 {unit} in 2.2% of the decisions, else 0" in page


def test_floors_and_losses_stand_side_by_side(floorline, monkeypatch, tmp_path):
    """With a second floor in the table: its name is all that the command line needs."""
    from floorline import ConfidenceFloor
    from floorline.policy_setup import FLOORS

    monkeypatch.setitem(FLOORS, "half", lambda setup: ConfidenceFloor(setup.max_loss / 2))
    words = ("--floor", "confidence,half", "--max-loss", "10%,40%", "--out", str(tmp_path))
    found = floorline(*PLAN, *words, "--unit", "EUR", "--format", "json")
    outlooks = json.loads(found.stdout)["outlooks"]
    assert [(one["floor"], one["max_loss"]) for one in outlooks] == [
        (floor, loss) for floor in ("confidence", "half") for loss in (0.1, 0.4)
    ]
    days = [one["takeover_day"]["median"] or 99 for one in outlooks]
    assert days[0] < days[2] and days[1] <= days[3]
    assert (tmp_path / "plan.png").exists()


def test_a_plan_of_the_randomised_floor_has_its_holdback_and_its_promise(floorline):
    words = ("--floor", "confidence,randomised", "--max-loss", "20%", "--no-figure")
    page = " ".join(floorline(*PLAN, *words).stdout.split())
    assert "First challenger at decision 5 depends" in page
    assert "its traffic is never above 98% 95%" in page
    assert "holds back 2% (confidence) or 5% (randomised) of the decisions" in page
    assert "The randomised floor is about rewards received" in page


@pytest.mark.parametrize("option", ["--in-flight-rate", "--in-flight-burst"])
def test_what_only_the_randomised_floor_takes_is_refused_without_it(floorline, option):
    found = floorline(*PLAN, "--floor", "confidence,joint", option, "2")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == (
        f"floorline: {option}: is for the randomised floor; give --floor randomised, too\n"
    )


def test_without_matplotlib_plan_says_so_in_one_line():
    code = (
        "import sys; sys.modules['matplotlib'] = None; "
        f"sys.argv = {['floorline', *PLAN]!r}; from floorline.cli.main import main; main()"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 2
    assert found.stderr == "floorline: figures need matplotlib: pip install 'floorline[figures]'\n"


@pytest.mark.parametrize(
    ("words", "option"),
    [
        ((*PLAN, "--max-loss", "0"), "--max-loss"),
        ((*PLAN, "--max-loss", "ten"), "--max-loss"),
        ((*PLAN, "--default-mean", "0"), "--default-mean"),
        ((*PLAN, "--default-mean", "3%"), "--default-mean"),
        ((*PLAN, "--days", "2.5"), "--days"),
        ((*PLAN, "--default-mean-error", "0.5"), "--default-mean-error"),
        ((*PLAN, "--floor", "confidence,ceiling"), "--floor"),
        ((*PLAN, "--runs", "4"), "--runs"),
        ((*PLAN, "--spread", "0.6"), "--spread"),
        ((*PLAN, "--missing", "never", "--delay-hours", "1"), "--missing"),
        ((*PLAN, "--improvement", "200%"), "--improvement"),
        (("bounds", "--means", "0.5,1.6"), "--means"),
        (("bounds", "--means", "0.5"), "--means"),
        (("bounds", "--means", "0,0.6"), "--means"),
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
    words = (
        *("plan", "--challengers", "1", "--default-mean", "0.03", "--improvement", "33%"),
        *("--decisions-per-day", "100", "--days", "5", "--max-loss", "10%", "--no-figure"),
    )
    lost = " ".join(floorline(*words, "--lost", "10%").stdout.split())
    assert "its traffic is never above 13.94%" in lost
    assert "At 10% a challenger that is 33% better can never get most of the traffic" in lost
    assert "Of all rewards 10% are lost" in lost
    wide = " ".join(floorline(*words, "--boundary", "stitched").stdout.split())
    assert "Try --boundary beta-binomial" in wide
    live = " ".join(floorline(*words).stdout.split())
    assert "its traffic is never above 98%" in live
    assert "never get" not in live and "Try --boundary" not in live


def test_a_plan_of_one_day_says_day(floorline):
    words = (*PLAN, "--days", "1", "--decisions-per-day", "1", "--max-loss", "10%", "--no-figure")
    page = " ".join(floorline(*words).stdout.split())
    assert "1 decision a day: 0.5 in 1 day." in page and "after 1 day " in page
    assert "1 days" not in page and "1 decisions" not in page


def test_a_plan_of_rewards_without_a_range_says_what_to_give(floorline):
    found = floorline(*PLAN, "--reward", "gaussian")
    assert found.returncode == 2
    assert found.stderr == (
        "floorline: --reward: is no longer an option; give --low, --high and --spread instead\n"
    )


def test_bounds_agree_with_the_functions_and_stand_above_the_simulation(floorline):
    found = floorline(
        "bounds",
        "--means",
        "0.5,0.6,0.4",
        "--noise-scale",
        "0.1",
        "--horizon",
        "20000",
        "--delta",
        "1e-9",
        "--format",
        "json",
        "--runs",
        "20",
    )
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


@pytest.mark.parametrize("learned", [False, True])
def test_upper_bounds_for_clicks_use_the_noise_scale_of_clicks(floorline, learned):
    """1/2, which covers rewards in [0, 1]; at scale 1 they would be about four times as large."""
    means = (0.3, 0.4, 0.2)
    words = ("--means", "0.3,0.4,0.2", "--noise", "bernoulli", "--runs", "1", "--format", "json")
    default_mean = ("--default-mean", "learned" if learned else "known")
    answer = json.loads(floorline("bounds", *words, *default_mean).stdout)
    assert answer["settings"]["noise_scale"] == 0.5
    found = {name: row["bound"] for name, row in answer["bounds"].items()}
    known = {"n_arms": 3, "horizon": 10_000, "default_mean": 0.3, "learned": learned}

    def bounds_at(scale):
        setup = PolicySetup(**known, noise_scale=scale, bounded=True)
        return {
            "conservative_ucb": theory.problem_regret(setup, means),
            "conservative_ucb_floor_penalty": theory.floor_penalty(setup, means),
            "conservative_ucb_expected": theory.expected_regret(setup, means),
            "conservative_ucb_worst": theory.worst_regret(setup),
            "budget_first": theory.budget_first_regret(setup, max(means) - means[0]),
            "budget_first_worst": theory.budget_first_regret(setup),
        }

    for (name, bound), (_, of_scale_1) in zip(
        bounds_at(0.5).items(), bounds_at(1.0).items(), strict=True
    ):
        assert found[name] == pytest.approx(bound), name
        assert bound < of_scale_1, "the case shows nothing"


def test_bounds_need_a_boundary_with_a_radius(floorline):
    found = floorline("bounds", "--means", "0.5,0.6", "--boundary", "beta-binomial")
    assert found.returncode == 2
    assert found.stderr.startswith("floorline: --boundary: must be one of stitched, ")
    assert found.stderr.endswith("not 'beta-binomial'\n")
