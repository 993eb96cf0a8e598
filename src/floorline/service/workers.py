"""Several server processes on one machine, which share a port and a database."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.process import BaseProcess

from floorline.service.config import Config
from floorline.service.data import open_data
from floorline.service.listening import listen

log = logging.getLogger("floorline.service")

RESTART_SECONDS = 1.0
"""Seconds before a worker that has ended is restarted."""

CHECK_SECONDS = 0.2
"""Seconds between checks of the workers."""


def run_workers(config: Config, serve: Callable[[Config], None]) -> None:
    """Run `config.workers` servers until a signal arrives; restart those that end before.

    Raises:
        ValueError: the database or the port cannot be used.
    """
    open_data(config.data, create=config.create).source.close()  # raise here, and only once
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    # It does not listen, so it gets no connections; it only reserves the port for the workers.
    with listen(config.host, config.port, shared=True, backlog=None) as reserved:
        port = reserved.getsockname()[1]
        worker = replace(config, workers=1, port=port, shares_port=True)
        processes = [_start(worker, serve) for _ in range(config.workers)]
        while not stopping.wait(CHECK_SECONDS):
            for index, process in enumerate(processes):
                if not process.is_alive():
                    log.error("worker ended", extra={"exit_code": process.exitcode})
                    stopping.wait(RESTART_SECONDS)
                    processes[index] = _start(worker, serve)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


def _start(config: Config, serve: Callable[[Config], None]) -> BaseProcess:
    process = multiprocessing.get_context("spawn").Process(target=_work, args=(config, serve))
    process.start()
    return process


def _work(config: Config, serve: Callable[[Config], None]) -> None:
    """Serve in a worker, which ends with its parent."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end_with_parent, daemon=True).start()
    serve(config)
