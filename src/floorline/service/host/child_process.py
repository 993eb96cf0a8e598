"""Long work in a child process of low priority: it must not delay decisions here."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from asyncio.subprocess import PIPE
from contextlib import suppress

ARGUMENTS = "FLOORLINE_ARGUMENTS"
"""The environment variable with the arguments of a child process, as JSON."""


class ChildError(ValueError):
    """A child process failed."""


async def output_of(module: str, *arguments: str) -> bytes:
    """Return what `python -m module` writes to standard output.

    Raises:
        ChildError: it failed, with the last line of what it wrote to standard error.
    """
    # Not on the command line, which everybody on this machine can read: a locator may hold a
    # password.
    environment = {**os.environ, ARGUMENTS: json.dumps(arguments)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
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
        raise ChildError(why[0])
    return output


def write_output(output: bytes) -> None:
    """Write the output of this process, and end it."""
    sys.stdout.buffer.write(output)
    sys.stdout.flush()
    os._exit(0)  # the thread below waits for standard input, and would keep Python from ending


def become_child() -> list[str]:
    """Return the arguments of this process, which gets low priority and ends with its parent."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):  # not available on Windows
        with suppress(OSError):  # not allowed
            os.nice(19)
    return [str(argument) for argument in json.loads(os.environ[ARGUMENTS])]


def end_with_parent() -> None:
    """Wait for the end of standard input, which the parent holds."""
    sys.stdin.read()
    os._exit(1)
