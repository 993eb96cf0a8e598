"""The how-to, run as written: all but starting and installing."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "call-the-service.md"


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE.read_text(), re.M | re.S)


def run(service: Any, *command: str) -> str:
    words = [word.replace("http://127.0.0.1:8400", service.url) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_python_programs(service: Any) -> None:
    pytest.importorskip("openfeature", reason="the extra [openfeature] is not installed")
    service.open("page", max_loss=0.1)
    programs = blocks("python")
    assert len(programs) == 4
    for program in programs:
        patient = program.replace(':8400"', ':8400", timeout=10')  # this machine may be busy
        assert run(service, sys.executable, "-c", patient).startswith("show now")
    assert [one["reward"] for one in service.records("page")] == [1, 0, 1]


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_commands(service: Any) -> None:
    *commands, ofrep = blocks("bash")
    said = run(service, "bash", "-c", "set -e\n" + "\n".join(commands))
    assert '"result":"accepted"' in said
    assert "The floor holds" in said
    assert run(service, "bash", "-c", ofrep).count('"metadata":{"ticket":') >= 2
