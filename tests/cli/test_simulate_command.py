import csv
import inspect
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from floorline.cli import simulate

PAPER = ["--means", "0.5,0.6,0.4,0.4,0.4", "--horizon", "1000", "--runs", "200", "--delta", "0.01"]
POLICIES = [
    "ucb",
    "conservative-ucb",
    "budget-first",
    "unbalanced-moss",
    "thompson",
    "conservative-thompson",
]


@pytest.mark.parametrize("policy", POLICIES)
def test_json_has_the_promised_shape(floorline, policy):
    done = floorline("simulate", "--policy", policy, *PAPER, "--format", "json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert list(answer) == [
        "policy",
        "horizon",
        "runs",
        "seed",
        "pseudo_regret",
        "breach_rate",
        "lowest_budget",
        "plays",
        "rounds_per_second",
        "settings",
    ]
    assert answer["policy"] == policy
    assert (answer["horizon"], answer["runs"], answer["seed"]) == (1000, 200, 1)
    assert set(answer["pseudo_regret"]) == {"mean", "standard_error"}
    assert set(answer["lowest_budget"]) == {"mean", "min"}
    assert sum(answer["plays"]["mean"]) == pytest.approx(1000)
    assert answer["rounds_per_second"] > 0


def test_every_option_is_taken_by_every_policy(floorline):
    """An option that a policy does not use is ignored, so that only --policy changes."""
    options = [
        "--noise",
        "gaussian",
        "--noise-scale",
        "1",
        "--max-loss",
        "0.1",
        "--default-mean",
        "learned",
        "--boundary",
        "authors",
        "--fallback",
        "best-lower",
        "--warm-up",
        "certified",
        "--guarantee",
        "expectation",
        "--seed",
        "3",
        "--threads",
        "2",
        "--device",
        "cpu",
    ]
    for policy in POLICIES:
        done = floorline("simulate", "--policy", policy, *PAPER, *options, "--format", "json")
        assert done.returncode == 0, done.stderr


def test_outputs_name_every_setting(floorline):
    """Rows of different settings can be told apart, whichever option differs."""
    start = ["simulate", "--policy", "ucb", "--means", "0.5,0.6", "--horizon", "20", "--runs", "2"]
    rows = []
    for more in ([], ["--max-loss", "0.2"], ["--delta", "0.1"], ["--noise", "bernoulli"]):
        answer = json.loads(floorline(*start, *more, "--format", "json").stdout)
        (row,) = csv.DictReader(io.StringIO(floorline(*start, *more, "--format", "csv").stdout))
        settings = answer["settings"]
        assert settings["means"] == row["settings_means"] == "0.5,0.6"
        assert {f"settings_{name}" for name in settings} <= {*row}
        rows.append(tuple(value for name, value in row.items() if name.startswith("settings_")))
    assert len({*rows}) == 4
    parameters = inspect.signature(simulate.simulate).parameters
    hidden = {"context", "format", "threads", "lowest_reward", "highest_reward"}
    assert {*settings} == {*parameters} - hidden
    assert settings["noise_scale"] == 0.5  # that of the rewards, though no option says so


def test_verify_and_bounds_name_every_setting(floorline):
    rest = ["--means", "0.5,0.6", "--horizon", "20", "--runs", "2", "--format", "json"]
    for command in (["verify", "--policy", "conservative-ucb"], ["bounds"]):
        settings = json.loads(floorline(*command, *rest).stdout)["settings"]
        expected = {"means": "0.5,0.6", "horizon": 20, "runs": 2, "boundary": "stitched"}
        assert {name: settings[name] for name in expected} == expected
        assert {"max_loss", "delta", "noise", "noise_scale", "seed", "default_mean"} <= {*settings}


def test_csv_is_one_row_under_a_header(program):
    done = program("simulate", "--policy", "ucb", *PAPER, "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert row["policy"] == "ucb"
    assert float(row["pseudo_regret_mean"]) > 0
    assert float(row["plays_mean_4"]) > 0


def test_table_is_for_people(floorline):
    done = floorline("simulate", "--policy", "conservative-ucb", *PAPER)
    assert "conservative-ucb: 200 runs of 1,000 rounds" in done.stdout
    assert "runs below 0.9 of the default  0.00%" in done.stdout


def test_the_default_is_stitched_with_delta_5_percent_and_the_mean_known(floorline):
    told = [
        "--noise",
        "gaussian",
        "--noise-scale",
        "1",
        "--default-mean",
        "known",
        "--boundary",
        "stitched",
        "--fallback",
        "default",
        "--max-loss",
        "0.1",
        "--delta",
        "0.05",
        "--seed",
        "1",
        "--device",
        "cpu",
        "--guarantee",
        "probability",
    ]
    start = ["simulate", "--policy", "conservative-ucb", *PAPER[:6], "--format", "json"]
    answers = [json.loads(floorline(*start, *more).stdout) for more in ([], told)]
    for answer in answers:
        del answer["rounds_per_second"]
    assert answers[0] == answers[1]


def test_bernoulli_and_tables(floorline, tmp_path):
    table = tmp_path / "rewards.csv"
    table.write_text("arm,value,probability\n0,0,0.5\n0,1,0.5\n1,0,0.3\n1,1,0.7\n")
    start = ["simulate", "--policy", "thompson", "--horizon", "500", "--runs", "300"]
    for noise in (["bernoulli", "--means", "0.5,0.7"], [f"table:{table}"]):
        done = floorline(*start, "--noise", *noise, "--format", "json")
        assert done.returncode == 0, done.stderr
        plays = json.loads(done.stdout)["plays"]["mean"]
        assert plays[1] > plays[0]


@pytest.mark.parametrize("adversary", ["switching", "late", "lure", "adaptive", "table"])
def test_an_adversary_adds_regret_to_the_answer(floorline, tmp_path, adversary):
    table = tmp_path / "rewards.csv"
    table.write_text("0.5,0.9\n" * 300 + "0.5,0\n" * 200)
    told = f"table:{table}" if adversary == "table" else adversary
    start = ["--adversary", told, "--means", "0.5,0.9", "--horizon", "500", "--runs", "64"]
    done = floorline("simulate", "--policy", "safe-exp3-ix", *start, "--format", "json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    keys = list(answer)
    assert keys.index("regret") == keys.index("pseudo_regret") + 1
    assert set(answer["regret"]) == {"mean", "standard_error"}
    assert answer["breach_rate"] == 0.0
    assert "regret" in floorline("simulate", "--policy", "safe-exp3-ix", *start).stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-loss", "2"], "--max-loss: must be a number at least 0 and at most 1, not 2.0"),
        (["--max-loss", "nan"], "--max-loss: must be"),
        (["--delta", "0"], "--delta: must be"),
        (["--means", "0.5"], "--means: must be two or more finite numbers"),
        (["--means", "0.5,x"], "--means: must be numbers"),
        (["--means", "0.5,-0.2"], "--means: must be at least low (0)"),
        (["--horizon", "0"], "--horizon: must be"),
        (["--runs", "x"], "--runs"),
        (["--runs", "-5"], "--runs: must be"),
        (["--boundary", "wide"], "--boundary: must be one of stitched, authors"),
        (
            ["--boundary", "beta-binomial"],
            "--noise or --adversary: ",
        ),
        (["--boundary", "beta-binomial", "--high", "0"], "--high: must be"),
        (["--fallback", "hope"], "--fallback: must be one of default, best-lower"),
        (["--default-mean", "0.5"], "--default-mean: must be one of known, learned"),
        (["--noise", "pink"], "--noise: must be one of gaussian, bernoulli, table:FILE"),
        (["--noise", "table:nowhere.csv"], "cannot be read"),
        (["--noise-scale", "-1"], "--noise-scale: must be"),
        (["--guarantee", "expectation", "--max-loss", "0.001"], "--max-loss: must be above"),
        (["--format", "xml"], "--format: must be one of table, json, csv"),
        (["--device", "abacus"], "--device: must be one of"),
        (["--boundary", "authors", "--delta", "1", "--means", "0.5,0.6"], "--delta: "),
        (["--policy", "greedy"], "--policy: must be one of ucb, "),
        (
            ["--policy", "exp3-ix"],
            "--noise or --adversary: ",
        ),
        (["--policy", "lil-ucb", "--lil-ucb", "lucky"], "--lil-ucb: must be one of theoretical"),
        (["--adversary", "kind"], "--adversary: must be one of switching, late, lure, adaptive"),
        (["--adversary", "lure", "--means", "0.5,1.5"], "--means: must be two or more"),
        (["--adversary", "table:nowhere.csv"], "cannot be read"),
        (["--delay", "soon"], "--delay: must be like 100 or 0-2000, not 'soon'"),
        (["--delay", "5-3"], "--delay: must be like 100 or 0-2000, not '5-3'"),
        (["--lost", "some"], "--lost: must be shares such as 5%,10%, not 'some'"),
        (["--lost", "0.1,0.2,0.3"], "--lost: must be one number, or "),
        (["--repeated", "some"], "--repeated: must be shares such as 5%,10%, not 'some'"),
        (["--repeated", "2"], "--repeated: must be "),
        (["--missing", "gone"], "--missing: must be one of unknown, zero, random"),
        (
            ["--delay", "5", "--policy", "ucb"],
            "--policy: must be one whose floor",
        ),
        (["--delay", "5", "--adversary", "lure"], "--adversary: must be left out"),
        (["--colour", "red"], "No such option"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(floorline, options, message):
    start = ["simulate", "--policy", "conservative-ucb", "--means", "0.5,0.6", "--horizon", "100"]
    done = floorline(*start, *options)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


def test_rewards_of_0_or_1_have_their_own_noise_scale(floorline):
    """It was 1 by default: four times the plays for the same certainty."""
    start = [
        "--policy",
        "conservative-ucb",
        "--noise",
        "bernoulli",
        "--means",
        "0.5,0.6",
        "--horizon",
        "2000",
        "--runs",
        "50",
        "--format",
        "json",
    ]
    regrets = [
        json.loads(floorline("simulate", *start, *more).stdout)["pseudo_regret"]["mean"]
        for more in ([], ["--noise-scale", "0.5"], ["--noise-scale", "1"])
    ]
    assert regrets[0] == regrets[1] < 0.9 * regrets[2]


def test_low_and_high_have_their_old_names_too(floorline, tmp_path):
    table = tmp_path / "orders.csv"
    table.write_text("arm,value,probability\n0,-5,0.5\n0,20,0.5\n1,-5,0.3\n1,20,0.7\n")
    start = [
        "simulate",
        "--policy",
        "conservative-ucb",
        "--boundary",
        "beta-binomial",
        "--noise",
        f"table:{table}",
        "--horizon",
        "300",
        "--runs",
        "8",
        "--format",
        "json",
    ]
    now = floorline(*start, "--low", "-5", "--high", "20")
    before = floorline(*start, "--lowest-reward", "-5", "--highest-reward", "20")
    assert now.returncode == before.returncode == 0 and now.stderr == ""
    assert json.loads(now.stdout)["plays"] == json.loads(before.stdout)["plays"]
    assert "--lowest-reward is deprecated; use --low instead" in before.stderr
    shown = floorline("simulate", "--help").stdout
    assert "--low" in shown and "--lowest-reward" not in shown


def test_missing_policy_and_means(program):
    for words in (["simulate"], ["simulate", "--policy", "ucb"]):
        done = program(*words)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1, done.stderr


def test_beta_binomial_on_clicks(floorline):
    done = floorline(
        "simulate",
        "--policy",
        "conservative-ucb",
        "--boundary",
        "beta-binomial",
        "--noise",
        "bernoulli",
        "--means",
        "0.03,0.06",
        "--horizon",
        "500",
        "--runs",
        "2",
        "--device",
        "python",
    )
    assert done.returncode == 0, done.stderr
    assert "boundary beta-binomial, delta 0.05" in done.stdout


def test_a_boundary_that_is_not_proved_warns_in_one_line(program):
    small = ["--horizon", "100", "--runs", "2", "--device", "python"]
    done = program(
        "simulate",
        "--policy",
        "conservative-ucb",
        "--means",
        "0.5,0.6",
        *small,
        "--boundary",
        "as-printed",
    )
    assert done.returncode == 0
    assert done.stderr.startswith("floorline: warning: boundary as-printed")
    assert done.stderr.count("\n") == 1


def test_ctrl_c_ends_cleanly(hear_ctrl_c, floorline, monkeypatch):
    """Interrupted in the middle of long runs: soon over, one line, the code of an interrupt."""
    monkeypatch.setenv("TERM", "xterm")
    command = ["simulate", "--policy", "ucb", "--means", "0.5,0.6", "--horizon", "1000000"]
    floorline(*command, "--runs", "1")  # compiled here, and only loaded below
    command = [str(Path(sys.executable).with_name("floorline")), *command, "--runs", "1000000"]
    terminal, stderr = pty.openpty()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=stderr, text=True, preexec_fn=hear_ctrl_c
    )
    os.close(stderr)
    with process, open(terminal, "rb", buffering=0) as screen:
        try:
            shown = b""
            while len(set(re.findall(rb"\d:\d\d:\d\d", shown))) < 2:
                shown += screen.read(4096)  # until the time left that its bar tells has changed
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
        finally:
            process.kill()
        with suppress(OSError):  # so ends what a terminal shows
            while True:
                shown += screen.read(4096)
    assert (process.returncode, out) == (130, "")
    *_, last = shown.split(b"\x1b[2K")  # the bar is wiped off
    assert last == b"floorline: stopped\r\n"


def test_ctrl_c_ends_one_very_long_run(hear_ctrl_c, floorline, monkeypatch):
    """A run of hours ends within seconds, however busy the machine: a second on a free one."""
    monkeypatch.setenv("TERM", "xterm")
    command = ["simulate", "--policy", "ucb", "--means", "0.5,0.6", "--runs", "1", "--horizon"]
    floorline(*command, "10")  # compiled here, and only loaded below
    terminal, stderr = pty.openpty()
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("floorline")), *command, "1000000000000"],
        stderr=stderr,
        preexec_fn=hear_ctrl_c,
    )
    os.close(stderr)
    with process, open(terminal, "rb", buffering=0) as screen:
        try:
            shown = b""
            while b"simulating" not in shown:
                shown += screen.read(4096)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=10) == 130
        finally:
            process.kill()


@pytest.mark.parametrize("fails", [True, False])
def test_an_interrupt_that_the_compiler_loses_ends_the_command(fails, hear_ctrl_c):
    """What Ctrl-C raises in a callback is lost, and what follows is another error, or nothing."""
    program = f"""
import os, signal, sys, time
from floorline.cli import main
def command(**options):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    except KeyboardInterrupt:
        pass
    if {fails}:
        time.sleep(0.2)
        raise RuntimeError("no compiled object yet")
    time.sleep(60)
main.app = command
main.main()
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        preexec_fn=hear_ctrl_c,
        timeout=50,
    )
    assert (done.returncode, done.stderr) == (130, "floorline: stopped\n")


def test_policies_lists_the_catalogue(program):
    done = program("policies")
    for policy in POLICIES:
        assert policy in done.stdout


def test_help_does_not_load_the_compiler():
    program = "import sys, floorline.cli.main; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n"


def test_version(program):
    assert program("--version").stdout.startswith("floorline 0.")


def test_rewards_can_come_late_or_never(floorline):
    start = [
        "--policy",
        "conservative-ucb",
        "--means",
        "0.5,0.6",
        "--noise",
        "bernoulli",
        "--noise-scale",
        "0.5",
        "--horizon",
        "500",
        "--runs",
        "64",
        "--max-loss",
        "0.5",
        "--format",
        "json",
    ]
    shares = []
    for late in ([], ["--delay", "100"], ["--delay", "0-200", "--lost", "0,0.5"]):
        answer = json.loads(floorline("simulate", *start, *late).stdout)
        assert answer["breach_rate"] == 0.0
        shares.append(answer["plays"]["mean"][1])
    assert len(set(shares)) == 3
    twice = ["--delay", "0-200", "--lost", "0,0.5", "--repeated", "0,1"]  # changes nothing
    answer = json.loads(floorline("simulate", *start, *twice).stdout)
    assert answer["plays"]["mean"][1] == shares[-1]
    in_percent = ["--delay", "0-200", "--lost", "0%, 50%", "--repeated", "100%"]
    answer = json.loads(floorline("simulate", *start, *in_percent).stdout)
    assert answer["plays"]["mean"][1] == shares[-1]
    counted = ["--lost", "0,0.5", "--missing", "zero"]  # the challenger is then the worse arm
    answer = json.loads(floorline("simulate", *start, *counted).stdout)
    assert answer["pseudo_regret"]["mean"] == pytest.approx(0.2 * answer["plays"]["mean"][1])


def test_the_table_names_the_boundary_where_there_is_one(floorline):
    with_one = floorline("simulate", "--policy", "conservative-ucb", *PAPER).stdout
    without = floorline("simulate", "--policy", "ucb", *PAPER).stdout
    assert "boundary stitched, delta 0.01" in with_one
    assert "runs below 0.9 of the default" in without
    assert "boundary" not in without and "delta" not in without
