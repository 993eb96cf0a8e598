"""Runs on a Dask cluster: the same results, whichever worker plays them, lost ones included."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from floorline import Case, Gaussian, PolicySetup, compare, make_policy, simulate, summarize, sweep
from floorline.cli.main import app
from floorline.paper.run import produce
from floorline.paper.sweeps import PaperRun, points
from floorline.simulation import cluster
from floorline.simulation.cluster import connect
from floorline.simulation.digest import CHUNK
from floorline.simulation.engines import cluster as cluster_engine
from floorline.simulation.job import prepare
from floorline.sweeping import Instance, SweepPlan, run_sweep

dask = pytest.importorskip("dask", reason="the extra [dask] is not installed")
distributed = pytest.importorskip("distributed", reason="the extra [dask] is not installed")

ARMS = Gaussian([0.5, 0.6, 0.4])
POLICY = make_policy("conservative-ucb", PolicySetup.of(ARMS, 500, max_loss=0.1, delta=0.1))
SETTINGS: dict[str, Any] = {"horizon": 500, "seed": 7, "checkpoints": [50, 500]}


@pytest.fixture(scope="module")
def taken_port() -> Iterator[None]:
    """Takes the port of Dask's dashboard, as another cluster on this machine does."""
    with socket.socket() as other:
        with contextlib.suppress(OSError):  # there is another cluster
            other.bind(("127.0.0.1", 8787))
            other.listen()
        yield


@pytest.fixture(scope="module")
def workers(taken_port: None) -> Iterator[Any]:
    """A scheduler and two workers, each in a process of its own."""
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", **cluster.NO_DASHBOARD
        ) as found,
    ):
        yield found


@pytest.fixture
def client(workers: Any) -> Iterator[Any]:
    with distributed.Client(workers) as found:
        yield found


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_engine, "MIN_TASK_ROUNDS", 500_000)


def test_simulate_gives_the_same_results(client: Any) -> None:
    there = simulate(POLICY, ARMS, runs=3000, cluster=client, rewards=True, **SETTINGS)
    here = simulate(POLICY, ARMS, runs=3000, rewards=True, **SETTINGS)
    for name in ("pseudo_regret", "lowest_budget", "plays", "first_breach", "rewards"):
        np.testing.assert_array_equal(getattr(there, name), getattr(here, name))


@pytest.mark.parametrize("runs", [100, 8192, 20_000])
def test_summaries_are_the_same_to_the_last_bit(client: Any, runs: int) -> None:
    there = summarize(POLICY, ARMS, runs=runs, cluster=client, **SETTINGS)
    here = summarize(POLICY, ARMS, runs=runs, **SETTINGS)
    assert there.runs == here.runs
    for name in ("mean", "standard_error", "min", "max"):
        for measured in ("pseudo_regret", "lowest_budget"):
            np.testing.assert_array_equal(
                getattr(getattr(there, measured), name), getattr(getattr(here, measured), name)
            )
    np.testing.assert_array_equal(there.plays, here.plays)
    np.testing.assert_array_equal(
        there.pseudo_regret.quantile(0.9), here.pseudo_regret.quantile(0.9)
    )


def test_no_task_has_more_runs_than_a_chunk(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker would need memory for all of them."""
    monkeypatch.setattr(cluster_engine, "MIN_TASK_ROUNDS", 10**12)
    engine = prepare(Case(POLICY, ARMS, 500), 40_000, 7, None, "cpu", client).engine
    try:
        assert engine.submit(40_000) == -(-40_000 // CHUNK)
    finally:
        engine._results().close()
    there = summarize(POLICY, ARMS, runs=20_000, cluster=client, **SETTINGS)
    here = summarize(POLICY, ARMS, runs=20_000, **SETTINGS)
    np.testing.assert_array_equal(there.pseudo_regret.mean, here.pseudo_regret.mean)
    np.testing.assert_array_equal(there.breach_rate, here.breach_rate)


def test_a_sweep_comes_in_order(client: Any) -> None:
    cases = [Case(POLICY, ARMS, horizon) for horizon in (500, 100, 300, 200)]
    there = [found.pseudo_regret.mean for found in sweep(cases, runs=2000, cluster=client)]
    here = [found.pseudo_regret.mean for found in sweep(cases, runs=2000)]
    np.testing.assert_array_equal(there, here)


def test_comparisons_and_sweeps_of_a_grid_play_there(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks: list[int] = []
    submit = cluster_engine.ClusterEngine.submit
    monkeypatch.setattr(
        cluster_engine.ClusterEngine, "submit", lambda *a: tasks.append(submit(*a)) or tasks[-1]
    )
    options: dict[str, Any] = {"horizon": 300, "runs": 64}
    there = compare(["conservative-ucb"], ARMS, **options, cluster=client)
    here = compare(["conservative-ucb"], ARMS, **options)
    assert repr(there) == repr(here) and len(tasks) == 1
    plan = SweepPlan(
        (Instance("three", (0.5, 0.6, 0.4)),),
        {"policy": ["conservative-ucb"], "max_loss": [0.1, 0.2], "horizon": [300]},
        runs=64,
    )
    there_too = run_sweep(plan, tmp_path / "there", cluster=client)
    assert there_too.rows == run_sweep(plan, tmp_path / "here").rows and len(tasks) == 3


@pytest.mark.parametrize("command", ["sweep", "paper"])
def test_no_command_ignores_a_cluster(floorline: Any, tmp_path: Path, command: str) -> None:
    (tmp_path / "grid.toml").write_text(
        'runs = 2\n[grid]\npolicy = "ucb"\nhorizon = 2\n'
        '[[instance]]\nname = "a"\nmeans = [0.5, 0.6]\n'
    )
    words = [str(tmp_path / "grid.toml")] if command == "sweep" else ["--means", "0.5,0.6"]
    done = floorline(
        command, *words, "--cluster", "tcp://127.0.0.1:1", "--out", str(tmp_path / "out")
    )
    assert done.returncode == 2 and "--cluster: cannot reach tcp:" in done.stderr


def test_the_tasks_of_a_lost_worker_are_played_by_others(client: Any) -> None:
    pids = list(client.run(os.getpid).values())
    killed = []

    def kill_one(done: int) -> None:
        if not killed:
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)

    case = Case(POLICY, ARMS, 500)
    job = prepare(case, 20_000, 7, None, "cpu", client)
    outcome = job.engine.outcome(20_000)
    job.engine.play(outcome, 0, kill_one)
    here = simulate(POLICY, ARMS, horizon=500, runs=20_000, seed=7)
    assert killed
    np.testing.assert_array_equal(outcome.pseudo_regret, here.pseudo_regret)


def test_an_interrupt_cancels_what_is_left(client: Any) -> None:
    job = prepare(Case(POLICY, ARMS, 500), 50_000, 7, None, "cpu", client)

    def interrupt(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        job.engine.play(job.engine.outcome(50_000), 0, interrupt)
    assert client.futures == {}


def test_a_cluster_plays_on_processors_only(client: Any) -> None:
    with pytest.raises(ValueError, match="device: must be cpu on a cluster"):
        simulate(POLICY, ARMS, horizon=10, runs=10, device="python", cluster=client)


def test_what_is_no_cluster_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.1)
    with (
        pytest.raises(ValueError, match="cluster: must be local or an address"),
        connect("nowhere"),
    ):
        pass
    before = dask.config.get("distributed.comm.timeouts.connect")
    with (
        pytest.raises(ValueError, match="cluster: cannot reach tcp:"),
        connect("tcp://127.0.0.1:1"),
    ):
        pass
    assert dask.config.get("distributed.comm.timeouts.connect") == before


def test_points_of_the_paper_are_the_same(client: Any) -> None:
    """One that serves all losses at once, and one of a single loss."""
    settings = PaperRun(runs=8, quick=True)
    shortest = {
        len(point.max_losses) > 1: point
        for part in ("horizon", "alpha")
        for point in sorted(points(settings, part), key=lambda point: -point.horizon)
    }
    chosen = list(shortest.values())
    assert list(produce(chosen, settings, client)) == list(produce(chosen, settings))
    assert len(chosen) == 2


def test_the_commands_use_a_cluster(workers: Any) -> None:
    words = ["simulate", "--policy", "conservative-ucb", "--means", "0.5,0.6,0.4"]
    words += ["--runs", "64", "--horizon", "200", "--format", "json"]
    here = CliRunner().invoke(app, words)
    there = CliRunner().invoke(app, [*words, "--cluster", workers.scheduler_address])
    assert here.exit_code == there.exit_code == 0, there.output
    found = [json.loads(result.stdout) for result in (here, there)]
    for one in found:
        del one["rounds_per_second"], one["settings"]["cluster"]
    assert found[0] == found[1]
