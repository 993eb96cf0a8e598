"""Ctrl-C: a command ends within a second, whatever it is doing."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread, current_thread, main_thread

INTERRUPTED = 130
"""The exit code of a program ended by Ctrl-C."""

GRACE_SECONDS = 0.7
"""How long a command may take to end on its own after Ctrl-C."""


class CtrlC:
    """What has happened since the command started."""

    pressed = False
    """Whether Ctrl-C was pressed."""
    reported = False
    """Whether the user has been told that the command was stopped."""

    def end(self) -> None:
        """Report once that the command was stopped; after Ctrl-C, end the process.

        It ends at once, since a clean shutdown of the interpreter and the compiler takes a second.
        """
        try:
            if not self.reported:
                self.reported = True
                print("floorline: stopped", file=sys.stderr, flush=True)
            sys.stdout.flush()
        finally:  # the reader of a pipe may be gone
            if self.pressed:
                os._exit(INTERRUPTED)


@contextmanager
def ending_within_a_second() -> Iterator[CtrlC]:
    """End the process soon after Ctrl-C, even if the KeyboardInterrupt is late or lost.

    Python raises it only between two bytecode instructions, so not while the compiler or a long run
    is busy, and an exception raised in a callback of the compiler is lost. A separate thread gets
    the signal in any case.
    """
    ctrl_c = CtrlC()
    if os.name == "nt" or current_thread() is not main_thread():
        yield ctrl_c
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    hook = sys.unraisablehook
    sys.unraisablehook = lambda lost: (
        None if lost.exc_type is KeyboardInterrupt else hook(lost)  # handled by `_watch`
    )
    Thread(target=_watch, args=(reader, ctrl_c), daemon=True).start()
    try:
        yield ctrl_c
    finally:
        sys.unraisablehook = hook
        signal.set_wakeup_fd(before)
        os.close(writer)


def _watch(reader: int, ctrl_c: CtrlC) -> None:
    """Handle Ctrl-C until the command ends and the pipe is closed."""
    while signals := os.read(reader, 64):
        if signal.SIGINT in signals:
            ctrl_c.pressed = True
            time.sleep(GRACE_SECONDS)
            ctrl_c.end()
    os.close(reader)
