"""Switching a busy campaign to machine code, which another process compiles if there is none."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from floorline.live.compiled_kernels import stored_code
from floorline.live.knowledge import Knowledge
from floorline.live.settings import CampaignSettings

log = logging.getLogger(__name__)

LOOK_EVERY = 256
"""Decisions after which an interpreted campaign looks for its machine code."""

SWITCH = "FLOORLINE_MACHINE_CODE"
"""The environment variable that keeps campaigns interpreted, if it is `off`."""

_compilers: dict[tuple[Path, ...], subprocess.Popen[bytes]] = {}
"""The processes that compile code, or have compiled it, or failed to."""


def accelerate(knowledge: Knowledge) -> None:
    """Continue in machine code if it is on disk; otherwise have it compiled, for the next time.

    A campaign decides the same either way, to the last bit. So nothing that goes wrong here may
    keep it from deciding.
    """
    if os.environ.get(SWITCH) == "off":
        return
    try:
        code = stored_code(knowledge.kernels, knowledge.records())
        if code is None:
            return
        if all(path.exists() for path in code):
            knowledge.enter_machine_code(code)
        elif code not in _compilers and _can_start_python():
            _compilers[code] = _start_compiler(knowledge.settings, knowledge.numbers)
        elif code in _compilers and _compilers[code].poll():
            _report_once(f"the compiler exited with {_compilers[code].returncode}")
    except Exception as error:
        _report_once(repr(error))


def _can_start_python() -> bool:
    """Return whether `sys.executable` is Python, not a program that includes it."""
    name = Path(sys.executable or "").name.lower()
    return name.startswith("python") and not getattr(sys, "frozen", False)


def _start_compiler(settings: CampaignSettings, numbers: Sequence[int]) -> subprocess.Popen[bytes]:
    """Start a process that compiles the policy of a campaign; nobody waits for its end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "floorline.live.compile_policy"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    with process.stdin as pipe:
        pipe.write(json.dumps({"settings": settings.to_json(), "numbers": numbers}).encode())
    return process


@cache
def _report_once(problem: str) -> None:
    log.warning(
        "campaigns stay interpreted, and decide as before, but slower", extra={"problem": problem}
    )
