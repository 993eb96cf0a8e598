"""What several tests share."""

from __future__ import annotations

import contextlib
import io
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def hear_ctrl_c() -> Callable[[], None]:
    """For a new process: programs started in the background by a shell do not hear it."""
    return lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None


@pytest.fixture
def program() -> Run:
    """Runs the command line as a user would, in its own process."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).with_name("floorline")), *words]
        return subprocess.run(command, capture_output=True, text=True)

    return run


@pytest.fixture
def floorline(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command line in this process, which has loaded and compiled much already."""
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
