"""Compile the kernels of a campaign to machine code: a program of its own, run in the background.

It reads the campaign's settings from its standard input.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from floorline.core.machine_code import store
from floorline.live.compiled_kernels import choices_for, code_paths, run_step
from floorline.live.knowledge import Knowledge
from floorline.live.settings import CampaignSettings


def compile_policy(settings: CampaignSettings, numbers: Sequence[int]) -> None:
    """Store the machine code of a campaign with these settings, as far as it is missing."""
    from floorline.core.machine_code_compiler import machine_code  # numba, after giving way

    knowledge = Knowledge(settings, numbers)
    form = knowledge.record_form()
    steps = choices_for(knowledge.kernels, form)
    for path, choices in zip(code_paths(knowledge.kernels, form), steps, strict=True):
        if not path.exists():
            store(path, machine_code(run_step, choices))


def give_way() -> None:
    """Let decisions come first: with the processor, and if memory runs out."""
    if hasattr(os, "nice"):
        os.nice(10)
    with suppress(OSError):  # only Linux has it
        Path("/proc/self/oom_score_adj").write_text("1000")


if __name__ == "__main__":
    give_way()
    given = json.load(sys.stdin)
    compile_policy(CampaignSettings.from_json(given["settings"]), given["numbers"])
