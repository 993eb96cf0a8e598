"""Switching a busy campaign to machine code, which is loaded, or compiled, in the background."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Thread
from typing import Any

from floorline.core.kernel import Function
from floorline.core.machine_code import DamagedCodeError, Native, load
from floorline.live.compiled_kernels import code_paths
from floorline.live.knowledge import Knowledge
from floorline.live.settings import CampaignSettings

log = logging.getLogger(__name__)

LOOK_EVERY = 256
"""Decisions after which an interpreted campaign asks for its machine code again."""

SWITCH = "FLOORLINE_MACHINE_CODE"
"""The environment variable that keeps campaigns interpreted, if it is `off`."""

_preparations: dict[object, Preparation] = {}
"""By kernels and the form of their records: what campaigns of the same kind share."""


def accelerate(knowledge: Knowledge) -> None:
    """Continue in machine code if it is ready; otherwise have it prepared, for a later call.

    A campaign decides the same either way, to the last bit.
    """
    form = knowledge.record_form()
    if os.environ.get(SWITCH) == "off" or form is None:
        return
    kind = frozenset(knowledge.kernels.items()), form
    if kind not in _preparations:
        _preparations[kind] = Preparation(knowledge, form)
    elif _preparations[kind].code:
        knowledge.enter_machine_code(_preparations[kind].code)


class Preparation(Thread):
    """A thread that loads the machine code of a kind of campaign, compiled first if need be.

    Campaigns never wait for it, and it never fails them.
    """

    def __init__(self, knowledge: Knowledge, form: Any) -> None:
        super().__init__(name="machine-code", daemon=True)
        self.code: list[Native] = []
        """The steps of a decision, once they are ready."""
        self._kernels: Mapping[Function, Function] = knowledge.kernels
        self._form = form
        self._settings, self._numbers = knowledge.settings, knowledge.numbers
        try:
            self.start()
        except RuntimeError as error:  # too many threads
            report_once(str(error))

    def run(self) -> None:
        """Load the code, or report why that cannot be done."""
        try:
            self.code = self._prepared()
        except Exception as error:
            report_once(f"{type(error).__name__}: {error}")

    def _prepared(self) -> list[Native]:
        """Return the steps; none if their code cannot be stored."""
        paths = code_paths(self._kernels, self._form)
        if not all(path.exists() for path in paths):
            run_compiler(self._settings, self._numbers)
        try:
            return [load(path) for path in paths]
        except DamagedCodeError:
            for path in paths:
                path.unlink(missing_ok=True)
            run_compiler(self._settings, self._numbers)
            return [load(path) for path in paths]


def run_compiler(settings: CampaignSettings, numbers: Sequence[int]) -> None:
    """Compile the policy of a campaign in another process: here it would delay decisions."""
    name = Path(sys.executable or "").name.lower()
    if not name.startswith("python") or getattr(sys, "frozen", False):
        raise RuntimeError("sys.executable is a program that includes Python, not Python itself")
    subprocess.run(
        # -P: nothing is imported from the working directory
        [sys.executable, "-P", "-m", "floorline.live.compile_policy"],
        input=json.dumps({"settings": settings.to_json(), "numbers": [*numbers]}).encode(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )


@cache
def report_once(problem: str) -> None:
    """Log why campaigns stay interpreted, once for each reason."""
    log.warning("campaigns stay interpreted, and decide as before but slower: %s", problem)
