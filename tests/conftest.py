"""Fixtures that tests of several folders use."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from floorline.core import file_locks

if TYPE_CHECKING:
    from postgresql_server import PostgresServer

Run = Callable[..., "subprocess.CompletedProcess[str]"]
WaitUntil = Callable[[Callable[[], bool]], None]


def pytest_configure(config: pytest.Config) -> None:
    """Keep campaigns interpreted, in child processes too, where a test does not ask otherwise."""
    os.environ.setdefault("FLOORLINE_MACHINE_CODE", "off")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests of locks where there are none: on Windows, and in `make portable`."""
    if file_locks.fcntl is None and item.get_closest_marker("locks"):
        pytest.skip("there are no locks of files here")


@pytest.fixture
def machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every campaign of this process decide in machine code, from its second decision on."""
    from floorline.live import acceleration, campaign
    from floorline.live.compile_policy import compile_policy

    def accelerate_at_once(knowledge: Any) -> None:
        for _ in range(2):  # prepares, enters
            acceleration.accelerate(knowledge)

    monkeypatch.setenv("FLOORLINE_MACHINE_CODE", "on")
    monkeypatch.setattr(acceleration, "run_compiler", compile_policy)
    monkeypatch.setattr(acceleration.Preparation, "start", acceleration.Preparation.run)
    monkeypatch.setattr("floorline.live.recorder.accelerate", accelerate_at_once)
    monkeypatch.setattr(campaign, "LOOK_EVERY", 1)


@pytest.fixture
def hear_ctrl_c() -> Callable[[], None]:
    """Return a `preexec_fn` that restores Ctrl-C: a background shell job ignores it."""
    return lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None


@pytest.fixture
def program() -> Run:
    """Return a function that runs the command line in a process of its own, as a user would."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).with_name("floorline")), *words]
        return subprocess.run(command, capture_output=True, text=True)

    return run


@pytest.fixture
def floorline(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs the command line in this process: nothing is loaded again."""
    from floorline.cli.main import main

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["floorline", *words])
        out, err = io.StringIO(), io.StringIO()
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(),  # the program shows them in its own way
            pytest.raises(SystemExit) as ended,
        ):
            warnings.simplefilter("default", UserWarning)
            main()
        return subprocess.CompletedProcess(
            sys.argv, ended.value.code or 0, out.getvalue(), err.getvalue()
        )

    return run


@pytest.fixture
def wait_until() -> WaitUntil:
    """Return a function that polls a condition until it is true; it fails after a minute.

    The clock is a deadline for code that hangs. No result depends on it.
    """

    def wait(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, "the condition was still false after a minute"
            time.sleep(0.01)

    return wait


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real PostgreSQL server, one for each process that runs tests."""
    pytest.importorskip("psycopg", reason="the extra [postgres] is not installed")
    from postgresql_server import PostgresServer, programs

    folder = programs()
    if folder is None:
        pytest.skip("no PostgreSQL server here: apt-get install postgresql")
    server = PostgresServer(folder)
    yield server
    server.delete()


@pytest.fixture
def database(postgres: PostgresServer) -> str:
    """The URL of a new, empty database."""
    return postgres.new_database()
