import json
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest


def test_the_simulated_demo_prints_a_table_and_draws_a_figure(program, tmp_path):
    words = ("demo", "--simulated", "--out", str(tmp_path / "new"), "--runs", "64")
    done = program(*words)
    assert done.returncode == 0, done.stderr
    for policy in ("UCB", "Conservative UCB", "BudgetFirst", "Unbalanced MOSS"):
        assert policy in done.stdout
    picture = (tmp_path / "new" / "demo.png").read_bytes()
    assert picture.startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", [["--simulated", "--runs", "64"], ["--visitors", "400"]])
def test_an_unwritable_folder_is_refused_at_the_start(program, tmp_path, kind):
    (tmp_path / "taken").write_text("a file")
    done = program("demo", *kind, "--out", str(tmp_path / "taken"))
    assert done.returncode == 2
    assert done.stderr == f"floorline: --out: cannot write {tmp_path / 'taken'}: File exists\n"
    assert done.stdout == ""


def test_the_live_demo_runs_to_its_end_without_a_terminal(program, monkeypatch, tmp_path):
    pytest.importorskip("starlette", reason="the extra [service] is not installed")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # nothing listens there
    monkeypatch.setenv("no_proxy", "")
    done = program("demo", "--visitors", "400", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    said = done.stdout
    assert re.search(r"Dashboard: http://127.0.0.1:\d+/", said)
    assert "The floor holds" in said
    assert re.search(r"^visitors below the floor +0 +[1-9]", said, re.M), "UCB falls, we do not"
    rows = re.findall(r"^saw \w+ \(\d+%\) +([\d,]+) +([\d,]+)", said, re.M)
    assert len(rows) == 5
    for column in zip(*rows, strict=True):
        assert sum(int(cell) for cell in column) == 400
    assert re.search(r"\d decisions per second", said)
    seasons = said.partition("Second act")[2]
    assert re.search(r"/campaigns/randomised-floor\n.*/campaigns/confidence-floor\n", seasons)
    assert re.search(r"^most clicks below the floor +\d+\.\d +\d+\.\d +0\.0$", seasons, re.M)
    report = tmp_path / "demo-report.html"
    assert said.rstrip().endswith(f"Report: {report.as_uri()}")
    assert "How this was verified" in report.read_text()


@pytest.mark.parametrize(
    ("how", "code", "words"),
    [(signal.SIGINT, 130, "floorline: stopped"), (signal.SIGTERM, 143, "")],
)
def test_the_live_demo_can_be_interrupted(hear_ctrl_c, monkeypatch, tmp_path, how, code, words):
    pytest.importorskip("starlette", reason="the extra [service] is not installed")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    command = [sys.executable, "-m", "floorline", "demo", "--visitors", "1000000"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(
        command, start_new_session=True, preexec_fn=hear_ctrl_c, **pipes
    ) as running:
        try:
            address = running.stdout.readline().split()[-1].rstrip("/")
            while decisions(address) == 0:
                pass  # until there are visitors
            running.send_signal(how)
            _, said = running.communicate(timeout=60)
        finally:
            running.kill()
    assert running.returncode == code
    assert said.strip() == words
    assert not list(tmp_path.glob("floorline-demo-*")), "nothing is left behind"
    with pytest.raises(ProcessLookupError):
        os.killpg(running.pid, 0)  # its service has ended too


def decisions(address):
    """How many decisions the demo's service has made."""
    from floorline.cli.background import direct

    with direct.open(f"{address}/v1/campaigns/landing-page") as answer:
        return json.load(answer)["status"]["decisions"]


def test_a_service_is_ended_if_nobody_waits_for_its_start(monkeypatch, tmp_path):
    from floorline.cli.background import Background

    started = []

    def interrupted(service):
        started.append(service.process)
        raise SystemExit

    monkeypatch.setattr(Background, "_wait", interrupted)
    with pytest.raises(SystemExit):
        Background(tmp_path / "data", 0)
    assert started[0].returncode is not None


def test_a_service_beside_another_takes_another_port(tmp_path):
    pytest.importorskip("starlette", reason="the extra [service] is not installed")
    from floorline.cli.background import Background, direct

    with Background(tmp_path / "one", 0) as one:
        port = int(one.url.rpartition(":")[2])
        with Background(tmp_path / "two", port, 0) as two:
            assert two.url != one.url
            with direct.open(f"{two.url}/readyz") as answer:
                assert answer.status == 200
        with pytest.raises(ValueError, match=f"did not start: .*{port} cannot be used"):
            Background(tmp_path / "three", port)


def test_the_contrast_has_the_same_visitors():
    pytest.importorskip("starlette", reason="the extra [service] is not installed")
    from floorline import Bernoulli, Policy, classical_ucb, simulate
    from floorline.cli.live_demo_visitors import RATES, Visitors, plain_ucb

    visitors, rates = 300, list(RATES.values())
    draws = Visitors.draw(visitors, 5).draws
    found = plain_ucb(draws, 5)
    run = simulate(
        Policy(classical_ucb(0.5)),
        Bernoulli(rates),
        horizon=visitors,
        runs=1,
        seed=5,
        max_loss=0.1,
        rewards=True,
        device="python",
    )
    assert found.clicks(np.array(rates)) == run.rewards[0, -1] > 0
    assert found.budget(np.array(rates), 0.1).min() == pytest.approx(run.lowest_budget[0, -1])


def test_the_second_act_has_the_same_luck_on_both_pages():
    pytest.importorskip("starlette", reason="the extra [service] is not installed")
    from floorline.cli.live_demo_seasons import AFTER, BEFORE, TURN, Crowd, budget_of, share_of

    crowd = Crowd.draw(20_000, 3)
    turned = np.arange(20_000) >= TURN * 20_000
    for rates, phase in ((BEFORE, ~turned), (AFTER, turned)):
        for kind, by_page in rates.items():
            chosen = phase & (np.array(crowd.kinds) == kind)
            for page, rate in by_page.items():
                clicks = crowd.default_clicks if page == "current" else crowd.candidate_clicks
                error = clicks[chosen].mean() - rate
                assert abs(error) < 5 * (0.25 / chosen.sum()) ** 0.5
    likelier = ~turned & (np.array(crowd.kinds) == "regular")  # to click on the current page
    assert (crowd.default_clicks >= crowd.candidate_clicks)[likelier].all()
    clicks, of_default = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 1.0])
    assert budget_of(clicks, of_default).tolist() == [1.0, 0.1, -0.8]
    many = np.ones(60)
    assert share_of(many / 2, many).tolist() == pytest.approx([0.5] * 11)


def test_visits_are_counted_right():
    pytest.importorskip("starlette", reason="the extra [service] is not installed")
    from floorline.cli.live_demo_table import Visits

    rates = np.array([0.5, 1.0, 0.0])
    visits = Visits(np.array([0, 1, 2, 2]), np.array([0.4, 0.9, 0.0, 0.0]))
    assert visits.clicks(rates) == 2
    assert visits.share(rates).tolist() == [1.0, 1.5, 1.0, 0.75]
    assert visits.budget(rates, 0.1).tolist() == [0.05, 0.6, 0.15, -0.3]
