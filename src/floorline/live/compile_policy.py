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
from floorline.core.machine_code_compiler import machine_code
from floorline.core.packing import take_apart
from floorline.live.compiled_kernels import choices_for, run_step, stored_code
from floorline.live.knowledge import Knowledge
from floorline.live.settings import CampaignSettings


def compile_policy(settings: CampaignSettings, numbers: Sequence[int]) -> None:
    """Store the machine code of a campaign with these settings, as far as it is missing."""
    knowledge = Knowledge(settings, numbers)
    records = knowledge.records()
    paths = stored_code(knowledge.kernels, records)
    if paths is None:
        return
    steps = choices_for(knowledge.kernels, take_apart(records).form)
    for path, choices in zip(paths, steps, strict=True):
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
