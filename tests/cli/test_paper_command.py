def test_the_budget_picture_alone_takes_no_simulation(program, floorline, tmp_path):
    done = program("paper", "--only", "budget", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"report: {tmp_path / 'report.html'}"
    again = floorline("paper", "--only", "budget", "--out", str(tmp_path))
    assert "finished already" in again.stdout


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
