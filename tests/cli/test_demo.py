def test_the_demo_prints_a_table_and_draws_a_figure(program, tmp_path):
    done = program("demo", "--out", str(tmp_path / "new"), "--runs", "64")
    assert done.returncode == 0, done.stderr
    for policy in ("UCB", "Conservative UCB", "BudgetFirst", "Unbalanced MOSS"):
        assert policy in done.stdout
    picture = (tmp_path / "new" / "demo.png").read_bytes()
    assert picture.startswith(b"\x89PNG")


def test_an_unwritable_folder_is_one_clear_line(floorline, tmp_path):
    (tmp_path / "taken").write_text("a file")
    done = floorline("demo", "--out", str(tmp_path / "taken"), "--runs", "64")
    assert done.returncode == 2
    assert "--out: cannot write" in done.stderr
    assert "Traceback" not in done.stderr
