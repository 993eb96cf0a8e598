import pytest
from numba import cuda


def test_the_budget_picture_alone_takes_no_simulation(program, floorline, tmp_path):
    done = program("paper", "--only", "budget", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"report: {tmp_path / 'report.html'}"
    again = floorline("paper", "--only", "budget", "--out", str(tmp_path))
    assert "already finished" in again.stdout


def test_what_a_gpu_has_finished_needs_no_gpu_and_force_does_not_cost_it(floorline, tmp_path):
    out = ["--only", "budget", "--out", str(tmp_path)]
    assert floorline("paper", *out).returncode == 0
    journal = tmp_path / "points.jsonl"
    journal.write_text(journal.read_text().replace('"device": "cpu"', '"device": "cuda"'))
    again = floorline("paper", "--device", "cuda", *out)
    assert (again.returncode, "already finished" in again.stdout) == (0, True)
    if cuda.is_available():
        pytest.skip("there is a GPU")
    before = sorted(tmp_path.iterdir())
    forced = floorline("paper", "--device", "cuda", "--force", *out[2:])
    assert (forced.returncode, sorted(tmp_path.iterdir())) == (2, before)


def test_bad_input_is_one_clear_line_that_names_the_option(floorline, tmp_path):
    for words, told in (
        (["--runs", "0"], "--runs: must be a whole number"),
        (["--boundary", "wide"], "--boundary: must be one of authors, stitched, as-printed"),
        (["--only", "beta"], "--only: must be one of alpha, horizon, budget"),
        (["--device", "abacus"], "--device: must be one of"),
        (["--seed", "-3"], "--seed: must be"),
    ):
        done = floorline("paper", "--out", str(tmp_path / "new"), *words)
        assert done.returncode == 2, words
        assert done.stderr.startswith(f"floorline: {told}"), done.stderr
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "new").exists()


def test_a_folder_in_use_is_one_clear_line(floorline, tmp_path):
    floorline("paper", "--only", "budget", "--out", str(tmp_path))
    done = floorline("paper", "--only", "budget", "--out", str(tmp_path), "--seed", "2")
    assert done.returncode == 2
    assert done.stderr.startswith(f"floorline: --out: {tmp_path} holds results of other settings")
    assert done.stderr.count("\n") == 1
