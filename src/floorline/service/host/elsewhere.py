"""Long work in a process of its own, of low priority: it must not delay decisions here."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from asyncio.subprocess import PIPE
from contextlib import suppress


class ElsewhereError(ValueError):
    """The other process failed."""


LOCATOR = "FLOORLINE_LEDGER"
"""The environment variable that tells the other process what to read: a locator may hold a
password, and the arguments of processes are public."""


async def output_of(module: str, locator: str, *arguments: str) -> bytes:
    """Return what `python -m module` writes to standard output about a ledger.

    Raises:
        ElsewhereError: it failed, with the last line of what it wrote to standard error.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, *arguments),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env={**os.environ, LOCATOR: locator},
    )
    assert process.stdout is not None and process.stderr is not None
    try:
        output, errors = await asyncio.gather(process.stdout.read(), process.stderr.read())
    finally:
        with suppress(ProcessLookupError):
            process.kill()  # it has ended, unless this was cancelled
        code = await process.wait()
    if not output:
        why = errors.decode(errors="replace").strip().splitlines()[-1:] or [f"exit code {code}"]
        raise ElsewhereError(why[0])
    return output


def write_output(output: bytes) -> None:
    """Write the output of this process, and end it."""
    sys.stdout.buffer.write(output)
    sys.stdout.flush()
    os._exit(0)  # the thread below waits for standard input, and would keep Python from ending


def become_elsewhere() -> str:
    """Give this process low priority, end it when its parent ends; return the ledger's locator."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    with suppress(OSError):  # not allowed
        os.nice(19)
    return os.environ[LOCATOR]


def end_with_parent() -> None:
    """Wait for the end of standard input, which the parent holds."""
    sys.stdin.read()
    os._exit(1)
