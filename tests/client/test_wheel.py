"""The distribution `floorline-client`: built, installed alone, and run against a real service."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
from email.parser import Parser
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

import floorline

pytest.importorskip("hatchling", reason="the extra [dev] is not installed")

ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "clients" / "python"

PROGRAM = """
import asyncio, sys
from importlib.util import find_spec
from floorline_client import AsyncClient, Client

url, queue = sys.argv[1:]
assert not any(map(find_spec, ("floorline", "numpy", "msgspec", "pip")))

with Client(url, timeout=20, queue_file=queue) as client:
    client.campaigns.open("bare", ["now", "video"], 0.5, "unknown")
    decisions = [client.decide("bare"), *client.decide_many("bare", ["a", "b"])]
    client.reward(decisions[0].ticket, 1.0)
    client.reward_many([(decision.ticket, 0.5) for decision in decisions[1:]])
    assert client.flush(20)

async def main():
    async with AsyncClient(url, timeout=20) as client:
        client.reward((await client.decide("bare")).ticket, 0.25)
        assert await client.flush(20)
        return await client.campaigns.stop("bare")

print(asyncio.run(main()).status["state"])
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder)]
    pip("wheel", *options, str(PROJECT))
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has the wheel, and nothing else."""
    folder = tmp_path_factory.mktemp("bare") / "venv"
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    pip("--python", str(python), "install", "--no-index", str(wheel))
    return python


def pip(*words: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def run(python: Path, program: str, *words: str) -> str:
    command = [str(python), "-I", "-W", "error", "-c", program, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_wheel_has_the_client_and_no_dependencies(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith("/METADATA"))
        fields = Parser().parsestr(archive.read(metadata).decode())
        modules = {Path(name).name for name in names if name.startswith("floorline_client/")}
    assert fields["Name"] == "floorline-client"
    assert fields["Version"] == floorline.__version__
    needed = [one for one in fields.get_all("Requires-Dist", []) if "extra ==" not in one]
    assert needed == []
    source = (ROOT / "src" / "floorline" / "client").glob("*.py")
    assert modules == {path.name for path in source} | {"py.typed"}
    assert wheel.stat().st_size < 100_000


def test_the_wheel_alone_calls_the_service(service: Any, python: Path, tmp_path: Path) -> None:
    printed = run(python, PROGRAM, service.url, str(tmp_path / "rewards"))
    assert printed.strip() == "stopped"
    rewards = [one["reward"] for one in service.records("bare")]
    assert rewards == [1, 0.5, 0.5, 0.25]


def test_its_readme(service: Any, python: Path) -> None:
    service.open("page")
    (program,) = re.findall(
        r"^```python\n(.*?)^```", (PROJECT / "README.md").read_text(), re.M | re.S
    )
    patient = program.replace('http://127.0.0.1:8400"', f'{service.url}", timeout=20')
    assert run(python, patient).startswith("show now")
    assert [one["reward"] for one in service.records("page")] == [1]
