"""A pooler between a ledger and PostgreSQL is refused: locks belong to sessions."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from postgresql_server import PACKAGE_USER

from floorline.live import LedgerError
from floorline.live.ledgers import open_ledger

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")

SETTINGS = """
[databases]
* = host=127.0.0.1 port={port} user=floorline
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own_port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
ignore_startup_parameters = extra_float_digits
"""


@pytest.fixture
def pooler_port(
    postgres: Any, wait_until: Callable[..., None], request: pytest.FixtureRequest
) -> Iterator[int]:
    """The port of a pooler before the database."""
    if PROGRAM is None:
        pytest.skip("no pooler here: apt-get install pgbouncer")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    folder = Path(tempfile.mkdtemp(prefix="floorline-pgbouncer-"))
    settings = folder / "pgbouncer.ini"
    settings.write_text(SETTINGS.format(port=postgres.port, own_port=port, mode=request.param))
    as_user: dict[str, Any] = {}
    if os.geteuid() == 0:
        folder.chmod(0o755)
        as_user = {"user": PACKAGE_USER, "group": PACKAGE_USER, "extra_groups": []}
    with subprocess.Popen(
        [PROGRAM, settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **as_user
    ) as process:

        def listens() -> bool:
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        wait_until(lambda: process.poll() is not None or listens())
        yield port
        process.terminate()
    shutil.rmtree(folder)


@pytest.mark.parametrize("pooler_port", ["transaction", "session"], indirect=True)
def test_a_pooler_is_refused(pooler_port: int, postgres: Any, database: str) -> None:
    locator = database.replace(str(postgres.port), str(pooler_port))
    with pytest.raises(LedgerError, match="there is a pooler in between"):
        open_ledger(f"{locator}/page")
