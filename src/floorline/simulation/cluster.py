"""Connecting to a Dask cluster; it needs the extra [dask]."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS = 5.0

NO_DASHBOARD: dict[str, Any] = {
    "dashboard_address": None,
    "scheduler_kwargs": {"dashboard_address": "127.0.0.1:0"},
}
"""For `LocalCluster`. Without its dashboard Dask still serves HTTP, and complains if its port is
taken: 0 is any free one."""


@contextmanager
def connect(cluster: str | None) -> Iterator[Client | None]:
    """Yield a client of a cluster, and close what was started for it; None without a cluster.

    Args:
        cluster: `local` for a worker on each core of this machine, or the address of a scheduler
            such as tcp://host:8786.
    """
    if cluster is None:
        yield None
        return
    if cluster != "local" and "://" not in cluster:
        raise ValueError(
            f"cluster: must be local or an address such as tcp://host:8786, not {cluster!r}"
        )
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise ValueError("cluster: needs the extra [dask]: pip install 'floorline[dask]'") from None
    from floorline.simulation.job import all_cores

    settings = {
        # A lost worker is abandoned after this time; by default it would delay a sweep by 30 s.
        "distributed.comm.timeouts.connect": f"{CONNECT_SECONDS}s",
        # Workers would sample their own stack a hundred times a second, which nobody reads here,
        "distributed.worker.profile.enabled": False,
        # and each process its event loop and its memory, which takes 5% of two cores.
        "distributed.admin.tick.interval": "1s",
        "distributed.worker.memory.monitor-interval": "1s",
    }
    with dask.config.set(settings):
        if cluster == "local":
            local = LocalCluster(
                n_workers=all_cores(),
                threads_per_worker=1,
                host="127.0.0.1",
                **NO_DASHBOARD,
            )
            with local, Client(local) as client:
                yield client
            return
        try:
            client = Client(cluster, timeout=CONNECT_SECONDS)
        except OSError as error:
            raise ValueError(f"cluster: cannot reach {cluster}: {error}") from None
        with client:
            yield client
