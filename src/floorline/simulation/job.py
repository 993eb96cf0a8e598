"""A simulation, checked and with the engine that will play it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from floorline.core.checks import choice, number, require, whole
from floorline.core.records import FOREVER, Counts
from floorline.environments import Environment
from floorline.environments.moments import changes
from floorline.policy import Policy
from floorline.simulation.engines.base import Engine
from floorline.simulation.engines.cluster import ClusterEngine
from floorline.simulation.engines.cpu import CpuEngine
from floorline.simulation.fit import check_fit
from floorline.simulation.loops.run import Measure

if TYPE_CHECKING:
    from distributed import Client

    from floorline.simulation.engines.cuda.engine import CudaEngine

DEVICES = ("cpu", "cuda", "python")


class Case(NamedTuple):
    """A policy in an environment, and how it is measured: the arguments of `summarize`."""

    policy: Policy
    environment: Environment
    horizon: float
    """Rounds per run."""
    max_loss: float | None = None
    """The loss that breaches are counted against; by default the floor's own."""
    checkpoints: Sequence[int] | None = None
    """Increasing rounds at which results are kept; by default the horizon alone."""
    rewards: bool = False
    """Whether to keep the rewards received as well."""
    misses: bool = False
    """Whether to check after every reward that the interval contains its arm's mean."""
    quantiles: bool = True
    """Whether the summary has quantiles, which takes longer."""


class Job(NamedTuple):
    """A case that is ready to be played."""

    engine: Engine
    checkpoints: Counts
    runs: int


def prepare(
    case: Case,
    runs: float,
    seed: int,
    threads: int | None,
    device: str,
    cluster: Client | None = None,
) -> Job:
    """Check a case and return it ready to be played."""
    policy, environment, checkpoints = case.policy, case.environment, case.checkpoints
    check_order(policy, environment)
    horizon = whole("horizon", case.horizon, 1)
    require(horizon < FOREVER, "horizon", "below 2^62", horizon)
    runs = whole("runs", runs, 1)
    seed = whole("seed", seed, 0)
    threads = all_cores() if threads is None else whole("threads", threads, 1)
    choice("device", device, DEVICES)
    late = environment.late
    if cluster is not None:
        require(device == "cpu", "device", "cpu on a cluster", device)
    if device == "cuda":
        require(not late, "device", "cpu or python where rewards come late", device)
        require(horizon < 2**31, "horizon", "below 2^31 on a GPU", horizon)
        require(seed < 2**64, "seed", "below 2^64 on a GPU", seed)
    if case.misses and (late or environment.adversarial or changes(environment)):
        raise ValueError(
            "misses: must not be asked for against adversaries, for late rewards or where means "
            "change"
        )
    if case.misses and policy.floor.counts_received:
        raise ValueError("misses: must not be asked for under a floor that uses no intervals")
    rounds = [horizon] if checkpoints is None else checkpoints
    points = np.array([whole("checkpoints", one, 0) for one in rounds], np.int64)
    fits = points.size > 0 and points[0] >= 1 and points[-1] <= horizon
    require(
        bool(fits and np.all(np.diff(points) > 0)),
        "checkpoints",
        f"increasing rounds from 1 to the horizon ({horizon})",
        checkpoints,
    )
    means = np.array(environment.means)
    check_fit(policy, environment, horizon, means)
    loss = policy.floor.max_loss
    if case.max_loss is not None:
        loss = number("max_loss", case.max_loss, 0, 1)
    if loss is None:
        raise ValueError("max_loss: must be given, since this policy has no floor to take it from")
    measure = Measure(
        checkpoints=points,
        gaps=means.max() - means,
        gains=means - (1 - loss) * means[0],
        means=means,
        default_mean=float(means[0]),
        wants_rewards=case.rewards,
        wants_misses=case.misses,
        wants_quantiles=case.quantiles,
        keep=1 - loss,
        received=policy.floor.counts_received,
    )
    prepared = policy.prepare(len(means), horizon, late=late)
    engine: Engine
    if device == "cuda":
        engine = gpu_engine()(prepared, environment, measure, seed)
    elif device == "python":
        engine = CpuEngine(prepared, environment, measure, seed, 1, interpreted=True)
    else:
        cpu = engine = CpuEngine(prepared, environment, measure, seed, threads)
        if cluster is not None:
            engine = ClusterEngine(cpu, case._replace(horizon=horizon), seed, cluster)
    return Job(engine, points, runs)


def check_environment(environment: object) -> None:
    """Raise ValueError unless this is an environment: arguments may have been swapped."""
    fits = hasattr(environment, "means") and hasattr(environment, "kernels")
    require(fits, "environment", "an Environment, which comes after the policy", environment)


def check_order(policy: object, environment: object) -> None:
    """Raise ValueError unless these are a policy and an environment, in this order."""
    fits = isinstance(policy, Policy)
    require(fits, "policy", "a Policy, which comes before the environment", policy)
    check_environment(environment)


def gpu_engine() -> type[CudaEngine]:
    """Return the GPU engine; raise ValueError if there is no GPU or no driver for it."""
    try:
        from floorline.simulation.engines.cuda.engine import CudaEngine, cuda
    except ImportError:
        raise ValueError(
            "device: cuda needs the extra [cuda]: pip install 'floorline[cuda]'"
        ) from None
    if not cuda.is_available():
        raise ValueError("device: cuda needs an NVIDIA GPU and its driver; none was found")
    return CudaEngine


def start_device(device: str) -> None:
    """Start the GPU, if it is the device, in the background; the first simulation waits for it."""
    if device == "cuda":
        from floorline.simulation.engines.cuda.driver import start_driver

        Thread(target=start_driver).start()  # while the engine's modules are loaded
        Thread(target=gpu_engine().start).start()


def all_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
