"""What happens at Ctrl-C."""

from __future__ import annotations

import os
import sys

import pytest

from floorline.cli.interrupts import INTERRUPTED, CtrlC


class Gone:
    """A pipe that nobody reads any more."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        raise BrokenPipeError


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_the_process_ends_even_if_nobody_reads_its_output(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)
    monkeypatch.setattr(sys, name, Gone())
    ctrl_c = CtrlC()
    ctrl_c.pressed = True
    with pytest.raises(BrokenPipeError):  # the real _exit does not come back
        ctrl_c.end()
    assert codes == [INTERRUPTED]
