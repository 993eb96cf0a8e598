"""The GPU's driver, started ahead of its first use."""

from __future__ import annotations

import ctypes


def start_driver() -> None:
    """Start the driver and the first GPU, if there are any.

    Numba does this itself, but only after its imports, which take as long. It needs no lock: the
    driver makes a second caller wait.
    """
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:  # no driver here, or one of another name; the engine's errors say more
        return
    device, context = ctypes.c_int(), ctypes.c_void_p()
    if driver.cuInit(0) == 0 and driver.cuDeviceGet(ctypes.byref(device), 0) == 0:
        driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
