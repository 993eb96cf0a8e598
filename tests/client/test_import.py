"""Importing the client is quick, and needs nothing but Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"


def run_bare(program: str, *words: object) -> str:
    """What a program prints that finds nothing but the standard library and this source."""
    start = f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n"
    command = [sys.executable, "-I", "-S", "-c", start + program, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_client_loads_nothing_else() -> None:
    program = (
        "from floorline.client import Client\n"
        "ours = {name for name in sys.modules if name.startswith('floorline')}\n"
        "print({name for name in ours if not name.startswith('floorline.client')},\n"
        "      {'numpy', 'msgspec', 'asyncio'} & set(sys.modules))\n"
        "from floorline.client import AsyncClient\n"
        "print(AsyncClient.__name__)"
    )
    assert run_bare(program).splitlines() == ["{'floorline'} set()", "AsyncClient"]


def test_importing_the_client_takes_less_than_50_ms() -> None:
    program = (
        "import time\n"
        "start = time.process_time()\n"
        "import floorline.client\n"
        "print(time.process_time() - start)"
    )
    seconds = [float(run_bare(program)) for _ in range(10)]
    # Time of the processor, and the least of ten: a busy machine inflates both, the clock far more.
    assert min(seconds) < 0.050


def test_the_client_works_without_fcntl(tmp_path: Path) -> None:
    program = (
        "sys.modules['fcntl'] = None\n"
        "from floorline.client import Client\n"
        "for ticket in ('a-1-0', 'a-2-0'):\n"
        "    client = Client('http://127.0.0.1:9', queue_file=sys.argv[1])\n"
        "    client.reward(ticket, 1.0)\n"
        "    client.close(0.1)\n"
    )
    path = tmp_path / "rewards"
    run_bare(program, path)
    assert path.read_text() == '["a-1-0", 1.0]\n["a-2-0", 1.0]\n'
