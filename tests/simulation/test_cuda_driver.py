"""Starting the GPU's driver early; without a driver, nothing is raised."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from floorline.simulation.engines.cuda.driver import start_driver


class FakeDriver:
    """Counts what is called, and fails from the first call that is said to fail."""

    def __init__(self, failing: str | None = None) -> None:
        self.called: list[str] = []
        self._failing = failing

    def __getattr__(self, name: str) -> Any:
        def call(*_: object) -> int:
            self.called.append(name)
            return 100 if name == self._failing else 0

        return call


@pytest.mark.parametrize(
    ("failing", "called"),
    [
        (None, ["cuInit", "cuDeviceGet", "cuDevicePrimaryCtxRetain"]),
        ("cuInit", ["cuInit"]),
        ("cuDeviceGet", ["cuInit", "cuDeviceGet"]),
    ],
)
def test_the_first_gpu_is_started_if_there_is_one(
    monkeypatch: pytest.MonkeyPatch, failing: str | None, called: list[str]
) -> None:
    driver = FakeDriver(failing)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: driver)
    start_driver()
    assert driver.called == called


def test_without_a_driver_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", missing)
    start_driver()
