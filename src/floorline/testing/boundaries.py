"""The suite for boundaries."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from floorline.boundaries import Boundary
from floorline.core.kernel import bind
from floorline.core.records import Floats
from floorline.core.slots import interval, lower_end, note, upper_end
from floorline.environments import Environment, Gaussian, Tabulated
from floorline.environments.base import draw
from floorline.floors import ConfidenceFloor, NoFloor
from floorline.policy import Policy
from floorline.proposers import optimistic
from floorline.simulation import summarize
from floorline.simulation.engines.cpu import stream
from floorline.testing.guard import Guarded
from floorline.testing.hostile import in_turn
from floorline.testing.odds import too_often
from floorline.testing.policies import check_policy

REWARDS = 120
"""How many rewards are observed; the intervals are checked after each."""

Ends = tuple[float, float]


def check_boundary(
    boundary: Boundary, *, horizon: int = 1000, runs: int = 4000, seed: int = 1
) -> None:
    """Raise AssertionError unless the boundary's intervals are as declared.

    - At most a share delta of the runs has any interval that ever misses its arm's mean (false
      alarm: below 1e-6 in total), with rewards as the boundary assumes: two or three values in
      [low, high] if it needs a range, else Gaussian noise and fair coins of its noise scale.
    - After every reward the lower end is not above the upper one, and neither is NaN.
    - `lower_end` and `upper_end` return the ends of `interval`.
    - A smaller delta yields a wider interval.
    - `has_radius`: intervals are the average plus and minus `radius`; without it `radius` raises
      ValueError.
    - Its kernels use only their own memory.
    - Compiled equals interpreted, under the paper's floor (`check_policy`).

    Args:
        boundary: a registered kind with settings for which it is proved.
        horizon: rounds per run, shared by two arms.
        runs: how many runs.
        seed: any whole number from 0.
    """
    environments = list(_environments(boundary))
    for environment in environments:
        rewards = _rewards(environment, stream(seed, 0))
        _check_intervals(boundary, rewards)
        summary = summarize(
            Policy(in_turn(), NoFloor(), boundary),
            environment,
            horizon=horizon,
            runs=runs,
            seed=seed,
            max_loss=0.1,
            misses=True,
            progress=False,
        )
        assert summary.miss_rate is not None
        misses = round(float(summary.miss_rate[-1]) * runs)
        assert not too_often(misses, runs, boundary.delta), (
            f"an interval missed its mean in {misses} of {runs} runs, "
            f"where delta is {boundary.delta:g}: {environment}"
        )
    if boundary.kind.needs_range:
        for extreme in (boundary.low, boundary.high):
            _check_intervals(boundary, np.full(REWARDS, extreme))
    floored = Policy(optimistic(), ConfidenceFloor(0.2), boundary)
    check_policy(floored, environments[0], horizon=100, runs=10, seed=seed)


def _environments(boundary: Boundary) -> Iterator[Environment]:
    """Yield environments of two arms for which the intervals must hold."""
    if boundary.kind.needs_range:
        low, high = boundary.low, boundary.high
        middle = (low + high) / 2
        yield Tabulated([[low, high]] * 2, [[0.5, 0.5], [0.9, 0.1]])
        yield Tabulated([[low, middle, high]] * 2, [[0.1, 0.6, 0.3], [0.3, 0.6, 0.1]])
        return
    scale = boundary.noise_scale
    mean = max(boundary.low, 0.0) + scale
    yield Gaussian([mean, mean], scale)
    yield Tabulated([[mean - scale, mean + scale]] * 2, [[0.5, 0.5]] * 2)


def _rewards(environment: Environment, rng: Any) -> Floats:
    """Return some rewards of the default arm."""
    draws = bind(environment.kernels()[draw], environment.kernels())
    rules = environment.rules()
    return np.array([draws(rules, 0, rng) for _ in range(REWARDS)])


def _check_intervals(boundary: Boundary, rewards: Floats) -> None:
    """Check the intervals after each of these rewards, at several levels of delta."""
    outer: list[Ends] | None = None
    for share in (0.1, 0.5, 1.0):
        narrowed = replace(boundary, delta=share * boundary.delta)
        intervals = _intervals(narrowed, rewards)
        _check_radius(narrowed, rewards, intervals)
        for (lower, upper), (least, most) in zip(intervals, outer or intervals, strict=True):
            assert least <= lower and upper <= most, (
                f"at delta {narrowed.delta:g} an interval is [{lower}, {upper}], "
                f"but at a smaller delta [{least}, {most}]"
            )
        outer = intervals


def _intervals(boundary: Boundary, rewards: Floats) -> list[Ends]:
    """Return the interval after each reward, from kernels in guarded memory."""
    rules = boundary.rules(2, default_known=True, horizon=len(rewards))
    kernels = boundary.kernels(len(rewards))
    notes, both, lowers, uppers = (
        bind(kernels[slot], kernels) for slot in (note, interval, lower_end, upper_end)
    )
    size = boundary.kind.memory_size(2)
    memory = Guarded(np.zeros(size), "the memory of the boundary")
    intervals = []
    total = 0.0
    for seen, reward in enumerate(rewards.tolist(), start=1):
        total += reward
        notes(rules, memory, 1, reward)
        lower, upper = both(rules, memory, 1, seen, total)
        assert lower <= upper, f"the interval after {seen} rewards is [{lower}, {upper}]"
        ends = lowers(rules, memory, 1, seen, total), uppers(rules, memory, 1, seen, total)
        assert ends == (lower, upper), (
            f"lower_end and upper_end return {ends} after {seen} rewards, but interval "
            f"{(lower, upper)}"
        )
        intervals.append((float(lower), float(upper)))
    return intervals


def _check_radius(boundary: Boundary, rewards: Floats, intervals: list[Ends]) -> None:
    """Check whether intervals have a radius, as the boundary declares."""
    zeta = boundary.inverse_error(2, default_known=True)
    if not boundary.kind.has_radius:
        try:
            boundary.radius(1, zeta)
        except ValueError:
            return
        raise AssertionError("has_radius: not set, but `radius` returns a number")
    averages = np.cumsum(rewards) / np.arange(1, len(rewards) + 1)
    for seen, ((lower, upper), average) in enumerate(
        zip(intervals, averages, strict=True), start=1
    ):
        radius = boundary.radius(seen, zeta)
        same = math.isclose(upper - average, radius, rel_tol=1e-9)
        same = same and math.isclose(average - lower, radius, rel_tol=1e-9)
        assert same, (
            f"has_radius: {radius} after {seen} rewards, but the interval around {average} is "
            f"[{lower}, {upper}]"
        )
