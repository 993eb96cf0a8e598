"""What several tests share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def floorline() -> Run:
    """Runs the command line as a user would, in its own process."""

    def run(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).with_name("floorline")), *words]
        return subprocess.run(command, capture_output=True, text=True, **options)  # type: ignore

    return run
